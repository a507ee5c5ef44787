"""Cutting a mesh for export: which faces and vertices each node shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh


@dataclass(frozen=True)
class GltfPiece:
    """Faces of one part that follow one bone, and all vertices they need, both as increasing numbers."""

    part: int
    bone: int
    faces: Indices
    vertices: Indices


def cut_pieces(mesh: Mesh, vertex_bone: Indices | None = None) -> list[GltfPiece]:
    """Pieces of the mesh by part, and by bone where vertex_bone [n] is given; together they hold every vertex.

    A vertex without faces joins the piece of the nearest vertex before it that follows the same bone.
    A bone whose vertices have no face at all gets a piece without faces.
    """
    if vertex_bone is None:
        vertex_bone = np.zeros(mesh.vertex_count, dtype=np.int64)
    face_bone = vertex_bone[mesh.faces[:, 0]]
    label = face_bone * (len(mesh.parts) + 1) + mesh.face_part + 1
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    groups = np.split(order, starts[1:]) if len(order) else []
    owner = np.full(mesh.vertex_count, -1)
    used = []
    for index, faces in enumerate(groups):
        used.append(_find_distinct(mesh.faces[faces], mesh.vertex_count))
        owner[used[-1]] = index
    loose = np.flatnonzero(owner < 0)
    home = _find_neighbours(owner, vertex_bone)[loose]
    pieces = []
    for index, faces in enumerate(groups):
        vertices = used[index]
        if np.any(home == index):
            vertices = np.union1d(vertices, loose[home == index])
        pieces.append(GltfPiece(int(mesh.face_part[faces[0]]), int(face_bone[faces[0]]), faces, vertices))
    lost = loose[home < 0]
    none = np.zeros(0, dtype=np.int64)
    return pieces + [GltfPiece(-1, int(b), none, lost[vertex_bone[lost] == b]) for b in np.unique(vertex_bone[lost])]


def is_in_order(pieces: list[GltfPiece], vertex_count: int) -> bool:
    """Whether the pieces, one after another, hold the vertices 0, 1, 2, ..."""
    held = np.concatenate([p.vertices for p in pieces]) if pieces else np.zeros(0)
    return len(held) == vertex_count and bool(np.all(held == np.arange(vertex_count)))


def _find_distinct(corners: NDArray, vertex_count: int) -> Indices:
    """The distinct vertices of some faces; a mask where there are many, as sorting them is slower."""
    if corners.size * 20 < vertex_count:
        return np.unique(corners)
    seen = np.zeros(vertex_count, dtype=bool)
    seen[corners.reshape(-1)] = True
    return np.flatnonzero(seen)


def _find_neighbours(owner: Indices, bone: Indices) -> Indices:
    """For each vertex the owner of the nearest owned one before it, else after it, of the same bone; -1 for none."""
    order = np.argsort(bone, kind="stable")
    count = len(order)
    owned = owner[order] >= 0
    before = np.maximum.accumulate(np.where(owned, np.arange(count), -1))
    after = np.minimum.accumulate(np.where(owned, np.arange(count), count)[::-1])[::-1]
    group = bone[order]
    ok_before = (before >= 0) & (group[np.maximum(before, 0)] == group)
    ok_after = (after < count) & (group[np.minimum(after, count - 1)] == group)
    found = np.where(ok_before, before, np.where(ok_after, after, -1))
    result = np.empty(count, dtype=np.int64)
    result[order] = np.where(found >= 0, owner[order][np.maximum(found, 0)], -1)
    return result
