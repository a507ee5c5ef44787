"""Clips to Motions: as a skin where nodes and joints move the mesh, as frames where morph targets do.

A clip is sampled at 30 frames per second from its first to its last key, both
included; a clip of no length is one frame. All clips of a file share one
reference mesh and, where there is one, one skin.
"""

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.gltf.reading.animation import GltfChannel, GltfClip
from neurok.files.gltf.reading.bones import bind_skin, compute_bone_transforms
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import damage_error
from neurok.files.gltf.reading.pose import GltfModel, fill_frames
from neurok.geometry.arrays import Array
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion

FRAME_RATE = 30.0  # frames per second
MAX_MOTION_BYTES = 2 << 30  # bytes of all clips together, beyond which they are sampled more coarsely
MIN_FRAME_BYTES = 20_000  # bytes that a frame of next to nothing counts for, which bounds the count of frames


def read_motions(document: GltfDocument, model: GltfModel, mesh: Mesh) -> tuple[Motion, ...]:
    """A motion for each clip; mesh is the displayed scene."""
    if not model.clips or not mesh.vertex_count:
        return ()
    return (
        _read_dense_motions(document, model, mesh)
        if _morphs_move(model)
        else _read_skinned_motions(document, model, mesh)
    )


def _read_dense_motions(document: GltfDocument, model: GltfModel, mesh: Mesh) -> tuple[Motion, ...]:
    kind = choose_frame_dtype(mesh)
    work = sum(len(b.geometry.positions) * len(b.geometry.morphs) for b in model.blocks)  # per frame, at most
    size = max(mesh.vertex_count * 3 * np.dtype(kind).itemsize, work // 4, 3 * len(model.blocks) * MIN_FRAME_BYTES)
    motions = []
    for clip, times in zip(model.clips, choose_sample_times(document, model.clips, size)):
        positions = np.empty((len(times), mesh.vertex_count, 3), dtype=kind)
        fill_frames(model, clip, times, positions)
        _check_finite(clip, positions)
        motions.append(Motion(mesh, times, positions=positions, name=clip.name))
    return tuple(motions)


def _read_skinned_motions(document: GltfDocument, model: GltfModel, mesh: Mesh) -> tuple[Motion, ...]:
    reference, skin, bones = bind_skin(document, model, mesh)
    size = max(128 * (len(model.scene.nodes) + len(bones)), MIN_FRAME_BYTES)
    motions = []
    for clip, times in zip(model.clips, choose_sample_times(document, model.clips, size)):
        transforms = compute_bone_transforms(model.scene, bones, clip, times)
        _check_finite(clip, transforms)
        motions.append(Motion(reference, times, skin=skin, transforms=transforms, name=clip.name))
    return tuple(motions)


def choose_sample_times(document: GltfDocument, clips: tuple[GltfClip, ...], frame_size: int) -> list[Array]:
    """The times of each clip's frames [s], each [t]; frame_size in bytes."""
    spans = [clip.end - clip.start for clip in clips]
    room = MAX_MOTION_BYTES / frame_size - 2 * len(clips)
    if room < 0:
        raise InputError(f"the {len(clips)} clips of the file are too much for memory", "split the file by clips")
    rate = FRAME_RATE
    if sum(spans) * rate > room:
        rate = room / sum(spans)
        document.add_note(f"the clips are too long for 30 frames per second and are sampled at {rate:.3g}")
    return [_make_time_grid(clip.start, clip.end, rate) for clip in clips]


def _make_time_grid(start: float, end: float, rate: float) -> Array:
    """Times from start to end [s], 1/rate apart but for the last step, [t]."""
    # Key times are single precision: a step that ends within a thousandth of a frame ends there.
    steps = np.ceil((end - start) * rate - 1e-3)
    times = start + np.arange(max(steps, 1.0)) / rate
    return np.unique(np.append(times[times < end], end))


def _morphs_move(model: GltfModel) -> bool:
    """Whether any clip moves a morph target away from its default weight."""
    influences = {block.node: block.influences for block in model.blocks if len(block.influences)}
    channels = [c for clip in model.clips for c in clip.channels if c.path == "weights" and c.node in influences]
    return any(_changes_weights(channel, influences[channel.node]) for channel in channels)


def _changes_weights(channel: GltfChannel, default: Array) -> bool:
    if channel.interpolation == "CUBICSPLINE" and channel.values[:, [0, 2]].any():
        return True
    values = channel.values[:, 1] if channel.interpolation == "CUBICSPLINE" else channel.values
    count = min(values.shape[1], len(default))
    return bool(np.any(values[:, :count] != default[:count]) or default[count:].any())


def _check_finite(clip: GltfClip, array: NDArray) -> None:
    if not np.isfinite(array).all():
        raise damage_error(f"the clip {clip.name} carries vertices to infinity")
