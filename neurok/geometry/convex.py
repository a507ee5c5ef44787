"""Convex bodies: the distance of two, the depth of their overlap, and a body cut off by a plane.

The distance of the hulls of points a_i and b_j is a least-squares problem with weights that may not be negative,

    min |sum l_i a_i - sum m_j b_j|    over  l, m >= 0,  sum l = sum m = 1,

whose answer is zero exactly where the hulls share a point.
"""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors

SUM_WEIGHT = 100.0  # how much more than a length, in units of the bodies' size, the sums of the weights count


def compute_hull_distance(a: Array, b: Array) -> float:
    """The distance of the convex hulls of two sets of points, [n, 3] and [m, 3]; zero where they overlap."""
    from scipy.optimize import nnls

    middle = 0.25 * (a.min(axis=0) + a.max(axis=0) + b.min(axis=0) + b.max(axis=0))
    size = float(max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max())) or 1.0
    rows = np.zeros((5, len(a) + len(b)))
    rows[:3, : len(a)] = (a - middle).T / size
    rows[:3, len(a) :] = (middle - b).T / size
    rows[3, : len(a)] = rows[4, len(a) :] = SUM_WEIGHT
    try:
        return (
            float(nnls(rows, np.array([0.0, 0.0, 0.0, SUM_WEIGHT, SUM_WEIGHT]), maxiter=20 * rows.shape[1])[1]) * size
        )
    except RuntimeError:  # cycling between equally good weights, as points in a lattice allow
        return max(0.0, -depth_along_faces(Mesh(a, _make_no_faces()), Mesh(b, _make_no_faces()), _make_directions())[0])


def _make_no_faces() -> Indices:
    return np.zeros((0, 3), dtype=np.int64)


def _make_directions() -> Array:
    """Unit vectors all round, [512, 3]: a spiral over the half sphere and its mirror image."""
    height = np.linspace(0.0, 1.0, 256)
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(256)
    half = np.stack([np.sqrt(1.0 - height**2) * np.cos(turn), np.sqrt(1.0 - height**2) * np.sin(turn), height], axis=1)
    return np.concatenate([half, -half])


def face_directions(*bodies: Mesh) -> Array:
    """Unit normals of all faces with an area, [k, 3]."""
    areas = np.concatenate([area_vectors(body.vertices, body.faces) for body in bodies])
    lengths = np.linalg.norm(areas, axis=1)
    good = lengths > 1e-9 * lengths.max(initial=0.0)
    return areas[good] / lengths[good, None]


def depth_along_faces(a: Mesh, b: Mesh, directions: Array | None = None) -> tuple[float, Array]:
    """The shortest shift along a face normal of a or b that moves b out of a, and that unit normal, out of a.

    The shift is negative where a face of one already separates them. It is never less than the true depth.
    """
    if directions is None:
        directions = face_directions(a, b)
        directions = np.concatenate([directions, -directions])
    overlap = (a.vertices @ directions.T).max(axis=0) - (b.vertices @ directions.T).min(axis=0)
    best = int(np.argmin(overlap))
    return float(overlap[best]), directions[best]


def corners_beyond(body: Mesh, normal: Array, level: float) -> Array:
    """Corners of the part of a convex body with normal . x <= level, [k, 3]; none where that part is empty."""
    height = body.vertices @ normal - level
    kept = body.vertices[height <= 0.0]
    if len(kept) == body.vertex_count or len(kept) == 0:
        return kept
    ends = np.concatenate([body.faces[:, [0, 1]], body.faces[:, [1, 2]], body.faces[:, [2, 0]]])
    first, second = ends[(height[ends[:, 0]] <= 0.0) & (height[ends[:, 1]] > 0.0)].T
    share = height[first] / (height[first] - height[second])
    crossed = body.vertices[first] + share[:, None] * (body.vertices[second] - body.vertices[first])
    return np.concatenate([kept, crossed])
