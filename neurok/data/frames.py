"""Frames of a recorded motion: the rigid motion of the whole object removed, near-duplicates thinned."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.rigid import rigid_from_points

COMPARED_VERTEX_COUNT = 2000  # vertices, roughly, by which frames are compared


def fit_rigid_motions(frames: Array, area: Array) -> Array:
    """The rigid motions that fit each of the frames [t, n, 3] to the first one best, [t, 4, 4].

    Vertices are weighted by their area [n]: a ball of a thousand vertices must not outweigh the box it sits on.
    """
    return np.stack([rigid_from_points(frame, frames[0], area) for frame in frames])


def apply_rigid_motions(frames: Array, whole: Array) -> Array:
    """Frames [t, n, 3], each moved by its rigid motion [t, 4, 4]."""
    return np.stack([f @ T[:3, :3].T + T[:3, 3] for f, T in zip(frames, whole)])


def thin_frames(frames: Array, min_distance: float, max_count: int) -> list[int]:
    """Indices of at most max_count frames, in order of time, chosen by farthest point sampling from the first frame on.

    A frame is chosen only if it differs by more than min_distance (RMS over the vertices) from all chosen ones.
    """
    flat = frames[:, :: max(frames.shape[1] // COMPARED_VERTEX_COUNT, 1)]
    kept = [0]
    away = np.sqrt(((flat - flat[0]) ** 2).sum(axis=2).mean(axis=1))
    while len(kept) < max_count and away.max() > min_distance:
        kept.append(int(away.argmax()))
        away = np.minimum(away, np.sqrt(((flat - flat[kept[-1]]) ** 2).sum(axis=2).mean(axis=1)))
    return sorted(kept)
