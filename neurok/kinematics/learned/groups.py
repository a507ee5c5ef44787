"""Group: handles that hardly differ in any mode become one rigid part."""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.extrapolation import ROUNDING
from neurok.kinematics.learned.modes import Modes
from neurok.kinematics.learned.options import LearnedOptions


def group_handles(metric: HandleMetric, modes: Modes, options: LearnedOptions) -> tuple[Modes, Indices]:
    """The modes, in which handles that hardly differ have their common mean, and the part of each handle, [h].

    Greedily from the largest handle on: a part takes every handle that moves like its first one.
    """
    apart = compare_handles(metric, modes.twist, options)
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


def compare_handles(metric: HandleMetric, twist: Array, options: LearnedOptions) -> Array:
    """How differently two handles move in the mode where they differ most, of how far that mode takes any, [h, h].

    twist: [h, k, 6]; two handles' twists are compared on the samples of either, and the greater difference counts.
    A mode that hardly moves anything beside the strongest says little of what comes apart.
    """
    amplitude = np.asarray(metric.sizes(twist)).max(axis=0, initial=0.0)
    amplitude = np.maximum(amplitude, max(options.tolerance * amplitude.max(initial=0.0), ROUNDING))
    factor = np.asarray(metric.factors())
    worst = np.zeros((len(twist), len(twist)))
    for mode in np.moveaxis(twist / amplitude[:, None], 1, 0):
        own = np.einsum("hab,gb->hga", factor, mode)  # on the samples of h, moved as g moves
        gap = np.linalg.norm(own - own[np.arange(len(mode)), np.arange(len(mode))][:, None], axis=2)
        worst = np.maximum(worst, np.maximum(gap, gap.T))
    return worst
