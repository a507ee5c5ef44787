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
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.mesh import Array, Indices

BLOCK = 1 << 20  # numbers in a block, over all frames: what a processor's cache holds
SAMPLE = 1 << 22  # numbers in the first sample, over all frames
JOINING = 2_000  # vertices that join it at a time


@dataclass(frozen=True)
class Morphs:
    """x(t) = x(reference) + sum_r weights[t, r] targets[r].

    weights: [t, r] float32, at most 1 in size; targets [unit], [r, n, 3] float32.
    error: largest distance of a vertex from its place at any frame [unit].
    """

    weights: NDArray
    targets: NDArray
    error: float


def compress(reference: Array, frames: Sequence[NDArray], *, tolerance: float) -> Morphs:
    """The fewest morph targets that keep every vertex of every frame within tolerance [unit]; one at least.

    reference: [n, 3]; frames: one array [t_c, n, 3] for each clip, which share the targets.
    Where float32 cannot reach the tolerance, all modes are kept and the error says so.
    """
    reference = reference.astype("<f4")
    vectors = _directions(reference, frames)
    sample = np.arange(0, len(reference), reference.size * len(vectors) // SAMPLE + 1)
    rank = 0
    while True:
        rank = _least_rank(_displacements(reference, frames, sample), vectors, rank + 1, tolerance)
        morphs, error = _expand(reference, frames, vectors[:, :rank])
        worst = float(error.max(initial=0.0))
        if worst <= tolerance or rank == vectors.shape[1]:
            return Morphs(*morphs, worst)
        failing = np.argpartition(error, -min(JOINING, len(error)))[-JOINING:]
        sample = np.union1d(sample, failing[error[failing] > tolerance])


def _directions(reference: NDArray, frames: Sequence[NDArray]) -> Array:
    """Eigenvectors of the Gram matrix, strongest first, [t, t]."""
    blocks = (block.astype(np.float64) for _, block in _blocks(reference, frames))
    _, vectors = np.linalg.eigh(sum(block @ block.T for block in blocks))
    vectors = vectors[:, ::-1]
    # The sign is open: the largest entry of each is made positive.
    return vectors * np.where(vectors.max(axis=0) >= -vectors.min(axis=0), 1.0, -1.0)


def _least_rank(block: NDArray, vectors: Array, low: int, tolerance: float) -> int:
    """The least rank from low on that keeps the tolerance on these displacements [t, 3 m], or all modes."""
    high = vectors.shape[1]
    while low < high:
        middle = (low + high) // 2
        error = _errors(block, *_modes(vectors[:, :middle], block)).max(initial=0.0)
        low, high = (low, middle) if error <= tolerance else (middle + 1, high)
    return low


def _expand(reference: NDArray, frames: Sequence[NDArray], vectors: Array) -> tuple[tuple[NDArray, NDArray], NDArray]:
    """Weights [t, r] and targets [r, n, 3] of these modes, and the largest error of each vertex [unit], [n]."""
    targets = np.empty((vectors.shape[1], *reference.shape), dtype="<f4")
    error = np.empty(len(reference), dtype=np.float32)
    weights = np.empty(vectors.shape, dtype="<f4")
    for part, block in _blocks(reference, frames):
        weights, modes = _modes(vectors, block)
        targets[:, part] = modes.reshape(len(targets), -1, 3)
        error[part] = _errors(block, weights, modes)
    return (weights, targets), error


def _blocks(reference: NDArray, frames: Sequence[NDArray]) -> Iterator[tuple[slice, NDArray]]:
    """Displacements of a block of vertices over all frames, [t, 3 m] float32, one block after another."""
    size = max(BLOCK // (3 * sum(len(clip) for clip in frames)), 1)
    for start in range(0, len(reference), size):
        part = slice(start, min(start + size, len(reference)))
        yield part, _displacements(reference, frames, part)


def _displacements(reference: NDArray, frames: Sequence[NDArray], some: slice | Indices) -> NDArray:
    """Displacements of some vertices over all frames, [t, 3 m] float32."""
    base = reference[some]
    block = np.empty((sum(len(clip) for clip in frames), *base.shape), dtype=np.float32)
    row = 0
    for clip in frames:
        # Taken in the frames' own precision, and rounded after the subtraction.
        np.subtract(clip[:, some], base, out=block[row : row + len(clip)], casting="same_kind")
        row += len(clip)
    return block.reshape(len(block), -1)


def _modes(vectors: Array, block: NDArray) -> tuple[NDArray, NDArray]:
    """Weights [t, r] of size at most one, and the modes [r, 3 m] of a block that belong to them."""
    size = np.abs(vectors).max(axis=0)
    weights = (vectors / size).astype("<f4")
    return weights, (vectors * size).T.astype("<f4") @ block


def _errors(block: NDArray, weights: NDArray, modes: NDArray) -> NDArray:
    """The largest distance of each vertex from its place over all frames [unit], [m]."""
    gap = block - weights @ modes
    gap *= gap
    return np.sqrt((gap[:, 0::3] + gap[:, 1::3] + gap[:, 2::3]).max(axis=0))
