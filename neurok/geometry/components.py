"""Connectivity of a mesh: edges, components, holes, degenerate faces, welding. Fast for millions of faces."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OptionError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh

FACES_AT_A_TIME = 1 << 18  # looked at together: numbers of all faces of a large mesh at once would take gigabytes
MAX_EXACT_NEIGHBOURS = 8  # distinct vertices within one weld tolerance of each other, up to which welding is exact


@dataclass(frozen=True)
class Edges:
    """The edges of a mesh, each once.

    vertices: its two ends, the smaller index first, [e, 2].
    of_face: the edge under each side (0-1, 1-2, 2-0) of each face, [m, 3]; -1 for a side of one vertex.
    """

    vertices: Indices
    of_face: Indices

    @property
    def count(self) -> int:
        return len(self.vertices)

    @cached_property
    def face_count(self) -> Indices:
        """How many face sides lie on each edge, [e]."""
        return np.bincount(self.of_face[self.of_face >= 0], minlength=self.count)

    @property
    def boundary(self) -> Mask:
        """Edges of one face only, [e]."""
        return self.face_count == 1

    @property
    def non_manifold(self) -> Mask:
        """Edges of more than two faces, [e]."""
        return self.face_count > 2

    @property
    def face_pairs(self) -> Indices:
        """Faces that share an edge, [p, 2]; the faces of a non-manifold edge are paired in a chain."""
        sides = self.of_face.reshape(-1)
        order = np.argsort(sides, kind="stable")
        order = order[sides[order] >= 0]
        same = sides[order][1:] == sides[order][:-1]
        return np.stack([order[:-1][same] // 3, order[1:][same] // 3], axis=1)


def find_edges(mesh: Mesh) -> Edges:
    """The edges of a mesh, sorted by their ends."""
    sides = list_sides(mesh.faces)
    lower, upper = sides.min(axis=1), sides.max(axis=1)
    proper = lower < upper
    key = lower[proper] * max(mesh.vertex_count, 1) + upper[proper]
    distinct, inverse = np.unique(key, return_inverse=True)
    of_face = np.full(len(sides), -1)
    of_face[proper] = inverse.reshape(-1)
    ends = np.stack(np.divmod(distinct, max(mesh.vertex_count, 1)), axis=1)
    return Edges(ends, of_face.reshape(-1, 3))


def list_sides(faces: Indices) -> Indices:
    """The directed sides 0-1, 1-2, 2-0 of all faces, [3 m, 2]."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)


# ---------------------------------------------------------------- components


def vertex_components(mesh: Mesh, *, tolerance: float | None = None) -> tuple[int, Indices]:
    """How many pieces, and the piece of each vertex, [n]; numbered as the vertices come.

    Pieces are connected by shared vertices; with a tolerance [unit], also by vertices that lie
    that close. A vertex that no face uses is a piece of its own.
    """
    links = list_sides(mesh.faces)
    if tolerance is not None:
        merged = weld_map(mesh.vertices, tolerance)
        count, labels = _find_connected(int(merged.max(initial=-1)) + 1, merged[links])
        return count, labels[merged]
    return _find_connected(mesh.vertex_count, links)


def face_components(mesh: Mesh, *, tolerance: float | None = None) -> tuple[int, Indices]:
    """How many pieces with faces, and the piece of each face, [m]; numbered as the faces come."""
    _, labels = vertex_components(mesh, tolerance=tolerance)
    return _renumber(labels[mesh.faces[:, 0]])


def connect(count: int, links: Indices) -> Indices:
    """A number for each of `count` things, [count], the same for those that links [l, 2] join."""
    return _find_connected(count, links)[1]


def _find_connected(count: int, links: Indices) -> tuple[int, Indices]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(links), dtype=np.int8), (links[:, 0], links[:, 1])), shape=(count, count))
    return _renumber(connected_components(graph.tocsr(), directed=False)[1]) if count else (0, np.zeros(0, np.int64))


def _renumber(labels: Indices) -> tuple[int, Indices]:
    """Labels renamed 0, 1, ... in the order of their first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return len(first), rank[inverse.reshape(-1)]


# ---------------------------------------------------------------- holes


def hole_count(mesh: Mesh) -> int:
    """How many connected pieces the boundary has; weld first where the file splits vertices."""
    found = find_edges(mesh)
    ends = found.vertices[found.boundary]
    used, compact = np.unique(ends, return_inverse=True)
    return _find_connected(len(used), compact.reshape(-1, 2))[0]


def boundary_loops(mesh: Mesh) -> list[Indices]:
    """The boundary as loops of vertex indices, each in the direction of the first of its faces.

    Where non-manifold edges leave a chain open, its ends differ from a loop's only in that
    the last vertex is not joined to the first.
    """
    found = find_edges(mesh)
    rim = found.boundary[found.of_face.reshape(-1)] & (found.of_face.reshape(-1) >= 0)
    sides = list_sides(mesh.faces)[rim]
    around: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(sides.tolist()):
        around.setdefault(start, []).append(index)
        around.setdefault(end, []).append(index)
    left = np.ones(len(sides), dtype=bool)
    loops = []
    for first in range(len(sides)):
        if not left[first]:
            continue
        left[first] = False
        start, here = sides[first].tolist()
        loop = [start]
        while here != start:
            loop.append(here)
            following = next((s for s in around[here] if left[s]), None)
            if following is None:
                break
            left[following] = False
            a, b = sides[following].tolist()
            here = b if here == a else a
        loops.append(np.array(loop))
    return loops


# ---------------------------------------------------------------- degenerate faces


def degenerate_faces(mesh: Mesh, *, tolerance: float = 1e-12) -> Mask:
    """Faces with a repeated vertex, or with an area of at most tolerance times their longest side squared, [m]."""
    starts = range(0, mesh.face_count, FACES_AT_A_TIME)
    found = [_find_degenerate(mesh.vertices, mesh.faces[i : i + FACES_AT_A_TIME], tolerance) for i in starts]
    return np.concatenate([np.zeros(0, dtype=bool), *found])


def _find_degenerate(vertices: Array, faces: Indices, tolerance: float) -> Mask:
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    sides = np.stack([b - a, c - b, a - c])
    scale = np.abs(sides).max(axis=(0, 2), initial=0.0)
    unit = sides / np.where(scale > 0, scale, 1.0)[:, None]  # a face of 1e-200 is as good as one of 1
    longest = np.max(np.sum(unit**2, axis=2), axis=0, initial=0.0)
    area = 0.5 * np.linalg.norm(np.cross(unit[0], -unit[2]), axis=1)
    repeated = (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 2] == faces[:, 0])
    return repeated | (area <= tolerance * longest)


def duplicate_faces(mesh: Mesh) -> Mask:
    """Faces with the same three vertices as an earlier face, whichever way round, [m]."""
    key = np.sort(mesh.faces, axis=1)
    group = identical_rows(key)
    first = np.full(mesh.face_count, mesh.face_count)
    np.minimum.at(first, group, np.arange(mesh.face_count))
    return first[group] != np.arange(mesh.face_count)


def unused_vertices(mesh: Mesh) -> Mask:
    """Vertices that no face uses, [n]."""
    unused = np.ones(mesh.vertex_count, dtype=bool)
    unused[mesh.faces.reshape(-1)] = False
    return unused


def select_faces(mesh: Mesh, keep: NDArray) -> Mesh:
    """The mesh with these faces only (a mask or indices); vertices stay as they are."""
    return replace(
        mesh,
        faces=mesh.faces[keep],
        corner_attributes={k: np.asarray(v)[keep] for k, v in mesh.corner_attributes.items()},
        face_attributes={k: np.asarray(v)[keep] for k, v in mesh.face_attributes.items()},
        face_material=mesh.face_material[keep],
        face_part=mesh.face_part[keep],
    )


# ---------------------------------------------------------------- welding


def weld(mesh: Mesh, tolerance: float = 0.0) -> tuple[Mesh, Indices]:
    """The mesh with vertices closer than tolerance [unit] made one, and the new index of each vertex, [n].

    The first vertex of a group stands for it, in its old order. Faces keep their order, also
    those that collapse. Attributes that differ within a group (a seam's uv) move to the corners.
    """
    merged = weld_map(mesh.vertices, tolerance)
    count = int(merged.max(initial=-1)) + 1
    first = np.full(count, mesh.vertex_count)
    np.minimum.at(first, merged, np.arange(mesh.vertex_count))
    attributes, corners = {}, dict(mesh.corner_attributes)
    for name, value in mesh.attributes.items():
        value = np.asarray(value)
        if np.array_equal(value[first][merged], value):
            attributes[name] = value[first]
        else:
            corners[name] = value[mesh.faces].reshape(mesh.face_count, 3, -1)
    welded = replace(
        mesh,
        vertices=mesh.vertices[first],
        faces=merged[mesh.faces],
        attributes=attributes,
        corner_attributes=corners,
    )
    return welded, merged


def weld_map(vertices: Array, tolerance: float = 0.0) -> Indices:
    """The group of each vertex, [n], numbered as the vertices come.

    Vertices at most tolerance [unit] apart share a group, and so do chains of them. Among more
    than MAX_EXACT_NEIGHBOURS distinct vertices within one tolerance, only the nearest are compared; those of one
    small cell share a group in any case.
    """
    if not tolerance >= 0.0 or not np.isfinite(tolerance):
        raise OptionError(f"a weld tolerance of {tolerance}", "give a length that is zero or more")
    vertices = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
    _, same = _renumber(identical_rows(vertices))
    if tolerance == 0.0 or len(vertices) == 0:
        return same
    first = np.full(int(same.max()) + 1, len(vertices))
    np.minimum.at(first, same, np.arange(len(vertices)))
    distinct = vertices[first]
    links = np.concatenate([_close_pairs(distinct, tolerance), _cell_mates(distinct, 0.5 * tolerance)])
    return _renumber(_find_connected(len(distinct), links)[1][same])[1]


def _close_pairs(points: Array, tolerance: float) -> Indices:
    """Each point with its nearest MAX_EXACT_NEIGHBOURS neighbours within tolerance, [p, 2]."""
    from scipy.spatial import cKDTree

    reach = np.arange(2, min(MAX_EXACT_NEIGHBOURS + 1, len(points)) + 1)  # the first is the point itself, or its equal
    if len(reach) == 0:
        return np.zeros((0, 2), dtype=np.int64)
    _, near = cKDTree(points).query(points, k=reach, distance_upper_bound=np.nextafter(tolerance, np.inf))
    row, column = np.nonzero(near < len(points))
    return np.stack([row, near[row, column]], axis=1)


def _cell_mates(points: Array, side: float) -> Indices:
    """Each point with the first point of its cell in a grid, [p, 2]; none where the grid is too fine for numbers."""
    lower = points.min(axis=0)
    if not np.max(points.max(axis=0) - lower) < 2.0**46 * side:
        return np.zeros((0, 2), dtype=np.int64)
    cell = identical_rows(np.floor((points - lower) / side))
    leader = np.full(int(cell.max()) + 1, len(points))
    np.minimum.at(leader, cell, np.arange(len(points)))
    return np.stack([np.arange(len(points)), leader[cell]], axis=1)


def identical_rows(rows: NDArray) -> Indices:
    """A label per row, the same for rows that are equal (0.0 equals -0.0, NaN equals nothing), [n]."""
    if len(rows) == 0:
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort(rows.T)
    new = np.any(rows[order][1:] != rows[order][:-1], axis=1)
    label = np.empty(len(rows), dtype=np.int64)
    label[order] = np.concatenate([[0], np.cumsum(new)])
    return label
