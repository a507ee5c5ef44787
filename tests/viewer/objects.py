"""Objects the viewer's tests show."""

import numpy as np

from neurok.assets.laptop import laptop
from neurok.files.registry import Asset
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box
from neurok.viewer.body import Body
from neurok.viewer.session import Session


def laptop_session() -> Session:
    machine = laptop()
    return Session(Body(Asset(machine.mesh, articulation=machine), "laptop"), "token")


def snake(links: int = 17, rings: int = 130) -> Articulation:
    """A chain of hinges along x with about 20,000 vertices: links - 1 coordinates."""
    meshes = [_tube(rings, 9).with_vertices(_tube(rings, 9).vertices + [index, 0.0, 0.0]) for index in range(links)]
    frames = [np.eye(4) for _ in range(links)]
    for index, frame in enumerate(frames):
        frame[0, 3] = index
    joints = []
    for index in range(1, links):
        origin = np.eye(4)
        origin[0, 3] = 1.0
        axis = np.eye(3)[1 + index % 2]
        joints.append(Joint(f"hinge {index}", "revolute", index - 1, index, origin, axis, lower=-1.0, upper=1.0))
    mesh = merge(meshes, names=[f"link {index}" for index in range(links)])
    owner = np.repeat(np.arange(links), meshes[0].vertex_count)
    named = tuple(Link(f"link {index}", frame) for index, frame in enumerate(frames))
    return Articulation(mesh, owner, named, tuple(joints), name="snake")


def _tube(rings: int, around: int) -> Mesh:
    turn = np.linspace(0, 2 * np.pi, around, endpoint=False)
    x = np.linspace(0.05, 0.95, rings)
    circle = 0.25 * np.stack([np.zeros(around), np.cos(turn), np.sin(turn)], axis=1)
    vertices = (circle[None] + x[:, None, None] * np.array([1.0, 0.0, 0.0])).reshape(-1, 3)
    ring, spot = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    a, b = ring * around + spot, ring * around + (spot + 1) % around
    quads = np.stack([a, b, b + around, a + around], axis=-1).reshape(-1, 4)
    return Mesh(vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]), up="z")


def cube() -> Mesh:
    return box(1.0, 1.0, 1.0)
