"""What a coordinate moves: a map of heat over the vertices, and the region's name in words."""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.geometry.mesh import Indices
from neurok.geometry.motion import Skin
from neurok.geometry.surface import at_vertices
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.free import Free
from neurok.kinematics.kinematics import Kinematics
from neurok.viewer.body import Body
from neurok.viewer.messages import Coordinate

Array = NDArray[np.float64]

# Words for the two sides of each axis of the stage, and how far off the middle a region has to be to earn one.
SIDES = (("left", "right"), ("lower", "upper"), ("rear", "front"))
ASIDE = 0.12
LOOKED_AT = 20_000  # vertices by which a region is named


def heat(space: Kinematics, index: int, rows: Indices | slice = slice(None)) -> Array:
    """How far one spread of a coordinate moves each vertex (or those of some rows), 0 to 1, [n]."""
    rest, spread = space.rest.numpy().astype(np.float64), float(space.spread[index])
    still = space.mesh.vertices[rows]
    moved = np.zeros(len(still))
    for sign in (-1.0, 1.0):
        there = rest.copy()
        there[index] += sign * spread
        moved = np.maximum(
            moved, np.linalg.norm(_vertices(space, space.admit(torch.from_numpy(there)), rows) - still, axis=1)
        )
    return moved / max(float(moved.max(initial=0.0)), 1e-300)


def _vertices(space: Kinematics, q: torch.Tensor, rows: Indices | slice) -> Array:
    """Some vertices of the mesh in a state [unit], [., 3]."""
    if space.skin is None:
        return space.positions(q, at_vertices(space.mesh)).numpy()[rows]
    some = replace(space.skin, joints=space.skin.joints[rows], weights=space.skin.weights[rows])
    return some.blend(space.transforms(q).numpy(), space.mesh.vertices[rows])


def coordinates(body: Body, space: Kinematics) -> tuple[Coordinate, ...]:
    """A slider for each coordinate."""
    rows = np.arange(0, space.mesh.vertex_count, 1 + space.mesh.vertex_count // LOOKED_AT)
    area = at_vertices(space.mesh).area[rows]
    found = []
    for index, name in enumerate(space.names):
        unit, factor = _unit(space, index)
        low, high, spread = (float(x[index]) for x in (space.lower, space.upper, space.spread))
        rest = float(space.rest[index])
        low, high = (x if np.isfinite(x) else rest + side * 2 * spread for x, side in ((low, -1), (high, 1)))
        where = (
            "everything" if index < space.rigid_count else _region(body, space, rows, heat(space, index, rows) * area)
        )
        found.append(Coordinate(name, where, low, high, unit, factor))
    return tuple(found)


def _region(body: Body, space: Kinematics, rows: Indices, weight: Array) -> str:
    """The name of the part in which most of the weight of some vertices lies, else where on the object that is."""
    inner = space.inner if isinstance(space, Free) else space
    if isinstance(inner, Articulated):
        return inner.skin.names[
            _nearest_bone(inner.skin, np.bincount(inner.skin.leader[rows], weight, inner.skin.bone_count))
        ]
    mesh = space.mesh
    part = np.full(mesh.vertex_count, -1)
    part[mesh.faces.reshape(-1)] = np.repeat(mesh.face_part, 3)
    named = part[rows] >= 0
    if len(np.unique(part[rows][named])) > 1:
        return mesh.parts[int(np.bincount(part[rows][named], weight[named]).argmax())].name
    return _side(body, rows, weight)


def _nearest_bone(skin: Skin, weight: Array) -> int:
    """Of the bones that move (weight, [b]) the one nearest to the root: what hangs on it moves along with it."""
    depth = np.zeros(skin.bone_count, dtype=np.int64)
    for bone, parent in enumerate(skin.parents.tolist()):
        depth[bone] = depth[parent] + 1 if parent >= 0 else 0
    moving = weight > 1e-6 * max(float(weight.max()), 1e-300)
    nearest = np.flatnonzero(moving & (depth == depth[moving].min(initial=skin.bone_count)))
    return int(nearest[weight[nearest].argmax()]) if len(nearest) else 0


def _side(body: Body, rows: Indices, weight: Array) -> str:
    places = body.stage.points(body.mesh.vertices[rows])
    lower, upper = places.min(axis=0), places.max(axis=0)
    if not weight.sum() > 0:
        return "nothing"
    off = (weight @ places / weight.sum() - (lower + upper) / 2) / np.maximum(upper - lower, 1e-9)
    words = [SIDES[axis][int(off[axis] > 0)] for axis in (1, 2, 0) if abs(off[axis]) > ASIDE]
    return " ".join(words) or "the whole"


def words(space: Kinematics, q: Array) -> str:
    """Where the coordinate that is farthest from rest is, as in 'hinge at 57°'."""
    away = np.abs(q - space.rest.numpy()) / space.spread.numpy()
    if not len(away) or away.max() < 1e-6:
        return "at rest"
    index = int(away.argmax())
    unit, factor = _unit(space, index)
    return f"{space.names[index]} at {q[index] * factor:.3g}{unit}"


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
