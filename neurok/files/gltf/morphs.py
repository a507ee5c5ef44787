"""Morph targets for a dense motion: its displacements in few modes, to a stated tolerance.

The displacements of all frames from the reference shape form a matrix D [t, 3 n].
With the eigenvectors U of its small Gram matrix G = D D^T [t, t], strongest first,

    D ~ U_r (U_r^T D),

is the best approximation of rank r in the mean square. The least r is taken whose
largest vertex error, measured on the float32 numbers that are written, keeps the
tolerance. D itself is never held: frames are read in blocks of vertices.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.mesh import Array

BLOCK = 1 << 24  # numbers in a block, over all frames


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
    """The fewest morph targets that keep every vertex of every frame within tolerance [unit].

    reference: [n, 3]; frames: one array [t_c, n, 3] for each clip, which share the targets.
    Where float32 cannot reach the tolerance, all modes are kept and the error says so.
    """
    reference = reference.astype("<f4")
    gram = sum(block @ block.T for _, block in _blocks(reference, frames, np.float64))
    values, vectors = np.linalg.eigh(gram)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    vectors *= np.where(np.abs(vectors).max(axis=0) == vectors.max(axis=0), 1.0, -1.0)  # eigh leaves the sign open
    low, high = _least(values, len(reference), tolerance), len(values)
    # The error falls with the rank; the least rank that will do lies in low..high.
    found: dict[int, float] = {}
    while low < high:
        rank = (low + high) // 2
        found[rank] = _error(reference, frames, vectors[:, :rank])
        low, high = (low, rank) if found[rank] <= tolerance else (rank + 1, high)
    return _expand(reference, frames, vectors[:, :low])


def _least(values: Array, vertex_count: int, tolerance: float) -> int:
    """A rank below which the mean square error alone exceeds the tolerance; one at least."""
    rest = np.append(np.cumsum(values[::-1])[::-1], 0.0)  # squared error left after each rank
    enough = rest <= len(values) * vertex_count * tolerance**2
    return max(int(np.argmax(enough)), 1)


def _blocks(reference: NDArray, frames: Sequence[NDArray], kind: type) -> Iterator[tuple[slice, NDArray]]:
    """Displacements of a block of vertices over all frames, [t, 3 m], one block after another."""
    count = sum(len(clip) for clip in frames)
    size = max(BLOCK // (3 * count), 1)
    for start in range(0, len(reference), size):
        part = slice(start, min(start + size, len(reference)))
        block = np.concatenate([np.subtract(clip[:, part], reference[part], dtype=np.float64) for clip in frames])
        yield part, block.reshape(count, -1).astype(kind, copy=False)


def _modes(vectors: Array, block: NDArray) -> tuple[NDArray, NDArray]:
    """Weights [t, r] of size at most one, and the modes [r, 3 m] of a block that belong to them."""
    size = np.abs(vectors).max(axis=0)
    weights = (vectors / size).astype("<f4")
    return weights, (vectors * size).T.astype("<f4") @ block


def _error(reference: NDArray, frames: Sequence[NDArray], vectors: Array) -> float:
    """Largest distance of a vertex from its place when only these modes are kept."""
    worst = 0.0
    for _, block in _blocks(reference, frames, np.float32):
        weights, modes = _modes(vectors, block)
        worst = max(worst, _farthest(block, weights, modes))
    return worst


def _expand(reference: NDArray, frames: Sequence[NDArray], vectors: Array) -> Morphs:
    targets = np.empty((vectors.shape[1], *reference.shape), dtype="<f4")
    worst, weights = 0.0, np.empty(0)
    for part, block in _blocks(reference, frames, np.float32):
        weights, modes = _modes(vectors, block)
        targets[:, part] = modes.reshape(len(targets), -1, 3)
        worst = max(worst, _farthest(block, weights, modes))
    return Morphs(weights, targets, worst)


def _farthest(block: NDArray, weights: NDArray, modes: NDArray) -> float:
    gap = block - weights @ modes
    gap *= gap
    return float(np.sqrt(gap.reshape(len(block), -1, 3).sum(axis=2).max(initial=0.0)))


def carry_normals(targets_of: Array, weights: NDArray) -> NDArray:
    """Normals' changes [t, n, 3] as changes along the same weights [t, r], in the least-squares sense, [r, n, 3]."""
    flat = targets_of.reshape(len(targets_of), -1)
    return (np.linalg.pinv(weights.astype(np.float64)) @ flat).astype("<f4").reshape(-1, *targets_of.shape[1:])
