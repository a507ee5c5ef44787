"""Choice: of options, the one that is expected to recover the most motion, whichever of them is the truth.

With p_j the ranker's chance of option j and d_j the displacement that it means, over samples of the whole surface,

    choose the i with the greatest  sum_j p_j max(1 - |d_i - d_j| / |d_j|, -1):

options that agree support each other, and one that would tear the object if it were wrong is chosen only when it is
nearly sure.
"""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.proposals.assignment import carry_points
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.options import Options
from neurok.proposals.sampling import PART_POINT_COUNT

# Of the scores. Of .1 to .7, and the floor of -1 beside -3 and 0, by five folds over 51 train objects and 39 made ones
# of kinds left out: see docs/decisions, note on a choice that weighs what it costs to be wrong.
TEMPERATURE = 0.35


def choose_option(found: Hypotheses, options: Options, score: Array) -> int:
    """The number of the option to take, by the ranker's scores [n] of at least one option."""
    return int(expect_recovered(score, _displace_samples(found, options)).argmax())


def expect_recovered(score: Array, displacement: Array) -> Array:
    """The motion that each option is expected to recover, [n]; displacement: of some points by each, [n, p, 3]."""
    chance = np.exp((score - score.max()) / TEMPERATURE)
    return compare_options(displacement.reshape(len(score), -1)) @ (chance / chance.sum())


def compare_options(displacement: Array) -> Array:
    """The motion that each option recovers where another is the truth, [n, n] (column: the truth), at least -1.

    displacement: of the same points by every option, [n, 3 p].
    """
    square = (displacement**2).sum(axis=1)
    apart = np.maximum(square[:, None] + square[None] - 2.0 * displacement @ displacement.T, 0.0)
    return np.maximum(1.0 - np.sqrt(apart / np.maximum(square[None], 1e-12)), -1.0)


def _displace_samples(found: Hypotheses, options: Options) -> Array:
    """How far each option takes each of some samples, [n, p, 3]; they are shuffled, the first stand for all."""
    points, owner = found.units.points[:PART_POINT_COUNT], found.units.owner[:PART_POINT_COUNT]
    inside = found.members[options.part][:, owner]
    return np.where(inside[..., None], carry_points(options.twist, points) - points, 0.0)
