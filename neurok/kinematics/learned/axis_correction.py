"""Axis correction: that a part moves is surer than about which axis.

A network that is sure of a door may still seat its hinge beside the frame, and no state of the one coordinate brings
the door where it should be. Shifts of the part across the axis, as coordinates of their own, move the axis: the twist
of a turn about a parallel axis elsewhere is that of the turn and a shift in the plane across it, and a slide with a
shift across it is a slide another way. Two coordinates correct every such error of a part; they stay at rest, at a
price, until what is known of a state asks for them. An axis may also lean, or a hinge be taken for a slide: three more,
with which the part moves as any rigid body does, correct that. What moves is decided without these; how the part lies,
three of its points tell.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.learned.modes import Modes, join_modes
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.learned.snap import measure_part


@dataclass(frozen=True)
class CorrectionOptions:
    """count: coordinates for corrections, five a part while there is room; parts of weaker modes go without.
    shift, lean: how far one deviation shifts a part [diagonals], and turns it [rad].
    extent, typical: [deviations], as far as it takes, and as far as axes are commonly off.
    shift_penalty: of a part's first shift, and of its second: with one, the other is little more.
    min_follow: of the farthest that a mode takes any handle, that counts as following it, where it was not snapped.
    same_part: share of all handles of two parts that both have, from which they are one.
    All were chosen on dev or set by hand."""

    count: int = 12
    shift: float = 0.04
    lean: float = 0.2
    extent: float = 20.0
    typical: float = 2.0
    shift_penalty: tuple[float, float] = (5.0, 1.5)
    min_follow: float = 0.3
    same_part: float = 0.8


CORRECTIONS = CorrectionOptions()


def add_corrections(
    metric: HandleMetric, modes: Modes, group: Indices, options: LearnedOptions, how: CorrectionOptions = CORRECTIONS
) -> Modes:
    """Modes that were seen, corrections of their axes, and as much of what is only held possible as there is room for.

    group: the part of each handle, [h].
    """
    seen, possible = modes.take(modes.support > 0), modes.take(modes.support == 0)
    more = correct_axes(metric, seen, group, options.coordinate_count - seen.count, options, how)
    return join_modes(seen, more, possible.take(slice(options.coordinate_count - seen.count - more.count)))


def correct_axes(
    metric: HandleMetric, modes: Modes, group: Indices, room: int, options: LearnedOptions,
    how: CorrectionOptions = CORRECTIONS,
) -> Modes:  # fmt: skip
    """Shifts and turns of the parts that modes move, across their axes, the strongest first; at most `room`."""
    twists: list[Array] = []
    corrects: list[int] = []
    parts: list[Mask] = []
    for mode in range(modes.count):
        part = _find_part(metric, modes, mode, group, options, how)
        if part is None or any((part & other).sum() > how.same_part * (part | other).sum() for other in parts):
            continue
        parts.append(part)
        ways = _part_corrections(metric, modes.twist[part, mode].mean(axis=0), part, options, how)
        twists += [np.where(part[:, None], way, 0.0) for way in ways]
        corrects += [mode] * len(ways)
    # The strongest parts first; a part's other three after the shifts of the next part, before those of the one after.
    rank = np.repeat(np.arange(len(parts)), 5) + np.tile([0.0, 0.0, 1.5, 1.5, 1.5], len(parts))
    kept = np.argsort(rank, kind="stable")[: max(min(room, how.count), 0)]
    twist = np.stack(twists, axis=1)[:, kept] if len(kept) else np.zeros((len(group), 0, 6))
    count = len(kept)
    return Modes(
        twist, np.full((count, 2), how.extent), np.zeros(count), np.zeros((len(group), count)),
        np.array(corrects, dtype=np.int64)[kept],
    )  # fmt: skip


def correction_penalties(corrects: Indices, options: LearnedOptions, how: CorrectionOptions = CORRECTIONS) -> Array:
    """The penalty of each correction, in the order in which `correct_axes` gives those of a part, [k]; 0 for others."""
    penalty = np.zeros(len(corrects))
    for mode in np.unique(corrects[corrects >= 0]):
        mine = np.flatnonzero(corrects == mode)
        steps = (*how.shift_penalty, *(options.unlikely_penalty for _ in mine))
        penalty[mine] = steps[: len(mine)]
    return penalty


def _find_part(
    metric: HandleMetric, modes: Modes, mode: int, group: Indices, options: LearnedOptions, how: CorrectionOptions
) -> Mask | None:
    """Which handles a mode takes along, [h], whole parts at a time; None where it hardly moves any."""
    far = np.asarray(metric.sizes(modes.twist[:, [mode]]))[:, 0]
    if not far.max() >= options.min_motion:
        return None
    gate = modes.follows[:, mode]
    follows = gate > 0.5 if (gate > 0.5).any() else far > how.min_follow * far.max()
    share = np.bincount(group, follows) / np.maximum(np.bincount(group), 1)
    return (share > 0.5)[group] if (share > 0.5).any() else None


def _part_corrections(
    metric: HandleMetric, twist: Array, part: Mask, options: LearnedOptions, how: CorrectionOptions
) -> Array:
    """Twists (v, w) of a part that correct its axis, [5, 6]: two shifts across it; turns about the part's centre that
    tilt it; and a shift along a hinge, or a turn about a slide. twist: the mean of its handles, [6]."""
    centre, inertia = measure_part(metric, part)
    turn, shift = twist[3:], twist[:3] + np.cross(twist[3:], centre)
    turns = np.sqrt(max(float(turn @ inertia @ turn), 0.0)) > options.tolerance * np.linalg.norm(shift)
    axes = np.linalg.svd((turn if turns else shift)[None])[2]  # along it, and two across
    shifts = how.shift * np.concatenate([axes, np.zeros((3, 3))], axis=1)
    leans = how.lean * np.concatenate([np.cross(centre, axes), axes], axis=1)
    return np.stack([shifts[1], shifts[2], leans[1], leans[2], shifts[0] if turns else leans[0]])
