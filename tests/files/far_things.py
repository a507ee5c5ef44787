"""Objects put far from the origin of their file, written out plainly."""

from dataclasses import replace

import numpy as np

from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

AWAY = np.array([1.0e6, -2.5e6, 3.3e5])


def far(thing, by=AWAY):
    """A mesh, a motion, motions or an articulation, moved by a vector [unit], [3]."""
    if isinstance(thing, list):
        return [far(each, by) for each in thing]
    if isinstance(thing, Mesh):
        return replace(thing, vertices=thing.vertices + by)  # normals and tangents stay as they are
    T, back = np.eye(4), np.eye(4)
    T[:3, 3], back[:3, 3] = by, -by
    mesh = far(thing.mesh, by)
    if isinstance(thing, Articulation):
        links = tuple(replace(link, T_world_link=T @ link.T_world_link) for link in thing.links)
        return replace(thing, mesh=mesh, links=links)
    assert isinstance(thing, Motion)
    if thing.skin is None:
        return replace(thing, mesh=mesh, positions=thing.positions.astype(np.float64) + by)
    skin = replace(thing.skin, frames=T @ thing.skin.frames)
    return replace(thing, mesh=mesh, skin=skin, transforms=T @ thing.transforms @ back)
