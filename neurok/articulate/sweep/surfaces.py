"""A link's surface, ready for distances and for crossings of short paths; lengths are shares of the diagonal."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask, sum_by_label
from neurok.geometry.components import duplicate_faces, face_components, find_edges, weld
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import closest_on_triangles, unit_or_zero

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


@dataclass(frozen=True, eq=False)
class SweptSurface:
    """Triangles with sides of at most two per cent, at rest in the world, [m, 3, 3].

    outward: 1 where the normal points out of a closed piece, -1 where into it, 0 for triangles of open pieces, [m].
    points: on the surface, which stand for it when it moves, [p, 3]; point_face: the triangle of each, [p].
    """

    corners: Array
    outward: Array
    points: Array
    point_face: Indices

    @staticmethod
    def of(mesh: Mesh, *, side: float = 0.02, count: int = 300) -> "SweptSurface | None":
        """The surface of a mesh that was scaled to the diagonal; None where it has no area."""
        welded, _ = weld(mesh, 1e-6)
        proper = np.all(welded.faces != np.roll(welded.faces, -1, axis=1), axis=1)
        welded = Mesh(welded.vertices, welded.faces[proper & ~duplicate_faces(welded)])  # backs hide what is closed
        outward = find_outward(welded)
        corners, source = subdivide_triangles(welded.vertices[welded.faces], side)
        area = np.linalg.norm(_cross_sides(corners), axis=1)
        corners, source, area = corners[area > 0], source[area > 0], area[area > 0]
        if not len(corners):
            return None
        # Even steps along the area, and the corners that lie farthest out: they meet an obstacle first.
        even = pick_by_area(area, count)
        ends, at = np.unique(welded.faces, return_index=True)
        ways = np.random.default_rng(0).normal(size=(count // 4, 3))
        far = np.unique(np.argmax(welded.vertices[ends] @ ways.T, axis=0))
        owner = np.searchsorted(np.sort(source), at[far] // 3)  # any piece of the face that the corner is of
        points = np.concatenate([corners[even].mean(axis=1), welded.vertices[ends[far]]])
        return SweptSurface(
            corners, outward[source], points, np.concatenate([even, np.argsort(source, kind="stable")[owner]])
        )

    @cached_property
    def centroids(self) -> Array:
        return self.corners.mean(axis=1)

    @cached_property
    def normals(self) -> Array:
        return unit_or_zero(_cross_sides(self.corners))

    @cached_property
    def radius(self) -> float:
        """The farthest that a corner lies from the centroid of its triangle."""
        return float(np.linalg.norm(self.corners - self.centroids[:, None], axis=2).max())

    @cached_property
    def tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree

        return cKDTree(self.centroids)

    @cached_property
    def box(self) -> Array:
        """Lower and upper corner, [2, 3]."""
        return np.stack([self.corners.min(axis=(0, 1)), self.corners.max(axis=(0, 1))])

    @cached_property
    def vertices(self) -> Array:
        """Points that lie on the surface at most a side apart, [n, 3]."""
        return np.concatenate([self.corners[:, 0], self.centroids, self.points])

    def find_near(self, points: Array, reach: float) -> Mask:
        """The points that may lie within a distance of the surface's box, [n]."""
        return np.all((points > self.box[0] - reach) & (points < self.box[1] + reach), axis=-1)

    def measure_distances(self, points: Array, reach: float) -> tuple[Array, Array, Indices]:
        """Distances [n], nearest points [n, 3] and their triangles [n]; infinite, zero and -1 beyond a reach."""
        distance, foot, face = np.full(len(points), np.inf), np.zeros((len(points), 3)), np.full(len(points), -1)
        near = np.flatnonzero(self.find_near(points, reach))
        rows, faces = self._list_neighbours(points[near], reach + self.radius, 8)
        if not len(rows):
            return distance, foot, face
        places = near[rows]
        weights, square = closest_on_triangles(points[places], *np.swapaxes(self.corners[faces], 0, 1))
        order = np.lexsort((square, places))
        first = order[np.unique(places[order], return_index=True)[1]]
        first = first[square[first] <= reach**2]
        distance[places[first]], face[places[first]] = np.sqrt(square[first]), faces[first]
        foot[places[first]] = np.einsum("nk,nkd->nd", weights[first], self.corners[faces[first]])
        return distance, foot, face

    def find_crossed(self, start: Array, end: Array, *, most: int = 20_000) -> Mask:
        """Which straight ways, a few per cent long, cross the surface, [n]; tried in blocks, for memory's sake."""
        blocks = range(0, len(start), most)
        return np.concatenate(
            [np.zeros(0, dtype=bool), *(self._find_crossed(start[i : i + most], end[i : i + most]) for i in blocks)]
        )

    def _find_crossed(self, start: Array, end: Array) -> Mask:
        crossed = np.zeros(len(start), dtype=bool)
        middle = 0.5 * (start + end)
        half = 0.5 * float(np.linalg.norm(end - start, axis=1).max(initial=0.0))
        near = np.flatnonzero(self.find_near(middle, half))
        rows, faces = self._list_neighbours(middle[near], half + self.radius, 16)
        crossed[near[np.unique(rows[self._cross_triangles(start[near[rows]], end[near[rows]], faces)])]] = True
        # Where triangles are much smaller than the way, those at its middle need not be those that it crosses.
        left = near[~crossed[near]]
        place = self._meet_plane(start[left], end[left], middle[left], half + self.radius)
        rows, faces = self._list_neighbours(place, self.radius, 16)
        crossed[left[np.unique(rows[self._cross_triangles(start[left[rows]], end[left[rows]], faces)])]] = True
        return crossed

    def contains(self, points: Array, *, count: int = 4000) -> Mask:
        """The points inside closed pieces of the surface, by their winding number, [n]."""
        own = np.flatnonzero(self.outward)
        inside = np.zeros(len(points), dtype=bool)
        near = np.flatnonzero(self.find_near(points, 0.0))
        if not len(own) or not len(near):
            return inside
        vectors = _cross_sides(self.corners[own])
        area = np.linalg.norm(vectors, axis=1)
        chosen = pick_by_area(area, count) if len(own) > count else np.arange(len(own))
        share = area.sum() / count if len(own) > count else area[chosen]
        normals, centres = unit_or_zero(vectors[chosen]) * np.reshape(share, (-1, 1)), self.centroids[own][chosen]
        for each in near:
            away = centres - points[each]
            cube = np.linalg.norm(away, axis=1) ** 3
            inside[each] = abs(np.sum(np.einsum("na,na->n", away, normals) / np.maximum(cube, 1e-12))) > 2 * np.pi
        return inside

    def _list_neighbours(self, points: Array, reach: float, most: int) -> tuple[Indices, Indices]:
        """Pairs of a point and a triangle whose centroid is within reach: rows [k] and triangles [k]."""
        most = min(most, len(self.corners))
        found = np.reshape(self.tree.query(points, k=most, distance_upper_bound=reach)[1], (len(points), most))
        rows, columns = np.nonzero(found < len(self.corners))
        return rows, found[rows, columns]

    def _meet_plane(self, start: Array, end: Array, middle: Array, reach: float) -> Array:
        """Where each way meets the plane of the triangle nearest to its middle, or the end nearer to it, [n, 3]."""
        nearest = self.tree.query(middle, distance_upper_bound=reach)[1]
        face = np.where(nearest < len(self.corners), nearest, 0)
        before, after = (np.einsum("na,na->n", x - self.centroids[face], self.normals[face]) for x in (start, end))
        share = np.clip(before / np.where(before == after, 1.0, before - after), 0.0, 1.0)
        return start + share[:, None] * (end - start)

    def _cross_triangles(self, start: Array, end: Array, faces: Indices) -> Mask:
        """Which ways cross which triangles, pair by pair, [k] (Moeller and Trumbore 1997)."""
        a, b, c = np.swapaxes(self.corners[faces], 0, 1)
        way, first, second, offset = end - start, b - a, c - a, start - a
        p, q = np.cross(way, second), np.cross(offset, first)
        volume = np.einsum("na,na->n", first, p)
        safe = np.where(np.abs(volume) > 1e-15, volume, np.inf)
        u, v, t = (np.einsum("na,na->n", x, y) / safe for x, y in ((offset, p), (way, q), (second, q)))
        return (np.abs(volume) > 1e-15) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)


def subdivide_triangles(corners: Array, side: float) -> tuple[Array, Indices]:
    """Triangles [m, 3, 3] halved across their longest side until none is longer, and the old one of each, [m']."""
    source = np.arange(len(corners))
    done: list[tuple[Array, Indices]] = []
    while len(corners):
        lengths = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        longest = np.argmax(lengths, axis=1)
        fine = lengths.max(axis=1) <= side
        done.append((corners[fine], source[fine]))
        rows = np.flatnonzero(~fine)
        a, b, c = (corners[rows, (longest[rows] + shift) % 3] for shift in range(3))
        middle = 0.5 * (a + b)
        corners = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        source = np.concatenate([source[rows], source[rows]])
    if not done:
        return corners, source
    return np.concatenate([each for each, _ in done]), np.concatenate([each for _, each in done])


def pick_by_area(area: Array, count: int) -> Indices:
    """Triangles at even steps along the sum of their areas, [count]."""
    total = np.cumsum(area)
    return np.searchsorted(total, (np.arange(count) + 0.5) / count * total[-1])


def _cross_sides(corners: Array) -> Array:
    """Half the cross product of two sides, [m, 3]."""
    return 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def find_outward(mesh: Mesh) -> Array:
    """Whether normals point out (1) of closed pieces or into them (-1), 0 for faces of open pieces, [m].

    Closed: on every edge as many faces run one way as the other, also where boards share an edge, and there is a volume
    inside. A piece whose faces look now in and now out says nothing.
    """
    if not mesh.face_count:
        return np.zeros(0)
    count, label = face_components(mesh)
    edges = find_edges(mesh)
    sense = np.where(mesh.faces < np.roll(mesh.faces, -1, axis=1), 1.0, -1.0)
    proper = edges.of_face >= 0
    balance = sum_by_label(edges.of_face[proper], sense[proper], edges.count)
    even = np.all(proper & (balance[edges.of_face] == 0), axis=1)
    corners = mesh.vertices[mesh.faces] - mesh.vertices.mean(axis=0)
    volume = sum_by_label(label, np.einsum("na,na->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])), count)
    closed = sum_by_label(label, 1.0 - even, count) == 0
    return np.where(closed & (np.abs(volume) > 1e-9), np.sign(volume), 0.0)[label]
