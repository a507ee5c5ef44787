"""Skin weights as glTF wants them: sets of four, strongest first, adding up to one in float32."""

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.writing.builder import GltfBuilder
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Skin


def is_convex(skin: Skin) -> bool:
    """Whether all weights are shares: none negative, rows that add up to one."""
    return bool(np.all(skin.weights >= 0) and np.all(np.abs(skin.weights.sum(axis=1) - 1) < 1e-3))


def pack_influence(skin: Skin) -> tuple[NDArray, NDArray]:
    """Joints [n, 4 k] as uint8 or uint16 and weights [n, 4 k] as float32; each joint once, unused places zero."""
    joints, weights = _merge_repeats(skin.joints.astype(np.int64), skin.weights.astype(np.float64))
    order = np.argsort(-weights, axis=1, kind="stable")
    weights = np.take_along_axis(weights, order, axis=1)
    joints = np.take_along_axis(joints, order, axis=1)
    width = max(int(np.max(np.sum(weights > 0, axis=1), initial=1)), 1)
    width = 4 * -(-width // 4)
    missing = max(width - weights.shape[1], 0)
    weights = np.pad(weights[:, :width], ((0, 0), (0, missing)))
    joints = np.pad(joints[:, :width], ((0, 0), (0, missing)))
    shares = (weights / weights.sum(axis=1, keepdims=True)).astype("<f4")
    # The strongest takes what rounding left over.
    shares[:, 0] = 1.0 - shares[:, 1:].sum(axis=1, dtype=np.float64)
    joints[shares == 0] = 0
    return joints.astype("u1" if skin.bone_count <= 256 else "<u2"), shares


def _merge_repeats(joints: NDArray, weights: Array) -> tuple[NDArray, Array]:
    """The same skin with a bone that a row names twice named once, with the sum of the weights."""
    order = np.argsort(joints, axis=1, kind="stable")
    joints = np.take_along_axis(joints, order, axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    for column in range(1, joints.shape[1]):
        same = joints[:, column] == joints[:, column - 1]
        weights[:, column] += np.where(same, weights[:, column - 1], 0.0)
        weights[:, column - 1] = np.where(same, 0.0, weights[:, column - 1])
    return joints, weights


def add_skin(builder: GltfBuilder, skin: Skin, bone_nodes: list[int]) -> int:
    """A skin over bone nodes; T_bone_mesh at reference is the inverse of the bone's frame."""
    inverse = np.linalg.inv(skin.frames)
    inverse[:, 3] = 0.0, 0.0, 0.0, 1.0
    columns = np.ascontiguousarray(inverse.transpose(0, 2, 1), dtype="<f4")
    return builder.add("skins", {"joints": bone_nodes, "inverseBindMatrices": builder.accessor(columns)})
