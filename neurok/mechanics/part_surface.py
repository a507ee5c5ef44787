"""The surfaces of rigid parts at rest, and how far points are from them: signed where they enclose a volume.

Many models are open, double-faced or inconsistently oriented: a piece of such a surface is a sheet, which has no inside
and is met from either side.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask, sum_by_label
from neurok.geometry.components import weld_map
from neurok.geometry.triangles import area_vectors, unit_or_zero

MIN_SOLID_THICKNESS = 1e-4  # volume / area of a closed piece, of the root of its area, below which it is a sheet
PART_SPACING = 100.0  # times the size of an object: how far apart the surfaces of its parts are kept
FEATURE_TOLERANCE = 1e-7  # the least weight of a corner at which a closest point counts as inside its face


@dataclass(frozen=True)
class Proximity:
    """p points beside a surface: offset from the closest point [p, 3], gap (the distance, negative within a solid) [p],
    the unit normal along which the gap grows [p, 3], whether the closest face belongs to a sheet, and whether it is the
    rim of one that is closest, [p] each."""

    offset: Array
    gap: Array
    normal: Array
    is_sheet: Mask
    is_rim: Mask

    @staticmethod
    def empty(count: int) -> "Proximity":
        """Room for so many points."""
        places, no = np.empty((count, 3)), np.zeros(count, dtype=bool)
        return Proximity(places, np.empty(count), places.copy(), no, no.copy())

    def subset(self, chosen: Indices) -> "Proximity":
        """Of chosen points alone."""
        return Proximity(*(values[chosen] for values in vars(self).values()))

    def fill(self, chosen: Indices, found: "Proximity") -> None:
        """Write down what was found of chosen points."""
        for mine, theirs in zip(vars(self).values(), vars(found).values()):
            mine[chosen] = theirs


@dataclass(frozen=True)
class Crossing:
    """Where p points meet a surface: how far they are before the plane of the face, infinite where they meet none, [p],
    its unit normal on their side [p, 3], whether they come from outside, and whether it is a sheet's, [p] each."""

    room: Array
    normal: Array
    enters: Mask
    is_sheet: Mask


@dataclass(frozen=True)
class PartSurface:
    """Triangles at rest; vertices [n, 3] [file units], faces [m, 3], without degenerate ones."""

    vertices: Array
    faces: Indices
    _kept: list[Any] = field(default_factory=list, repr=False)  # the tree, which cannot be copied

    @property
    def bounds(self) -> Array:
        """Lower and upper corner, [2, 3]."""
        return np.stack([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @property
    def tree(self) -> Any:
        """The hierarchy of boxes over the faces, built once."""
        if not self._kept:
            import igl

            tree = igl.AABB()
            tree.init(self.vertices, self.faces)
            self._kept.append(tree)
        return self._kept[0]

    @cached_property
    def _welded(self) -> Indices:
        """The faces with vertices at the same place as one, [m, 3]."""
        return weld_map(self.vertices)[self.faces]

    @cached_property
    def outward(self) -> Array:
        """1 or -1 where a face belongs to a solid and looks out of it or into it, 0 where it belongs to a sheet, [m].

        A piece is a solid where each side of its faces is matched by one in the other direction and it holds a volume.
        """
        edge, sense = self._sides
        piece = _find_pieces(edge)
        count = int(piece.max()) + 1
        unmatched = np.bincount(edge, sense)[edge] != 0
        is_open = np.bincount(np.repeat(piece, 3), unmatched, count) > 0
        corners = self.vertices[self.faces]
        corners = corners - corners[np.unique(piece, return_index=True)[1], :1][piece]
        volume = np.einsum("md,md->m", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
        inside = sum_by_label(piece, volume, count)
        area = sum_by_label(piece, np.linalg.norm(area_vectors(self.vertices, self.faces), axis=1), count)
        is_solid = ~is_open & (np.abs(inside) > MIN_SOLID_THICKNESS * area**1.5)
        return np.where(is_solid, np.sign(inside), 0.0)[piece]

    @cached_property
    def has_sheets(self) -> bool:
        return bool(np.any(self.outward == 0))

    @cached_property
    def _sides(self) -> tuple[Indices, Array]:
        """The edge of each side of a face, [3 m], and the direction in which the side runs along it, 1 or -1."""
        start, end = self._welded.reshape(-1), np.roll(self._welded, -1, axis=1).reshape(-1)
        key = np.minimum(start, end) * len(self.vertices) + np.maximum(start, end)
        return np.unique(key, return_inverse=True)[1].reshape(-1), np.where(start < end, 1.0, -1.0)

    @cached_property
    def _normals(self) -> Array:
        """Of each face itself, of its three sides and of its three corners, [m, 7, 3].

        Those of a side are the mean of its faces', those of a corner are weighed by angles: with these the side on
        which a point lies is right even beside sharp edges (Baerentzen and Aanaes, 2005).
        """
        sign = np.where(self.outward == 0, 1.0, self.outward)
        own = unit_or_zero(area_vectors(self.vertices, self.faces)) * sign[:, None]
        edge, _ = self._sides
        sides = _sum_rows(edge, np.repeat(own, 3, axis=0))[edge].reshape(-1, 3, 3)
        corners = self.vertices[self.faces]
        ahead, back = (unit_or_zero((np.roll(corners, s, axis=1) - corners).reshape(-1, 3)) for s in (-1, 1))
        angle = np.arccos(np.clip(np.einsum("md,md->m", ahead, back), -1.0, 1.0))
        vertex = self._welded.reshape(-1)
        around = _sum_rows(vertex, angle[:, None] * np.repeat(own, 3, axis=0))[vertex].reshape(-1, 3, 3)
        return np.concatenate([own[:, None], sides, around], axis=1)

    @cached_property
    def _is_rim(self) -> Mask:
        """Whether only one face has a side, or some side at a corner, [m, 7]; the face itself is none."""
        edge, _ = self._sides
        start, end = (np.roll(self._welded, -shift, axis=1).reshape(-1) for shift in (0, 1))
        alone = np.bincount(edge)[edge] == 1
        ends = np.concatenate([start[alone], end[alone]])
        at_corner = np.isin(self._welded, ends)
        return np.concatenate([np.zeros((len(self.faces), 1), dtype=bool), alone.reshape(-1, 3), at_corner], axis=1)

    @cached_property
    def _rounding(self) -> float:
        """Distances below it are zero [file units]."""
        return 1e-15 * float(np.abs(self.vertices).max(initial=1e-300))

    def measure(self, points: Array) -> Proximity:
        """How points [p, 3], in the part's frame at rest, lie beside the surface."""
        square, face, closest = self.tree.squared_distance(self.vertices, self.faces, points)
        distance, offset = np.sqrt(square), points - closest
        is_sheet = self.outward[face] == 0
        feature = self._find_feature(face, closest)
        facing = self._normals[face, feature]
        inside = ~is_sheet & (np.einsum("pd,pd->p", offset, facing) < 0)
        signed = np.where(inside, -distance, distance)
        far = distance > self._rounding
        normal = np.divide(offset, signed[:, None], out=self._normals[face, 0].copy(), where=far[:, None])
        return Proximity(offset, signed, normal, is_sheet, self._is_rim[face, feature])

    def find_crossings(self, points: Array, ways: Array) -> Crossing:
        """Where points [p, 3] that go straight on ways [p, 3] first meet a face."""
        face, share, _ = self.tree.intersect_ray_first(self.vertices, self.faces, points, ways, 1.0)
        normal = self._normals[face, 0]
        across = np.einsum("pd,pd->p", ways, normal)
        meets = (face >= 0) & (share <= 1.0)
        room = np.where(meets, share * np.abs(across), np.inf)
        is_sheet = self.outward[face] == 0
        return Crossing(room, np.where(across[:, None] > 0, -normal, normal), is_sheet | (across < 0), is_sheet)

    def _find_feature(self, face: Indices, closest: Array) -> Indices:
        """Which normal of its face holds at each closest point: 0 within it, 1 to 3 on a side, 4 to 6 at a corner."""
        a, b, c = (self.vertices[self.faces[face, i]] for i in range(3))
        u, v, w = b - a, c - a, closest - a
        uu, uv, vv = (np.einsum("pd,pd->p", x, y) for x, y in ((u, u), (u, v), (v, v)))
        wu, wv = (np.einsum("pd,pd->p", w, x) for x in (u, v))
        whole = np.maximum(uu * vv - uv * uv, 1e-300)
        second, third = (vv * wu - uv * wv) / whole, (uu * wv - uv * wu) / whole
        zero = np.stack([1.0 - second - third, second, third], axis=1) < FEATURE_TOLERANCE
        # Side i runs from corner i to the next, so it is the one where the weight of corner i + 2 vanishes.
        side = 1 + np.argmax(zero[:, [2, 0, 1]], axis=1)
        corner = 4 + np.argmin(zero, axis=1)
        count = zero.sum(axis=1)
        return np.where(count == 0, 0, np.where(count == 1, side, corner))


def select_surface(vertices: Array, faces: Indices) -> PartSurface | None:
    """The surface of some faces of a mesh, or None where they have no area."""
    has_area = np.linalg.norm(area_vectors(vertices, faces), axis=1) > 0
    used, corners = np.unique(faces[has_area], return_inverse=True)
    if not len(used):
        return None
    return PartSurface(np.ascontiguousarray(vertices[used]), corners.reshape(-1, 3).astype(np.int64))


def measure_extent(parts: Sequence[PartSurface]) -> float:
    """The greatest coordinate of any part [file units]."""
    return max(float(np.abs(part.bounds).max()) for part in parts)


def spread_surfaces(parts: Sequence[PartSurface]) -> tuple[PartSurface, Array]:
    """All parts as one surface, each moved so far away that points beside it are never nearer to another,
    and by how much, [parts, 3]: one search then serves the points of all parts."""
    size = measure_extent(parts)
    offsets = np.zeros((len(parts), 3))
    offsets[:, 0] = PART_SPACING * size * np.arange(len(parts))
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    vertices = np.concatenate([part.vertices + offset for part, offset in zip(parts, offsets)])
    faces = np.concatenate([part.faces + start for part, start in zip(parts, starts)])
    return PartSurface(np.ascontiguousarray(vertices), np.ascontiguousarray(faces)), offsets


def _find_pieces(edge: Indices) -> Indices:
    """The piece of each face, [m]: faces that share an edge are of one piece; edge: that of each side, [3 m]."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(edge) // 3
    total = count + int(edge.max()) + 1
    links = coo_matrix((np.ones(len(edge)), (np.repeat(np.arange(count), 3), count + edge)), shape=(total, total))
    label = connected_components(links, directed=False)[1][:count]
    return np.unique(label, return_inverse=True)[1].reshape(-1)


def _sum_rows(label: Indices, rows: Array) -> Array:
    return np.stack([sum_by_label(label, column) for column in rows.T], axis=1)
