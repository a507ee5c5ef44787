"""Polygons as files have them, cut into fans of triangles and joined again."""

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.mesh import Mesh


def cut_fans(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangles of polygons whose corners stand one after another.

    counts: corners of each polygon, [p]; those with fewer than three give no triangle.
    Returns places in the list of corners, [m, 3], and the polygon of each triangle, [m].
    """
    cut = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), cut)
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(cut) - cut, cut)
    first = (np.cumsum(counts) - counts)[polygon]
    return np.stack([first, first + step + 1, first + step + 2], axis=1), polygon


def join_fans(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The polygons of a mesh: the inverse of `cut_fans`.

    Returns places in the mesh's flat list of corners (face * 3 + corner), [c], how many each polygon
    has, [p], and the first triangle of each, [p]. Triangles are joined where they follow one another,
    carry the same `polygon` number, part and material, and share the fan's edge with all it carries.
    """
    faces = mesh.faces
    starts = np.ones(mesh.face_count, dtype=bool)
    polygon = mesh.face_attributes.get("polygon")
    if polygon is not None and mesh.face_count:
        joined = (faces[1:, 0] == faces[:-1, 0]) & (faces[1:, 1] == faces[:-1, 2])
        for label in (np.asarray(polygon), mesh.face_part, mesh.face_material):
            joined &= label[1:] == label[:-1]
        for values in map(np.asarray, mesh.corner_attributes.values()):
            same = (values[1:, 0] == values[:-1, 0]) & (values[1:, 1] == values[:-1, 2])
            joined &= same.reshape(len(joined), -1).all(axis=1)
        starts[1:] = ~joined
    kept = np.repeat(starts[:, None], 3, axis=1)
    kept[:, 2] = True  # a further triangle of a fan adds its last corner
    first = np.flatnonzero(starts)
    counts = np.diff(np.append(first, mesh.face_count)) + 2
    return np.flatnonzero(kept), counts, first


def polygon_attribute(counts: NDArray[np.int64], polygon: NDArray[np.int64]) -> dict[str, NDArray]:
    """The face attribute that remembers polygons, where there are any beyond triangles."""
    return {"polygon": polygon} if len(counts) and counts.max() > 3 else {}
