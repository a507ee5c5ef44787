"""Sliders: every coordinate of an object with a name people understand, its range, and whether it moves anything."""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.motion import Skin
from neurok.geometry.surface import at_vertices
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.viewer.heat import compute_displacements
from neurok.viewer.messages import Coordinate
from neurok.viewer.motion_description import describe_motion
from neurok.viewer.points import require_skin
from neurok.viewer.viewed_object import ViewedObject

# Words for the two sides of each axis of the stage, and how far off the middle a region has to be to earn one.
SIDE_WORDS = (("left", "right"), ("lower", "upper"), ("rear", "front"))
MIN_SIDE_OFFSET = 0.12
WHOLE_SHARE = 0.7  # of the surface, in the mean of the motion over it, for a region to be all of it
SAMPLED_VERTEX_COUNT = 20_000  # vertices by which a region is named
MIN_MOTION = 0.01  # diagonals: a coordinate that moves nothing farther than this is not worth a slider
RANGE_DEVIATIONS = 2.0  # deviations either way, where a coordinate has no limits of its own
PART_SHARE = 0.75  # of what moves, for a part of the file to lend its name
AXIS_WORDS, TURN_NAMES = ("sideways", "up and down", "to and fro"), ("tilt", "turn", "roll")  # the stage's axes

_known: WeakKeyDictionary[ViewedObject, tuple[Coordinate, ...]] = WeakKeyDictionary()


def describe_coordinates(shown: ViewedObject, space: Kinematics) -> tuple[Coordinate, ...]:
    """A slider for each coordinate of an object, or of the same with a free base."""
    if space.has_free_base:
        own = () if shown.space.has_free_base else describe_coordinates(shown, space.without_base())
        return (*(_describe_base(shown, space, index) for index in range(6)), *own)
    if shown not in _known:
        _known[shown] = _describe_own(shown, space)
    return _known[shown]


def _describe_base(shown: ViewedObject, space: Kinematics, index: int) -> Coordinate:
    """A slider of the base's place or turn, named by the stage's axis that the file's is."""
    axis = int(np.abs(shown.stage.turn[:, index % 3]).argmax())
    name = AXIS_WORDS[axis] if index < 3 else TURN_NAMES[axis]
    return Coordinate(name, "moves everything", True, *_choose_range(space, index), *_choose_unit(space, index))


def _describe_own(shown: ViewedObject, space: Kinematics) -> tuple[Coordinate, ...]:
    """A slider for each coordinate of a space whose base is held."""
    rows = np.arange(0, space.mesh.vertex_count, 1 + space.mesh.vertex_count // SAMPLED_VERTEX_COUNT)
    area = at_vertices(space.mesh).area[rows]
    has_joints = isinstance(space, Articulated)
    found = []
    for index in range(space.size):
        moved = compute_displacements(space, index, rows)
        distance = np.linalg.norm(moved, axis=1)
        if has_joints:
            words = _name_joint(space, index, _name_link(require_skin(space), rows, area * distance))
        else:
            words = _name_motion(shown, rows, area, moved)
        is_shown = has_joints or float(distance.max(initial=0.0)) > MIN_MOTION * space.mesh.diagonal
        found.append(Coordinate(*words, is_shown, *_choose_range(space, index), *_choose_unit(space, index)))
    if not any(one.shown for one in found):
        found = [replace(one, shown=True) for one in found]
    return tuple(_number_alike(found))


def _name_joint(space: Kinematics, index: int, link: str) -> tuple[str, str]:
    """What a joint moves, and how, as in 'drawer 2 slides'."""
    return link.replace("_", " "), "turns" if find_turning(space, index) else "slides"


def find_turning(space: Kinematics, index: int) -> bool:
    """Whether a coordinate of joints is an angle."""
    if not isinstance(space, Articulated):
        return False
    joints = space.articulation
    turning = {n for n, d in zip(joints.coordinate_names, joints.coordinate_freedoms) if joints.freedoms[d].turns}
    return space.names[index] in turning


def _name_motion(shown: ViewedObject, rows: Indices, area: Array, moved: Array) -> tuple[str, str]:
    """Which region some displacements [m, 3] of vertices move, and how it moves, in words."""
    places, distance = shown.stage.points(shown.mesh.vertices[rows]), np.linalg.norm(moved, axis=1)
    motion = describe_motion(places, moved @ shown.stage.turn.T, area * distance)
    return _name_region(shown, rows, places, area, distance), motion


def _number_alike(found: list[Coordinate]) -> list[Coordinate]:
    """Names that tell sliders apart: those that share region and motion are numbered."""
    seen: dict[tuple[str, str], int] = {}
    named = []
    for one in found:
        key = one.name, one.moves
        seen[key] = seen.get(key, 0) + 1
        named.append(one if seen[key] == 1 else replace(one, name=f"{one.name} {seen[key]}"))
    return named


def _name_link(skin: Skin, rows: Indices, weight: Array) -> str:
    """The name of the link that a joint moves: of the bones that move the one nearest to the root."""
    total = np.bincount(skin.leader[rows], weight, skin.bone_count)
    depth = np.zeros(skin.bone_count, dtype=np.int64)
    for bone, parent in enumerate(skin.parents.tolist()):
        depth[bone] = depth[parent] + 1 if parent >= 0 else 0
    moving = total > 1e-6 * max(float(total.max()), 1e-300)
    nearest = np.flatnonzero(moving & (depth == depth[moving].min(initial=skin.bone_count)))
    return skin.names[int(nearest[total[nearest].argmax()]) if len(nearest) else 0]


def _name_region(shown: ViewedObject, rows: Indices, places: Array, area: Array, distance: Array) -> str:
    """What moves: the name of a part of the file that is most of it, else where on the object it is."""
    weight = area * distance
    if not weight.sum() > 0:
        return "nothing"
    if float(area @ (distance / distance.max())) > WHOLE_SHARE * area.sum():
        return "the whole"
    return _name_part(shown, rows, area, weight) or _name_side(places, weight)


def _name_part(shown: ViewedObject, rows: Indices, area: Array, weight: Array) -> str:
    """A part that has most of the weight and is not most of the object; '' where there is none."""
    mesh = shown.mesh
    if len(mesh.parts) < 2 or mesh.face_part is None:
        return ""
    part = np.full(mesh.vertex_count, -1)
    part[mesh.faces.reshape(-1)] = np.repeat(mesh.face_part, 3)
    held, size = (np.bincount(part[rows] + 1, values, len(mesh.parts) + 1)[1:] for values in (weight, area))
    best = int(held.argmax())
    if held[best] < PART_SHARE * weight.sum() or size[best] > WHOLE_SHARE * area.sum():
        return ""
    return mesh.parts[best].name


def _name_side(places: Array, weight: Array) -> str:
    """Where the weight of some places on the stage [m, 3] lies, as in 'upper front part'."""
    lower, upper = places.min(axis=0), places.max(axis=0)
    off = (weight @ places / weight.sum() - (lower + upper) / 2) / np.maximum(upper - lower, 1e-9)
    sides = [SIDE_WORDS[axis][int(off[axis] > 0)] for axis in (1, 2, 0) if abs(off[axis]) > MIN_SIDE_OFFSET]
    return f"{' '.join(sides) or 'middle'} part"


def describe_state(shown: ViewedObject, space: Kinematics, q: Array) -> str:
    """Where the coordinate that is farthest from rest is, as in 'hinge at 57°'."""
    away = np.abs(q - space.rest.numpy()) / space.prior.deviation
    if not len(away) or away.max() < 1e-6:
        return "at rest"
    index = int(away.argmax())
    one = describe_coordinates(shown, space)[index]
    return f"{one.name} at {q[index] * one.factor:.3g}{one.unit}"


def _choose_range(space: Kinematics, index: int) -> tuple[float, float]:
    """From where to where a slider goes: the limits of a joint, and a few deviations of anything else."""
    low, high, rest = (float(x[index]) for x in (space.lower, space.upper, space.rest))
    extent = RANGE_DEVIATIONS * float(space.prior.deviation[index])
    typical = rest - extent, rest + extent
    if isinstance(space, Articulated):
        return (low if np.isfinite(low) else typical[0]), (high if np.isfinite(high) else typical[1])
    return max(low, typical[0]), min(high, typical[1])


def _choose_unit(space: Kinematics, index: int) -> tuple[str, float]:
    """What people call the numbers of a coordinate, and the factor that makes them; shares of its range otherwise."""
    if space.has_free_base and index < 6:
        return ("°", 180 / np.pi) if index >= 3 else (" cm", 100 * space.mesh.unit)
    if not isinstance(space, Articulated):
        return " %", 100 / (RANGE_DEVIATIONS * float(space.prior.deviation[index]))
    return ("°", 180 / np.pi) if find_turning(space, index) else (" cm", 100 * space.mesh.unit)
