"""Modes of a learned basis put in order: those that say the same become one, the weakest go, the strongest is first."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.handles import Handles
from neurok.geometry.rotation import skew
from neurok.geometry.surface import SurfacePoints

ALIKE = 0.9  # cosine between the displacements of two modes that count as one
EVEN = 0.2  # how much of a handle's weight is the same for all
LEAST_RADIUS = 0.01  # of a handle [diagonal]
FREE_SIDES = 4.0  # deviations that a direction of what is left may go
WEAK = 5e-4  # root mean square displacement [diagonals] at one deviation below which a mode is left out


@dataclass(frozen=True)
class Modes:
    """k modes: twists (v, w) of each handle per deviation, [h, k, 6]; sides, how far each goes below and above rest in
    deviations, [k, 2]; support, from how many sides of the object it was seen, [k]."""

    twist: Array
    sides: Array
    support: Array

    @property
    def count(self) -> int:
        return self.twist.shape[1]


def ordered_modes(modes: Modes, where: SurfacePoints, placed: Handles) -> Modes:
    """The distinct ones, the one that moves the surface most first.

    The states of modes that move alike add up as independent draws do: one mode along their leading direction, as
    far as all of them together. It goes as far to either side as they do, on average.
    """
    twist, sides, support = list(np.moveaxis(modes.twist, 1, 0)), list(modes.sides), list(modes.support)
    gram = mode_products(modes.twist, where, placed)
    while len(twist) > 1:
        size = np.sqrt(np.maximum(np.diag(gram), 1e-30))
        cosine = np.abs(gram) / np.outer(size, size)
        np.fill_diagonal(cosine, 0.0)
        i, j = np.unravel_index(cosine.argmax(), cosine.shape)
        if cosine[i, j] < ALIKE:
            break
        _, vectors = np.linalg.eigh(gram[np.ix_([i, j], [i, j])])
        share = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
        mix = np.eye(len(twist))
        mix[i, [i, j]] = share
        mix = np.delete(mix, j, axis=0)
        gram = mix @ gram @ mix.T
        row = i - (j < i)
        # One that counts with its sign reversed is turned round; far is how far the surface goes, not the state.
        far = [(s[::-1] if c < 0 else s) * d for s, c, d in zip((sides[i], sides[j]), share, size[[i, j]])]
        sides[i] = (share[0] ** 2 * far[0] + share[1] ** 2 * far[1]) / np.sqrt(gram[row, row])
        support[i] = support[i] + support[j]
        twist[i] = share[0] * twist[i] + share[1] * twist[j]
        for each in (twist, sides, support):
            del each[j]
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    order = np.argsort(-size, kind="stable")
    kept = [i for i in order if size[i] > WEAK] or [order[0]]
    return Modes(
        np.stack([twist[i] for i in kept], axis=1), *(np.array([x[i] for i in kept]) for x in (sides, support))
    )


def mode_products(twist: Array, where: SurfacePoints, placed: Handles) -> Array:
    """Products of the displacements that modes give to the surface, averaged by area, [m, m]."""
    own = twist[placed.owner]  # [n, m, 6]
    moved = own[..., :3] + np.cross(own[..., 3:], where.position[:, None])
    moved = moved * np.sqrt(where.area / where.area.sum())[:, None, None]
    flat = np.moveaxis(moved, 1, 0).reshape(twist.shape[1], -1)
    return flat @ flat.T


def twist_roots(centre: Array, moments: Array, area: Array) -> Array:
    """R of each handle, [h, 6, 6], such that |R (v, w)|^2 is the mean square displacement by a twist about the origin.

    centre [h, 3], second moments about it [h, 3, 3] and area [h], in the canonical place. Small ones count, too.
    """
    inertia = np.trace(moments, axis1=1, axis2=2)[:, None, None] * np.eye(3) - moments + LEAST_RADIUS**2 * np.eye(3)
    P = np.concatenate([np.broadcast_to(np.eye(3), (len(centre), 3, 3)), -skew(centre)], axis=2)
    form = P.swapaxes(1, 2) @ P
    form[:, 3:, 3:] += inertia
    weight = (1.0 - EVEN) * area / area.sum() + EVEN / len(area)
    return np.linalg.cholesky(weight[:, None, None] * form).swapaxes(1, 2)


def completed(modes: Modes, others: Array, root: Array, most: int) -> Modes:
    """Modes, and besides them the directions in which others [h, n, 6] mostly go; at most `most` in all.

    The others are independent draws: what they do beyond the modes has a covariance, of which the leading directions
    are taken. root: R of each handle, [h, 6, 6], such that |R twist|^2 is what a twist counts.
    """
    first = Modes(modes.twist[:, :most], modes.sides[:most], modes.support[:most])
    room = most - first.count
    if room < 1 or others.shape[1] == 0:
        return first
    rows = 6 * len(root)
    known, rest = (np.einsum("hab,hmb->ham", root, x).reshape(rows, x.shape[1]) for x in (first.twist, others))
    span = np.linalg.qr(known / np.maximum(np.linalg.norm(known, axis=0), 1e-12))[0]
    U, size, _ = np.linalg.svd(rest - span @ (span.T @ rest), full_matrices=False)
    room = int(np.count_nonzero(size[:room] > WEAK))
    found = (U[:, :room] * size[:room]).reshape(len(root), 6, room)
    twist = np.moveaxis(np.linalg.solve(root, found), 2, 1)
    return Modes(
        np.concatenate([first.twist, twist], axis=1),
        np.concatenate([first.sides, np.full((room, 2), FREE_SIDES)]),
        np.concatenate([first.support, np.zeros(room)]),
    )
