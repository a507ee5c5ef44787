"""What a coordinate moves: a map of heat over the vertices, and the region's name in words."""

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.geometry.surface import at_vertices
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.free import Free
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.descent import posed
from neurok.viewer.body import Body
from neurok.viewer.messages import Coordinate

Array = NDArray[np.float64]

# Words for the two sides of each axis of the stage, and how far off the middle a region has to be to earn one.
SIDES = (("left", "right"), ("lower", "upper"), ("rear", "front"))
ASIDE = 0.12


def heat(space: Kinematics, index: int) -> Array:
    """How far one spread of a coordinate moves each vertex, 0 to 1, [n]."""
    q = space.rest.numpy().astype(np.float64)
    moved = np.zeros(space.mesh.vertex_count)
    for sign in (-1.0, 1.0):
        there = q.copy()
        there[index] += sign * float(space.spread[index])
        state = space.admit(torch.from_numpy(there)).numpy()
        moved = np.maximum(moved, np.linalg.norm(posed(space, state).vertices - space.mesh.vertices, axis=1))
    return moved / max(float(moved.max()), 1e-300)


def coordinates(body: Body, space: Kinematics) -> tuple[Coordinate, ...]:
    """A slider for each coordinate."""
    area = at_vertices(space.mesh).area
    found = []
    for index, name in enumerate(space.names):
        unit, factor = _unit(space, index)
        low, high, spread = (float(x[index]) for x in (space.lower, space.upper, space.spread))
        rest = float(space.rest[index])
        low, high = (x if np.isfinite(x) else rest + side * 2 * spread for x, side in ((low, -1), (high, 1)))
        where = "everything" if index < space.rigid_count else region(body, space, heat(space, index) * area)
        found.append(Coordinate(name, where, low, high, unit, factor))
    return tuple(found)


def region(body: Body, space: Kinematics, weight: Array) -> str:
    """The name of the part in which most of the weight [n] lies, else where on the object that is."""
    inner = space.inner if isinstance(space, Free) else space
    if isinstance(inner, Articulated):
        names, label = inner.skin.names, inner.skin.leader
        return names[int(np.bincount(label, weight, len(names)).argmax())]
    mesh = space.mesh
    if len({part for part in mesh.face_part.tolist() if part >= 0}) > 1:
        of_face = weight[mesh.faces].sum(axis=1)
        named = mesh.face_part >= 0
        return mesh.parts[int(np.bincount(mesh.face_part[named], of_face[named]).argmax())].name
    return _side(body, weight)


def _side(body: Body, weight: Array) -> str:
    places = body.stage.points(body.mesh.vertices)
    lower, upper = places.min(axis=0), places.max(axis=0)
    if not weight.sum() > 0:
        return "nothing"
    off = (weight @ places / weight.sum() - (lower + upper) / 2) / np.maximum(upper - lower, 1e-9)
    words = [SIDES[axis][int(off[axis] > 0)] for axis in (1, 2, 0) if abs(off[axis]) > ASIDE]
    return " ".join(words) or "the whole"


def _unit(space: Kinematics, index: int) -> tuple[str, float]:
    """What people call the numbers of a coordinate, and the factor to get there."""
    if isinstance(space, Free):
        if index < 6:
            return ("°", 180 / np.pi) if index >= 3 else ("", 1 / (space.mesh.diagonal or 1.0))
        return _unit(space.inner, index - 6)
    if not isinstance(space, Articulated):
        return "", 1.0
    joints = space.articulation
    turning = {n for n, d in zip(joints.coordinate_names, joints.coordinate_freedoms) if joints.freedoms[d].turns}
    return ("°", 180 / np.pi) if space.names[index] in turning else (" cm", 100 * space.mesh.unit)
