"""A quick convex decomposition: a surface is cut by planes until every piece fills its hull, or enough pieces are made.

How hollow a piece is, is the farthest that its hull's surface lies from its own. The hollowest piece is cut next, along
an axis of its link: at a wall (where faces square to the axis lie) or halfway, whichever leaves the least hull volume.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from neurok.files.hulls import convex_hull
from neurok.geometry.mesh import Array, Mesh
from neurok.geometry.triangles import area_vectors

WALLS = 5  # planes with the most area, along each axis, that are tried
CELLS = 48  # points are thinned to this many cells along the longest side before hulls are tried
SAMPLES = 400  # points on a hull at which hollowness is measured
SQUARE = 0.95  # cosine between a face's normal and an axis, from which on it is a wall
MARGIN = 0.02  # of a piece's extent: a cut nearer to its end cuts nothing off


@dataclass(frozen=True)
class Piece:
    """Triangles [m, 3, 3], their hull, and the farthest that the hull's surface lies from them."""

    corners: Array
    hull: Mesh
    hollow: float


def split_convex(mesh: Mesh, *, tolerance: float, most: int) -> tuple[Mesh, ...]:
    """Convex hulls that together cover a mesh, at most so many; tolerance [unit]: how hollow a piece may stay."""
    first = _piece(mesh.vertices[mesh.faces])
    pieces = [] if first is None else [first]
    while 0 < len(pieces) < most:
        worst = int(np.argmax([piece.hollow for piece in pieces]))
        if pieces[worst].hollow <= tolerance:
            break
        halves = _halves(pieces[worst])
        if halves is None:
            pieces[worst] = Piece(pieces[worst].corners, pieces[worst].hull, 0.0)  # nothing can be done about it
            continue
        pieces[worst : worst + 1] = [half for half in map(_piece, halves) if half is not None]
    return tuple(piece.hull for piece in pieces)


def _piece(corners: Array) -> Piece | None:
    hull = convex_hull(corners.reshape(-1, 3))
    return None if hull is None else Piece(corners, hull, _hollowness(corners, hull))


def _hollowness(corners: Array, hull: Mesh) -> float:
    """The farthest of points on the hull from points on the surface, less the latter's spacing [unit]."""
    from scipy.spatial import cKDTree

    own, spacing = _spread(corners, 20 * SAMPLES)
    there, _ = _spread(hull.vertices[hull.faces], SAMPLES)
    return max(0.0, float(cKDTree(own).query(there)[0].max()) - spacing)


def _spread(corners: Array, count: int) -> tuple[Array, float]:
    """About so many points over triangles [m, 3, 3], in proportion to their areas, and the spacing they have."""
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    total = float(areas.sum())
    if not total > 0:
        return corners.reshape(-1, 3), 0.0
    which = np.searchsorted(np.cumsum(areas), (np.arange(count) + 0.5) / count * total).clip(max=len(areas) - 1)
    # The same points each time: a lattice of golden ratios in the unit square, folded into the triangle.
    u, v = (0.5 + 0.754877666 * np.arange(count)) % 1.0, (0.5 + 0.569840291 * np.arange(count)) % 1.0
    outside = u + v > 1.0
    u, v = np.where(outside, 1.0 - u, u), np.where(outside, 1.0 - v, v)
    a, b, c = corners[which].swapaxes(0, 1)
    return a + u[:, None] * (b - a) + v[:, None] * (c - a), float(np.sqrt(total / count))


# ---------------------------------------------------------------- cuts


def _halves(piece: Piece) -> tuple[Array, Array] | None:
    """The piece on both sides of its best plane; None where no plane cuts it."""
    best, least = None, np.inf
    thin = _thinned(piece.corners)
    for axis, level in _planes(piece.corners):
        volume = _volume_beside(thin, axis, level)
        if volume < least:
            best, least = (axis, level), volume
    if best is None:
        return None
    below, above = _cut(piece.corners, *best), _cut(piece.corners * _mirror(best[0]), best[0], -best[1])
    return (below, above * _mirror(best[0])) if len(below) and len(above) else None


def _planes(corners: Array) -> Iterator[tuple[int, float]]:
    """Axes and levels to try: the walls with the most area, and the middle."""
    points = corners.reshape(-1, 3)
    lower, upper = points.min(axis=0), points.max(axis=0)
    faces = np.arange(len(points)).reshape(-1, 3)
    vectors = area_vectors(points, faces)
    areas = np.linalg.norm(vectors, axis=1)
    for axis in range(3):
        margin = MARGIN * (upper[axis] - lower[axis])
        if not margin > 0:
            continue
        yield axis, 0.5 * float(lower[axis] + upper[axis])
        wall = (np.abs(vectors[:, axis]) > SQUARE * areas) & (areas > 0)
        level = corners[wall, :, axis].mean(axis=1)
        inside = (level > lower[axis] + margin) & (level < upper[axis] - margin)
        cells, place = np.unique(np.round(level[inside] / margin).astype(np.int64), return_inverse=True)
        share = np.bincount(place.reshape(-1), areas[wall][inside], len(cells))
        for cell in np.argsort(-share, kind="stable")[:WALLS]:
            yield axis, float(np.median(level[inside][place.reshape(-1) == cell]))


def _thinned(corners: Array) -> Array:
    """Triangles moved to the points of a grid, those that became one another's copies left out, [k, 3, 3]."""
    lower = corners.reshape(-1, 3).min(axis=0)
    cell = max(float(np.ptp(corners.reshape(-1, 3), axis=0).max()) / CELLS, 1e-12)
    keys = np.unique(np.round((corners - lower) / cell).astype(np.int64).reshape(len(corners), 9), axis=0)
    return keys.reshape(-1, 3, 3) * cell + lower


def _volume_beside(corners: Array, axis: int, level: float) -> float:
    """Of the hulls on both sides of a plane, together [unit^3]."""
    mirror = _mirror(axis)
    sides = (_cut(corners, axis, level), _cut(corners * mirror, axis, -level))
    return sum(_hull_volume(side.reshape(-1, 3)) for side in sides)


def _hull_volume(points: Array) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(np.unique(points, axis=0)).volume) if len(points) >= 4 else 0.0
    except QhullError:  # flat
        return 0.0


def _mirror(axis: int) -> Array:
    sign = np.ones(3)
    sign[axis] = -1.0
    return sign


def _cut(corners: Array, axis: int, level: float) -> Array:
    """What of triangles [m, 3, 3] lies below a level along an axis, as triangles."""
    below = corners[:, :, axis] <= level
    count = below.sum(axis=1)
    crossing = (count == 1) | (count == 2)
    part, inside = corners[crossing], below[crossing]
    # Turn each triangle until the corner that is alone on its side comes first.
    alone = np.where(inside.sum(axis=1) == 1, np.argmax(inside, axis=1), np.argmin(inside, axis=1))
    part = part[np.arange(len(part))[:, None], (alone[:, None] + np.arange(3)) % 3]
    a, b, c = part.swapaxes(0, 1)
    height = part[:, :, axis] - level
    share = height[:, :1] / np.where(height[:, :1] == height[:, 1:], 1.0, height[:, :1] - height[:, 1:])
    p, q = a + share[:, :1] * (b - a), a + share[:, 1:] * (c - a)
    tip = inside.sum(axis=1) == 1
    return np.concatenate(
        [
            corners[count == 3],
            np.stack([a, p, q], axis=1)[tip],
            np.stack([p, b, c], axis=1)[~tip],
            np.stack([p, c, q], axis=1)[~tip],
        ]
    )
