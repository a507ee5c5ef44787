"""Polygons and the fans of triangles they are cut into."""

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.mesh import Indices, Mesh


def joined(mesh: Mesh, faces: Indices) -> NDArray[np.bool_]:
    """Which triangles continue the polygon of the one before, [m'], for the given faces of a mesh.

    They do where the file said so (`polygon`), the fan is intact, and nothing
    that belongs to the face or its corners changes in between.
    """
    result = np.zeros(len(faces), dtype=bool)
    polygon = mesh.face_attributes.get("polygon")
    if polygon is None or len(faces) < 2:
        return result
    before, after = faces[:-1], faces[1:]
    same = after == before + 1
    for label in (np.asarray(polygon), mesh.face_material, mesh.face_part):
        same &= label[after] == label[before]
    for values in (mesh.faces[..., None], *mesh.corner_attributes.values()):
        values = np.asarray(values).reshape(mesh.face_count, 3, -1)
        same &= np.all(values[after, 0] == values[before, 0], axis=1)
        same &= np.all(values[after, 1] == values[before, 2], axis=1)
    result[1:] = same
    return result


def corner_choice(joins: NDArray[np.bool_]) -> Indices:
    """Which triangle corners (of 3 m') list the polygons' corners in order."""
    chosen = np.repeat(~joins[:, None], 3, axis=1)
    chosen[:, 2] = True
    return np.flatnonzero(chosen)


def polygon_of(joins: NDArray[np.bool_]) -> Indices:
    """The number of the polygon each triangle belongs to, [m']."""
    return np.cumsum(~joins) - 1


def fans(counts: Indices, flip: bool = False) -> tuple[Indices, Indices]:
    """Triangle corners as positions in the list of polygon corners, [m, 3], and each triangle's polygon, [m].

    flip: walk round the polygons the other way, from the same first corner.
    """
    counts = np.asarray(counts, dtype=np.int64)
    triangles = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), triangles)
    start = (np.cumsum(counts) - counts)[polygon]
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    second, third = step + 1, step + 2
    if flip:
        size = counts[polygon]
        second, third = size - second, size - third
    return np.stack([start, start + second, start + third], axis=1), polygon
