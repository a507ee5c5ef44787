"""Possible motions: every motion of likely parts where nothing is dragged, with the numbers that say which are real."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.motion_features import POSSIBLE_FEATURES


@dataclass(frozen=True)
class PossibleMotions:
    """n motions of some hypotheses. part: of each, [n]; number: among the candidates of its study, [n]; turns: else it
    slides, [n]; twist: of a radian or a diagonal, canonical place, [n, 6]; features: POSSIBLE_FEATURES, [n, f]."""

    part: Indices
    number: Indices
    turns: Mask
    twist: Array
    features: Array

    @property
    def count(self) -> int:
        return len(self.part)


def list_possible_motions(found: Hypotheses, parts: Indices) -> PossibleMotions:
    """All motions of these hypotheses."""
    rows = []
    for part in parts:
        study = found.study(int(part))
        if study is not None:
            tried = study.tried
            rows.append((np.full(tried.count, part), np.arange(tried.count), tried.turns, tried.screws(),
                         found.describe(int(part))))  # fmt: skip
    if not rows:
        none = np.zeros(0, dtype=np.int64)
        return PossibleMotions(none, none, none > 0, np.zeros((0, 6)), np.zeros((0, len(POSSIBLE_FEATURES))))
    return PossibleMotions(*(np.concatenate(column) for column in zip(*rows)))
