"""The candidates of all parts of a shape, one after another, as examples keep them and batches take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from neurok.articulate.labels import Labels, find_right_candidates
from neurok.articulate.part_features import PART_FEATURES
from neurok.articulate.study import PartStudy
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.candidate_features import CANDIDATE_FEATURES
from neurok.proposals.simulator import find_survivors


@dataclass(frozen=True)
class TriedCandidates:
    """part: whose each candidate is, [c]; turns [c], axis, pivot [c, 3] as in Candidates; features [c, g]; survives:
    whether it moves freely, and right: whether it is the true motion, [c]; part_features: of each part, [p, f];
    studied: whether a part has candidates, [p]."""

    part: Indices
    turns: Mask
    axis: Array
    pivot: Array
    features: Array
    survives: Mask
    right: Mask
    part_features: Array
    studied: Mask


def collect_candidates(studies: Sequence[PartStudy | None], labels: Labels | None = None) -> TriedCandidates:
    """The candidates of all parts that were studied; none is right where no labels are given."""
    there = [(part, found) for part, found in enumerate(studies) if found is not None]
    counts = [found.tried.count for _, found in there]
    part_features = np.zeros((len(studies), len(PART_FEATURES)), dtype=np.float32)
    for part, found in there:
        part_features[part] = found.part_features
    return TriedCandidates(
        part=np.repeat(np.array([part for part, _ in there], dtype=np.int64), counts),
        turns=_join([found.tried.turns for _, found in there], bool),
        axis=_join([found.tried.axis for _, found in there]).reshape(-1, 3),
        pivot=_join([found.tried.pivot for _, found in there]).reshape(-1, 3),
        features=_join([found.features for _, found in there], np.float32).reshape(-1, len(CANDIDATE_FEATURES)),
        survives=_join([find_survivors(found.trials) for _, found in there], bool),
        right=_find_right(there, labels),
        part_features=part_features,
        studied=np.array([found is not None for found in studies], dtype=bool),
    )


def _find_right(there: Sequence[tuple[int, PartStudy]], labels: Labels | None) -> Mask:
    if labels is None:
        return np.zeros(sum(found.tried.count for _, found in there), dtype=bool)
    return _join([find_right_candidates(found, labels, part) for part, found in there], bool)


def _join(rows: Sequence[NDArray[Any]], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    return np.concatenate([np.zeros((0, *rows[0].shape[1:])) if rows else np.zeros(0), *rows]).astype(dtype)
