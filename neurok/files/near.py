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

Thing = TypeVar("Thing", Mesh, Motion, Articulation, list[Motion])


def brought_near(thing: Thing) -> tuple[Thing, Array | None]:
    """A mesh, a motion, several of one mesh or an articulation about its own place, and that place [unit], [3].

    None where single floats are fine enough for it as it is, and it is left so.
    """
    first = thing[0] if isinstance(thing, list) else thing
    away = find_far_centre(first if isinstance(first, Mesh) else first.mesh)
    if away is None:
        return thing, None
    if isinstance(thing, list):
        return [_near(motion, away) for motion in thing], away
    return _near(thing, away) if isinstance(thing, Motion) else translate_mesh(thing, -away), away


def _near(motion: Motion, away: Array) -> Motion:
    near = translate_mesh(motion, -away)
    return near if near.skin is None else replace(near, skin=seated(near.skin, near.mesh.diagonal))


def seated(skin: Skin, diagonal: float) -> Skin:
    """The skin with bones that sit too far from the object put to its place; they move what they moved.

    Such are links and nodes that stand at the origin of the file while their vertices do not: vertices told in
    their frames would be as far as before.
    """
    frames = skin.frames.copy()
    distance = np.abs(frames[:, :3, 3]).max(axis=1, initial=0.0)
    frames[[exceeds_single_precision(d, diagonal) for d in distance], :3, 3] = 0.0
    return replace(skin, frames=frames)
