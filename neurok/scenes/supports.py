"""Support surfaces: where on a thing something can stand, found by geometry alone.

Faces that look up and lie at one height are a level. On a grid over a level a cell is ground where such a face covers
it, and blocked where a collider reaches into the space above. A foot of a x b cells fits around a cell where all of the
foot is ground and none of the box above is blocked. Sums over windows come from the summed-area table

    S[i, j] = sum of all cells before i and j,    window = S[i1, j1] - S[i0, j1] - S[i1, j0] + S[i0, j0].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.triangles import area_vectors
from neurok.scenes.thing import PlacedHull, PlacedThing

MIN_UPWARD = 0.98  # of a face's normal that points up: slopes of less than eleven degrees hold what rubs by 0.2
LEVEL_GAP = 0.003  # [m] in height between faces of one level; rounded edges are lower than that
MIN_CLEARANCE = 0.004  # [m] kept free around and above what stands somewhere
MIN_CELL, MAX_CELL = 0.004, 0.03  # [m], of the grid
MAX_GRID = 600  # cells along a side of the grid
FOOT_HEIGHT = 0.01  # [m] above its lowest point, up to which a thing's own points are its foot
MIN_SUPPORT = 0.9  # of a foot's cells that are ground: legs and rims stand on corners


@dataclass(frozen=True)
class StandingSpot:
    """A free place: the middle of the underside [m], [3]; link: what carries it; open_above: nothing is over it."""

    foot: Array
    link: int
    open_above: bool


@dataclass(frozen=True)
class Footprint:
    """What a thing needs in a given turn [m]: half widths of its foot and of its whole box, [2] each, the middle of
    the foot from that of the box, [2], and its height."""

    foot: Array
    box: Array
    shift: Array
    height: float


def measure_footprint(points: Array) -> Footprint:
    """Of a thing's points as it is turned [m], [n, 3]."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    low = points[points[:, 2] < lower[2] + FOOT_HEIGHT]
    a, b = low.min(axis=0)[:2], low.max(axis=0)[:2]
    return Footprint(
        (b - a) / 2, (upper - lower)[:2] / 2, (a + b - lower[:2] - upper[:2]) / 2, float(upper[2] - lower[2])
    )


def find_levels(carrier: PlacedThing) -> list[tuple[float, int, Indices]]:
    """Heights [m] at which faces look up, the link and the faces of each, the highest first."""
    points, mesh = carrier.vertices, carrier.thing.articulation.mesh
    areas = area_vectors(points, mesh.faces)
    norms = np.linalg.norm(areas, axis=1)
    upward = np.flatnonzero((areas[:, 2] > MIN_UPWARD * norms) & (norms > 0))
    height = points[mesh.faces[upward]][:, :, 2].mean(axis=1)
    link = carrier.thing.articulation.vertex_link[mesh.faces[upward, 0]]
    found = []
    for one in np.unique(link):
        own = np.flatnonzero(link == one)
        own = own[np.argsort(height[own])]
        cuts = np.flatnonzero(np.diff(height[own]) > LEVEL_GAP) + 1
        for group in np.split(own, cuts):
            # The level is where most of the area lies: rounded edges hang a little lower.
            top = float(height[group].max())
            found.append((top, int(one), upward[group]))
    return sorted(found, key=lambda row: -row[0])


def find_spots(
    carrier: PlacedThing, around: Sequence[PlacedThing], need: Footprint, *, links: Sequence[int] | None = None
) -> list[StandingSpot]:
    """Free places on all levels of a thing, the highest level first."""
    found = []
    for height, link, faces in find_levels(carrier):
        if links is not None and link not in links:
            continue
        found += _find_on_level(carrier, around, need, height, link, faces)
    return found


def _find_on_level(
    carrier: PlacedThing, around: Sequence[PlacedThing], need: Footprint, height: float, link: int, faces: Indices
) -> list[StandingSpot]:
    triangles = carrier.vertices[carrier.thing.articulation.mesh.faces[faces]][:, :, :2]
    lower, upper = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    if np.any(upper - lower < 2 * MIN_SUPPORT * need.foot):
        return []
    cell = float(np.clip(need.foot.min() / 4, MIN_CELL, MAX_CELL))
    cell = max(cell, float((upper - lower).max()) / MAX_GRID)
    grid = _Grid(lower, cell, tuple(np.ceil((upper - lower) / cell).astype(int) + 1))
    ground = grid.cover(triangles)
    hulls = [hull for each in (carrier, *around) for hull in each.hulls]
    blocked = grid.block(hulls, height + LEVEL_GAP, height + need.height + MIN_CLEARANCE)
    roofed = grid.block(hulls, height + need.height + MIN_CLEARANCE, np.inf)
    fits = grid.fit(ground, need.foot, at_least=MIN_SUPPORT) & grid.fit(
        ~ground | blocked, need.foot, at_most=1 - MIN_SUPPORT
    )
    clear = grid.fit_box(blocked, need)
    return [
        StandingSpot(np.array([*(place - need.shift), height]), link, not roofed[tuple(index)])
        for index, place in zip(np.argwhere(fits & clear), grid.places(fits & clear))
    ]


@dataclass(frozen=True)
class _Grid:
    """Cells over a level: the corner it begins at [m], the cells' size [m], and how many there are along x and y."""

    origin: Array
    cell: float
    shape: tuple[int, ...]

    def places(self, mask: Mask) -> Array:
        return self.origin + (np.argwhere(mask) + 0.5) * self.cell

    def cover(self, triangles: Array) -> Mask:
        """Cells whose middle some triangle covers; triangles [m, 3, 2]."""
        found = np.zeros(self.shape, dtype=bool)
        for triangle in triangles:
            self._fill(found, triangle)
        return found

    def block(self, hulls: Sequence[PlacedHull], low: float, high: float) -> Mask:
        """Cells over which a convex body reaches into a slab of heights."""
        found = np.zeros(self.shape, dtype=bool)
        for hull in hulls:
            if hull.bounds[1, 2] > low and hull.bounds[0, 2] < high:
                self._fill(found, hull.slice(low, high), margin=0.5 * self.cell)
        return found

    def _fill(self, mask: Mask, corners: Array, margin: float = 0.0) -> None:
        """Set the cells whose middles lie in the convex hull of some corners [n, 2], or within a margin of it."""
        ring = _find_ring(corners)
        if ring is None:
            return
        first = np.clip(np.floor((ring.min(axis=0) - margin - self.origin) / self.cell).astype(int), 0, self.shape)
        last = np.clip(np.ceil((ring.max(axis=0) + margin - self.origin) / self.cell).astype(int) + 1, 0, self.shape)
        if np.any(last <= first):
            return
        x = self.origin[0] + (np.arange(first[0], last[0]) + 0.5) * self.cell
        y = self.origin[1] + (np.arange(first[1], last[1]) + 0.5) * self.cell
        inside = np.ones((len(x), len(y)), dtype=bool)
        edges = np.roll(ring, -1, axis=0) - ring
        for corner, edge in zip(ring, edges):
            length = float(np.hypot(*edge))
            away = (edge[1] * (x[:, None] - corner[0]) - edge[0] * (y[None] - corner[1])) / length
            inside &= away <= margin + 1e-9
        mask[first[0] : last[0], first[1] : last[1]] |= inside

    def _sum(self, mask: Mask, half: Array, shift: Array | None = None) -> Array:
        """How many of the cells of a window around each cell are set; those outside of the grid are not."""
        reach = np.maximum(np.ceil(half / self.cell - 0.5).astype(int), 0)
        offset = np.zeros(2, dtype=int) if shift is None else np.round(shift / self.cell).astype(int)
        table = np.zeros((self.shape[0] + 1, self.shape[1] + 1))
        table[1:, 1:] = mask.cumsum(axis=0).cumsum(axis=1)
        low = [np.clip(np.arange(n) + o - r, 0, n) for n, r, o in zip(self.shape, reach, offset)]
        high = [np.clip(np.arange(n) + o + r + 1, 0, n) for n, r, o in zip(self.shape, reach, offset)]
        found = table[np.ix_(high[0], high[1])] - table[np.ix_(low[0], high[1])]
        return np.asarray(found - table[np.ix_(high[0], low[1])] + table[np.ix_(low[0], low[1])])

    def fit(self, mask: Mask, half: Array, *, at_least: float = 0.0, at_most: float = 1.0) -> Mask:
        """Cells around which a share of a window is set."""
        reach = np.maximum(np.ceil(half / self.cell - 0.5).astype(int), 0)
        whole = float(np.prod(2 * reach + 1))
        share = self._sum(mask, half) / whole
        return np.asarray((share >= at_least) & (share <= at_most))

    def fit_box(self, blocked: Mask, need: Footprint) -> Mask:
        """Cells over which the whole box is free, as far as the grid goes."""
        return np.asarray(self._sum(blocked, need.box + MIN_CLEARANCE, -need.shift) == 0)


def _find_ring(corners: Array) -> Array | None:
    """The corners of the convex hull of points in the plane, counter-clockwise, [k, 2]; None where it has no area."""
    points = np.unique(np.round(corners, 9), axis=0)
    if len(points) < 3:
        return None
    ring: list[Array] = []
    for row in (points, points[::-1]):
        start = len(ring)
        for point in row:
            while len(ring) - start >= 2 and _turn(ring[-2], ring[-1], point) <= 1e-15:
                ring.pop()
            ring.append(point)
        ring.pop()
    return np.array(ring) if len(ring) >= 3 else None


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def find_clear_links(carrier: PlacedThing) -> list[int]:
    """The links of a thing that are moved away from zero: an open drawer."""
    still = np.eye(4)
    return [i for i, X in enumerate(carrier.thing.motions) if not np.allclose(X, still, atol=1e-6)]


def cannot_fit(name: str, relation: str, need: Footprint) -> InputError:
    """The fault of a thing that fits nowhere."""
    width, depth = 200 * need.box
    size = f"{width:.0f} x {depth:.0f} x {100 * need.height:.0f} cm"
    return InputError(f"there is no room for '{relation}': {name} takes {size}", "ask for less there, or scale it down")
