"""Points of the surface as conditions find them again: by where they are at rest alone."""

from dataclasses import replace

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints
from neurok.geometry.triangles import closest_on_triangles, face_normals
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import shares

OUTWARD_STEP = 1e-4  # diagonals by which a place is moved out of the surface
TIE_DISTANCE = 1e-7  # diagonals by which faces that are equally near may differ in their distance


def require_skin(space: Kinematics) -> Skin:
    """The skin of a state space; an InputError where it has none: then no point of it can be held."""
    if space.skin is None:
        raise InputError("no point of this object can be held, since it is no skin", "move its sliders")
    return space.skin


def settle_point(space: Kinematics, point: SurfacePoints) -> SurfacePoints:
    """The point, moved a little where its place alone would not tell it from another.

    Where two surfaces meet, the nearest one may be the other: the place is then moved out of the surface or towards
    the middle of its triangle, until all faces that are nearest to it follow the same bones.
    """
    mesh, skin = space.mesh, require_skin(space)
    middle = mesh.vertices[point.corners[0]].mean(axis=0)
    out = point.normal[0] * OUTWARD_STEP * mesh.diagonal
    place = point.position[0]
    inward = place + 0.2 * (middle - place)
    wanted = shares(mesh, skin, point)
    tries = np.stack([place, place + out, place - out, inward, inward + out, inward - out, middle])
    reach = np.linalg.norm(tries - place, axis=1) + TIE_DISTANCE * mesh.diagonal
    near = _find_faces_within(mesh, place, 2 * float(reach.max()))
    scale = abs(wanted).max()
    for one in tries:
        found = _find_nearest(mesh, near, one)
        rows = shares(mesh, skin, found).toarray()
        alike = found.count and np.abs(rows - rows[0]).max() <= 1e-5 * scale
        if alike and np.abs(rows[0] - wanted.toarray()[0]).max() <= 0.3 * scale:
            return replace(found.subset(np.zeros(1, dtype=np.int64)), position=one[None])
    return point


def _find_faces_within(mesh: Mesh, place: Array, radius: float) -> Indices:
    """The faces whose boxes come within a radius [unit] of a place: what is nearest to a try is among them.

    A try is no farther from its own face than from the place, which lies on that face.
    """
    corners = mesh.vertices[mesh.faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    apart = np.maximum(np.maximum(low - place, place - high), 0.0)
    return np.flatnonzero(np.einsum("md,md->m", apart, apart) <= radius**2)


def _find_nearest(mesh: Mesh, near: Indices, place: Array) -> SurfacePoints:
    """The points nearest to a place on those of some faces that are equally near."""
    a, b, c = (mesh.vertices[mesh.faces[near, i]] for i in range(3))
    weights, square = closest_on_triangles(np.broadcast_to(place, a.shape), a, b, c)
    distance = np.sqrt(square)
    best = np.flatnonzero(distance <= distance.min(initial=np.inf) + TIE_DISTANCE * mesh.diagonal)
    best = best[np.argsort(distance[best], kind="stable")]
    face = near[best]
    corners = mesh.faces[face]
    position = np.einsum("mk,mkd->md", weights[best], mesh.vertices[corners])
    normal = face_normals(mesh.vertices, corners)
    return SurfacePoints(face, corners, weights[best], position, normal, np.zeros(len(face)))
