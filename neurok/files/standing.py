"""Which way is up, judged by what an object would stand on, where its format does not say."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors

MIN_SUPPORT = 0.05  # share of the footprint that its feet must span to count as standing
LYING_RATIO = 1.5  # times as wide as along y must it stand along z to be taken for lying
FOOT_HEIGHT = 0.01  # of the height: what is no higher touches the ground


def guess_up_axis(mesh: Mesh) -> tuple[str, str]:
    """The likely upward axis, 'y' or 'z', and the reason: the axis along which the object's feet span more of its
    footprint; y, which is usual, where neither does."""
    y, z = (measure_support(mesh, axis) for axis in (1, 2))
    if z > MIN_SUPPORT and z > LYING_RATIO * y:
        return "z", f"its feet at the lowest z span {z:.0%} of its footprint, those at the lowest y {y:.0%}"
    if y > MIN_SUPPORT:
        return "y", f"its feet at the lowest y span {y:.0%} of its footprint"
    return "y", "y is usual"


def measure_support(mesh: Mesh, axis: int) -> float:
    """The share of the footprint that the feet span, both as convex areas; zero where it would fall over.

    Four legs span as much as a box, however little of them touches the ground; and a chair on its back does not stand,
    since its middle is not above what touches.
    """
    used = mesh.vertices[np.unique(mesh.faces)] if mesh.face_count else mesh.vertices[:0]
    if len(used) < 3 or not np.all(np.isfinite(used)):
        return 0.0
    height, flat = used[:, axis], np.delete(used, axis, axis=1)
    feet = _find_hull(flat[height <= height.min() + FOOT_HEIGHT * np.ptp(height)])
    whole = _find_hull(flat)
    if feet is None or whole is None or not np.ptp(height) > 0:
        return 0.0
    middle = np.delete(_find_centroid(mesh), axis)
    if np.any(feet.equations @ np.append(middle, 1.0) > 0):
        return 0.0
    return float(feet.volume / whole.volume)  # areas: what qhull calls so in the plane


def _find_centroid(mesh: Mesh) -> Array:
    """The centroid of the surface [file units], [3]."""
    area = np.linalg.norm(area_vectors(mesh.vertices, mesh.faces), axis=1)
    return area @ mesh.vertices[mesh.faces].mean(axis=1) / max(float(area.sum()), 1e-300)


def _find_hull(points: Array):
    """The convex hull of points in the plane [n, 2]; None where they lie on a line."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points) if len(points) >= 3 else None
    except (QhullError, ValueError):
        return None
