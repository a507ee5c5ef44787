"""Group: handles that hardly differ in any mode become one rigid part."""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.learned.modes import Modes
from neurok.kinematics.learned.options import LearnedOptions


def group_handles(metric: HandleMetric, modes: Modes, options: LearnedOptions) -> tuple[Modes, Indices]:
    """The modes, in which handles that hardly differ have their common mean, and the part of each handle, [h].

    Greedily from the largest handle on: a part takes every handle that moves like its first one. In what is only held
    possible, handles of one part may differ more.
    """
    slack = np.where(modes.support > 0, 1.0, options.possible_slack)
    apart = compare_handles(metric, modes.twist / slack[:, None], modes.twist, options)
    share = np.asarray(metric.share)
    group = np.full(len(share), -1)
    twist = modes.twist.copy()
    for first in np.argsort(-share, kind="stable"):
        if group[first] >= 0:
            continue
        mine = (group < 0) & (apart[first] < options.tolerance)
        mine[first] = True
        twist[mine] = np.average(modes.twist[mine], axis=0, weights=share[mine])
        group[mine] = group.max() + 1
    return replace(modes, twist=twist), group


def compare_handles(metric: HandleMetric, twist: Array, scale_by: Array, options: LearnedOptions) -> Array:
    """How differently two handles move in the mode where they differ most, of how far that mode takes any, [h, h].

    twist: [h, k, 6]; two handles' twists are compared on the samples of either, and the greater difference counts.
    scale_by: the modes whose amplitude is the unit, [h, k, 6].
    """
    amplitude = np.maximum(np.asarray(metric.sizes(scale_by)).max(axis=0, initial=0.0), options.min_motion)
    factor = np.asarray(metric.factors())
    worst = np.zeros((len(twist), len(twist)))
    for mode in np.moveaxis(twist / amplitude[:, None], 1, 0):
        own = np.einsum("hab,gb->hga", factor, mode)  # on the samples of h, moved as g moves
        gap = np.linalg.norm(own - own[np.arange(len(mode)), np.arange(len(mode))][:, None], axis=2)
        worst = np.maximum(worst, np.maximum(gap, gap.T))
    return worst


def assign_penalties(modes: Modes, options: LearnedOptions) -> Array:
    """The penalty of each mode by how many views saw it, [k]."""
    missing = np.maximum(1.0 - modes.support, 0.0)
    seen = 1.0 + options.unsupported_penalty * missing
    return np.where(modes.support > 0, seen, options.unlikely_penalty)
