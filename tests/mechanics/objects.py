"""Small objects with known mechanics, for the tests of kinematics and mechanics."""

import numpy as np

from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import merge
from neurok.geometry.primitives import box

ACROSS = np.array([0.0, 0.0, 1.0])


def shift(x: float, y: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def chain(count: int, *, length: float = 0.5, kind: str = "revolute", axis=ACROSS, **limits) -> Articulation:
    """`count` bars hanging one below the other from a small base; joint i sits at the top of bar i."""
    meshes = [box(0.1, 0.1, 0.1)]
    links = [Link("base", np.eye(4))]
    joints = []
    for i in range(count):
        bar = box(0.05, length, 0.08)
        top = -length * i
        meshes.append(bar.with_vertices(bar.vertices + [0.0, top - length / 2, 0.0]))
        links.append(Link(f"bar {i}", shift(0, top, 0)))
        origin = shift(0, 0 if i == 0 else -length, 0)
        joints.append(Joint(f"joint {i}", kind, i, i + 1, origin, np.asarray(axis, dtype=float), **limits))
    mesh = merge(meshes, names=[link.name for link in links])
    vertex_link = np.repeat(np.arange(count + 1), [m.vertex_count for m in meshes])
    return Articulation(mesh, vertex_link, tuple(links), tuple(joints))
