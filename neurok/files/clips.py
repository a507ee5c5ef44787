"""Clips: a motion as pages play it, in whichever of three codings is smallest.

bones   the motions of a skin's bones, which carry the vertices
morphs  x(t) = rest + sum_r weights[t, r] targets[r], targets in whole steps
steps   every frame in whole steps, as what is left of it after going on straight from the two before

Whole numbers are folded to be positive (0, -1, 1, -2, ... become 0, 1, 2, 3, ...) and laid down as all their low
bytes, then all their high ones: most high bytes are then zero, which compresses to nothing.
"""

import zlib
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from neurok.files.film import choose_film_times
from neurok.files.gltf.writing.morphs import compress_frames
from neurok.files.packets import Bytes, Floats, Shorts, pack
from neurok.files.skinned import require_skin
from neurok.files.stage import Stage
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion

POSITION_TOLERANCE = 1e-4  # of the diagonal: how far a vertex may be from its place
MAX_POSITION_TOLERANCE = 2e-3  # what that may grow to where the clip would be larger than MAX_CLIP_BYTES
MAX_CLIP_BYTES = 2_600_000  # bytes, compressed; as text in a page a third more
MAX_MOTION_NUMBERS = 200_000_000  # vertices x frames x 3 looked at; of longer motions, every k-th frame


@dataclass(frozen=True)
class Clip:
    """A motion on the stage.

    coding: bones, morphs or steps. count: frames; fps: of them a second. error: largest, of the diagonal.
    kinetic, potential: energies [J], [t] each, empty where unknown. status: a sentence on how it was made.
    bones: [t, b, 3, 4]; joints [n, width]; shares [n, width] in 65535ths. weights: [t, r]; step: the unit of the
    whole numbers; numbers: [r, n, 3] or [t, n, 3].
    """

    coding: str
    count: int
    fps: float
    error: float
    status: str
    width: int
    step: float
    kinetic: Floats
    potential: Floats
    bones: Floats
    joints: Shorts
    shares: Shorts
    weights: Floats
    numbers: Bytes


class _ClipFacts(TypedDict):
    """The fields of a clip that do not depend on its coding."""

    count: int
    fps: float
    status: str
    kinetic: Floats
    potential: Floats


def encode_clip(motion: Motion, stage: Stage) -> Clip:
    """The motion in its smallest coding."""
    rows, fps = _choose_frames(motion)
    facts = _ClipFacts(
        count=len(rows),
        fps=fps,
        status=str(motion.facts.get("status", "")),
        kinetic=_read_energy(motion, "kinetic", rows),
        potential=_read_energy(motion, "potential", rows),
    )
    if motion.skin is not None:
        return _encode_bones(motion, stage, rows, facts)
    frames = stage.points(np.asarray(motion.positions)[rows]).astype(np.float32)
    rest = stage.points(motion.mesh.vertices).astype(np.float32)
    tolerance = POSITION_TOLERANCE
    while True:
        ways = [_encode_steps(frames, tolerance, facts)]
        if _estimate_rank(rest, frames, tolerance) <= len(frames) // 2:
            ways.append(_encode_morphs(rest, frames, tolerance, facts))
        found = min(ways, key=measure_clip_size)
        if measure_clip_size(found) <= MAX_CLIP_BYTES or tolerance >= MAX_POSITION_TOLERANCE:
            return found
        tolerance = min(4 * tolerance, MAX_POSITION_TOLERANCE)


def _read_energy(motion: Motion, kind: str, rows: NDArray[np.int64]) -> Floats:
    """The kinetic or potential energy of a motion [J] at some of its frames, [t]; empty where it is unknown."""
    energy = np.asarray(motion.facts.get(f"{kind}_energy", []), dtype=np.float32)
    return energy[rows] if len(energy) == motion.frame_count else energy[:0]


def _estimate_rank(rest: NDArray, frames: NDArray, tolerance: float) -> int:
    """About how many morph targets the tolerance takes, from a sample: where most frames need their own, none help."""
    some = slice(None, None, 1 + len(rest) // 1000)
    moved = (frames[:, some] - rest[some]).reshape(len(frames), -1)
    left = np.linalg.svd(moved, compute_uv=False)
    beyond = np.sqrt(np.cumsum((left**2)[::-1])[::-1] / moved.size * 3)  # root mean square of what is left out
    return int(np.count_nonzero(beyond > 0.3 * tolerance))


def measure_clip_size(one: Clip) -> int:
    """Bytes of a clip, compressed."""
    return len(zlib.compress(pack(one), 4))


def _choose_frames(motion: Motion) -> tuple[NDArray[np.int64], float]:
    """The frames to show, evenly in time, [t], and how many there are a second."""
    times, fps = choose_film_times(motion)
    most = max(MAX_MOTION_NUMBERS // (3 * max(motion.mesh.vertex_count, 1)), 2)
    stride = 1 if motion.skin is not None else -(-len(times) // most)
    after = np.clip(np.searchsorted(motion.time, times), 1, max(motion.frame_count - 1, 1))
    before = after - 1
    if motion.frame_count == 1:
        return np.zeros(1, dtype=np.int64), fps
    nearer = np.where(times - motion.time[before] < motion.time[after] - times, before, after)
    return nearer[::stride], fps / stride


def _encode_bones(motion: Motion, stage: Stage, rows: NDArray[np.int64], facts: _ClipFacts) -> Clip:
    skin, transforms = require_skin(motion)
    return Clip(
        coding="bones",
        error=0.0,
        width=skin.joints.shape[1],
        step=0.0,
        bones=stage.motions(np.asarray(transforms, dtype=np.float64)[rows]).astype(np.float32),
        joints=skin.joints.astype(np.uint16),
        shares=np.round(65535 * np.clip(skin.weights, 0.0, 1.0)).astype(np.uint16),
        weights=np.zeros(0, dtype=np.float32),
        numbers=np.zeros(0, dtype=np.uint8),
        **facts,
    )


def _encode_morphs(rest: NDArray, frames: NDArray, tolerance: float, facts: _ClipFacts) -> Clip:
    morphs = compress_frames(rest.astype(np.float64), [frames], tolerance=0.6 * tolerance)
    # What rounding adds: half a step for each target in use, and the errors are as good as independent.
    step = 0.8 * tolerance / np.sqrt(len(morphs.targets))
    whole = np.round(morphs.targets / step).astype(np.int64)
    moved = np.tensordot(morphs.weights.astype(np.float64), whole * step, axes=1) + rest
    return _make_clip("morphs", _largest_distance(moved - frames), step, whole, morphs.weights, facts)


def _encode_steps(frames: NDArray, tolerance: float, facts: _ClipFacts) -> Clip:
    step = tolerance / np.sqrt(3)  # half a step off along each axis is half the tolerance
    whole = np.round(frames / step).astype(np.int64)
    ahead = np.zeros_like(whole)
    ahead[1:] = whole[:-1]
    ahead[2:] += whole[1:-1] - whole[:-2]
    return _make_clip("steps", _largest_distance(whole * step - frames), step, whole - ahead, np.zeros((0, 0)), facts)


def _largest_distance(gap: Array) -> float:
    return float(np.sqrt((np.asarray(gap) ** 2).sum(axis=-1).max(initial=0.0)))


def _make_clip(coding: str, error: float, step: float, whole: NDArray, weights: NDArray, facts: _ClipFacts) -> Clip:
    folded = np.where(whole < 0, -2 * whole - 1, 2 * whole).reshape(-1)
    planes = [(folded >> (8 * byte)) & 255 for byte in range(3)]
    return Clip(
        coding=coding,
        error=error,
        width=0,
        step=float(step),
        bones=np.zeros(0, dtype=np.float32),
        joints=np.zeros(0, dtype=np.uint16),
        shares=np.zeros(0, dtype=np.uint16),
        weights=weights.astype(np.float32),
        numbers=np.concatenate(planes).astype(np.uint8),
        **facts,
    )
