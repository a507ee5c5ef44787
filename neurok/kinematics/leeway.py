"""Leeway: that a part moves is surer than about which axis.

A network that is sure of a door may still seat its hinge beside the frame, and no state of the one coordinate brings
the door where it should be. Shifts of the part across the axis, as coordinates of their own, move the axis: the twist
of a turn about a parallel axis elsewhere is that of the turn and a shift in the plane across it, and a slide with a
shift across it is a slide another way. Two coordinates mend every such error of a part; they stay at rest, at a price,
until what is known of a state asks for them.
"""

import numpy as np

from neurok.geometry.mesh import Array, Indices
from neurok.kinematics.bilateral import LEVER
from neurok.kinematics.modes import Modes

MOST = 9  # coordinates for leeway, two a part while there is room; parts of weaker modes go without
STEP = 0.04  # how far one deviation shifts a part [diagonals]
FARTHEST, USUAL = 20.0, 2.0  # deviations, as far as it takes and as far as axes are commonly off
PRICE, AGAIN = 5.0, 1.5  # doubt of a part's first shift, and of its second: with one, the other is little more
MOVES = 0.02  # how far a mode must take something at one deviation [diagonals] for its part to have leeway
FOLLOWS = 0.3  # of the farthest that a mode takes any handle, that counts as going with it, where nothing says so
SAME = 0.8  # of all handles of either of two parts that both have, from which they are one
TURNS = 0.12  # of how far a mode shifts its part, above which its turning, by the lever, makes it a turn


def leeway(modes: Modes, gate: Array, group: Indices, centre: Array, room: int) -> tuple[Modes, Array, Indices]:
    """Shifts of the parts that modes move, across their axes, the strongest first; the doubt of each, and the mode
    whose axis it mends, [n] twice.

    gate: how far handles follow each mode, [h, m], zero for modes that say nothing of it. group: of handles that move
    as one, [h]. centre: of the handles, [h, 3]. room: how many coordinates are free.
    """
    shifts: list[Array] = []
    doubts: list[float] = []
    mends: list[int] = []
    parts: list[Array] = []
    for mode in range(modes.count):
        shift = modes.twist[:, mode, :3] + np.cross(modes.twist[:, mode, 3:], centre)
        part = _part(shift, gate[:, mode], group)
        if part is None or any((part & other).sum() > SAME * (part | other).sum() for other in parts):
            continue
        parts.append(part)
        for number, across in enumerate(_across(shift[part], modes.twist[part, mode, 3:])):
            shifts.append(np.where(part[:, None], np.concatenate([STEP * across, np.zeros(3)]), 0.0))
            doubts.append(PRICE if number == 0 else AGAIN)
            mends.append(mode)
    count = min(len(shifts), room, MOST)
    twist = np.stack(shifts[:count], axis=1) if count else np.zeros((len(centre), 0, 6))
    shifted = Modes(twist, np.full((count, 2), FARTHEST), np.zeros(count))
    return shifted, np.array(doubts[:count]), np.array(mends[:count], dtype=np.int64)


def _part(shift: Array, gate: Array, group: Indices) -> Array | None:
    """Which handles a mode takes along, [h], whole groups at a time; None where it hardly moves any."""
    far = np.linalg.norm(shift, axis=1)
    if not far.max() >= MOVES:
        return None
    follows = gate > 0.5 if (gate > 0.5).any() else far > FOLLOWS * far.max()
    share = np.bincount(group, follows) / np.maximum(np.bincount(group), 1)
    return (share > 0.5)[group] if (share > 0.5).any() else None


def _across(shift: Array, turn: Array) -> Array:
    """Two directions across the axis about which, or along which, a part goes, [2, 3]; shift, turn: of its handles."""
    turn, shift = turn.mean(axis=0), shift.mean(axis=0)
    axis = turn if LEVER * np.linalg.norm(turn) > TURNS * np.linalg.norm(shift) else shift
    return np.linalg.svd(axis[None])[2][1:]
