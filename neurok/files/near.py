"""Objects far from the origin of their file, for formats that hold single floats: written about their own place.

The place itself goes to a root above them, where such formats have doubles.
"""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.far import exceeds_single_precision, find_far_centre, translate_mesh
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin

Thing = TypeVar("Thing", Mesh, Articulation)


def bring_near(thing: Thing) -> tuple[Thing, Array | None]:
    """A mesh or an articulation about its own place, and that place [unit], [3].

    The place is None where single floats are fine enough for the object as it is, and it is left so.
    """
    place = find_far_centre(thing if isinstance(thing, Mesh) else thing.mesh)
    return (thing, None) if place is None else (translate_mesh(thing, -place), place)


def bring_motions_near(motions: list[Motion]) -> tuple[list[Motion], Array | None]:
    """Motions of one mesh about the mesh's own place, and that place [unit], [3], as `bring_near` does it."""
    place = find_far_centre(motions[0].mesh)
    return (motions, None) if place is None else ([_shift_motion(motion, -place) for motion in motions], place)


def _shift_motion(motion: Motion, by: Array) -> Motion:
    near = translate_mesh(motion, by)
    return near if near.skin is None else replace(near, skin=seat_bones(near.skin, near.mesh.diagonal))


def seat_bones(skin: Skin, diagonal: float) -> Skin:
    """The skin with the bones that sit too far from the object moved to its place; they move the same vertices.

    Such bones are links and nodes that stand at the origin of the file while their vertices do not: vertices
    expressed in their frames would be as far away as before.
    """
    frames = skin.frames.copy()
    distance = np.abs(frames[:, :3, 3]).max(axis=1, initial=0.0)
    frames[[exceeds_single_precision(d, diagonal) for d in distance], :3, 3] = 0.0
    return replace(skin, frames=frames)
