"""The solids of which the bundled objects consist; all closed, with outward normals.

Axes as in URDF: x right, y back, z up; sizes in metres.
"""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Material, Mesh, Part

CORNER_POINT_COUNT = 5  # points on a rounded corner
EDGE_POINT_COUNT = 3  # points on a rounded edge


def slab(name: str, size: tuple[float, float, float], radius: float, bevel: float, material: Material) -> Mesh:
    """A plate with round corners (radius) and round edges (bevel), centred in x and y, standing on z = 0."""
    outline, outward = _rounded_rectangle(size[0], size[1], radius)
    turn = np.linspace(0.0, np.pi / 2, EDGE_POINT_COUNT)
    # The profile from the bottom's rim to the top's: (inset, height, outward share of the normal, upward share).
    low = [(bevel * (1 - np.sin(a)), bevel * (1 - np.cos(a)), np.sin(a), -np.cos(a)) for a in turn]
    high = [(inset, size[2] - z, out, -up) for inset, z, out, up in reversed(low)]
    rings = low + high
    count = len(outline)
    points = [np.c_[outline - inset * outward, np.full(count, z)] for inset, z, _, _ in rings]
    normals = [np.c_[out * outward, np.full(count, up)] for _, _, out, up in rings]
    points += [np.array([[0.0, 0.0, 0.0], [0.0, 0.0, size[2]]])]
    normals += [np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])]
    bottom = count * len(rings)
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    faces = [np.c_[there, here, np.full(count, bottom)]]
    for ring in range(len(rings) - 1):
        a, b = here + ring * count, there + ring * count
        faces += [np.c_[a, b, b + count], np.c_[a, b + count, a + count]]
    top = (len(rings) - 1) * count
    faces += [np.c_[here + top, there + top, np.full(count, bottom + 1)]]
    return _mesh(name, np.concatenate(points), np.concatenate(faces), np.concatenate(normals), material)


def block(name: str, size: tuple[float, float, float], material: Material) -> Mesh:
    """A box with sharp edges, centred in x and y, standing on z = 0."""
    points: list[Array] = []
    normals: list[Array] = []
    faces: list[Indices] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            u, v = np.roll(np.eye(3), -axis, axis=0)[1:] if side > 0 else np.roll(np.eye(3), -axis, axis=0)[:0:-1]
            centre = side * np.eye(3)[axis]
            faces += [np.array([[0, 1, 2], [0, 2, 3]]) + 4 * len(points)]
            points += [np.array([centre - u - v, centre + u - v, centre + u + v, centre - u + v])]
            normals += [np.tile(centre, (4, 1))]
    corners = 0.5 * np.concatenate(points) * size + (0.0, 0.0, 0.5 * size[2])
    return _mesh(name, corners, np.concatenate(faces), np.concatenate(normals), material)


def barrel(name: str, length: float, radius: float, material: Material, sides: int = 16) -> Mesh:
    """A cylinder along x, centred on the origin."""
    angle = 2 * np.pi * np.arange(sides) / sides
    circle = np.c_[np.cos(angle), np.sin(angle)]
    here, there = np.arange(sides), np.roll(np.arange(sides), -1)
    points, normals, faces = [], [], []
    for side in (-1.0, 1.0):
        points += [np.c_[np.full(sides, side * length / 2), radius * circle]]
        normals += [np.c_[np.zeros(sides), circle]]
    faces += [np.c_[here, there, there + sides], np.c_[here, there + sides, here + sides]]
    for side in (-1.0, 1.0):
        start = sum(len(p) for p in points)
        points += [np.c_[np.full(sides, side * length / 2), radius * circle], [[side * length / 2, 0.0, 0.0]]]
        normals += [np.tile([side, 0.0, 0.0], (sides + 1, 1))]
        fan = np.c_[here + start, there + start, np.full(sides, start + sides)]
        faces += [fan if side > 0 else fan[:, ::-1]]
    return _mesh(name, np.concatenate(points), np.concatenate(faces), np.concatenate(normals), material)


def panel(name: str, size: tuple[float, float, float], material: Material) -> Mesh:
    """A block with a picture on its lower side: its top at -y, its left at -x (a screen folded shut)."""
    mesh = block(name, size, material)
    uv = mesh.vertices[:, :2] / size[:2] + 0.5
    return replace(mesh, attributes={**mesh.attributes, "uv0": uv})


def _rounded_rectangle(width: float, depth: float, radius: float) -> tuple[Array, Array]:
    """Outline [c, 2] and its outward normals [c, 2], counter-clockwise."""
    angle = np.linspace(0.0, np.pi / 2, CORNER_POINT_COUNT)
    quarter = np.c_[np.cos(angle), np.sin(angle)]
    points, normals = [], []
    for corner in range(4):
        c, s = np.cos(corner * np.pi / 2), np.sin(corner * np.pi / 2)
        direction = quarter @ np.array([[c, s], [-s, c]])
        sign = np.sign(direction[CORNER_POINT_COUNT // 2])
        points.append(sign * (width / 2 - radius, depth / 2 - radius) + radius * direction)
        normals.append(direction)
    return np.concatenate(points), np.concatenate(normals)


def _mesh(name: str, points: Array, faces: Indices, normals: Array, material: Material) -> Mesh:
    none = np.zeros(len(faces), dtype=np.int64)
    return Mesh(
        vertices=points,
        faces=faces,
        attributes={"normal": normals},
        materials=(material,),
        face_material=none,
        parts=(Part(name),),
        face_part=none,
        up="z",
    )
