"""Poses: where all vertices are at given times of a clip, or by default."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.errors import unknown
from neurok.files.gltf.reading.animation import GltfClip, read_clips
from neurok.files.gltf.reading.blocks import GltfBlock, read_blocks
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.scene import GltfScene, compute_world_matrices, read_scene
from neurok.files.transforms import compose_transforms
from neurok.geometry.arrays import Array


@dataclass(frozen=True)
class GltfModel:
    """The nodes, shapes and clips of a file, decoded."""

    scene: GltfScene
    blocks: tuple[GltfBlock, ...]
    clips: tuple[GltfClip, ...]

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first vertex of each block, and the count of all, [blocks + 1]."""
        return np.cumsum([0] + [len(b.geometry.positions) for b in self.blocks])


def open_model(document: GltfDocument) -> GltfModel:
    """The nodes, geometry and clips of a document, decoded once."""
    if "model" not in document.cache:
        scene = read_scene(document)
        document.cache["model"] = GltfModel(scene, read_blocks(document, scene), read_clips(document, scene))
    return document.cache["model"]


def evaluate_clip(document: GltfDocument, clip: int | str | None, times: Array) -> Array:
    """Vertices at times [s] of a clip (its place or name; None for the default pose) [unit], [t, n, 3] float64.

    The vertices come as the nodes have them (Asset.mesh may be numbered otherwise). Before its
    first and after its last key a channel holds its value.
    """
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    with np.errstate(all="ignore"):  # what overflows shows as numbers that are not finite
        model = open_model(document)
        frames = np.empty((len(times), model.starts[-1], 3))
        fill_frames(model, None if clip is None else _choose_clip(model, clip), times, frames)
    return frames


def fill_frames(model: GltfModel, clip: GltfClip | None, times: Array, frames: NDArray) -> None:
    """Write vertices at the given times into frames, [t, n, 3]."""
    worlds = compute_clip_worlds(model.scene, clip, times)
    for block, start, end in zip(model.blocks, model.starts, model.starts[1:]):
        influences = compute_block_influences(block, clip, times)
        # What does not change over time is a single frame here, and broadcast below.
        matrices = compute_block_matrices(block, worlds)
        for t in range(len(times)):
            shape = apply_morphs(block, influences[t] if influences.ndim == 2 else influences, "position")
            matrix = matrices[t] if matrices.ndim == (4 if block.skin else 3) else matrices
            frames[t, start:end] = blend_block(block, matrix, shape)


def compute_clip_worlds(scene: GltfScene, clip: GltfClip | None, times: Array) -> list[Array]:
    """T_world_node of every node, [4, 4] or, where the clip moves it, [t, 4, 4]."""
    if clip is None:
        return compute_world_matrices(scene)
    moved: dict[int, dict[str, Array]] = {}
    for channel in clip.channels:
        if channel.path != "weights":
            moved.setdefault(channel.node, {})[channel.path] = channel.evaluate(times)
    locals_ = {}
    for place, values in moved.items():
        node = scene.nodes[place]
        locals_[place] = compose_transforms(
            values.get("translation", node.translation),
            values.get("rotation", node.rotation),
            values.get("scale", node.scale),
        )
    return compute_world_matrices(scene, locals_)


def compute_block_influences(block: GltfBlock, clip: GltfClip | None, times: Array) -> Array:
    """Weights of the morph targets, [k] or, where the clip moves them, [t, k]."""
    count = len(block.influences)
    for channel in clip.channels if clip is not None and count else ():
        if channel.path == "weights" and channel.node == block.node:
            values = channel.evaluate(times)[:, :count]
            return np.pad(values, ((0, 0), (0, count - values.shape[1])))
    return block.influences


def compute_block_matrices(block: GltfBlock, worlds: list[Array]) -> Array:
    """The matrices that carry a block's vertices.

    T_world_node of a rigid block, [4, 4] or [t, 4, 4];
    W_joint IBM_joint of a skinned one, [j, 4, 4] or [t, j, 4, 4].
    """
    if block.skin is None:
        return worlds[block.node]
    joints = [worlds[j] for j in block.skin.binding.joints]
    still = all(w.ndim == 2 for w in joints)
    stacked = np.stack(joints if still else list(np.broadcast_arrays(*joints)), axis=-3)
    return stacked @ block.skin.binding.inverse_binds


def apply_morphs(block: GltfBlock, influences: Array, name: str) -> Array:
    """Positions, normals or tangents [n, 3] of a block with its morph targets applied, in its own axes."""
    geometry = block.geometry
    base = geometry.positions if name == "position" else geometry.attributes[name][:, :3]
    result = base.astype(np.float64)
    for weight, morph in zip(influences, geometry.morphs):
        if weight != 0.0 and name in morph:
            result += weight * morph[name]
    return result


def blend_block(block: GltfBlock, matrices: Array, points: Array) -> Array:
    """Points [n, 3] carried by one matrix [4, 4], or by the matrices of the joints [j, 4, 4] weighted."""
    if block.skin is None:
        return points @ matrices[:3, :3].T + matrices[:3, 3]
    result = np.zeros_like(points)
    joints, weights = block.skin.influence.joints, block.skin.influence.weights
    for j in range(joints.shape[1]):
        if not weights[:, j].any():
            continue
        matrix = matrices[joints[:, j]]
        moved = np.einsum("nab,nb->na", matrix[:, :3, :3], points) + matrix[:, :3, 3]
        result += weights[:, j, None] * moved
    return result


def _choose_clip(model: GltfModel, clip: int | str) -> GltfClip:
    names = [c.name for c in model.clips]
    if isinstance(clip, str) and clip in names:
        return model.clips[names.index(clip)]
    if isinstance(clip, int) and 0 <= clip < len(names):
        return model.clips[clip]
    raise unknown("clip", clip, names or ["(the file has no clips)"])
