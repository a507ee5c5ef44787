"""Area, volume, centre and inertia of meshes, as solids and as shells.

With p_1, p_2, p_3 the corners of a triangle of area A, s their sum, and V the signed
volume of the tetrahedron it spans with the origin, exactly

    triangle: int x x^T = A/12 (s s^T + sum p_i p_i^T),   tetrahedron: V/20 (the same),

and the inertia tensor is rho (tr(C) 1 - C) for C = int x x^T about the centre.
"""

from collections.abc import Sequence

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Inertia
from neurok.geometry.components import identical_rows, weld_map
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import face_areas

VOLUME_TOLERANCE = 0.01  # by which the volumes of the pieces may differ from that of the whole, as a share of it
# Of the volume of its shell: a closed mesh that encloses less is a sheet with a front and a back.
MIN_SOLID_VOLUME = 0.1


def compute_area(mesh: Mesh) -> float:
    """Surface area [unit^2]."""
    return float(face_areas(mesh.vertices, mesh.faces).sum())


def compute_volume(mesh: Mesh) -> float:
    """Enclosed volume [unit^3], positive where faces look outwards; means nothing for an open mesh."""
    return float(_build_tetrahedra(remove_duplicates(mesh))[1].sum())


def is_closed(mesh: Mesh) -> bool:
    """Whether every side of a face is matched by one in the other direction, so that the mesh bounds a volume.

    Vertices at the same place count as one, and so do faces that stand there twice.
    """
    bare = remove_duplicates(mesh)
    return bare.face_count > 0 and not _find_unmatched(bare)[1].any()


def remove_duplicates(mesh: Mesh) -> Mesh:
    """The mesh with vertices at the same place welded, without faces that repeat a vertex or another face.

    Two faces are the same where they have the same corners in the same sense of rotation. A face and its back both
    stay: they are the two sides of a sheet.
    """
    used = mesh.used_vertices
    place = np.zeros(mesh.vertex_count, dtype=np.int64)
    welded = place[used] = weld_map(mesh.vertices[used])
    vertices = mesh.vertices[used][np.unique(welded, return_index=True)[1]]
    faces = place[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    first = faces.argmin(axis=1)
    turned = faces[np.arange(len(faces))[:, None], (first[:, None] + np.arange(3)) % 3]
    return Mesh(vertices, faces[np.sort(np.unique(identical_rows(turned), return_index=True)[1])])


def close_rims(mesh: Mesh) -> Mesh:
    """The mesh without duplicates, with every rim (connected boundary) closed by a fan about the rim's centre.

    Where a closed surface was cut into pieces, two pieces that meet along a rim get the same fan with opposite
    orientation, so that their signed volumes add up to that of the whole. Where three pieces meet in a point their
    fans differ, and the volumes do not add up.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    bare = remove_duplicates(mesh)
    lines, balance = _find_unmatched(bare)
    # The rim goes back along what is left over.
    low, high = np.repeat(lines, np.abs(balance), axis=0).T
    turned = np.repeat(balance > 0, np.abs(balance))
    first, last = np.where(turned, high, low), np.where(turned, low, high)
    if len(first) == 0:
        return bare
    used, ends = np.unique(np.concatenate([first, last]), return_inverse=True)
    link = coo_matrix((np.ones(len(first)), ends.reshape(2, -1)), shape=(len(used), len(used)))
    rim = connected_components(link, directed=False)[1]
    places = np.stack([np.bincount(rim, x) / np.bincount(rim) for x in bare.vertices[used].T], axis=1)
    fans = np.stack([first, last, bare.vertex_count + rim[ends[: len(first)]]], axis=1)
    return Mesh(np.concatenate([bare.vertices, places]), np.concatenate([bare.faces, fans]))


def assess_pieces(whole: Mesh, pieces: Sequence[Mesh], shell: float) -> tuple[bool, float]:
    """Whether the pieces of a mesh are solids once their rims are closed, and the shell thickness where they are not.

    The pieces are solids where the mesh is closed and their volumes add up to its own. The volumes do not add up where
    a piece is the lining of a hollow, or where many pieces meet in a point: then each piece is a shell, of a thickness
    that gives all pieces together the mass of the whole. shell: the shell thickness of an open mesh [unit].
    """
    if not is_closed(whole) or abs(compute_volume(whole)) <= MIN_SOLID_VOLUME * shell * compute_area(whole):
        return False, shell
    inside = compute_volume(whole)
    parts = np.array([compute_volume(close_rims(piece)) for piece in pieces if piece.face_count])
    if np.all(parts * inside >= 0) and abs(parts.sum() - inside) <= VOLUME_TOLERANCE * abs(inside):
        return True, shell
    return False, abs(inside) / compute_area(whole)


def _find_unmatched(mesh: Mesh) -> tuple[Indices, Indices]:
    """The edges of a mesh, the lower vertex first, [l, 2], and their balance, [l].

    The balance is the number of face sides that run from the lower to the higher vertex minus those that run back.
    """
    start, end = mesh.faces.reshape(-1), np.roll(mesh.faces, -1, axis=1).reshape(-1)
    count = max(mesh.vertex_count, 1)
    key, line = np.unique(np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True)
    balance = np.bincount(line.reshape(-1), np.where(start < end, 1.0, -1.0), len(key)).astype(np.int64)
    return np.stack(np.divmod(key, count), axis=1), balance


def solid_inertia(mesh: Mesh, density: float = 1.0) -> Inertia:
    """Mass, centre and inertia of the solid a closed mesh bounds, whichever way its faces look.

    density [kg/unit^3].
    """
    if not is_closed(mesh):
        raise InputError("the mesh is not closed, so it bounds no solid", "close its holes, or treat it as a shell")
    corners, volumes, origin = _build_tetrahedra(remove_duplicates(mesh))
    total = volumes.sum()
    if abs(total) <= 1e-12 * mesh.diagonal**3:
        raise InputError("the mesh encloses no volume", "treat it as a shell")
    centre = np.einsum("m,md->d", volumes, corners.sum(axis=1)) / (4.0 * total)
    second = _integrate_second_moment(corners, volumes / 20.0)
    return _make_inertia(density, total, centre, second, origin)


def shell_inertia(mesh: Mesh, density: float = 1.0) -> Inertia:
    """Mass, centre and inertia of a thin shell on the faces of a mesh; density [kg/unit^2]."""
    areas = face_areas(mesh.vertices, mesh.faces)
    total = areas.sum()
    if not total > 0:
        raise InputError("the mesh has no area", "give its mass to points instead")
    origin = mesh.bounds.mean(axis=0)
    corners = mesh.vertices[mesh.faces] - origin
    centre = np.einsum("m,md->d", areas, corners.sum(axis=1)) / (3.0 * total)
    second = _integrate_second_moment(corners, areas / 12.0)
    return _make_inertia(density, total, centre, second, origin)


def point_inertia(points: Array, masses: Array) -> Inertia:
    """Mass, centre and inertia of point masses [kg], [m], at points [unit], [m, 3]."""
    points, masses = np.asarray(points, dtype=np.float64), np.asarray(masses, dtype=np.float64)
    total = float(masses.sum())
    if not total > 0:
        raise InputError("the points have no mass", "give at least one of them a mass")
    centre = masses @ points / total
    arms = points - centre
    return Inertia(total, centre, _make_tensor(np.einsum("m,mi,mj->ij", masses, arms, arms)))


def _build_tetrahedra(mesh: Mesh) -> tuple[Array, Array, Array]:
    """Face corners from the box's centre, [m, 3, 3], the signed volumes they span with it, [m], and that centre."""
    # From the middle of the object: far from the world's origin the terms would cancel.
    origin = mesh.bounds.mean(axis=0) if mesh.vertex_count else np.zeros(3)
    corners = mesh.vertices[mesh.faces] - origin
    volumes = np.einsum("md,md->m", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return corners, volumes, origin


def _integrate_second_moment(corners: Array, shares: Array) -> Array:
    total = corners.sum(axis=1)
    return np.einsum("m,mi,mj->ij", shares, total, total) + np.einsum("m,mki,mkj->ij", shares, corners, corners)


def _make_inertia(density: float, measure: float, centre: Array, second: Array, origin: Array) -> Inertia:
    # An inside-out solid has all its integrals negative: the sign cancels here.
    sign = np.sign(measure)
    about = sign * (second - measure * np.outer(centre, centre))
    return Inertia(float(density * abs(measure)), centre + origin, _make_tensor(density * about))


def _make_tensor(second: Array) -> Array:
    return np.trace(second) * np.eye(3) - second
