"""Objects the viewer's tests show."""

import numpy as np

from neurok.assets.laptop import laptop
from neurok.files.registry import Asset
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.motion import Skin
from neurok.geometry.primitives import box
from neurok.kinematics.twists import Twists
from neurok.viewer.session import Session
from neurok.viewer.viewed_object import FoundSpace, ViewedObject


def laptop_session() -> Session:
    machine = laptop()
    return Session(ViewedObject(Asset(machine.mesh, articulation=machine), "laptop"), "token")


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


def soft_sheet(side: int = 142, coordinates: int = 16) -> ViewedObject:
    """A sheet of side x side vertices in a learned kind of state space: twists of 64 handles, weights 4 a vertex."""
    x, y = (grid.reshape(-1) for grid in np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side), indexing="ij"))
    i, j = (grid.reshape(-1) for grid in np.meshgrid(np.arange(side - 1), np.arange(side - 1), indexing="ij"))
    a = i * side + j
    faces = np.concatenate([np.stack([a, a + side, a + 1], axis=1), np.stack([a + 1, a + side, a + side + 1], axis=1)])
    mesh = Mesh(np.stack([x, y, np.zeros_like(x)], axis=1), faces, up="z")
    u, v = np.clip(7 * x, 0, 6.999), np.clip(7 * y, 0, 6.999)
    left, low = u.astype(int), v.astype(int)
    fu, fv = u - left, v - low
    joints = np.stack([8 * left + low, 8 * left + low + 1, 8 * left + low + 8, 8 * left + low + 9], axis=1)
    weights = np.stack([(1 - fu) * (1 - fv), (1 - fu) * fv, fu * (1 - fv), fu * fv], axis=1)
    frames = np.tile(np.eye(4), (64, 1, 1))
    names = tuple(f"handle {index}" for index in range(64))
    skin = Skin(joints, weights, names, np.full(64, -1), frames)
    generator = np.random.default_rng(0)
    centre = np.stack(np.meshgrid(np.arange(8), np.arange(8), indexing="ij"), axis=-1).reshape(64, 2) / 7
    wave = np.sin(centre @ generator.uniform(1, 4, (2, coordinates)) + generator.uniform(0, 6, coordinates))
    basis = wave[:, None, :] * generator.normal(size=(6, coordinates)) * np.array([0.3] * 3 + [0.1] * 3)[:, None]
    return ViewedObject(Asset(mesh), "sheet", FoundSpace(Twists(mesh, skin, basis, origin=np.array([0.5, 0.5, 0.0]))))


def cube() -> Mesh:
    return box(1.0, 1.0, 1.0)
