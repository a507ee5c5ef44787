"""The front of a jointed object, told by its joints: people make things open towards whoever stands before them."""

from collections.abc import Sequence

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.moving_parts import JointedPart
from neurok.geometry.placement import quarter_turn

LEVEL = 0.42  # of a unit vector: how high the end of a horizontal one is at most, within 25 degrees
MIN_AGREEMENT = 0.25  # of all that votes: how much of it must point one way on balance
WAYS = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # where z is up


def find_front(mesh: Mesh, parts: Sequence[JointedPart]) -> Array | None:
    """The horizontal direction that an object faces, one of the four along the file's axes, [3]; None where its joints
    do not say.

    Each part votes with its size: on a slide for the way that it opens; on a hinge for the way that it sets out as it
    opens, and, where the axis is level, for the side of the axis on which it lies; what turns without end for the side
    of the object on which it sits.
    """
    turn = quarter_turn(mesh.up, "z")
    middle = mesh.bounds.mean(axis=0) @ turn.T
    votes = [_vote(part, mesh.vertices[part.vertices] @ turn.T, middle, turn) for part in parts if part.vertices.any()]
    total = np.sum([vote for vote, _ in votes], axis=0) if votes else np.zeros(3)
    best = WAYS[int(np.argmax(WAYS @ total))]
    if not best @ total > MIN_AGREEMENT * sum(size for _, size in votes):
        return None
    front: Array = best @ turn
    return front


def _vote(part: JointedPart, points: Array, middle: Array, turn: Array) -> tuple[Array, float]:
    """The direction for which a part votes, horizontal and at most as long as it is large, [3], and how large it is."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    size = float(np.linalg.norm(upper - lower))
    if part.axis is None:
        return np.zeros(3), size
    direction, arm = turn @ part.axis.direction, 0.5 * (lower + upper) - turn @ part.axis.point
    opening = 1.0 if abs(part.upper) >= abs(part.lower) else -1.0
    if not part.axis.turns:
        way = _level(opening * direction)
    elif not np.isfinite([part.lower, part.upper]).all() or part.upper - part.lower > 0.9 * 2 * np.pi:
        way = _level(np.sign(direction @ (0.5 * (lower + upper) - middle)) * direction)
    else:
        way = _level(_normalise(opening * np.cross(direction, arm)))
        if abs(direction[2]) < LEVEL:
            way = way + _level(_normalise(arm - (arm @ direction) * direction))
    return size * way / max(float(np.linalg.norm(way)), 1.0), size


def _level(way: Array) -> Array:
    """The horizontal share of a unit direction; nothing of an upright one."""
    return np.zeros(3) if abs(way[2]) > np.sqrt(1 - LEVEL**2) else way * (1.0, 1.0, 0.0)


def _normalise(way: Array) -> Array:
    unit: Array = way / max(float(np.linalg.norm(way)), 1e-300)
    return unit
