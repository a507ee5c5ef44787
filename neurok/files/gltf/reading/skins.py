"""Skins: which joints a node's vertices follow, and how much."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.accessors import decode_finite, denormalise
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import damage_error
from neurok.files.gltf.reading.scene import GltfScene
from neurok.geometry.arrays import Array, Indices


@dataclass(frozen=True)
class SkinBinding:
    """The joints of a skin as places in the scene, and T_joint_mesh at binding, [j, 4, 4]."""

    joints: tuple[int, ...]
    inverse_binds: Array


@dataclass(frozen=True)
class VertexWeights:
    """Which joints of a skin each vertex follows and how much, [n, 4] or [n, 8]; rows of weights sum to one."""

    joints: Indices
    weights: Array


@dataclass(frozen=True)
class BoundSkin:
    """The joints that move a block of vertices, and the weights by which they do."""

    binding: SkinBinding
    influence: VertexWeights


def read_node_binding(
    document: GltfDocument, scene: GltfScene, node: int, known: dict[int, SkinBinding]
) -> SkinBinding | None:
    skin = fields.optional_index(scene.nodes[node].item, "skin", scene.nodes[node].name)
    if skin is None:
        return None
    if skin not in known:
        known[skin] = _read_skin(document, scene, skin)
    return known[skin]


def _read_skin(document: GltfDocument, scene: GltfScene, skin: int) -> SkinBinding:
    what = f"skin {skin}"
    item = document.item("skins", skin)
    joints = fields.indices(item, "joints", what)
    if not joints or max(joints) >= len(scene.nodes):
        raise damage_error(f"{what} names joints that are not there")
    place = fields.optional_index(item, "inverseBindMatrices", what)
    if place is None:
        inverse_binds = np.broadcast_to(np.eye(4), (len(joints), 4, 4))
    else:
        stored = decode_finite(document, place, width=16).astype(np.float64)
        if len(stored) < len(joints):
            raise damage_error(f"{what} has {len(stored)} matrices for {len(joints)} joints")
        inverse_binds = stored[: len(joints)].reshape(-1, 4, 4).transpose(0, 2, 1).copy()
        inverse_binds[:, 3] = 0.0, 0.0, 0.0, 1.0
    return SkinBinding(tuple(scene.place[j] for j in joints), inverse_binds)


def read_weights(arrays: dict[str, NDArray], what: str) -> VertexWeights | None:
    """Joints and weights, both sets side by side, [n, 4] or [n, 8].

    Rows are divided by the sum of their absolute values, and rows of zeros
    follow their first joint alone: what three.js does when it loads a file.
    """
    sets = [i for i in range(2) if f"JOINTS_{i}" in arrays and f"WEIGHTS_{i}" in arrays]
    if not sets:
        return None
    joints = np.concatenate([arrays[f"JOINTS_{i}"] for i in sets], axis=1)
    weights = np.concatenate([arrays[f"WEIGHTS_{i}"] for i in sets], axis=1)
    # Written so that NaN fails too.
    if joints.shape != weights.shape or not (joints.min(initial=0) >= 0 and joints.max(initial=0) < 1 << 31):
        raise damage_error(f"{what} has joints that do not fit its weights")
    weights = (weights if weights.dtype.kind == "f" else denormalise(weights)).astype(np.float64)
    if not np.isfinite(weights).all():
        raise damage_error(f"{what} has weights that are not finite")
    total = np.abs(weights).sum(axis=1, keepdims=True)
    first = np.zeros(weights.shape[1])
    first[0] = 1.0
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1.0), first)
    # Joints of no weight may be out of range in careless files; they move nothing.
    return VertexWeights(np.where(weights == 0, 0, joints.astype(np.int64)), weights)
