"""Solids of which strange objects are put together: boxes, rods, tubes, rings and balls, +Z up, in metres."""

import numpy as np
import trimesh
from trimesh import Trimesh

Vector = tuple[float, float, float]


def box(size: Vector, at: Vector, *, yaw: float = 0.0) -> Trimesh:
    """A box of sides [m] about a centre, turned about +Z by an angle [rad]."""
    solid = trimesh.creation.box(extents=size)
    solid.apply_transform(trimesh.transformations.rotation_matrix(yaw, (0.0, 0.0, 1.0)))
    return solid.apply_translation(at)


def rod(start: Vector, end: Vector, radius: float, *, sides: int = 24) -> Trimesh:
    """A round rod from one point to another."""
    return trimesh.creation.cylinder(radius=radius, segment=np.array([start, end]), sections=sides)


def tube(start: Vector, end: Vector, inner: float, outer: float, *, sides: int = 32) -> Trimesh:
    """A tube with walls, from one point to another."""
    return trimesh.creation.annulus(r_min=inner, r_max=outer, segment=np.array([start, end]), sections=sides)


def ring(at: Vector, axis: Vector, radius: float, thickness: float) -> Trimesh:
    """A torus about an axis."""
    solid = trimesh.creation.torus(major_radius=radius, minor_radius=thickness)
    solid.apply_transform(trimesh.geometry.align_vectors((0.0, 0.0, 1.0), axis))
    return solid.apply_translation(at)


def ball(at: Vector, radius: float) -> Trimesh:
    return trimesh.creation.icosphere(subdivisions=2, radius=radius).apply_translation(at)


def prism(outline: list[tuple[float, float]], height: float, at: Vector) -> Trimesh:
    """A convex or star-shaped outline [m] in the plane of X and Y, pulled up by a height."""
    points, count = np.array(outline), len(outline)
    middle = points.mean(axis=0)
    low, high = np.c_[points, np.zeros(count)], np.c_[points, np.full(count, height)]
    vertices = np.vstack([low, high, [[*middle, 0.0]], [[*middle, height]]])
    this, after = np.arange(count), (np.arange(count) + 1) % count
    walls = [np.c_[this, after, count + after], np.c_[this, count + after, count + this]]
    floor, roof = np.full(count, 2 * count), np.full(count, 2 * count + 1)
    faces = np.vstack([*walls, np.c_[after, this, floor], np.c_[count + this, count + after, roof]])
    return Trimesh(vertices, faces, process=False).apply_translation(at)


def open_box(size: Vector, at: Vector, wall: float) -> list[Trimesh]:
    """A box without a lid, of five boards; `at` is the centre of its floor's lower side."""
    x, y, z = size
    cx, cy, cz = at
    return [
        box((x, y, wall), (cx, cy, cz + wall / 2)),
        *(box((wall, y, z), (cx + s * (x - wall) / 2, cy, cz + z / 2)) for s in (-1, 1)),
        *(box((x - 2 * wall, wall, z), (cx, cy + s * (y - wall) / 2, cz + z / 2)) for s in (-1, 1)),
    ]
