"""Leeway: that a part moves is surer than about which axis.

A network that is sure of a door may still seat its hinge beside the frame, and no state of the one coordinate brings
the door where it should be. Shifts of the part across the axis, as coordinates of their own, move the axis: the twist
of a turn about a parallel axis elsewhere is that of the turn and a shift in the plane across it, and a slide with a
shift across it is a slide another way. Two coordinates mend every such error of a part; they stay at rest, at a price,
until what is known of a state asks for them. An axis may also lean, or a hinge be taken for a slide: three more, with
which the part moves as any rigid body does, mend that. What moves is decided without these; how it lies, three of its
points tell.
"""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.kinematics.bilateral import LEVER
from neurok.kinematics.modes import Modes

MOST = 12  # coordinates for leeway, five a part while there is room; parts of weaker modes go without
STEP, LEAN = 0.04, 0.2  # how far one deviation shifts a part [diagonals], and turns it [rad]
FARTHEST, USUAL = 20.0, 2.0  # deviations, as far as it takes and as far as axes are commonly off
PRICE, AGAIN = 5.0, 1.5  # doubt of a part's first shift, and of its second: with one, the other is little more
LAST = 200.0  # doubt of the other three: none is chosen while it is open what moves
MOVES = 0.02  # how far a mode must take something at one deviation [diagonals] for its part to have leeway
FOLLOWS = 0.3  # of the farthest that a mode takes any handle, that counts as going with it, where nothing says so
SAME = 0.8  # of all handles of either of two parts that both have, from which they are one
TURNS = 0.12  # of how far a mode shifts its part, above which its turning, by the lever, makes it a turn


def leeway(modes: Modes, gate: Array, group: Indices, centre: Array, room: int) -> tuple[Modes, Array, Indices]:
    """Shifts and turns of the parts that modes move, across their axes, the strongest first; the doubt of each, and
    the mode whose axis it mends, [n] twice.

    gate: how far handles follow each mode, [h, m], zero for modes that say nothing of it. group: of handles that move
    as one, [h]. centre: of the handles, [h, 3]. room: how many coordinates are free.
    """
    ways: list[Array] = []
    doubts: list[float] = []
    mends: list[int] = []
    parts: list[Array] = []
    for mode in range(modes.count):
        shift = modes.twist[:, mode, :3] + np.cross(modes.twist[:, mode, 3:], centre)
        part = _part(shift, gate[:, mode], group)
        if part is None or any((part & other).sum() > SAME * (part | other).sum() for other in parts):
            continue
        parts.append(part)
        mending = _mending(shift[part], modes.twist[part, mode, 3:], centre[part].mean(axis=0))
        ways += [np.where(part[:, None], way, 0.0) for way in mending]
        doubts += [PRICE, AGAIN, LAST, LAST, LAST]
        mends += [mode] * len(mending)
    # The strongest parts first; a part's other three after the shifts of the next part, before those of the one after.
    rank = np.repeat(np.arange(len(parts)), 5) + np.tile([0.0, 0.0, 1.5, 1.5, 1.5], len(parts))
    kept = np.argsort(rank, kind="stable")[: min(room, MOST)]
    twist = np.stack(ways, axis=1)[:, kept] if len(kept) else np.zeros((len(centre), 0, 6))
    loose = Modes(twist, np.full((len(kept), 2), FARTHEST), np.zeros(len(kept)))
    return loose, np.array(doubts)[kept], np.array(mends, dtype=np.int64)[kept]


def _part(shift: Array, gate: Array, group: Indices) -> Array | None:
    """Which handles a mode takes along, [h], whole groups at a time; None where it hardly moves any."""
    far = np.linalg.norm(shift, axis=1)
    if not far.max() >= MOVES:
        return None
    follows = gate > 0.5 if (gate > 0.5).any() else far > FOLLOWS * far.max()
    share = np.bincount(group, follows) / np.maximum(np.bincount(group), 1)
    return (share > 0.5)[group] if (share > 0.5).any() else None


def _mending(shift: Array, turn: Array, middle: Array) -> Array:
    """Twists (v, w) of a part that mend its axis, [5, 6]: two shifts across it; turns about the part's middle [3] that
    tilt it; and a shift along a hinge, or a turn about a slide. shift, turn: of its handles, [n, 3] each."""
    turn, shift = turn.mean(axis=0), shift.mean(axis=0)
    turns = LEVER * np.linalg.norm(turn) > TURNS * np.linalg.norm(shift)
    axes = np.linalg.svd((turn if turns else shift)[None])[2]  # along it, and two across
    shifts = STEP * np.concatenate([axes, np.zeros((3, 3))], axis=1)
    leans = LEAN * np.concatenate([np.cross(middle, axes), axes], axis=1)
    return np.stack([shifts[1], shifts[2], leans[1], leans[2], shifts[0] if turns else leans[0]])
