"""The node tree: the parent of each node, its default transform, and which nodes are shown."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record, damage_error
from neurok.files.transforms import compose_transforms
from neurok.geometry.arrays import Array
from neurok.geometry.rotation import quaternion_from_matrix, quaternion_normalise

IDENTITY = tuple(np.eye(4).reshape(-1))


@dataclass(frozen=True)
class GltfNode:
    """A node, with its parent as a place in GltfScene.nodes.

    matrix: T_parent_node, [4, 4]. translation [3], rotation (w, x, y, z) and scale [3] are what
    an animation replaces one by one; a node that was given as a matrix is decomposed for them.
    """

    item: Record
    name: str
    parent: int
    translation: Array
    rotation: Array
    scale: Array
    matrix: Array


@dataclass(frozen=True)
class GltfScene:
    """All nodes, parents before children: first those shown, depth-first in file order, then the others.

    The others are kept because a skin may name joints that no scene shows.
    """

    nodes: tuple[GltfNode, ...]
    shown: int
    place: Mapping[int, int]  # node index of the file -> place in nodes
    item: Record  # empty where the file has no scene


def read_scene(document: GltfDocument) -> GltfScene:
    """The default scene; the first where none is named, all root nodes where there is no scene."""
    items = document.items("nodes")
    parents = _find_parents(items)
    roots = [i for i in range(len(items)) if parents[i] < 0]
    item = (
        document.item("scenes", fields.index(document.tree, "scene", "the file", 0)) if document.items("scenes") else {}
    )
    visible = _find_roots(document, item, parents, roots)
    order = _order_depth_first(items, visible)
    shown = len(order)
    seen = set(visible)
    order += _order_depth_first(items, [i for i in roots if i not in seen])
    if len(order) < len(items):
        raise damage_error(f"node {min(set(range(len(items))) - set(order))} is its own ancestor")
    place = {node: i for i, node in enumerate(order)}
    nodes = _read_nodes([items[i] for i in order], order, [place.get(parents[i], -1) for i in order])
    return GltfScene(nodes, shown, place, item)


def compute_world_matrices(scene: GltfScene, locals_: Mapping[int, Array] | None = None) -> list[Array]:
    """T_world_node of every node, [4, 4], or [t, 4, 4] for nodes at or below one whose given local matrix is so.

    locals_: place -> T_parent_node [t, 4, 4] of the nodes that do not stand at their default.
    """
    worlds: list[Array] = []
    for i, node in enumerate(scene.nodes):
        local = node.matrix if locals_ is None or i not in locals_ else locals_[i]
        worlds.append(local if node.parent < 0 else worlds[node.parent] @ local)
    return worlds


def convert_quaternions(stored: Array) -> Array:
    """Unit quaternions (w, x, y, z) of those that glTF stores, (x, y, z, w), [..., 4]."""
    return quaternion_normalise(np.roll(stored, 1, axis=-1))


def _find_parents(items: list[Record]) -> list[int]:
    parents = [-1] * len(items)
    for i, item in enumerate(items):
        for child in fields.indices(item, "children", f"node {i}"):
            if child >= len(items):
                raise damage_error(f"node {i} has the child {child} of {len(items)} nodes")
            if parents[child] >= 0 or child == i:
                raise damage_error(f"node {child} hangs on {'itself' if child == i else 'two parents'}")
            parents[child] = i
    return parents


def _find_roots(document: GltfDocument, item: Record, parents: list[int], roots: list[int]) -> list[int]:
    if not document.items("scenes"):
        return roots
    named = list(dict.fromkeys(fields.indices(item, "nodes", "the scene")))
    if any(i >= len(parents) for i in named):
        raise damage_error(f"the scene shows node {max(named)} of {len(parents)}")
    if any(parents[i] >= 0 for i in named):
        sentence = "the scene lists nodes that hang on others as its roots; they are shown with their parents only"
        document.add_note(sentence)
    return [i for i in named if parents[i] < 0]


def _order_depth_first(items: list[Record], roots: list[int]) -> list[int]:
    order: list[int] = []
    stack = roots[::-1]
    while stack:
        i = stack.pop()
        order.append(i)
        stack.extend(reversed(fields.indices(items[i], "children", f"node {i}")))
    return order


def _read_nodes(items: list[Record], order: list[int], parents: list[int]) -> tuple[GltfNode, ...]:
    """The nodes of these items; order: their numbers in the file. The matrices of all are computed together."""
    told = [f"node {index}" for index in order]
    plain = [item if item.get("matrix") is None else {} for item in items]
    t, q, s = (
        np.array([fields.numbers(item, name, what, rest) for item, what in zip(plain, told)]).reshape(-1, len(rest))
        for name, rest in (("translation", (0.0, 0.0, 0.0)), ("rotation", (0.0, 0.0, 0.0, 1.0)), ("scale", (1.0,) * 3))
    )
    q = convert_quaternions(q)
    T = compose_transforms(t, q, s)
    for i, item in enumerate(items):
        if item.get("matrix") is not None:
            matrix = np.array(fields.numbers(item, "matrix", told[i], IDENTITY)).reshape(4, 4).T
            matrix[3] = 0.0, 0.0, 0.0, 1.0
            T[i] = matrix
            t[i], q[i], s[i] = _decompose(matrix)
    names = [fields.text(item, "name") or f"node_{index}" for item, index in zip(items, order)]
    return tuple(GltfNode(*node) for node in zip(items, names, parents, t, q, s, T))


def _decompose(matrix: Array) -> tuple[Array, Array, Array]:
    """Translation, rotation and scale of a matrix; for a sheared or flat matrix they are an approximation."""
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if not np.isfinite(scale).all():
        raise damage_error("the matrix of a node overflows")
    if np.linalg.det(linear) < 0:
        scale[0] = -scale[0]
    return matrix[:3, 3].copy(), quaternion_from_matrix(linear / np.where(scale == 0, 1.0, scale)), scale
