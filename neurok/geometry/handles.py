"""Handles: small regions of a sampled surface that are taken to move as one; patches never share a handle.

Every crease patch owns at least one handle; the others go where the surface is farthest from any, so that large
smooth patches, which may bend, are covered by many. Nothing here is learned: which handles move together, and how,
is for a network to say.
"""

from dataclasses import dataclass

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.arrays import Array, Indices

OWNED = 0.8  # of the handles go to patches, one to each; the others to where the surface is widest
APART = 0.25  # by which patches lie farther apart than they are, in the unit of positions (the diagonal is 1)


@dataclass(frozen=True)
class Handles:
    """anchor: the point each handle sits at, [h]; it is its own. owner: the handle of each point, [n]."""

    anchor: Indices
    owner: Indices

    @property
    def count(self) -> int:
        return len(self.anchor)


def place_handles(position: Array, patch: Indices, count: int) -> Handles:
    """Share points [n, 3] of patches [n] among `count` handles, or as many as there are points.

    position: in units of the diagonal. Where there are too many patches, those of fewest points have no handle of
    their own; their points go to the handle with the nearest anchor.
    """
    position = np.ascontiguousarray(position, dtype=np.float32)
    n = len(position)
    if count < 1 or n < 1:
        raise OptionError(f"{count} handles on {n} points", "ask for at least one of each")
    count = min(count, n)
    label, patch, size = np.unique(patch, return_inverse=True, return_counts=True)
    first = _centres(position, patch, size, max(int(OWNED * count), 1))
    anchor = np.empty(count, dtype=np.int64)
    anchor[: len(first)] = first
    reach = _reach(position, patch, first)
    x, y, z = np.ascontiguousarray(position.T)
    for i in range(len(first), count):
        a = anchor[i] = reach.argmax()
        square = (x - x[a]) ** 2
        square += (y - y[a]) ** 2
        square += (z - z[a]) ** 2
        square[patch != patch[a]] += APART**2
        np.minimum(reach, square, out=reach)
        reach[a] = -1.0
    owner = nearest_anchor(position, patch, position[anchor], patch[anchor])
    owner[anchor] = np.arange(count)  # of anchors that all but coincide, rounding would choose one
    return Handles(anchor, owner)


def _reach(position: Array, patch: Indices, anchor: Indices) -> Array:
    """The square of how far each point is from the nearest of some anchors, patches apart; -1 for anchors, [n]."""
    square = sum((x[anchor, None] - x) ** 2 for x in position.T)
    square[patch[anchor, None] != patch] += np.float32(APART**2)
    reach = square.min(axis=0)
    reach[anchor] = -1.0
    return reach


def _centres(position: Array, patch: Indices, size: Indices, count: int) -> Indices:
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
