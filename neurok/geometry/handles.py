"""Handles: small regions of a sampled surface that are assumed to move rigidly; patches never share a handle.

Every crease patch owns at least one handle; the others are placed where the surface is farthest from any handle, so
that large smooth patches, which may bend, are covered by many. Nothing here is learned: a network decides which
handles move together, and how.
"""

from dataclasses import dataclass

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.arrays import Array, Indices

PATCH_HANDLE_SHARE = 0.8  # of the handles, at most, are placed at the centres of patches, one in each
PATCH_SEPARATION = 0.25  # added (in squares) to the distance of points of different patches; the diagonal is 1


@dataclass(frozen=True)
class Handles:
    """anchor: the point at which each handle sits, [h]; it owns itself. owner: the handle of each point, [n]."""

    anchor: Indices
    owner: Indices

    @property
    def count(self) -> int:
        return len(self.anchor)


def place_handles(position: Array, patch: Indices, count: int) -> Handles:
    """Assign points [n, 3], each of a patch [n], to `count` handles, or to as many as there are points.

    position: in units of the diagonal. Where there are too many patches, those with the fewest points have no handle
    of their own; their points belong to the handle with the nearest anchor.
    """
    position = np.ascontiguousarray(position, dtype=np.float32)
    n = len(position)
    if count < 1 or n < 1:
        raise OptionError(f"{count} handles on {n} points", "ask for at least one of each")
    count = min(count, n)
    label, patch, size = np.unique(patch, return_inverse=True, return_counts=True)
    first = _find_centres(position, patch, size, max(int(PATCH_HANDLE_SHARE * count), 1))
    anchor = np.empty(count, dtype=np.int64)
    anchor[: len(first)] = first
    distance = _measure_distances(position, patch, first)
    x, y, z = np.ascontiguousarray(position.T)
    for i in range(len(first), count):
        a = anchor[i] = distance.argmax()
        square = (x - x[a]) ** 2
        square += (y - y[a]) ** 2
        square += (z - z[a]) ** 2
        square[patch != patch[a]] += PATCH_SEPARATION**2
        np.minimum(distance, square, out=distance)
        distance[a] = -1.0
    owner = nearest_anchor(position, patch, position[anchor], patch[anchor])
    owner[anchor] = np.arange(count)  # of anchors that all but coincide, rounding would choose one
    return Handles(anchor, owner)


def _measure_distances(position: Array, patch: Indices, anchor: Indices) -> Array:
    """The squared distance of each point from the nearest anchor, patches separated; -1 for anchors, [n]."""
    square = sum((x[anchor, None] - x) ** 2 for x in position.T)
    square[patch[anchor, None] != patch] += np.float32(PATCH_SEPARATION**2)
    distance = square.min(axis=0)
    distance[anchor] = -1.0
    return distance


def _find_centres(position: Array, patch: Indices, size: Indices, count: int) -> Indices:
    """The point nearest the centre of each patch, of the largest `count` patches, [min(p, count)]."""
    centre = np.stack([np.bincount(patch, x) for x in position.T], axis=1) / size[:, None]
    off = np.linalg.norm(position - centre[patch], axis=1)
    order = np.lexsort((off, patch))
    nearest = order[np.cumsum(size) - size]
    return nearest[np.argsort(-size, kind="stable")[:count]]


def nearest_anchor(position: Array, patch: Indices, anchor: Array, anchor_patch: Indices) -> Indices:
    """The nearest anchor of the same patch, or of any where the patch has none, [n]."""
    square = (position**2).sum(1)[:, None] - 2.0 * position @ anchor.T + (anchor**2).sum(1)
    other = patch[:, None] != anchor_patch[None, :]
    other[other.all(axis=1)] = False  # a patch without an anchor may have any
    square += np.float32(1e6) * other  # far beyond every true distance
    return square.argmin(axis=1)
