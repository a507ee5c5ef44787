"""Sliders: every coordinate of an object with a name people understand, its range, and whether it moves anything."""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.motion import Skin
from neurok.geometry.surface import at_vertices
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.viewer.body import Body
from neurok.viewer.heat import displacements
from neurok.viewer.manner import manner
from neurok.viewer.messages import Coordinate

# Words for the two sides of each axis of the stage, and how far off the middle a region has to be to earn one.
SIDES = (("left", "right"), ("lower", "upper"), ("rear", "front"))
ASIDE = 0.12
WHOLE = 0.7  # of the surface, in the mean of the motion over it, for a region to be all of it
LOOKED_AT = 20_000  # vertices by which a region is named
TINY = 0.01  # diagonals: a coordinate that moves nothing farther than this is not worth a slider
REACH = 2.0  # spreads either way, where a coordinate has no limits of its own
MOST = 0.75  # of what moves, for a part of the file to lend its name
ALONG, ABOUT = ("sideways", "up and down", "to and fro"), ("tilt", "turn", "roll")  # the stage's axes

_known: WeakKeyDictionary[Body, tuple[Coordinate, ...]] = WeakKeyDictionary()


def coordinates(body: Body, space: Kinematics) -> tuple[Coordinate, ...]:
    """A slider for each coordinate of a body, or of the same with a free base."""
    if space.has_free_base:
        own = () if body.space.has_free_base else coordinates(body, space.without_base())
        return (*(_rigid(body, space, index) for index in range(6)), *own)
    if body not in _known:
        _known[body] = _sliders(body, space)
    return _known[body]


def _rigid(body: Body, space: Kinematics, index: int) -> Coordinate:
    """A slider of the base's place or turn, named by the stage's axis that the file's is."""
    axis = int(np.abs(body.stage.turn[:, index % 3]).argmax())
    name = ALONG[axis] if index < 3 else ABOUT[axis]
    return Coordinate(name, "moves everything", True, *_range(space, index), *_unit(space, index))


def _sliders(body: Body, space: Kinematics) -> tuple[Coordinate, ...]:
    rows = np.arange(0, space.mesh.vertex_count, 1 + space.mesh.vertex_count // LOOKED_AT)
    area = at_vertices(space.mesh).area[rows]
    jointed = isinstance(space, Articulated)
    found = []
    for index, name in enumerate(space.names):
        moved = displacements(space, index, rows)
        far = np.linalg.norm(moved, axis=1)
        if jointed:
            words = name, f"moves {_link(space.skin, rows, area * far)}"
        else:
            places = body.stage.points(body.mesh.vertices[rows])
            words = _region(body, rows, places, area, far), manner(places, moved @ body.stage.turn.T, area * far)
        shown = jointed or float(far.max(initial=0.0)) > TINY * space.mesh.diagonal
        found.append(Coordinate(*words, shown, *_range(space, index), *_unit(space, index)))
    if not any(one.shown for one in found):
        found = [replace(one, shown=True) for one in found]
    return tuple(found if jointed else _distinct(found))


def _distinct(found: list[Coordinate]) -> list[Coordinate]:
    """Names that tell sliders apart: those that share region and manner are numbered."""
    seen: dict[tuple[str, str], int] = {}
    named = []
    for one in found:
        key = one.name, one.moves
        seen[key] = seen.get(key, 0) + 1
        named.append(one if seen[key] == 1 else replace(one, name=f"{one.name} {seen[key]}"))
    return named


def _link(skin: Skin, rows: Indices, weight: Array) -> str:
    """The name of the link that a joint moves: of the bones that move the one nearest to the root."""
    total = np.bincount(skin.leader[rows], weight, skin.bone_count)
    depth = np.zeros(skin.bone_count, dtype=np.int64)
    for bone, parent in enumerate(skin.parents.tolist()):
        depth[bone] = depth[parent] + 1 if parent >= 0 else 0
    moving = total > 1e-6 * max(float(total.max()), 1e-300)
    nearest = np.flatnonzero(moving & (depth == depth[moving].min(initial=skin.bone_count)))
    return skin.names[int(nearest[total[nearest].argmax()]) if len(nearest) else 0]


def _region(body: Body, rows: Indices, places: Array, area: Array, far: Array) -> str:
    """What moves: the name of a part of the file that is most of it, else where on the object it is."""
    weight = area * far
    if not weight.sum() > 0:
        return "nothing"
    if float(area @ (far / far.max())) > WHOLE * area.sum():
        return "the whole"
    return _part(body, rows, area, weight) or _side(places, weight)


def _part(body: Body, rows: Indices, area: Array, weight: Array) -> str:
    """A part that has most of the weight and is not most of the object; '' where there is none."""
    mesh = body.mesh
    if len(mesh.parts) < 2:
        return ""
    part = np.full(mesh.vertex_count, -1)
    part[mesh.faces.reshape(-1)] = np.repeat(mesh.face_part, 3)
    held, size = (np.bincount(part[rows] + 1, values, len(mesh.parts) + 1)[1:] for values in (weight, area))
    best = int(held.argmax())
    if held[best] < MOST * weight.sum() or size[best] > WHOLE * area.sum():
        return ""
    return mesh.parts[best].name


def _side(places: Array, weight: Array) -> str:
    """Where the weight of some places on the stage [m, 3] lies, as in 'upper front part'."""
    lower, upper = places.min(axis=0), places.max(axis=0)
    off = (weight @ places / weight.sum() - (lower + upper) / 2) / np.maximum(upper - lower, 1e-9)
    sides = [SIDES[axis][int(off[axis] > 0)] for axis in (1, 2, 0) if abs(off[axis]) > ASIDE]
    return f"{' '.join(sides) or 'middle'} part"


def words(body: Body, space: Kinematics, q: Array) -> str:
    """Where the coordinate that is farthest from rest is, as in 'hinge at 57°'."""
    away = np.abs(q - space.rest.numpy()) / space.prior.deviation
    if not len(away) or away.max() < 1e-6:
        return "at rest"
    index = int(away.argmax())
    one = coordinates(body, space)[index]
    return f"{one.name} at {q[index] * one.factor:.3g}{one.unit}"


def _range(space: Kinematics, index: int) -> tuple[float, float]:
    """From where to where a slider goes: the limits of a joint, and what is usual of anything else."""
    low, high, spread, rest = (float(x[index]) for x in (space.lower, space.upper, space.prior.deviation, space.rest))
    usual = rest - REACH * spread, rest + REACH * spread
    if isinstance(space, Articulated):
        return (low if np.isfinite(low) else usual[0]), (high if np.isfinite(high) else usual[1])
    return max(low, usual[0]), min(high, usual[1])


def _unit(space: Kinematics, index: int) -> tuple[str, float]:
    """What people call the numbers of a coordinate, and the factor to get there; shares of its range at the least."""
    if space.has_free_base and index < 6:
        return ("°", 180 / np.pi) if index >= 3 else (" cm", 100 * space.mesh.unit)
    if not isinstance(space, Articulated):
        return " %", 100 / (REACH * float(space.prior.deviation[index]))
    joints = space.articulation
    turning = {n for n, d in zip(joints.coordinate_names, joints.coordinate_freedoms) if joints.freedoms[d].turns}
    return ("°", 180 / np.pi) if space.names[index] in turning else (" cm", 100 * space.mesh.unit)
