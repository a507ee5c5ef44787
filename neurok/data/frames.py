"""Frames of a recorded motion: what the object does as a whole taken out, near-duplicates thinned."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.rigid import rigid_from_points

ANCHORS = 2000  # vertices by which frames are compared


def motions_of_the_whole(frames: Array, area: Array) -> Array:
    """The rigid motions that bring frames [t, n, 3] back onto the first as nearly as one motion each can, [t, 4, 4].

    Weighed by the area [n] of the vertices: a ball of a thousand vertices must not outweigh the box it sits on.
    """
    return np.stack([rigid_from_points(frame, frames[0], area) for frame in frames])


def without_the_whole(frames: Array, whole: Array) -> Array:
    """Frames [t, n, 3], each moved by its rigid motion [t, 4, 4]."""
    return np.stack([f @ T[:3, :3].T + T[:3, 3] for f, T in zip(frames, whole)])


def thinned(frames: Array, least: float, most: int) -> list[int]:
    """The first frame and then, farthest first, frames that differ from all kept ones (RMS), in order of time."""
    flat = frames[:, :: max(frames.shape[1] // ANCHORS, 1)]
    kept = [0]
    away = np.sqrt(((flat - flat[0]) ** 2).sum(axis=2).mean(axis=1))
    while len(kept) < most and away.max() > least:
        kept.append(int(away.argmax()))
        away = np.minimum(away, np.sqrt(((flat - flat[kept[-1]]) ** 2).sum(axis=2).mean(axis=1)))
    return sorted(kept)
