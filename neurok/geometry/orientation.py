"""Orientation of faces: two-sided meshes made one-sided, their patches oriented outwards.

Many models hold every face twice, back to back, so that it is visible from both sides. As a boundary such a pair
cancels: the mesh has no inside. Which face of a pair comes first in the file says nothing, so the order must not
decide which one is kept.
"""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.components import duplicate_faces, find_edges, identical_rows, select_faces
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors

PATCHES_AT_A_TIME = 512  # oriented in one call, whose time grows with the square of their number
MIN_PATCH_VOLUME = 1e-9  # in units of area^(3/2): a patch of less volume is flat and has no outside


def find_back_to_back(mesh: Mesh) -> Mask:
    """Which faces share their three vertices with a face of opposite orientation, [m]."""
    a, b, c = mesh.faces.T
    sense = np.sign(b - a) * np.sign(c - b) * np.sign(c - a)  # of the permutation that sorts the three
    group = identical_rows(np.sort(mesh.faces, axis=1))
    total, size = np.bincount(group, sense), np.bincount(group, np.abs(sense))
    return (np.abs(total) < size)[group]


def make_one_sided(mesh: Mesh) -> Mesh:
    """The mesh without duplicate faces; where some were back to back, its patches are oriented outwards.

    Otherwise the faces keep the orientation of the file. Vertices stay; weld first where the file splits them.
    """
    two_sided = bool(find_back_to_back(mesh).any())
    single = select_faces(mesh, ~duplicate_faces(mesh))
    return orient_outwards(single) if two_sided else single


def orient_outwards(mesh: Mesh) -> Mesh:
    """The mesh with each patch of faces, joined over edges of two faces, oriented consistently and outwards.

    Outwards means that the signed volume of the patch about its own centre is positive. The normal of a flat patch
    has a positive component along the first axis that it is not perpendicular to. Faces that repeat a vertex are
    dropped.
    """
    a, b, c = mesh.faces.T
    mesh = select_faces(mesh, (a != b) & (b != c) & (c != a))
    if mesh.face_count == 0:
        return mesh
    patch = _find_patches(mesh)
    faces = _orient_patches(mesh.faces, patch)
    turn = _looks_inwards(mesh.vertices, faces, patch)[patch]
    faces = np.where(turn[:, None], faces[:, ::-1], faces)
    return _reorder_corners(mesh, faces)


def _find_patches(mesh: Mesh) -> Indices:
    """The patch of each face, joined over edges of two faces, [m]."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    lines = find_edges(mesh)
    sides = lines.of_face.reshape(-1)
    order = np.argsort(sides, kind="stable")
    a, b = (order[lines.face_count[sides[order]] == 2] // 3).reshape(-1, 2).T
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(mesh.face_count, mesh.face_count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _orient_patches(faces: Indices, patch: Indices) -> Indices:
    """The faces [m, 3] with those of each patch wound alike, as its first face is."""
    import igl

    order = np.argsort(patch, kind="stable")
    bounds = np.searchsorted(patch[order], np.arange(0, int(patch.max()) + 1 + PATCHES_AT_A_TIME, PATCHES_AT_A_TIME))
    wound = np.empty_like(faces)
    for start, end in zip(bounds, bounds[1:]):
        some = order[start:end]
        wound[some] = igl.bfs_orient(faces[some])[0]
    return wound


def _looks_inwards(vertices: Array, faces: Indices, patch: Indices) -> Mask:
    """Whether each patch looks inwards, [patches]."""
    count = int(patch.max()) + 1

    def total(values: Array) -> Array:
        return np.stack([np.bincount(patch, column, count) for column in values.T], axis=1)

    vectors = area_vectors(vertices, faces)
    areas = np.linalg.norm(vectors, axis=1)
    middles = vertices[faces].mean(axis=1)
    patch_area = np.bincount(patch, areas, count)
    centre = total(middles * areas[:, None]) / np.where(patch_area > 0, patch_area, 1.0)[:, None]
    volume = np.bincount(patch, np.einsum("md,md->m", vectors, middles - centre[patch]) / 3.0, count)
    facing = total(vectors)
    lean = np.abs(facing) > MIN_PATCH_VOLUME * patch_area[:, None]
    first = np.take_along_axis(facing, lean.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(np.abs(volume) > MIN_PATCH_VOLUME * patch_area**1.5, volume < 0, first < 0)


def _reorder_corners(mesh: Mesh, faces: Indices) -> Mesh:
    """The mesh with the corners of its faces in another order, corner attributes included."""
    # bfs_orient may also rotate a face; the place of each new corner in the old face is looked up.
    place = np.argmax(faces[:, :, None] == mesh.faces[:, None, :], axis=2)
    corners = {
        k: np.take_along_axis(np.asarray(v), place.reshape(place.shape + (1,) * (np.ndim(v) - 2)), axis=1)
        for k, v in mesh.corner_attributes.items()
    }
    return replace(mesh, faces=faces, corner_attributes=corners)
