"""Reduction: the few directions of a latent space in which the object moves most, as the paper's protocol asks.

With whitened coordinates xi, q = rest + deviation * xi, and states drawn from the prior, the active subspace is spanned
by the leading eigenvectors W of

    C = E[J^T J],   J the derivatives of points of the surface by xi.

A Jacobian of a network costs a pass for every coordinate; a random combination of its rows costs two, however many
there are, and with r ~ N(0, 1) over the points E[J^T r r^T J] = J^T J. So C is averaged over states and combinations at
once. The spaces of modes, joints and proposed parts have few coordinates already: only autoencoders need this.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.errors import OptionError
from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.ball import ball_radius, within
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import StatePrior, plain_fields

STATE_COUNT = 256  # drawn from the prior, with one random combination of the points each
POINT_COUNT = 512  # of the surface


class Reduced(Kinematics):
    """q = rest + deviation * (W u), u within the 99 % ball of N(0, 1); all else is the inner kinematics'.

    W: orthonormal columns, [k, r]. Rest is u = 0. The ball is the only limit: those of single inner coordinates are
    not kept.
    """

    def __init__(self, inner: Kinematics, W: Array) -> None:
        self.inner, self.W = inner, np.asarray(W, dtype=np.float64)
        self.mesh, self.skin = inner.mesh, inner.skin
        count = self.W.shape[1]
        self.rest = torch.zeros(count, dtype=torch.float64)
        self.radius = ball_radius(count)
        far = np.full(count, self.radius)
        self.prior = ReducedPrior(
            inner=inner.prior, W=self.W, radius=self.radius, is_sparse=inner.prior.is_sparse,
            **plain_fields(np.ones(count), -far, far),
        )  # fmt: skip
        self.upper = torch.from_numpy(far)
        self.lower = -self.upper
        self.names = tuple(f"mode {i + 1}" for i in range(count))
        self._lift = inner.prior.deviation[:, None] * self.W

    def inner_state(self, u: Tensor) -> Tensor:
        """The inner kinematics' state, [k]."""
        return self.inner.rest.to(u) + torch.as_tensor(self._lift, dtype=u.dtype) @ u

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return self.inner.positions(self.inner_state(q), where)

    def transforms(self, q: Tensor) -> Tensor:
        return self.inner.transforms(self.inner_state(q))

    def admit(self, q: Tensor) -> Tensor:
        return within(q, self.radius)


@dataclass(frozen=True, kw_only=True)
class ReducedPrior(StatePrior):
    """An inner prior seen in a subspace, q = rest + deviation * (W u).

    Draws are those of the inner prior, projected; the density is the inner one of the lifted state, that is the
    density of states within the subspace, not that of the projected draws.
    """

    inner: StatePrior
    W: Array
    radius: float

    def sample(self, count: int, generator: Generator) -> Tensor:
        """Draws of the inner prior, projected onto the subspace and into its ball of states."""
        inner = self.inner.whiten(self.inner.sample(count, generator).numpy())
        states = torch.from_numpy(inner @ self.W)
        far = states.norm(dim=1, keepdim=True)
        return torch.where(far > self.radius, states * (self.radius / far.clamp_min(1e-300)), states)

    def log_density(self, states: Array) -> Array:
        return self.inner.log_density(self.inner.rest + self.inner.deviation * (states @ self.W.T))


def reduce_space(space: Kinematics, count: int, *, seed: int = 0) -> Reduced:
    """A space cut down to the `count` directions that move its surface most."""
    return Reduced(space, find_active_directions(space, count, seed=seed))


def find_active_directions(space: Kinematics, count: int, *, seed: int = 0) -> Array:
    """W, the leading eigenvectors of C, ordered by effect, [k, count]."""
    if not 1 <= count <= space.size:
        raise OptionError(f"{count} coordinates of a space of {space.size}", "ask for at least one, at most all")
    W = np.linalg.eigh(average_products(space, seed))[1][:, ::-1][:, :count]
    # An eigenvector has no sign of its own: the greatest entry is positive.
    return W * np.sign(W[np.abs(W).argmax(axis=0), np.arange(count)])


def average_products(space: Kinematics, seed: int) -> Array:
    """C of whitened coordinates, per point, [k, k]."""
    generator = torch.Generator().manual_seed(seed)
    where = sample_even(space.mesh, POINT_COUNT, np.random.default_rng(seed))
    deviation = torch.from_numpy(space.prior.deviation)
    C = torch.zeros((space.size, space.size), dtype=torch.float64)
    for state in space.prior.sample(STATE_COUNT, generator):
        q = state.clone().requires_grad_(True)
        x = space.positions(q, where)
        r = torch.randn(x.shape, generator=generator, dtype=x.dtype)
        slope = torch.autograd.grad(x, q, r)[0] * deviation
        C += torch.outer(slope, slope) / (STATE_COUNT * where.count)
    return C.numpy()
