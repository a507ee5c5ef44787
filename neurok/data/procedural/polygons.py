"""Plane polygons [p, 2]: their area, where their corners move as they grow, and triangles that fill them."""

import numpy as np

from neurok.geometry.arrays import Array, Indices


def compute_polygon_area(outline: Array) -> float:
    """The signed area of a polygon [p, 2]; negative where it is clockwise."""
    x, y = outline.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def outward_normals(outline: Array) -> Array:
    """The shift of each corner of a counter-clockwise polygon when all its sides move outwards by one, [p, 2]."""
    side = np.roll(outline, -1, axis=0) - outline
    normal = np.stack([side[:, 1], -side[:, 0]], axis=1) / np.linalg.norm(side, axis=1, keepdims=True)
    mean = normal + np.roll(normal, 1, axis=0)
    return mean / np.maximum(0.5 * np.einsum("pd,pd->p", mean, mean), 0.4)[:, None]


def triangulate_polygon(outline: Array) -> Indices:
    """Triangles of a simple counter-clockwise polygon, by cutting off ears, [p - 2, 3]."""
    left, faces = list(range(len(outline))), []
    while len(left) > 3:
        points = outline[left]
        before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
        bend = _cross(points - before, after - points)
        for i in np.argsort(-bend, kind="stable"):
            a, b, c = before[i], points[i], after[i]
            others = np.delete(points, [i - 1, i, (i + 1) % len(left)], axis=0)
            inside = (
                (_cross(b - a, others - a) >= 0) & (_cross(c - b, others - b) >= 0) & (_cross(a - c, others - c) >= 0)
            )
            if not inside.any():
                break
        faces.append((left[i - 1], left[i], left[(i + 1) % len(left)]))
        del left[i]
    return np.array([*faces, left])


def _cross(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
