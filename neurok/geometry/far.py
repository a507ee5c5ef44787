"""Objects far from the origin of their file: when that blurs them, and the same objects elsewhere.

Single floats have 24 bits, so the farther out an object stands, the coarser is what they hold of it; and doubles lose
the square of the distance wherever moments of inertia or sums of squares are taken. Both are mended by looking at
the object from nearby.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin

BLUR = 1e-6  # of the diagonal: what single floats may round off an object where it stands

Thing = TypeVar("Thing", Mesh, Motion, Articulation)


def far_place(mesh: Mesh) -> Array | None:
    """A place in the middle of a mesh [unit], [3], where single floats would blur it; None where they do not.

    It is a whole number of sixteenths of the size, so that vertices lose nothing when it is taken away from them.
    """
    if not mesh.vertex_count or not np.isfinite(mesh.vertices).all() or not 0 < mesh.diagonal < np.inf:
        return None
    if not blurs(np.abs(mesh.bounds).max(), mesh.diagonal):
        return None
    step = 2.0 ** (np.floor(np.log2(mesh.diagonal)) - 4)
    return np.round(mesh.bounds.mean(axis=0) / step) * step


def blurs(distance: float, diagonal: float) -> bool:
    """Whether single floats of a size [unit] are too coarse for an object of a diagonal."""
    return bool(distance * np.finfo(np.float32).eps / 2 > BLUR * diagonal)


def frame_kind(mesh: Mesh) -> type[np.float32] | type[np.float64]:
    """The floats to keep frames of a mesh in: singles, which save memory, but for objects that these would blur."""
    return np.float32 if far_place(mesh) is None else np.float64


def shifted(thing: Thing, by: Array) -> Thing:
    """A mesh, a motion or an articulation moved as a whole by a vector [unit], [3]."""
    return replace(thing, **_changes(thing, by))


def _changes(thing: Mesh | Motion | Articulation, by: Array) -> dict[str, Any]:
    """The fields of a thing that a move changes. Normals and tangents are none: it is no other shape."""
    if isinstance(thing, Mesh):
        return {"vertices": thing.vertices + by}
    mesh = shifted(thing.mesh, by)
    if isinstance(thing, Articulation):
        links = tuple(replace(link, T_world_link=_placed(link.T_world_link, by)) for link in thing.links)
        return {"mesh": mesh, "links": links}
    if thing.skin is None:
        return {"mesh": mesh, "positions": np.asarray(thing.positions, dtype=np.float64) + by}
    X = np.asarray(thing.transforms, dtype=np.float64).copy()
    X[..., :3, 3] += by - X[..., :3, :3] @ by  # T_by X T_by^-1
    return {"mesh": mesh, "skin": shifted_skin(thing.skin, by), "transforms": X}


def shifted_skin(skin: Skin, by: Array) -> Skin:
    """The skin of an object that is moved by a vector [unit], [3]."""
    return replace(skin, frames=_placed(skin.frames, by))


def _placed(T: Array, by: Array) -> Array:
    placed = np.array(T, dtype=np.float64)
    placed[..., :3, 3] += by
    return placed
