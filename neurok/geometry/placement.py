"""Meshes transformed as a whole, together with their normals and tangents."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import unit_or_zero


def transform(mesh: Mesh, T: Array) -> Mesh:
    """The mesh moved by an affine map [4, 4]; a mirroring one turns the faces round, so that outside stays outside."""
    if np.array_equal(T, np.eye(4)):
        return mesh
    linear = T[:3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # the caller reports vertices that are not finite
        vertices = mesh.vertices @ linear.T + T[:3, 3]
    mirrored = bool(np.linalg.det(linear) < 0)
    corners = _transform_attributes(mesh.corner_attributes, linear)
    faces = mesh.faces
    if mirrored:
        faces = faces[:, ::-1]
        corners = {name: value[:, ::-1] for name, value in corners.items()}
    attributes = _transform_attributes(mesh.attributes, linear)
    return replace(mesh, vertices=vertices, faces=faces, attributes=attributes, corner_attributes=corners)


def quarter_turn(up: str, target: str) -> Array:
    """The quarter turn that takes one upward axis to another and leaves the third, [3, 3]; exact."""
    turn, (start, end) = np.eye(3), ("xyz".index(up), "xyz".index(target))
    if start != end:
        turn[:, start], turn[:, end] = np.eye(3)[end], -np.eye(3)[start]
    return turn


def carry_normals(normals: Array, linear: Array) -> Array:
    """Unit normals [..., 3] of a surface under one linear map [3, 3], or one for each, [..., 3, 3].

    Normals keep pointing outwards, also where the map mirrors; the normal of a flattened surface becomes zero.
    """
    # Cofactors: the inverse transpose up to its determinant, which also exists for a flattening map.
    cofactors = np.cross(linear[..., [1, 2, 0], :], linear[..., [2, 0, 1], :])
    return unit_or_zero(_apply_linear(cofactors * _find_handedness(linear)[..., None, None], normals))


def carry_tangents(tangents: Array, linear: Array) -> Array:
    """Unit tangents with their handedness, [..., 4], under one linear map [3, 3], or one for each, [..., 3, 3]."""
    side = tangents[..., 3:] * _find_handedness(linear)[..., None]
    return np.concatenate([unit_or_zero(_apply_linear(linear, tangents[..., :3])), side], axis=-1)


def _transform_attributes(table: Mapping[str, NDArray], linear: Array) -> dict[str, NDArray]:
    """The attributes with normals and tangents transformed, of unit length."""
    carry = {"normal": carry_normals, "tangent": carry_tangents}
    return {k: carry[k](np.asarray(v), linear) if k in carry else v for k, v in table.items()}


def _find_handedness(linear: Array) -> Array:
    """-1 where a map mirrors, else 1."""
    return np.where(np.linalg.det(linear) < 0, -1.0, 1.0)


def _apply_linear(linear: Array, vectors: Array) -> Array:
    return vectors @ linear.T if linear.ndim == 2 else np.einsum("...ab,...b->...a", linear, vectors)
