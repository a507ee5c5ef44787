"""Crease patches: the smallest pieces of a surface that hardly ever move apart.

Weld, drop duplicate faces, join faces across manifold edges flatter than 25 degrees (whatever their winding), then
merge patches too small to matter into the neighbour with the longest, flattest border.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, sum_by_label
from neurok.geometry.components import duplicate_faces, edges, weld
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors

WELD = 1e-4  # of the diagonal
CREASE = np.cos(np.radians(25.0))
LEAST_SHARE = 5e-4  # of the area, below which a patch is merged
ALONE = 8.0  # times as large a patch without neighbours counts
MOST_PATCHES = 200


@dataclass(frozen=True)
class Patches:
    """The patch of each face of the mesh, [m], and their number; duplicate and collapsed faces take their twin's
    or nearest neighbour's."""

    face: Indices
    count: int


def crease_patches(mesh: Mesh, *, most: int = MOST_PATCHES) -> Patches:
    """Cut a mesh along its creases into at most `most` patches."""
    if mesh.face_count == 0:
        return Patches(np.zeros(0, dtype=np.int64), 0)
    welded, _ = weld(mesh, WELD * mesh.diagonal)
    plain = Mesh(welded.vertices, welded.faces)
    twin = duplicate_faces(plain)
    vectors = area_vectors(plain.vertices, plain.faces)
    area = np.linalg.norm(vectors, axis=1)
    good = np.flatnonzero(~twin & (area > 0))
    if not len(good):
        return Patches(np.zeros(mesh.face_count, dtype=np.int64), 1)
    kept = Mesh(plain.vertices, plain.faces[good])
    labels = _smooth_regions(kept, vectors[good] / area[good, None])
    labels = _merge_small(kept, vectors[good], labels, most)
    face = np.full(mesh.face_count, -1)
    face[good] = labels
    face = _adopt(plain, face)
    _, face = np.unique(face, return_inverse=True)
    return Patches(face, int(face.max()) + 1)


def _borders(mesh: Mesh) -> tuple[Indices, Array]:
    """Pairs of faces on either side of each manifold edge, [p, 2], and the edge's length, [p]."""
    lines = edges(mesh)
    sides = lines.of_face.reshape(-1)
    order = np.argsort(sides, kind="stable")
    order = order[sides[order] >= 0]
    manifold = lines.face_count[sides[order]] == 2
    pairs = (order[manifold] // 3).reshape(-1, 2)
    ends = mesh.vertices[lines.vertices[sides[order[manifold][::2]]]]
    return pairs, np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def _smooth_regions(mesh: Mesh, normal: Array) -> Indices:
    """Faces joined across flat edges, [m]."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs, _ = _borders(mesh)
    flat = _flatness(mesh, pairs, normal) > CREASE
    a, b = pairs[flat].T
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(mesh.face_count, mesh.face_count))
    return connected_components(graph, directed=False)[1]


def _flatness(mesh: Mesh, pairs: Indices, normal: Array) -> Array:
    """Cosine of the angle by which the surface bends across each pair's edge, whichever way the faces are wound.

    Consistently wound neighbours run along their common edge in opposite directions; where they run alike, one
    of the two normals counts reversed.
    """
    cosine = np.einsum("pa,pa->p", normal[pairs[:, 0]], normal[pairs[:, 1]])
    first, second = mesh.faces[pairs[:, 0]], mesh.faces[pairs[:, 1]]
    alike = np.zeros(len(pairs), dtype=bool)
    for i in range(3):
        for j in range(3):
            start, end = first[:, i], first[:, (i + 1) % 3]
            alike |= (start == second[:, j]) & (end == second[:, (j + 1) % 3])
    return np.where(alike, -cosine, cosine)


def _merge_small(mesh: Mesh, vectors: Array, labels: Indices, most: int) -> Indices:
    """Merge patches below the least share, and then the smallest until few enough are left; small ones first.

    A patch goes to the neighbour with the greatest sum of border length x flatness (never negative); one without
    neighbours goes, where it must, to the patch with the nearest centre. It is a piece of its own, and likelier to
    move on its own than a facet is: it counts as larger than it is.
    """
    count = int(labels.max()) + 1
    areas = np.linalg.norm(vectors, axis=1)
    size = sum_by_label(labels, areas, count)
    corners = mesh.vertices[mesh.faces].mean(axis=1)
    centre = np.stack([sum_by_label(labels, areas * x, count) for x in corners.T], axis=1)
    centre /= np.maximum(size, 1e-300)[:, None]
    pairs, length = _borders(mesh)
    unit = vectors / np.maximum(areas, 1e-300)[:, None]
    weight = length * (1.0 + _flatness(mesh, pairs, unit))
    border: list[dict[int, float]] = [{} for _ in range(count)]
    for a, b, w in zip(labels[pairs[:, 0]].tolist(), labels[pairs[:, 1]].tolist(), weight.tolist()):
        if a != b:
            border[a][b] = border[a].get(b, 0.0) + w
            border[b][a] = border[b].get(a, 0.0) + w
    least = LEAST_SHARE * size.sum()
    owner = np.arange(count)
    alive = count
    queue = [(_rank(size[i], border[i]), i) for i in range(count)]
    heapq.heapify(queue)
    while queue:
        rank, patch = heapq.heappop(queue)
        area = size[patch]
        if owner[patch] != patch or rank != _rank(area, border[patch]):
            continue  # merged or changed since
        if rank >= least and alive <= most:
            break
        if border[patch]:
            into = max(border[patch], key=lambda other: (border[patch][other], -other))
        elif alive > most:
            apart = np.where(owner == np.arange(count), np.linalg.norm(centre - centre[patch], axis=1), np.inf)
            apart[patch] = np.inf
            into = int(apart.argmin())
        else:
            continue  # a small piece of its own, as a screw head is, stays one
        _absorb(border, patch, into)
        centre[into] = (size[into] * centre[into] + area * centre[patch]) / max(size[into] + area, 1e-300)
        size[into] += area
        owner[patch] = into
        alive -= 1
        heapq.heappush(queue, (_rank(size[into], border[into]), into))
    while np.any(owner[owner] != owner):
        owner = owner[owner]
    return owner[labels]


def _rank(area: float, border: dict[int, float]) -> float:
    """What a patch counts as when the smallest are merged: its area, or more where it borders on none."""
    return float(area) * (1.0 if border else ALONE)


def _absorb(border: list[dict[int, float]], patch: int, into: int) -> None:
    """Give all of a patch's borders to another."""
    for other, length in border[patch].items():
        del border[other][patch]
        if other != into:
            border[other][into] = border[other].get(into, 0.0) + length
            border[into][other] = border[into].get(other, 0.0) + length
    border[patch] = {}


def _adopt(mesh: Mesh, face: Indices) -> Indices:
    """Faces without a patch (duplicates, collapsed ones) take the one of the labelled face with the nearest centre."""
    lost = np.flatnonzero(face < 0)
    if len(lost):
        from scipy.spatial import cKDTree

        found = np.flatnonzero(face >= 0)
        centres = mesh.vertices[mesh.faces].mean(axis=1)
        face = face.copy()
        face[lost] = face[found[cKDTree(centres[found]).query(centres[lost])[1]]]
    return face
