"""Vertex attributes, from blocks to the whole mesh; normals and tangents turn with the surface."""

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.reading.blocks import GltfBlock
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.pose import apply_morphs
from neurok.geometry.arrays import Array
from neurok.geometry.placement import carry_normals, carry_tangents


def compute_linear_parts(block: GltfBlock, matrices: Array) -> Array:
    """The linear map at each vertex of a skinned block, [n, 3, 3], or of the whole rigid one, [3, 3]."""
    if block.skin is None:
        return matrices[:3, :3]
    joints, weights = block.skin.influence.joints, block.skin.influence.weights
    linear = np.zeros((len(joints), 3, 3))
    for j in range(joints.shape[1]):
        linear += weights[:, j, None, None] * matrices[joints[:, j], :3, :3]
    return linear


def carry_attributes(block: GltfBlock, linear: Array) -> dict[str, NDArray]:
    """The attributes of a block by default, normals and tangents carried by linear maps ([3, 3] or [n, 3, 3])."""
    attributes = dict(block.geometry.attributes)
    if np.array_equal(linear, np.eye(3)) and not block.influences.any():
        return attributes  # the file's own numbers, to the last bit
    for name, carry in (("normal", carry_normals), ("tangent", carry_tangents)):
        if name in attributes:
            own = apply_morphs(block, block.influences, name)
            whole = np.concatenate([own, attributes[name][:, 3:]], axis=1)
            attributes[name] = carry(whole, linear).astype(np.float32)
    return attributes


def join_attributes(document: GltfDocument, columns: list[dict[str, NDArray]], counts: list[int]) -> dict[str, NDArray]:
    """Attributes of all blocks one after the other.

    Where a block lacks one that others have, its colours are white and all else is zero. Zero is no tangent,
    and is written as none; but a normal of zero would be drawn, so that some normals count as none at all.
    """
    joined = {}
    for name in dict.fromkeys(k for column in columns for k in column):
        widths = {column[name].shape[1] for column in columns if name in column}
        missing = any(name not in column for column in columns)
        if len(widths) > 1 or (missing and name == "normal"):
            document.add_note(f"only some meshes have {name}s (or of another width); they are left out")
            continue
        filler = np.float32(1.0 if name == "color" else 0.0)
        width = widths.pop()
        parts = [c[name] if name in c else np.full((n, width), filler) for c, n in zip(columns, counts)]
        joined[name] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return joined
