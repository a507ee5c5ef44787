"""Fitting the ranker of possible motions: one perceptron scores every motion of every hypothesis. With s its scores,

    log odds that hypothesis h moves = log sum over its motions of exp(s),    p(motion | h) = softmax(s),

so that one number a motion says both which parts move and how. The first is fitted by cross-entropy against the overlap
with a true part, the second against the share of the true motion that each motion makes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from neurok.data.folds import find_kind, load_folds
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.motion_features import POSSIBLE_FEATURES
from neurok.training.ranker_fitting import Members, add_exponentials, descend

EPOCHS, BATCH = 20, 8
# No true part below, surely one above: a tray without its front is hardly a drawer, since the front stops it. On three
# folds left out, the likeliest part is met by .97 in .60 of 308 lists, by .6 and .9 in .54.
EXACT_FROM, EXACT_TO = 0.75, 0.99
SHARE_TEMPERATURE = 0.1  # of the share of the true motion, in the softmax that is learned
MOTION_WEIGHT = 0.25  # of saying how a part moves, beside saying that it does
USUAL_PART_COUNT = 2.0  # true hypotheses of a list, by which those of lists with fewer are weighed


@dataclass(frozen=True)
class MotionList:
    """What one state of an object teaches. features [n, f]; share: of the true motion that each motion makes, [n];
    starts: where the motions of each hypothesis begin, [k + 1]; overlap: of the hypotheses with each true part, [t, k];
    members: their units, [k, u], and area: of each unit, [u]. reachable: the best overlap of any hypothesis at all with
    each true part, [t]. fold: that leaves the object out, 0 where none does."""

    name: str
    fold: int
    features: Array
    turns: Mask
    share: Array
    starts: Indices
    overlap: Array
    members: Mask
    area: Array
    reachable: Array

    @property
    def truth(self) -> Array:
        """How surely each hypothesis is a part that moves, [k]."""
        best = self.overlap.max(axis=0, initial=0.0)
        return ((best - EXACT_FROM) / (EXACT_TO - EXACT_FROM)).clip(0.0, 1.0)


def read_motion_lists(folder: Path) -> list[MotionList]:
    """All lists of a folder, by name."""
    folds, found = load_folds(), []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            data = {name: file[name] for name in file.files}
        if data["features"].shape[1] != len(POSSIBLE_FEATURES):
            raise InputError(f"{path} lists other numbers than neurok counts now", "remove it and gather it anew")
        group = folds.find_group(find_kind(str(data["name"]), str(data["category"])))
        fields = ("features", "turns", "share", "starts", "overlap", "members", "area", "reachable")
        found.append(MotionList(path.stem, group.fold if group else 0, *(data[name] for name in fields)))
    return found


def fit_motions(lists: Sequence[MotionList], generator: np.random.Generator) -> Members:
    """The perceptron that scores motions."""
    net = Members(np.concatenate([one.features[::7] for one in lists]).astype(np.float32), 1)
    data = [_prepare(net, one) for one in lists]

    def measure_loss(batch: Sequence[int]) -> Tensor:
        rows = [data[number] for number in batch]
        sizes = [len(row.standard) for row in rows]
        scores = net(torch.cat([row.standard for row in rows]).float())[..., 0].split(sizes, dim=1)
        return sum((_measure_list(row, score) for row, score in zip(rows, scores)), torch.zeros(())) / len(rows)

    descend(net, measure_loss, len(data), EPOCHS, BATCH, generator)
    return net


@dataclass(frozen=True)
class _Prepared:
    standard: Tensor  # [n, f]
    owner: Tensor  # the hypothesis of each motion, [n]
    truth: Tensor  # [k]
    share: Tensor  # [n]


def _prepare(net: Members, one: MotionList) -> _Prepared:
    owner = np.repeat(np.arange(len(one.starts) - 1), np.diff(one.starts))
    return _Prepared(
        net.standardise(one.features).half(), torch.tensor(owner), torch.tensor(one.truth, dtype=torch.float32),
        torch.tensor(one.share.clip(-1.0, 1.0), dtype=torch.float32),
    )  # fmt: skip


def _measure_list(one: _Prepared, score: Tensor) -> Tensor:
    """The loss of one list; score [members, n]."""
    odds = add_exponentials(score, one.owner, len(one.truth))
    moves = functional.binary_cross_entropy_with_logits(odds, one.truth.expand_as(odds), reduction="sum") / len(
        one.truth
    )
    log_chance = score - odds[:, one.owner]
    log_aim = one.share / SHARE_TEMPERATURE
    aim = (log_aim - add_exponentials(log_aim[None], one.owner, len(one.truth))[0, one.owner]).exp()
    weight = one.truth[one.owner]
    how = -(weight * aim * log_chance).sum() - (weight * one.share * log_chance.exp()).sum()
    return (moves + MOTION_WEIGHT * how / one.truth.sum().clamp_min(USUAL_PART_COUNT)) / len(score)
