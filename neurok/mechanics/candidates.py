"""The points of an object that may touch something: corners of its hulls, and some of the surface between them."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.surface import SurfacePoints, at_vertices, farthest_points, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import join_points

MAX_HULL_POINTS = 2048  # of all links together
MIN_HULL_POINTS = 64  # of one link
DISTANT_POINT_COUNT = 256  # vertices far apart, for hollows and for soft bodies
DISTANT_POINT_POOL = 20_000  # vertices among which those are sought
EVEN_SAMPLE_COUNT = 128


def choose_contact_points(space: Kinematics, seed: int) -> SurfacePoints:
    """Candidates for contact.

    A rigid link meets a plane first at a corner of its convex hull, so these corners keep it out exactly.
    Vertices far apart and even samples serve hollows, soft bodies, and obstacles smaller than a face.
    """
    mesh = space.mesh
    vertices = at_vertices(mesh)
    used = np.flatnonzero(vertices.face >= 0)
    pool = used[:: max(len(used) // DISTANT_POINT_POOL, 1)]
    start = int(np.argmax(np.linalg.norm(mesh.vertices[pool] - mesh.bounds.mean(axis=0), axis=1)))
    chosen: list[Indices] = [
        pool[farthest_points(mesh.vertices[pool], min(DISTANT_POINT_COUNT, len(pool)), start=start)]
    ]
    if space.skin is not None and space.skin.is_rigid:
        chosen += _find_link_corners(mesh.vertices, space.skin.leader, used)
    between = sample_even(mesh, EVEN_SAMPLE_COUNT, np.random.default_rng(seed))
    return join_points([vertices.subset(np.unique(np.concatenate(chosen))), between])


def _find_link_corners(vertices: Array, leader: Indices, used: Indices) -> list[Indices]:
    """The hull's corners of each link among the vertices in use; where there are too many, the same limit for each."""
    order = used[np.argsort(leader[used], kind="stable")]
    links = np.split(order, np.flatnonzero(np.diff(leader[order])) + 1)
    corners = [own[find_hull_corners(vertices[own])] for own in links]
    limit = MAX_HULL_POINTS
    while limit > MIN_HULL_POINTS and sum(min(len(own), limit) for own in corners) > MAX_HULL_POINTS:
        limit = int(0.8 * limit)
    return [own if len(own) <= limit else own[find_outermost(vertices[own], limit)] for own in corners]


def find_hull_corners(points: Array) -> Indices:
    """Indices of the corners of the convex hull of points [n, 3], flat and straight ones too."""
    from scipy.spatial import ConvexHull, QhullError

    middle = points.mean(axis=0)
    _, size, axes = np.linalg.svd(_thin_points(points - middle), full_matrices=False)
    rank = int(np.sum(size > 1e-6 * size[0]))
    flat = (points - middle) @ axes[:rank].T
    if rank == 0:
        return np.zeros(1, dtype=np.int64)
    if rank == 1:
        return np.unique([flat[:, 0].argmin(), flat[:, 0].argmax()])
    try:
        return np.sort(ConvexHull(flat).vertices).astype(np.int64)
    except QhullError:  # too thin for it
        return find_outermost(points, MAX_HULL_POINTS)


def find_outermost(points: Array, count: int) -> Indices:
    """Indices of the points farthest out in `count` directions, evenly spread over the sphere."""
    height = 1 - (2 * np.arange(count) + 1) / count
    angle = np.pi * (3 - np.sqrt(5)) * np.arange(count)  # a spiral from pole to pole
    radius = np.sqrt(1 - height**2)
    outward = np.stack([radius * np.cos(angle), radius * np.sin(angle), height])
    return np.unique(np.concatenate([(points @ part).argmax(axis=0) for part in np.array_split(outward, 16, axis=1)]))


def _thin_points(points: Array, count: int = 10_000) -> Array:
    """Every k-th point and the extreme ones along the axes: enough to tell how many dimensions they span."""
    extreme = np.concatenate([points.argmin(axis=0), points.argmax(axis=0)])
    return np.concatenate([points[:: max(len(points) // count, 1)], points[extreme]])
