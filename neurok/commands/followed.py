"""Followed: whether a motion does what was asked of it, for what looks like success and is none."""

import numpy as np

from neurok.commands.remarks import format_place
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion
from neurok.geometry.reach import is_still
from neurok.geometry.surface import carry, find_nearest
from neurok.mechanics.conditions import Conditions, Pull
from neurok.mechanics.places import require_point

UNMOVED = 0.01  # of the way that a pull asks for: below it the point did not move
FAR = 0.5  # of that way: what is left of it at its end, above which the result is far from what was asked
NOTHING_MOVED = "nothing moves in the motion that was written: no part can follow what was asked for"


def list_unfollowed(conditions: Conditions, motion: Motion) -> list[str]:
    """A sentence for each pull that moved nothing or came nowhere near its end; one where nothing moved at all."""
    if is_still(motion):
        return [NOTHING_MOVED]
    lines = (_describe_pull(pull, conditions.seconds, motion) for pull in conditions.pulls)
    return [line for line in lines if line]


def describe_way(place: str, asked: Array, came: Array) -> str:
    """What is odd about a point that should have gone one way [unit], [3], and went another; '' where little is."""
    way = float(np.linalg.norm(asked))
    if way == 0.0:
        return ""
    if np.linalg.norm(came) < UNMOVED * way:
        return f"the pull at {place} moved nothing: no part there can follow it"
    left = float(np.linalg.norm(asked - came)) / way
    if left <= FAR:
        return ""
    return f"the pull at {place} ended {left:.0%} of its way off: the object cannot follow it that far, or that way"


def _describe_pull(pull: Pull, seconds: float, motion: Motion) -> str:
    begin, end = pull.find_window(seconds)
    first, last = (int(np.searchsorted(motion.time, t - 1e-9)) for t in (begin, end))
    if first >= motion.frame_count:  # it never acts, which is said before the work
        return ""
    point = np.asarray(require_point(pull.point), dtype=np.float64)
    where = find_nearest(motion.mesh, point[None])
    rest, start, there = (carry(shape, where)[0] for shape in (
        motion.mesh.vertices, motion.frame(first), motion.frame(min(last, motion.frame_count - 1))
    ))  # fmt: skip
    return describe_way(format_place(point), _find_end(pull, rest, start) - start, there - start)


def _find_end(pull: Pull, rest: Array, start: Array) -> Array:
    """Where a pull is to take its point [unit], [3]."""
    if pull.path:
        return np.array(pull.path[-1][1:])
    return np.array(pull.to) if pull.to is not None else start + np.array(pull.by)
