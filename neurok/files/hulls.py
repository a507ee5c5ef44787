"""Convex hulls for collisions, with a thickness where the points have none."""

import numpy as np

from neurok.geometry.arrays import Array, distinct_rows
from neurok.geometry.mesh import Mesh

MIN_THICKNESS = 1e-3  # of the diagonal
MIN_HULL_VOLUME = 1e-14  # [m^3]; MuJoCo refuses meshes below 1e-15


def compute_convex_hull(points: Array) -> Mesh | None:
    """The convex hull of points [m], [n, 3], facing outwards; None where they are too close for any simulator."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) == 0:
        return None
    points = _thicken_points(distinct_rows(points))
    try:
        hull = ConvexHull(points)
    except QhullError:
        hull = ConvexHull(points, qhull_options="QJ")  # joggled: for points that are almost in a plane
    if hull.volume < MIN_HULL_VOLUME:
        return None
    corners = points[hull.simplices]
    outward = np.einsum("md,md->m", np.cross(*np.diff(corners, axis=1).swapaxes(0, 1)), hull.equations[:, :3])
    faces = np.where(outward[:, None] < 0, hull.simplices[:, ::-1], hull.simplices)
    used, faces = np.unique(faces, return_inverse=True)
    return Mesh(points[used], faces.reshape(-1, 3))


def _thicken_points(points: Array) -> Array:
    """The points, doubled along those principal axes in which they reach too little, [n, 3]."""
    diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
    thickness = max(MIN_THICKNESS * diagonal, 1e-6)
    axes = np.linalg.eigh(np.cov(points.T) if len(points) > 1 else np.eye(3))[1].T
    for axis in axes:
        if np.ptp(points @ axis) < thickness:
            points = np.concatenate([points - 0.5 * thickness * axis, points + 0.5 * thickness * axis])
    return points
