"""Normals for shading: smooth over gentle bends, sharp at creases."""

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array, Indices

CREASE_ANGLE = 40.0  # degrees between neighbouring faces, above which their common edge is sharp
FACES_AT_EDGE = 4  # neighbours looked at along one edge; doubled faces make four


def compute_face_normals(vertices: Array, faces: Indices) -> Array:
    """Normals as long as twice the faces' areas, [m, 3]."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return np.cross(b - a, c - a)


def find_smoothing_groups(vertices: Array, faces: Indices) -> NDArray[np.int64]:
    """Which corners share one normal, numbered from zero, [m, 3].

    Corners at the same place belong together where their faces meet in an edge
    with less than CREASE_ANGLE degrees between them; points with equal coordinates
    count as one, so that seams of texture coordinates do not show.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(faces)
    if count == 0:
        return np.zeros((0, 3), dtype=np.int64)
    normals = compute_face_normals(vertices, faces)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
    point = _weld_points(vertices)[faces]
    start = point.reshape(-1)
    end = point[:, [1, 2, 0]].reshape(-1)
    corner = np.arange(3 * count)  # half-edge i leaves corner i and arrives at the next corner of its face
    following = (corner // 3) * 3 + (corner + 1) % 3
    key = np.minimum(start, end) * (int(point.max()) + 1) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    left, right = [], []
    for step in range(1, FACES_AT_EDGE):
        first, second = order[:-step], order[step:]
        bend = np.einsum("ij,ij->i", normals[first // 3], normals[second // 3])
        joined = (key[first] == key[second]) & (bend > np.cos(np.radians(CREASE_ANGLE)))
        first, second = first[joined], second[joined]
        along = start[first] == start[second]
        left += [first, following[first]]
        right += [np.where(along, second, following[second]), np.where(along, following[second], second)]
    rows, columns = np.concatenate(left), np.concatenate(right)
    graph = coo_matrix((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(3 * count, 3 * count))
    return connected_components(graph, directed=False)[1].astype(np.int64).reshape(-1, 3)


def _weld_points(vertices: Array) -> NDArray[np.int64]:
    """A number for each distinct place, [n]."""
    flat = np.ascontiguousarray(vertices, dtype=np.float64) + 0.0
    keys = flat.view(np.dtype((np.void, 24))).reshape(-1)
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def compute_group_normals(
    vertices: Array, faces: Indices, groups: NDArray[np.int64], group_count: int
) -> NDArray[np.float32]:
    """Unit normals of the smoothing groups in a shape, weighted by area, [g, 3]."""
    normals = np.repeat(compute_face_normals(vertices, faces), 3, axis=0)
    index = groups.reshape(-1)
    total = np.stack([np.bincount(index, normals[:, i], minlength=group_count) for i in range(3)], axis=1)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.divide(total, length, out=np.zeros_like(total), where=length > 0).astype(np.float32)
