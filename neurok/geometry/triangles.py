"""One triangle at a time, many at once: areas, normals, closest points; degenerate ones included."""

import numpy as np

from neurok.geometry.arrays import Array, Indices


def area_vectors(vertices: Array, faces: Indices) -> Array:
    """Half the cross product of two sides: along the normal, as long as the area [unit^2]; [m, 3]."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return 0.5 * np.cross(b - a, c - a)


def face_areas(vertices: Array, faces: Indices) -> Array:
    """Areas [unit^2], [m]."""
    return np.linalg.norm(area_vectors(vertices, faces), axis=1)


def face_normals(vertices: Array, faces: Indices) -> Array:
    """Unit normals by the right-hand rule, zero where a face has no area; [m, 3]."""
    return unit_or_zero(area_vectors(vertices, faces))


def unit_or_zero(vectors: Array) -> Array:
    """Vectors [..., d] scaled to length one; zero stays zero."""
    # Scaled by the greatest component first: the square of a tiny face's normal would underflow.
    size = np.max(np.abs(vectors), axis=-1, keepdims=True, initial=0.0)
    scaled = vectors / np.where(size > 0, size, 1.0)
    length = np.linalg.norm(scaled, axis=-1, keepdims=True)
    return scaled / np.where(length > 0, length, 1.0)


def closest_on_triangles(points: Array, a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Barycentric weights of the closest point of each triangle, and the squared distance; all [m, 3] -> [m, 3], [m].

    The closest point is the foot of the perpendicular where that lies inside,
    else the closest of the three sides; a degenerate triangle is its sides.
    """
    corners = np.stack([a, b, c], axis=1)
    best = _foot_weights(points, a, b, c)
    best_distance = _squared_distance(points, corners, best)
    for i in range(3):
        side = _side_weights(points, corners, i)
        distance = _squared_distance(points, corners, side)
        closer = distance < best_distance
        best = np.where(closer[:, None], side, best)
        best_distance = np.where(closer, distance, best_distance)
    return best, best_distance


def _squared_distance(points: Array, corners: Array, weights: Array) -> Array:
    difference = np.einsum("mk,mkd->md", weights, corners) - points
    return np.einsum("md,md->m", difference, difference)


def _foot_weights(points: Array, a: Array, b: Array, c: Array) -> Array:
    """Weights of the perpendicular's foot where it lies inside a proper triangle, else of the first corner."""
    normal = np.cross(b - a, c - a)
    square = np.einsum("md,md->m", normal, normal)
    safe = np.where(square > 0, square, 1.0)
    wb = np.einsum("md,md->m", np.cross(points - a, c - a), normal) / safe
    wc = np.einsum("md,md->m", np.cross(b - a, points - a), normal) / safe
    weights = np.stack([1.0 - wb - wc, wb, wc], axis=1)
    inside = (square > 0) & np.all(weights >= 0, axis=1)
    return np.where(inside[:, None], weights, np.array([1.0, 0.0, 0.0]))


def _side_weights(points: Array, corners: Array, i: int) -> Array:
    """Weights of the closest point on the side from corner i to the next."""
    j = (i + 1) % 3
    start, along = corners[:, i], corners[:, j] - corners[:, i]
    square = np.einsum("md,md->m", along, along)
    t = np.einsum("md,md->m", points - start, along) / np.where(square > 0, square, 1.0)
    weights = np.zeros((len(points), 3))
    weights[:, j] = np.clip(t, 0.0, 1.0)
    weights[:, i] = 1.0 - weights[:, j]
    return weights
