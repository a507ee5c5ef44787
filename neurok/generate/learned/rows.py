"""Layouts as rows of numbers that a flow draws, and back. The columns:

there 1 | parent one-hot 8 | joint one-hot 5 | centre 3 | log half 3 | axis 3 | pivot 3 | limits 2
"""

import numpy as np

from neurok.generate.learned.layout import JOINT_TYPES, MAX_PARTS, MIN_HALF, Layout
from neurok.geometry.arrays import Array

MAX_PARENTS = 8  # rows that may have children: parts with children come first
TYPES = len(JOINT_TYPES)
LAYOUT_WIDTH = 1 + MAX_PARENTS + TYPES + 3 + 3 + 3 + 3 + 2
_STARTS = np.cumsum([0, 1, MAX_PARENTS, TYPES, 3, 3, 3, 3, 2])
THERE, PARENT, JOINT, CENTRE, HALF, AXIS, PIVOT, LIMITS = (slice(a, b) for a, b in zip(_STARTS, _STARTS[1:]))
# What brings columns to about unit size.
CENTRE_SCALE, LIMIT_SCALE = 0.45, 1.5
HALF_MIDDLE, HALF_SCALE = -1.6, 1.1
MIN_AXIS = 0.15  # length of a drawn axis below which it points nowhere


def write_rows(layout: Layout) -> Array:
    """[MAX_PARTS, LAYOUT_WIDTH]; rows of no part are zero but for the first column, -1."""
    rows = np.zeros((MAX_PARTS, LAYOUT_WIDTH))
    p = layout.count
    rows[:, THERE] = -1.0
    rows[:p, THERE] = 1.0
    rows[:p, PARENT] = -1.0
    child = np.flatnonzero((layout.parent >= 0) & (layout.parent < MAX_PARENTS))
    rows[child, PARENT.start + layout.parent[child]] = 1.0
    rows[:p, JOINT] = -1.0
    rows[np.arange(p), JOINT.start + layout.joint] = 1.0
    rows[:p, CENTRE] = layout.centre / CENTRE_SCALE
    rows[:p, HALF] = (np.log(np.maximum(layout.half, MIN_HALF)) - HALF_MIDDLE) / HALF_SCALE
    rows[:p, AXIS] = layout.axis * 1.5
    greatest = layout.half.max(axis=1, keepdims=True)
    moved = layout.joint[:, None] > 0
    rows[:p, PIVOT] = np.where(moved, np.clip((layout.pivot - layout.centre) / greatest, -4.0, 4.0), 0.0)
    rows[:p, LIMITS] = layout.limits / LIMIT_SCALE
    return rows


def read_rows(rows: Array, code: Array) -> Layout | None:
    """The layout of drawn rows with their codes [rows, d]; None where they are no object."""
    there = np.flatnonzero(rows[:, 0] > 0)
    if len(there) < 2 or there[0] != 0:
        return None
    rows, code = rows[there], code[there]
    place = {int(old): new for new, old in enumerate(there)}
    joint = 1 + np.argmax(rows[:, JOINT][:, 1:], axis=1)
    joint[0] = 0
    asked = [_find_parent(row[PARENT], place, new) for new, row in enumerate(rows)]
    half = np.maximum(np.exp(np.clip(HALF_MIDDLE + HALF_SCALE * rows[:, HALF], -7.0, 0.7)), MIN_HALF)
    axis = rows[:, AXIS] / 1.5
    length = np.linalg.norm(axis, axis=1)
    if np.any(length[1:] < MIN_AXIS):
        return None
    axis[1:] /= length[1:, None]
    centre = CENTRE_SCALE * rows[:, CENTRE]
    pivot = centre + rows[:, PIVOT] * half.max(axis=1, keepdims=True)
    limits = LIMIT_SCALE * rows[:, LIMITS]
    limits = np.stack([np.minimum(limits[:, 0], 0.0), np.maximum(limits[:, 1], 0.0)], axis=1)
    limits[0], axis[0] = 0.0, 0.0
    return Layout(np.array(asked), joint, centre, half, _straighten(axis), pivot, limits, code)


def _find_parent(row: Array, place: dict[int, int], own: int) -> int:
    """The likeliest parent among the parts that come before."""
    if own == 0:
        return -1
    chances = [(float(row[old]), place[old]) for old in range(MAX_PARENTS) if old in place and place[old] < own]
    return max(chances)[1]


def _straighten(axis: Array, near: float = 0.97) -> Array:
    """Axes that are nearly along x, y or z put along it, as nearly all of the real ones are."""
    greatest = np.argmax(np.abs(axis), axis=1)
    rows = np.arange(len(axis))
    straight = np.zeros_like(axis)
    straight[rows, greatest] = np.sign(axis[rows, greatest])
    found: Array = np.where((np.abs(axis[rows, greatest]) > near)[:, None], straight, axis)
    return found
