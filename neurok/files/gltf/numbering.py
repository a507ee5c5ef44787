"""Which vertex is which: how the order of a mesh's vertices survives being cut into nodes.

Where the pieces of all nodes, one after another, hold the vertices in the mesh's
own order, nothing is said about it. Otherwise (interleaved parts, vertices that
parts share) every vertex carries its number in the attribute `NUMBER_ATTRIBUTE`, as two
16-bit halves, and `restore_order` puts them back when the file is read.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.reading.container import GltfDocument
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion, Skin

NUMBER_ATTRIBUTE = "_NEUROK_VERTEX"
HALF_RANGE = 1 << 16
COPY_TOLERANCE = 1e-5  # of the diagonal, or of a unit attribute: what copies of a vertex may differ by


def split_numbers(numbers: Indices) -> NDArray[np.uint16]:
    """Vertex numbers [n] as an attribute that glTF can hold, [n, 2]."""
    return np.stack([numbers % HALF_RANGE, numbers // HALF_RANGE], axis=1).astype("<u2")


def restore_order(document: GltfDocument, mesh: Mesh, motions: tuple[Motion, ...]) -> tuple[Mesh, tuple[Motion, ...]]:
    """The mesh and its motions with the vertices in the order of their stored numbers, and copies of a vertex merged.

    Numbers that do not count every vertex from zero, or that give one number to different vertices, were
    left by a program that changed the file since: they are dropped, and the file's order stands.
    """
    if NUMBER_ATTRIBUTE not in mesh.attributes:
        return mesh, motions
    number, first = _find_order(document, mesh, motions)
    shapes = {id(each): _renumber_mesh(each, number, first) for each in (mesh, *(m.mesh for m in motions))}
    skins = {id(m.skin): _reorder_skin(m.skin, first) for m in motions if m.skin is not None}
    return shapes[id(mesh)], tuple(
        replace(
            motion,
            mesh=shapes[id(motion.mesh)],
            skin=skins.get(id(motion.skin)),
            positions=None if motion.positions is None else motion.positions[:, first],
        )
        for motion in motions
    )


def _find_order(document: GltfDocument, mesh: Mesh, motions: tuple[Motion, ...]) -> tuple[Indices, Indices]:
    """The number of each vertex, [n], and the first vertex that bears each number; the file's order if they misfit."""
    number = _read_numbers(mesh)
    if number is not None:
        first = np.unique(number, return_index=True)[1]
        if _copies_agree(mesh, motions, number, first):
            return number, first
    document.add_note("the numbers of the vertices do not fit them any more; their order is that of the nodes")
    return np.arange(mesh.vertex_count), np.arange(mesh.vertex_count)


def _read_numbers(mesh: Mesh) -> Indices | None:
    """The number each vertex carries, [n]; None where they do not count every vertex from zero."""
    stored = mesh.attributes.get(NUMBER_ATTRIBUTE)
    if stored is None or np.shape(stored) != (mesh.vertex_count, 2) or not mesh.vertex_count:
        return None
    if not np.all((stored >= 0) & (stored < HALF_RANGE) & (stored == np.floor(stored))):
        return None
    low, high = np.asarray(stored).astype(np.int64).T
    number = low + HALF_RANGE * high
    count = int(number.max()) + 1
    return number if count <= len(number) and np.bincount(number, minlength=count).all() else None


def _copies_agree(mesh: Mesh, motions: tuple[Motion, ...], number: Indices, first: Indices) -> bool:
    """Whether vertices with the same number agree in all their attributes, at all times."""
    copy = np.flatnonzero(first[number] != np.arange(len(number)))
    if not len(copy):
        return True
    model = first[number[copy]]
    near = COPY_TOLERANCE * mesh.diagonal
    columns: list[tuple[NDArray, float]] = [
        (value, COPY_TOLERANCE) for name, value in mesh.attributes.items() if name != NUMBER_ATTRIBUTE
    ]
    columns += [(shape.vertices, near) for shape in (mesh, *(m.mesh for m in motions))]
    for motion in motions:
        if motion.skin is not None:
            columns += [(motion.skin.joints, 0), (motion.skin.weights, COPY_TOLERANCE)]
        elif motion.positions is not None:
            columns += [(frame, near) for frame in motion.positions]
    return all(np.allclose(value[copy], value[model], rtol=0, atol=bound) for value, bound in columns)


def _renumber_mesh(mesh: Mesh, number: Indices, first: Indices) -> Mesh:
    """The mesh with vertex first[i] in place i; number: the new place of each old vertex.

    The attribute that holds the numbers is dropped.
    """
    attributes = {k: np.asarray(v)[first] for k, v in mesh.attributes.items() if k != NUMBER_ATTRIBUTE}
    return replace(mesh, vertices=mesh.vertices[first], faces=number[mesh.faces], attributes=attributes)


def _reorder_skin(skin: Skin, first: Indices) -> Skin:
    return replace(skin, joints=skin.joints[first], weights=skin.weights[first])
