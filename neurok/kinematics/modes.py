"""Modes of a learned basis put in order: those that say the same become one, the weakest go, the strongest is first."""

import numpy as np

from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Array
from neurok.geometry.surface import SurfacePoints

ALIKE = 0.9  # cosine between the displacements of two modes that count as one
WEAK = 5e-4  # root mean square displacement [diagonals] at one deviation below which a mode is left out


def ordered_modes(twist: Array, where: SurfacePoints, placed: Handles) -> Array:
    """Twists (v, w) [h, m, 6] of distinct modes, the one that moves the surface most first, [h, k, 6].

    The states of modes that move alike add up as independent draws do: one mode along their leading direction, as
    far as all of them together.
    """
    modes = list(np.moveaxis(twist, 1, 0))
    gram = mode_products(twist, where, placed)
    while len(modes) > 1:
        size = np.sqrt(np.maximum(np.diag(gram), 1e-30))
        cosine = np.abs(gram) / np.outer(size, size)
        np.fill_diagonal(cosine, 0.0)
        i, j = np.unravel_index(cosine.argmax(), cosine.shape)
        if cosine[i, j] < ALIKE:
            break
        _, vectors = np.linalg.eigh(gram[np.ix_([i, j], [i, j])])
        mix = np.zeros((len(modes), len(modes)))
        np.fill_diagonal(mix, 1.0)
        mix[i, [i, j]] = vectors[:, -1]
        mix = np.delete(mix, j, axis=0)
        modes = list(np.tensordot(mix, np.array(modes), axes=1))
        gram = mix @ gram @ mix.T
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    order = np.argsort(-size, kind="stable")
    kept = [i for i in order if size[i] > WEAK] or [order[0]]
    return np.stack([modes[i] for i in kept], axis=1)


def mode_products(twist: Array, where: SurfacePoints, placed: Handles) -> Array:
    """Products of the displacements that modes give to the surface, averaged by area, [m, m]."""
    own = twist[placed.owner]  # [n, m, 6]
    moved = own[..., :3] + np.cross(own[..., 3:], where.position[:, None])
    moved = moved * np.sqrt(where.area / where.area.sum())[:, None, None]
    flat = np.moveaxis(moved, 1, 0).reshape(twist.shape[1], -1)
    return flat @ flat.T
