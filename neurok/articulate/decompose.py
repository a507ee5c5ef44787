"""A quick convex decomposition: a surface is cut by planes until every piece fills its hull, or enough pieces are made.

How hollow a piece is, is the farthest that its hull's surface lies from the surface and what that encloses. The
hollowest piece is cut next, along an axis of its link: at a wall (where faces square to the axis lie) or halfway,
whichever wastes the least.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neurok.files.hulls import MIN_THICKNESS, compute_convex_hull
from neurok.geometry.arrays import Array, distinct_rows
from neurok.geometry.mesh import Mesh
from neurok.geometry.patches import CREASE_COSINE
from neurok.geometry.triangles import area_vectors

# Set by hand; `python -m benchmarks.check_articulation` must pass with them.
WALL_COUNT = 5  # planes with the most area, along each axis, that are tried
CELL_COUNT = 48  # cells of a grid along the longest side; what is finer is not told apart where cuts are tried
SAMPLE_COUNT = 200  # points on a hull at which hollowness is measured


Cut = tuple[int, float]  # an axis and a level along it


class OccupancyGrid:
    """What a surface encloses, by its winding number at the middles of a coarse grid's cells."""

    def __init__(self, mesh: Mesh) -> None:
        import igl

        self.lower = mesh.bounds[0]
        self.cell = max(float(np.ptp(mesh.bounds, axis=0).max()) / CELL_COUNT, 1e-12)
        self.shape = np.ceil(np.ptp(mesh.bounds, axis=0) / self.cell).astype(np.int64) + 1
        middles = self.lower + (np.indices(self.shape).reshape(3, -1).T + 0.5) * self.cell
        vertices, faces = np.ascontiguousarray(mesh.vertices), np.ascontiguousarray(mesh.faces.astype(np.int64))
        self.full = np.abs(igl.fast_winding_number(vertices, faces, middles)) > 0.5

    def holds(self, points: Array) -> NDArray[np.bool_]:
        cell = np.clip(((points - self.lower) / self.cell).astype(np.int64), 0, self.shape - 1)
        return self.full[np.ravel_multi_index(tuple(cell.T), tuple(self.shape))]


@dataclass(frozen=True)
class ConvexPiece:
    """Triangles [m, 3, 3], their hull, and how far its surface lies outside of them at most."""

    corners: Array
    hull: Mesh
    hollow: float


def decompose_convex(mesh: Mesh, *, tolerance: float, most: int) -> tuple[Mesh, ...]:
    """Convex hulls that together cover a mesh, at most so many; tolerance [unit]: how hollow a piece may stay."""
    solid = OccupancyGrid(mesh)
    pieces = _make_pieces([mesh.vertices[mesh.faces]], solid)
    while 0 < len(pieces) < most:
        worst = int(np.argmax([piece.hollow for piece in pieces]))
        piece = pieces[worst]
        if piece.hollow <= tolerance:
            break
        cut = _find_best_cut(piece, solid)
        if cut is None:
            pieces[worst] = replace(piece, hollow=0.0)  # nothing can be done about it
        else:
            pieces[worst : worst + 1] = _make_pieces(_split_triangles(piece.corners, cut), solid)
    return tuple(piece.hull for piece in pieces)


def _make_pieces(sides: Sequence[Array], solid: OccupancyGrid) -> list[ConvexPiece]:
    """Those of the sides that have a hull."""
    found = []
    for corners in sides:
        hull = compute_convex_hull(corners.reshape(-1, 3))
        if hull is not None:
            found.append(ConvexPiece(corners, hull, _measure_hollowness(corners, hull.vertices[hull.faces], solid)))
    return found


def _measure_hollowness(corners: Array, hull: Array, solid: OccupancyGrid) -> float:
    """The farthest of points on the hull [k, 3, 3] from points on the surface, less the latter's spacing [unit].

    A cut through a solid leaves a face of the hull where there is no surface, but no hollow either.
    """
    from scipy.spatial import cKDTree

    own, spacing = _spread_points(corners, 20 * SAMPLE_COUNT)
    there, _ = _spread_points(hull, SAMPLE_COUNT)
    there = there[~solid.holds(there)]
    return max(0.0, float(cKDTree(own).query(there)[0].max(initial=0.0)) - spacing)


def _spread_points(corners: Array, count: int) -> tuple[Array, float]:
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


def _find_best_cut(piece: ConvexPiece, solid: OccupancyGrid) -> Cut | None:
    """The cut that leaves the least waste, hull volume times hollowness, then the least volume; None if none cuts."""
    thin, lower, cell = _thin_triangles(piece.corners)
    best, least = None, (np.inf, np.inf)
    for cut in _propose_cuts(piece.corners):
        axis, level = cut
        snapped = level if cell == 0.0 else float(np.round((level - lower[axis]) / cell) * cell + lower[axis])
        sides = _split_triangles(thin, (axis, snapped))
        if min(map(len, sides)) == 0:
            continue
        wastes, volumes = zip(*(_measure_waste(side, solid) for side in sides))
        if (sum(wastes), sum(volumes)) < least:
            best, least = cut, (sum(wastes), sum(volumes))
    if best is None or min(map(len, _split_triangles(piece.corners, best))) == 0:
        return None
    return best


def _measure_waste(corners: Array, solid: OccupancyGrid) -> tuple[float, float]:
    """Volume of the hull times how hollow it is [unit^4], and the volume alone [unit^3]."""
    from scipy.spatial import ConvexHull, QhullError

    points = distinct_rows(corners.reshape(-1, 3))
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):  # flat, or too few points
        return 0.0, 0.0
    return float(hull.volume) * _measure_hollowness(corners, points[hull.simplices], solid), float(hull.volume)


def _propose_cuts(corners: Array) -> Iterator[Cut]:
    """Axes and levels to try: the walls with the most area, and the middle."""
    points = corners.reshape(-1, 3)
    lower, upper = points.min(axis=0), points.max(axis=0)
    faces = np.arange(len(points)).reshape(-1, 3)
    vectors = area_vectors(points, faces)
    areas = np.linalg.norm(vectors, axis=1)
    for axis in range(3):
        margin = (upper[axis] - lower[axis]) / CELL_COUNT
        if not margin > 0:
            continue
        yield axis, 0.5 * float(lower[axis] + upper[axis])
        wall = (np.abs(vectors[:, axis]) > CREASE_COSINE * areas) & (areas > 0)
        level = corners[wall, :, axis].mean(axis=1)
        inside = (level > lower[axis] + margin) & (level < upper[axis] - margin)
        cells, place = np.unique(np.round(level[inside] / margin).astype(np.int64), return_inverse=True)
        share = np.bincount(place.reshape(-1), areas[wall][inside], len(cells))
        for cell in np.argsort(-share, kind="stable")[:WALL_COUNT]:
            yield axis, float(np.median(level[inside][place.reshape(-1) == cell]))


def _thin_triangles(corners: Array) -> tuple[Array, Array, float]:
    """The triangles, many of them moved to the points of a grid and made unique; the grid's corner, and its cell."""
    lower = corners.reshape(-1, 3).min(axis=0)
    if len(corners) < CELL_COUNT**2:
        return corners, lower, 0.0
    cell = max(float(np.ptp(corners.reshape(-1, 3), axis=0).max()) / CELL_COUNT, 1e-12)
    places = np.round((corners - lower) / cell).astype(np.int64).reshape(len(corners), 9)
    base = (CELL_COUNT + 1) ** np.arange(8, -1, -1)  # nine places in a grid are one number of 51 bits
    keys = np.unique(places @ base)
    return (keys[:, None] // base % (CELL_COUNT + 1)).reshape(-1, 3, 3) * cell + lower, lower, cell


def _split_triangles(corners: Array, cut: Cut) -> tuple[Array, Array]:
    """The parts of triangles [m, 3, 3] below and above a cut; a triangle in the cut belongs to the side it bounds."""
    axis, level = cut
    mirror = _make_mirror(axis)
    height = corners[:, :, axis] - level
    within = np.abs(height).max(axis=1) <= MIN_THICKNESS * float(np.abs(height).max(initial=0.0))
    flush, rest = corners[within], corners[~within]
    up = np.cross(flush[:, 1] - flush[:, 0], flush[:, 2] - flush[:, 0])[:, axis] > 0
    below, above = _clip_below(rest, axis, level), _clip_below(rest * mirror, axis, -level) * mirror
    return np.concatenate([below, flush[up]]), np.concatenate([above, flush[~up]])


def _make_mirror(axis: int) -> Array:
    sign = np.ones(3)
    sign[axis] = -1.0
    return sign


def _clip_below(corners: Array, axis: int, level: float) -> Array:
    """What of triangles [m, 3, 3] lies below a level along an axis, as triangles; those that only touch it do not."""
    height = corners[:, :, axis] - level
    flush = MIN_THICKNESS * float(np.abs(height).max(initial=0.0))
    corners, height = (each[(height < -flush).any(axis=1)] for each in (corners, height))
    below = height <= flush
    count = below.sum(axis=1)
    crossing = count < 3
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
