"""Objects far from the origin of their file: when rounding damages them, and how to translate them.

Single floats have 24 bits, so the farther an object stands from the origin, the coarser are its coordinates; doubles
lose the square of the distance wherever moments of inertia or sums of squares are computed. Both problems vanish when
the object is first translated to the origin.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin

MAX_ROUNDING = 1e-6  # of the diagonal: the rounding error of single floats that an object may suffer

Movable = TypeVar("Movable", Mesh, Motion, Articulation)


def find_far_centre(mesh: Mesh) -> Array | None:
    """The rounded centre of a mesh [unit], [3], if single floats are too coarse for it at its place; None otherwise.

    The centre is rounded to sixteenths of the size, so that subtracting it from the vertices is exact.
    """
    if not mesh.vertex_count or not np.isfinite(mesh.vertices).all() or not 0 < mesh.diagonal < np.inf:
        return None
    if not exceeds_single_precision(np.abs(mesh.bounds).max(), mesh.diagonal):
        return None
    step = 2.0 ** (np.floor(np.log2(mesh.diagonal)) - 4)
    return np.round(mesh.bounds.mean(axis=0) / step) * step


def exceeds_single_precision(distance: float, diagonal: float) -> bool:
    """Whether single floats at this distance [unit] from the origin are too coarse for an object of this diagonal."""
    return bool(distance * np.finfo(np.float32).eps / 2 > MAX_ROUNDING * diagonal)


def choose_frame_dtype(mesh: Mesh) -> type[np.float32] | type[np.float64]:
    """The type of the frames of a mesh: single floats, which save memory, unless they are too coarse for the object."""
    return np.float32 if find_far_centre(mesh) is None else np.float64


def translate_mesh(thing: Movable, by: Array) -> Movable:
    """A mesh, a motion or an articulation translated as a whole by a vector [unit], [3]."""
    return replace(thing, **_compute_changes(thing, by))


def _compute_changes(thing: Mesh | Motion | Articulation, by: Array) -> dict[str, Any]:
    """The fields that a translation changes; normals and tangents are not among them."""
    if isinstance(thing, Mesh):
        return {"vertices": thing.vertices + by}
    mesh = translate_mesh(thing.mesh, by)
    if isinstance(thing, Articulation):
        links = tuple(replace(link, T_world_link=_translate_frames(link.T_world_link, by)) for link in thing.links)
        return {"mesh": mesh, "links": links}
    if thing.skin is None:
        return {"mesh": mesh, "positions": np.asarray(thing.positions, dtype=np.float64) + by}
    X = np.asarray(thing.transforms, dtype=np.float64).copy()
    X[..., :3, 3] += by - X[..., :3, :3] @ by  # T_by X T_by^-1
    return {"mesh": mesh, "skin": translate_skin(thing.skin, by), "transforms": X}


def translate_skin(skin: Skin, by: Array) -> Skin:
    """The skin of an object that is translated by a vector [unit], [3]."""
    return replace(skin, frames=_translate_frames(skin.frames, by))


def _translate_frames(T: Array, by: Array) -> Array:
    translated = np.array(T, dtype=np.float64)
    translated[..., :3, 3] += by
    return translated
