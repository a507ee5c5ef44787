"""Crease patches: the smallest pieces of a surface that hardly ever move apart.

The mesh is welded and its duplicate faces are dropped; faces are joined across manifold edges flatter than 25 degrees
(whatever their winding); then each patch that is too small is merged into the neighbour with the longest, flattest
border. Of very many loose pieces the small ones are first given to the nearest of the large ones, all at once.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, sum_by_label
from neurok.geometry.components import duplicate_faces, find_edges, weld
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors

WELD_TOLERANCE = 1e-4  # of the diagonal
CREASE_COSINE = np.cos(np.radians(25.0))
MIN_AREA_SHARE = 5e-4  # of the surface area: a smaller patch is merged
ISOLATED_PATCH_FACTOR = 8.0  # by which the area of a patch without neighbours is multiplied when patches are ranked
MAX_PATCHES = 200
MAX_MERGED_ONE_BY_ONE = 4096  # loose pieces; the time grows with their square, and 4,096 of them take a second


@dataclass(frozen=True)
class Patches:
    """The patch of each face of the mesh, [m], and the number of patches.

    A duplicate or collapsed face belongs to the patch of the nearest other face.
    """

    face: Indices
    count: int


def weld_plain(mesh: Mesh) -> Mesh:
    """The vertices and faces of a mesh, welded as patches and their borders need it."""
    welded, _ = weld(Mesh(mesh.vertices, mesh.faces), WELD_TOLERANCE * mesh.diagonal)
    return welded


def crease_patches(mesh: Mesh, *, max_count: int = MAX_PATCHES, welded: Mesh | None = None) -> Patches:
    """Cut a mesh along its creases into at most `max_count` patches; welded: by `weld_plain`, if it is known."""
    if mesh.face_count == 0:
        return Patches(np.zeros(0, dtype=np.int64), 0)
    plain = weld_plain(mesh) if welded is None else welded
    twin = duplicate_faces(plain)
    vectors = area_vectors(plain.vertices, plain.faces)
    area = np.linalg.norm(vectors, axis=1)
    good = np.flatnonzero(~twin & (area > 0))
    if not len(good):
        return Patches(np.zeros(mesh.face_count, dtype=np.int64), 1)
    kept = Mesh(plain.vertices, plain.faces[good])
    labels = _find_smooth_regions(kept, vectors[good] / area[good, None])
    labels = _gather_specks(kept, area[good], labels, MAX_MERGED_ONE_BY_ONE)
    labels = _merge_small(kept, vectors[good], labels, max_count)
    face = np.full(mesh.face_count, -1)
    face[good] = labels
    face = _adopt(plain, face)
    _, face = np.unique(face, return_inverse=True)
    return Patches(face, int(face.max()) + 1)


def _find_borders(mesh: Mesh) -> tuple[Indices, Array]:
    """Pairs of faces on either side of each manifold edge, [p, 2], and the edge's length, [p]."""
    lines = find_edges(mesh)
    sides = lines.of_face.reshape(-1)
    order = np.argsort(sides, kind="stable")
    order = order[sides[order] >= 0]
    manifold = lines.face_count[sides[order]] == 2
    pairs = (order[manifold] // 3).reshape(-1, 2)
    ends = mesh.vertices[lines.vertices[sides[order[manifold][::2]]]]
    return pairs, np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def _find_smooth_regions(mesh: Mesh, normal: Array) -> Indices:
    """Faces joined across flat edges, [m]."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs, _ = _find_borders(mesh)
    flat = _measure_flatness(mesh, pairs, normal) > CREASE_COSINE
    a, b = pairs[flat].T
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(mesh.face_count, mesh.face_count))
    return connected_components(graph, directed=False)[1]


def _measure_flatness(mesh: Mesh, pairs: Indices, normal: Array) -> Array:
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


def _gather_specks(mesh: Mesh, areas: Array, labels: Indices, most: int) -> Indices:
    """The regions with each loose piece beyond the largest `most` of them in the region of the nearest larger one, [m].

    A loose piece is what manifold edges join; the nearest is told by the centres of regions.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    count = int(labels.max()) + 1
    a, b = labels[_find_borders(mesh)[0]].T
    pieces, piece = connected_components(coo_matrix((np.ones(len(a)), (a, b)), shape=(count, count)), directed=False)
    if pieces <= most:
        return labels
    size = sum_by_label(labels, areas, count)
    order = np.argsort(-sum_by_label(piece, size, pieces), kind="stable")
    small = np.ones(pieces, dtype=bool)
    small[order[:most]] = False
    centre = _find_centres(mesh, areas, labels, size)
    large = np.flatnonzero(~small[piece])
    into = np.arange(count)
    lost = np.flatnonzero(small[piece])
    into[lost] = large[cKDTree(centre[large]).query(centre[lost])[1]]
    return np.unique(into[labels], return_inverse=True)[1].reshape(-1)


def _find_centres(mesh: Mesh, areas: Array, labels: Indices, size: Array) -> Array:
    """The centre of each patch's surface, [p, 3]; size: its area, [p]."""
    corners = mesh.vertices[mesh.faces].mean(axis=1)
    centre = np.stack([sum_by_label(labels, areas * x, len(size)) for x in corners.T], axis=1)
    return centre / np.maximum(size, 1e-300)[:, None]


def _merge_small(mesh: Mesh, vectors: Array, labels: Indices, max_count: int) -> Indices:
    """Merge the patches below MIN_AREA_SHARE, and then the smallest until max_count are left; small ones first.

    A patch is merged into the neighbour with the greatest sum of border length x flatness (never negative). A patch
    without neighbours is a separate piece, and likelier to move on its own than a facet is, so its area counts
    ISOLATED_PATCH_FACTOR times; where it must be merged, it joins the patch with the nearest centre.
    """
    count = int(labels.max()) + 1
    areas = np.linalg.norm(vectors, axis=1)
    size = sum_by_label(labels, areas, count)
    centre = _find_centres(mesh, areas, labels, size)
    pairs, length = _find_borders(mesh)
    unit = vectors / np.maximum(areas, 1e-300)[:, None]
    weight = length * (1.0 + _measure_flatness(mesh, pairs, unit))
    border: list[dict[int, float]] = [{} for _ in range(count)]
    for a, b, w in zip(labels[pairs[:, 0]].tolist(), labels[pairs[:, 1]].tolist(), weight.tolist()):
        if a != b:
            border[a][b] = border[a].get(b, 0.0) + w
            border[b][a] = border[b].get(a, 0.0) + w
    least = MIN_AREA_SHARE * size.sum()
    owner = np.arange(count)
    alive = count
    queue = [(_rank_patch(size[i], border[i]), i) for i in range(count)]
    heapq.heapify(queue)
    while queue:
        rank, patch = heapq.heappop(queue)
        area = size[patch]
        if owner[patch] != patch or rank != _rank_patch(area, border[patch]):
            continue  # merged or changed since
        if rank >= least and alive <= max_count:
            break
        if border[patch]:
            into = max(border[patch], key=lambda other: (border[patch][other], -other))
        elif alive > max_count:
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
        heapq.heappush(queue, (_rank_patch(size[into], border[into]), into))
    while np.any(owner[owner] != owner):
        owner = owner[owner]
    return owner[labels]


def _rank_patch(area: float, border: dict[int, float]) -> float:
    """The area by which a patch is ranked for merging: its own, or a multiple of it where it has no neighbour."""
    return float(area) * (1.0 if border else ISOLATED_PATCH_FACTOR)


def _absorb(border: list[dict[int, float]], patch: int, into: int) -> None:
    """Give all of a patch's borders to another."""
    for other, length in border[patch].items():
        del border[other][patch]
        if other != into:
            border[other][into] = border[other].get(into, 0.0) + length
            border[into][other] = border[into].get(other, 0.0) + length
    border[patch] = {}


def _adopt(mesh: Mesh, face: Indices) -> Indices:
    """Give faces without a patch (duplicate, collapsed) the patch of the labelled face with the nearest centre."""
    lost = np.flatnonzero(face < 0)
    if len(lost):
        from scipy.spatial import cKDTree

        found = np.flatnonzero(face >= 0)
        centres = mesh.vertices[mesh.faces].mean(axis=1)
        face = face.copy()
        face[lost] = face[found[cKDTree(centres[found]).query(centres[lost])[1]]]
    return face
