"""Meshes moved as a whole, with all that turns along."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.mesh import Array, Mesh


def transform(mesh: Mesh, T: Array) -> Mesh:
    """The mesh moved by an affine map [4, 4]; a mirroring one turns the faces round, so that outside stays outside."""
    if np.array_equal(T, np.eye(4)):
        return mesh
    linear = T[:3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # a vertex beyond all numbers stays one: the caller's to see
        vertices = mesh.vertices @ linear.T + T[:3, 3]
    mirrored = bool(np.linalg.det(linear) < 0)
    corners = _turned(mesh.corner_attributes, linear, mirrored)
    faces = mesh.faces
    if mirrored:
        faces = faces[:, ::-1]
        corners = {name: value[:, ::-1] for name, value in corners.items()}
    attributes = _turned(mesh.attributes, linear, mirrored)
    return replace(mesh, vertices=vertices, faces=faces, attributes=attributes, corner_attributes=corners)


def _turned(table: Mapping[str, NDArray], linear: Array, mirrored: bool) -> dict[str, NDArray]:
    """The attributes with normals and tangents turned, at length one."""
    if not {"normal", "tangent"} & table.keys():
        return dict(table)
    # Cofactors: the inverse transpose up to its determinant, which also exists for a flattening map.
    cofactors = np.cross(linear[[1, 2, 0]], linear[[2, 0, 1]])
    maps = {"normal": -cofactors if mirrored else cofactors, "tangent": linear}
    turned = {}
    for name, value in table.items():
        value = np.asarray(value)
        if name in maps:
            vectors = value[..., :3] @ maps[name].T
            length = np.linalg.norm(vectors, axis=-1, keepdims=True)
            vectors = vectors / np.where(length > 0, length, 1.0)
            handedness = -value[..., 3:] if mirrored else value[..., 3:]
            value = np.concatenate([vectors, handedness], axis=-1)
        turned[name] = value
    return turned
