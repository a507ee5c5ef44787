"""The solids that URDF and MJCF name by their size: closed (but for the plane) and facing outwards."""

from collections.abc import Callable

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

SEGMENT_COUNT = 32  # of a cylinder or a sphere around its axis


def make_box(x: float, y: float, z: float) -> Mesh:
    """A box about the origin with edges x, y, z [m]."""
    corners = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return Mesh(corners * [x, y, z], faces, face_attributes={"polygon": np.repeat(np.arange(6), 2)})


def make_cylinder(radius: float, length: float) -> Mesh:
    """A cylinder about the origin along z [m]."""
    heights = np.array([-0.5, 0.5]) * length
    return _revolve_profile(np.full(2, radius), heights, pole=length / 2)


def make_sphere(radius: float) -> Mesh:
    """A sphere about the origin [m]."""
    latitude = np.linspace(-np.pi / 2, np.pi / 2, SEGMENT_COUNT // 2 + 1)[1:-1]
    return _revolve_profile(radius * np.cos(latitude), radius * np.sin(latitude), pole=radius)


def _revolve_profile(radii: Array, heights: Array, *, pole: float) -> Mesh:
    """A closed surface of rings about z between two poles at -pole and pole; radii, heights [rings]."""
    angle = np.linspace(0, 2 * np.pi, SEGMENT_COUNT, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rings = [np.column_stack([radius * circle, np.full(SEGMENT_COUNT, z)]) for radius, z in zip(radii, heights)]
    here = np.arange(SEGMENT_COUNT)
    after = (here + 1) % SEGMENT_COUNT
    faces = []
    for low in range(0, (len(rings) - 1) * SEGMENT_COUNT, SEGMENT_COUNT):
        high = low + SEGMENT_COUNT
        faces.append(np.column_stack([low + here, low + after, high + after]))
        faces.append(np.column_stack([low + here, high + after, high + here]))
    top, bottom = (len(rings) - 1) * SEGMENT_COUNT, len(rings) * SEGMENT_COUNT
    faces.append(np.column_stack([after, here, np.full(SEGMENT_COUNT, bottom)]))
    faces.append(np.column_stack([top + here, top + after, np.full(SEGMENT_COUNT, bottom + 1)]))
    poles = np.array([[0.0, 0.0, -pole], [0.0, 0.0, pole]])
    return Mesh(np.concatenate([*rings, poles]), np.concatenate(faces))


def make_ellipsoid(x: float, y: float, z: float) -> Mesh:
    """An ellipsoid about the origin with the radii x, y, z [m]."""
    ball = make_sphere(1.0)
    return Mesh(ball.vertices * [x, y, z], ball.faces)


def make_capsule(radius: float, length: float) -> Mesh:
    """A capsule about the origin along z [m]; length: of its straight part."""
    quarter = np.linspace(0, np.pi / 2, SEGMENT_COUNT // 4 + 1)[:-1]
    latitude = np.concatenate([-quarter[::-1], quarter])
    heights = radius * np.sin(latitude) + np.repeat([-0.5, 0.5], len(quarter)) * length
    return _revolve_profile(radius * np.cos(latitude), heights, pole=radius + length / 2)


def make_plane(x: float, y: float) -> Mesh:
    """A rectangle about the origin with edges x, y [m], facing along z."""
    corners = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]])
    return Mesh(corners * [x, y, 1.0], np.array([[0, 1, 2], [0, 2, 3]]))


PRIMITIVES: dict[str, Callable[..., Mesh]] = {
    "box": make_box, "cylinder": make_cylinder, "sphere": make_sphere, "ellipsoid": make_ellipsoid,
    "capsule": make_capsule, "plane": make_plane,
}  # fmt: skip
