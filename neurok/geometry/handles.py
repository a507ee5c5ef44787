"""Handles: small regions of a sampled surface that are taken to move as one; patches never share a handle.

Every crease patch owns at least one handle; the others go where the surface is farthest from any, so that large
smooth patches, which may bend, are covered by many. Nothing here is learned: which handles move together, and how,
is for a network to say.
"""

from dataclasses import dataclass

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.mesh import Array, Indices

APART = 0.25  # by which patches lie farther apart than they are, in the unit of positions (the diagonal is 1)


@dataclass(frozen=True)
class Handles:
    """anchor: the point each handle sits at, [h]. owner: the handle of each point, [n]; an anchor is its own handle's."""

    anchor: Indices
    owner: Indices

    @property
    def count(self) -> int:
        return len(self.anchor)


def place_handles(position: Array, patch: Indices, count: int) -> Handles:
    """Share points [n, 3] of patches [n] among `count` handles, or as many as there are points.

    position: in units of the diagonal. Where there are more patches than handles, the patches of fewest points
    give theirs to the handle with the nearest anchor.
    """
    position = np.ascontiguousarray(position, dtype=np.float32)
    n = len(position)
    if count < 1 or n < 1:
        raise OptionError(f"{count} handles on {n} points", "ask for at least one of each")
    count = min(count, n)
    label, patch, size = np.unique(patch, return_inverse=True, return_counts=True)
    first = _centres(position, patch, size, count)
    anchor = np.empty(count, dtype=np.int64)
    anchor[: len(first)] = first
    reach = np.full(n, np.inf, dtype=np.float32)
    for i in range(count):
        if i >= len(first):
            anchor[i] = np.argmax(reach)
        apart = position - position[anchor[i]]
        square = np.einsum("na,na->n", apart, apart)
        square += APART**2 * (patch != patch[anchor[i]])
        np.minimum(reach, square, out=reach)
        reach[anchor[i]] = -1.0
    return Handles(anchor, nearest_anchor(position, patch, position[anchor], patch[anchor]))


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
    # Far beyond every true distance: another patch's anchor is taken only where the own patch has none.
    square += 1e6 * (patch[:, None] != anchor_patch[None, :])
    return square.argmin(axis=1)
