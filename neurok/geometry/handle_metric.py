"""The handle metric: how far a twist moves the surface of a handle, for numpy arrays and torch tensors alike.

A handle is a set of samples of a surface that move as one. Under a twist xi = (v, w) about the origin, its sample x
moves by v + w x x to first order. With the handle's centre c and its second moments M about it (both weighted by
area), the mean square displacement of its samples is exactly

    |xi|^2 = |v + w x c|^2 + w^T (tr(M) 1 - M) w = |R xi|^2,   R = [[1, -[c]], [0, S V^T]],

where M = V diag(m) V^T and S^2 = tr(M) - m. A turn that moves no sample of the handle (of one point, or of points
along a line about it) has no length: the form is semidefinite, and no lever constant makes up for that.

A field gives every handle its own twist. Its length is the mean over handles, by their shares of the surface: the mean
square displacement of the whole surface, however the surface is split into handles. Every function is batched over
leading dimensions.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rotation import Tensorlike, array_module, identity_like, skew

SMALLEST_SHARE = 1e-9  # of the surface, of a sample without area, so that a handle of such samples has a centre

ROUNDING = 1e-6  # of the largest radius, below which a radius is rounding of zero


@dataclass(frozen=True)
class HandleMetric:
    """h handles: shares of the surface [..., h], which sum to one; centres [..., h, 3] and second moments about them
    [..., h, 3, 3], in the unit of length and its square."""

    share: Tensorlike
    centre: Tensorlike
    moments: Tensorlike

    @property
    def inertia(self) -> Tensorlike:
        """tr(M) 1 - M: the mean square displacement of each handle by a turn w about its centre is w^T inertia w,
        [..., h, 3, 3]."""
        trace = self.moments[..., 0, 0] + self.moments[..., 1, 1] + self.moments[..., 2, 2]
        return trace[..., None, None] * identity_like(self.moments, 3) - self.moments

    def forms(self) -> Tensorlike:
        """The quadratic form Q of each handle: |xi|^2 = xi^T Q xi, [..., h, 6, 6]."""
        xp = array_module(self.centre)
        across = skew(self.centre)  # [c]
        corner = self.inertia - across @ across
        eye = identity_like(self.centre, 3) + 0.0 * across
        top = xp.concatenate([eye, -across], -1)
        return xp.concatenate([top, xp.concatenate([across, corner], -1)], -2)

    def factors(self) -> Tensorlike:
        """R of each handle: |xi|^2 = |R xi|^2, [..., h, 6, 6]; singular where no turn about some axis moves it."""
        xp = array_module(self.centre)
        across = skew(self.centre)
        eye, zero = identity_like(self.centre, 3) + 0.0 * across, 0.0 * across
        radius, axes = self._radii
        turn = radius[..., :, None] * axes.swapaxes(-1, -2)
        return xp.concatenate([xp.concatenate([eye, -across], -1), xp.concatenate([zero, turn], -1)], -2)

    def inverse_factors(self) -> Tensorlike:
        """A generalised inverse of `factors`, [..., h, 6, 6]: the twist of least turn that moves the handle so.

        A turn about an axis at a radius of less than ROUNDING of the largest handle's counts as moving nothing.
        """
        xp = array_module(self.centre)
        across = skew(self.centre)
        eye, zero = identity_like(self.centre, 3) + 0.0 * across, 0.0 * across
        radius, axes = self._radii
        known = radius > ROUNDING * radius.max()
        inverse = xp.where(known, 1.0 / xp.where(known, radius, xp.ones_like(radius)), xp.zeros_like(radius))
        turn = axes * inverse[..., None, :]
        return xp.concatenate([xp.concatenate([eye, across @ turn], -1), xp.concatenate([zero, turn], -1)], -2)

    def sizes(self, twist: Tensorlike) -> Tensorlike:
        """Root mean square displacement of each handle by its twists [..., h, k, 6], [..., h, k]."""
        moved = twist @ self.factors().swapaxes(-1, -2)
        return (moved * moved).sum(-1) ** 0.5

    def fields(self, twist: Tensorlike) -> Tensorlike:
        """Twists [..., h, k, 6] as columns y = sqrt(share) R xi of fields, [..., 6 h, k]: y^T y is `products`."""
        moved = (twist @ self.factors().swapaxes(-1, -2)) * (self.share**0.5)[..., None, None]
        columns = moved.swapaxes(-1, -2)  # [..., h, 6, k]
        return columns.reshape(*columns.shape[:-3], 6 * columns.shape[-3], columns.shape[-1])

    def products(self, one: Tensorlike, other: Tensorlike) -> Tensorlike:
        """Inner products of fields [..., h, k, 6] and [..., h, l, 6], averaged over the surface, [..., k, l]."""
        weighted = self.share[..., None, None] * self.forms()
        return (one @ weighted @ other.swapaxes(-1, -2)).sum(-3)

    def pair_distances(self, twist: Tensorlike) -> Tensorlike:
        """Mean square distance between the motions of two handles, on the samples of either, [..., h, h].

        With twists x_i, x_j [..., h, s, 6]: the mean over the s states of (|x_i - x_j|_i^2 + |x_i - x_j|_j^2) / 2.
        It needs only the second moments of the twists, never all pairs at all states.
        """
        h, s = twist.shape[-3], twist.shape[-2]
        batch = tuple(twist.shape[:-3])
        flat = twist.swapaxes(-3, -2).reshape(*batch, s, h * 6)
        second = (flat.swapaxes(-1, -2) @ flat / s).reshape(*batch, h, 6, h, 6).swapaxes(-3, -2)
        second = second.reshape(*batch, h, h, 36)
        own = second[..., range(h), range(h), :]
        form = self.forms().reshape(*batch, h, 36)
        both = (form[..., :, None, :] * second).sum(-1)
        gap = (form * own).sum(-1)[..., :, None] + form @ own.swapaxes(-1, -2) - 2.0 * both
        return (0.5 * (gap + gap.swapaxes(-1, -2))).clip(0.0, None)

    def even_shares(self, even: float) -> "HandleMetric":
        """The metric in which a part `even` (0 to 1) of the shares is the same for all handles: small ones count."""
        return replace(self, share=(1.0 - even) * self.share + even / self.share.shape[-1])

    @cached_property
    def _radii(self) -> tuple[Tensorlike, Tensorlike]:
        """Root mean square displacement per radian about the handle's principal axes, [..., h, 3], and these axes as
        columns, [..., h, 3, 3]."""
        xp = array_module(self.moments)
        # In double precision: of matrices with entries near the least float there is, LAPACK's gives no numbers.
        value, axes = xp.linalg.eigh(_doubled(self.moments))
        value = value.clip(0.0, None)
        square = value.sum(-1)[..., None] - value
        return _cast(square.clip(0.0, None) ** 0.5, self.moments), _cast(axes, self.moments)


def measure_handles(position: Array, area: Array, owner: Indices, count: int) -> HandleMetric:
    """The metric of `count` handles that own samples [n] at positions [n, 3] of areas [n]; every one owns some."""
    weight = area / max(float(area.sum()), 1e-300) + SMALLEST_SHARE
    share = np.bincount(owner, weight, count)
    centre = np.stack([np.bincount(owner, weight * x, count) for x in position.T], axis=1) / share[:, None]
    off = position - centre[owner]
    moments = np.stack([[np.bincount(owner, weight * x * y, count) for x in off.T] for y in off.T])
    return HandleMetric(share / share.sum(), centre, np.moveaxis(moments, 2, 0) / share[:, None, None])


def _doubled(array: Tensorlike) -> Tensorlike:
    return array.astype(np.float64) if array_module(array) is np else array.double()


def _cast(array: Tensorlike, like: Tensorlike) -> Tensorlike:
    return array.astype(like.dtype) if array_module(array) is np else array.to(like.dtype)
