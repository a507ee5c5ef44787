"""Blocks: which vertices and faces of a mesh become one mesh prim.

A block is what moves together and bears one part's name. Where two parts
share a vertex they cannot be told apart without doubling it, so the block
then holds all parts, and face subsets name them.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh

MIXED_PARTS = -2  # a block whose faces belong to several parts


@dataclass(frozen=True)
class UsdBlock:
    """Vertices [n'] and faces [m'] of the whole mesh, ascending; `corners` [m', 3] count within the block."""

    vertices: Indices
    faces: Indices
    corners: Indices
    group: int
    part: int


def split_parts(mesh: Mesh) -> list[UsdBlock]:
    """The mesh in blocks, one per part, in the order of their first vertices."""
    return _split_mesh(mesh, np.zeros(mesh.vertex_count, dtype=np.int64))


def split_groups(mesh: Mesh, vertex_group: Indices) -> list[UsdBlock] | None:
    """The mesh in blocks, one per group and part, in the order of their first vertices.

    vertex_group: the group that each vertex moves with, [n]. None where a face spans two groups.
    """
    group = np.asarray(vertex_group)
    return None if np.any(group[mesh.faces] != group[mesh.faces[:, :1]]) else _split_mesh(mesh, group)


def _split_mesh(mesh: Mesh, group: Indices) -> list[UsdBlock]:
    part = find_vertex_parts(mesh)
    face_part = mesh.face_part if part is not None else np.full(mesh.face_count, MIXED_PARTS)
    part = np.full(mesh.vertex_count, MIXED_PARTS) if part is None else part
    width = len(mesh.parts) + 2
    vertex_key = group * width + part - MIXED_PARTS
    face_key = group[mesh.faces[:, 0]] * width + face_part - MIXED_PARTS
    keys, first, label = np.unique(vertex_key, return_index=True, return_inverse=True)
    face_label = np.searchsorted(keys, face_key)
    vertices, faces = _group_members(label, len(keys)), _group_members(face_label, len(keys))
    local = np.empty(mesh.vertex_count, dtype=np.int64)
    for members in vertices:
        local[members] = np.arange(len(members))
    return [
        UsdBlock(
            vertices[k],
            faces[k],
            local[mesh.faces[faces[k]]],
            int(keys[k] // width),
            int(keys[k] % width) + MIXED_PARTS,
        )
        for k in np.argsort(first)
    ]


def find_vertex_parts(mesh: Mesh) -> Indices | None:
    """The part each vertex belongs to, [n], or None where parts share vertices.

    A vertex without faces goes with the one before it in the file.
    """
    top = len(mesh.parts)
    low, high = np.full(mesh.vertex_count, top), np.full(mesh.vertex_count, -2)
    corner_part = np.repeat(mesh.face_part, 3)
    np.minimum.at(low, mesh.faces.reshape(-1), corner_part)
    np.maximum.at(high, mesh.faces.reshape(-1), corner_part)
    used = high > -2
    if np.any(low[used] != high[used]):
        return None
    if not used.any():
        return np.full(mesh.vertex_count, -1)
    before = np.maximum.accumulate(np.where(used, np.arange(mesh.vertex_count), -1))
    return low[np.where(before < 0, np.argmax(used), before)]


def _group_members(label: Indices, count: int) -> list[Indices]:
    """The indices that bear each label, ascending."""
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])
