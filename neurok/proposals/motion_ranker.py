"""The ranker of motions: which hypotheses are parts that move, and by which of their motions; it knows no category.

A perceptron of two layers of rectified units, averaged over members that were fitted from different beginnings by
`python -m benchmarks.calibrate_motions`, scores every motion of a hypothesis by the numbers of `possible_motions`. The
logarithm of the sum of the exponentials of its scores is the log odds that the hypothesis is a part that moves, and
their softmax the chance of each motion.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.proposals.motion_features import POSSIBLE_FEATURES
from neurok.proposals.ranker import apply_layers

FILE = "motion_ranker.safetensors"


@dataclass(frozen=True)
class MotionRanker:
    """weights: `motions.mean` and `.spread` of the features, `motions.0.weight`, `.bias`, ..., each with a leading axis
    over members."""

    weights: Mapping[str, Array]

    def score(self, features: Array) -> Array:
        """The scores of motions with features [n, f], [n]."""
        return apply_layers(self.weights, "motions", features)[:, 0]


def sum_log_odds(score: Array, part: Indices, parts: Indices) -> Array:
    """The log odds of hypotheses [k] from the scores [n] of their motions; part: the hypothesis of each motion, [n]."""
    return np.array([np.logaddexp.reduce(score[part == each]) for each in parts])


@cache
def load_motion_ranker() -> MotionRanker:
    """The one that comes with the package."""
    from safetensors.numpy import load

    content = files("neurok.proposals").joinpath(FILE).read_bytes()
    weights = {name: value.astype(np.float64) for name, value in load(content).items()}
    if weights["motions.mean"].shape[1] != len(POSSIBLE_FEATURES):
        raise ValueError(f"{FILE} was fitted to other features: run python -m benchmarks.calibrate_motions again")
    return MotionRanker(weights)
