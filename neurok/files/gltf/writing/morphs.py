"""Morph targets for a dense motion: its displacements in few modes, to a stated tolerance.

The displacements of all frames from the reference shape form a matrix D [t, 3 n].
With the eigenvectors U of its small Gram matrix G = D D^T [t, t], strongest first,

    D ~ U_r (U_r^T D)

is the best approximation of rank r in the mean square. The least r is taken whose
largest vertex error, measured on the float32 numbers that are written, keeps the
tolerance. D itself is never held: frames are read in blocks of vertices.

To find r without a pass over all vertices for each candidate, it is found on a sample
first and then tried on all; while it fails, the vertices that fail join the sample.
The sample's answer is never too high, so the first that holds is the least.

Some programs (Blender 4.2 among them) cut animated weights to 0..1. A mode that swings
both ways is therefore written from its lowest point l_r <= 0 up, with s_r the way to its highest,

    U_r = s_r (U_r - l_r) / s_r + l_r,

and the modes at their lowest points, sum_r l_r (U_r^T D), are one more target of weight 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array, Indices

BLOCK_NUMBER_COUNT = 1 << 20  # numbers in a block, over all frames: what a processor's cache holds
SAMPLE_NUMBER_COUNT = 1 << 22  # numbers in the first sample, over all frames
JOINING_VERTEX_COUNT = 2_000  # vertices that join it at a time


@dataclass(frozen=True)
class Morphs:
    """x(t) = x(reference) + sum_r weights[t, r] targets[r].

    weights: [t, r] float32 in 0..1; targets [unit], [r, n, 3] float32.
    error: largest distance of a vertex from its place at any frame [unit].
    """

    weights: NDArray
    targets: NDArray
    error: float


def compress_frames(reference: Array, frames: Sequence[NDArray], *, tolerance: float) -> Morphs:
    """The fewest morph targets that keep every vertex of every frame within tolerance [unit]; one at least.

    reference: [n, 3]; frames: one array [t_c, n, 3] for each clip, which share the targets.
    Where float32 cannot reach the tolerance, all modes are kept and the error says so.
    """
    reference = reference.astype("<f4")
    vectors = _find_directions(reference, frames)
    sample = np.arange(0, len(reference), reference.size * len(vectors) // SAMPLE_NUMBER_COUNT + 1)
    rank = 0
    while True:
        rank = _find_least_rank(_compute_displacements(reference, frames, sample), vectors, rank + 1, tolerance)
        morphs, error = _expand_modes(reference, frames, vectors[:, :rank])
        worst = float(error.max(initial=0.0))
        if worst <= tolerance or rank == vectors.shape[1]:
            return Morphs(*morphs, worst)
        failing = np.argpartition(error, -min(JOINING_VERTEX_COUNT, len(error)))[-JOINING_VERTEX_COUNT:]
        sample = np.union1d(sample, failing[error[failing] > tolerance])


def _find_directions(reference: NDArray, frames: Sequence[NDArray]) -> Array:
    """Eigenvectors of the Gram matrix, strongest first, [t, t]."""
    blocks = (block.astype(np.float64) for _, block in _iterate_blocks(reference, frames))
    _, vectors = np.linalg.eigh(sum(block @ block.T for block in blocks))
    vectors = vectors[:, ::-1]
    # The sign is open: the largest entry of each is made positive.
    return vectors * np.where(vectors.max(axis=0) >= -vectors.min(axis=0), 1.0, -1.0)


def _find_least_rank(block: NDArray, vectors: Array, low: int, tolerance: float) -> int:
    """The least rank from low on that keeps the tolerance on these displacements [t, 3 m], or all modes."""
    high = vectors.shape[1]
    while low < high:
        middle = (low + high) // 2
        weights, shares = _compute_weights(vectors[:, :middle])
        error = _compute_errors(block, weights, shares @ block).max(initial=0.0)
        low, high = (low, middle) if error <= tolerance else (middle + 1, high)
    return low


def _expand_modes(
    reference: NDArray, frames: Sequence[NDArray], vectors: Array
) -> tuple[tuple[NDArray, NDArray], NDArray]:
    """Weights [t, r] and targets [r, n, 3] of these modes, and the largest error of each vertex [unit], [n]."""
    weights, shares = _compute_weights(vectors)
    targets = np.empty((len(shares), *reference.shape), dtype="<f4")
    error = np.empty(len(reference), dtype=np.float32)
    for part, block in _iterate_blocks(reference, frames):
        modes = shares @ block
        targets[:, part] = modes.reshape(len(targets), -1, 3)
        error[part] = _compute_errors(block, weights, modes)
    return (weights, targets), error


def _iterate_blocks(reference: NDArray, frames: Sequence[NDArray]) -> Iterator[tuple[slice, NDArray]]:
    """Displacements of a block of vertices over all frames, [t, 3 m] float32, one block after another."""
    size = max(BLOCK_NUMBER_COUNT // (3 * sum(len(clip) for clip in frames)), 1)
    for start in range(0, len(reference), size):
        part = slice(start, min(start + size, len(reference)))
        yield part, _compute_displacements(reference, frames, part)


def _compute_displacements(reference: NDArray, frames: Sequence[NDArray], some: slice | Indices) -> NDArray:
    """Displacements of some vertices over all frames, [t, 3 m] float32."""
    base = reference[some]
    block = np.empty((sum(len(clip) for clip in frames), *base.shape), dtype=np.float32)
    row = 0
    for clip in frames:
        # Taken in the frames' own precision, and rounded after the subtraction.
        np.subtract(clip[:, some], base, out=block[row : row + len(clip)], casting="same_kind")
        row += len(clip)
    return block.reshape(len(block), -1)


def _compute_weights(vectors: Array) -> tuple[NDArray, NDArray]:
    """Weights of the targets over time, [t, r] in 0..1, and the share of each frame in the targets, [r, t]."""
    lowest = vectors.min(axis=0)
    lowest = np.where(lowest < -1e-7, lowest, 0.0)  # rounding is no swing
    size = vectors.max(axis=0) - lowest
    weights, shares = np.clip((vectors - lowest) / size, 0.0, 1.0), (vectors * size).T
    if lowest.any():
        weights = np.column_stack([weights, np.ones(len(vectors))])
        shares = np.vstack([shares, vectors @ lowest])
    return weights.astype("<f4"), shares.astype("<f4")


def _compute_errors(block: NDArray, weights: NDArray, modes: NDArray) -> NDArray:
    """The largest distance of each vertex from its place over all frames [unit], [m]."""
    gap = block - weights @ modes
    gap *= gap
    return np.sqrt((gap[:, 0::3] + gap[:, 1::3] + gap[:, 2::3]).max(axis=0))
