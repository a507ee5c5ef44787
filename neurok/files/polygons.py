"""Polygons as files have them, cut into fans of triangles and joined again."""

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh


def cut_fans(counts: Indices, *, flip: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangles of polygons whose corners stand one after another.

    counts: corners of each polygon, [p]; those with fewer than three give no triangle.
    flip: walk round the polygons the other way, from the same first corner.
    Returns places in the list of corners, [m, 3], and the polygon of each triangle, [m].
    """
    counts = np.asarray(counts, dtype=np.int64)
    cut = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), cut)
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(cut) - cut, cut)
    first = (np.cumsum(counts) - counts)[polygon]
    second, third = step + 1, step + 2
    if flip:
        second, third = counts[polygon] - second, counts[polygon] - third
    return np.stack([first, first + second, first + third], axis=1), polygon


def join_fans(
    mesh: Mesh, some: Indices | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The polygons of a mesh, or of some of its faces (their numbers, [m']): the inverse of `cut_fans`.

    Returns places in the flat list of those faces' corners (place * 3 + corner), [c], how many each polygon
    has, [p], and the place of the first triangle of each, [p]. Triangles are joined where they follow one
    another, carry the same `polygon` number, part and material, and share the fan's edge with all it carries.
    """
    face_count = mesh.face_count if some is None else len(some)
    starts = np.ones(face_count, dtype=bool)
    polygon = mesh.face_attributes.get("polygon")
    if polygon is not None and face_count:
        before: slice | Indices
        after: slice | Indices
        if some is None:
            before, after, joined = slice(-1), slice(1, None), np.ones(face_count - 1, dtype=bool)
        else:
            before, after, joined = some[:-1], some[1:], some[1:] == some[:-1] + 1
        for label in (np.asarray(polygon), mesh.face_part, mesh.face_material):
            joined &= label[after] == label[before]
        for values in (mesh.faces, *mesh.corner_attributes.values()):
            values = np.asarray(values).reshape(mesh.face_count, 3, -1)
            joined &= np.all(values[after, 0] == values[before, 0], axis=1)
            joined &= np.all(values[after, 1] == values[before, 2], axis=1)
        starts[1:] = ~joined
    kept = np.repeat(starts[:, None], 3, axis=1)
    kept[:, 2] = True  # a further triangle of a fan adds its last corner
    first = np.flatnonzero(starts)
    counts = np.diff(np.append(first, face_count)) + 2
    return np.flatnonzero(kept), counts, first


def make_polygon_attribute(counts: Indices, polygon: Indices) -> dict[str, NDArray]:
    """The face attribute that remembers polygons, where there are any beyond triangles."""
    return {"polygon": polygon} if len(counts) and counts.max() > 3 else {}
