"""Reduced: the few directions of a state space in which the object moves most, whitened by its prior.

With whitened coordinates xi, q = rest + deviation * xi, and states drawn from the prior, the active subspace is spanned
by the leading eigenvectors W of

    norm:   C = E[grad G grad G^T],   G = |F(q) - F(rest)| over points of the surface,
    matrix: C = E[J^T J],             which also sees directions that change the shape but not G.

G has no gradient at rest, so it is never taken there. q = rest + deviation * (W u): one unit of u_i is one prior
deviation, the columns of W are orthonormal and ordered by effect.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neurok.errors import OptionError, unknown
from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.ball import ball_radius, within
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.jet import Jet, Line, forward_jet
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import project_prior, reduce_prior
from neurok.kinematics.skinning import shares
from neurok.kinematics.translated import translate_space
from neurok.kinematics.twists import Twists

MATRIX_KINDS = ("matrix", "norm")
RETAINED_ENERGY = 0.99
MAX_COORDINATES = 16
STATE_COUNT = 32  # drawn from the prior
POINT_COUNT = 512  # of the surface
MAX_DENSE_COORDINATES = 64  # coordinates, beyond which a Jacobian without a closed form is only sketched
PROBE_COUNT = 8  # random directions of a sketch, per state


@dataclass(frozen=True)
class Subspace:
    """W [k, r], orthonormal columns ordered by effect; energies: all eigenvalues of C, falling, [k]."""

    W: Array
    energies: Array

    @property
    def retained(self) -> float:
        """The share of all energy that W holds."""
        total = self.energies.sum()
        return float(self.energies[: self.W.shape[1]].sum() / total) if total > 0 else 1.0


def active_subspace(
    space: Kinematics, *, kind: str = "matrix", energy: float = RETAINED_ENERGY, count: int | None = None, seed: int = 0
) -> Subspace:
    """The directions that move the surface most over the prior: `count` of them, or as many as hold `energy`."""
    if kind not in MATRIX_KINDS:
        raise unknown("reduction", kind, MATRIX_KINDS)
    if count is not None and not 1 <= count <= space.size:
        raise OptionError(f"{count} coordinates of a space of {space.size}", "ask for at least one, at most all")
    if not 0 < energy <= 1:
        raise OptionError(f"a retained energy of {energy}", "give a share between 0 and 1")
    C = _energy_matrix(space, kind, seed)
    values, vectors = np.linalg.eigh(C)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    if count is None:
        held = np.cumsum(values) / max(float(values.sum()), 1e-300)
        count = min(int(np.searchsorted(held, energy - 1e-12)) + 1, MAX_COORDINATES, space.size)
    W = vectors[:, :count]
    # An eigenvector has no sign of its own: the greatest entry is positive.
    W = W * np.sign(W[np.abs(W).argmax(axis=0), np.arange(count)])
    return Subspace(W, values)


def reduced(space: Kinematics, **options) -> tuple[Kinematics, Subspace]:
    """A space cut down to its active subspace; options as of `active_subspace`. Twists and free bases stay such."""
    if space.has_free_base:
        inner, subspace = reduced(space.without_base(), **options)
        return FloatingBase(inner, space.T_base), subspace
    subspace = active_subspace(space, **options)
    if isinstance(space, Twists):
        prior = reduce_prior(space.prior, subspace.W)
        return Twists(space.mesh, space.skin, space.basis @ subspace.W, origin=space.origin, prior=prior), subspace
    return Reduced(space, subspace.W), subspace


class Reduced(Kinematics):
    """q = rest + deviation * (W u), u within the 99 % ball of N(0, 1); all else is the inner kinematics'.

    Rest is u = 0. The ball is the only limit: those of single inner coordinates are not kept.
    """

    def __init__(self, inner: Kinematics, W: Array) -> None:
        self.inner, self.W = inner, np.asarray(W, dtype=np.float64)
        self.mesh, self.skin = inner.mesh, inner.skin
        self.stated_masses, self.is_elastic = inner.stated_masses, inner.is_elastic
        count = self.W.shape[1]
        self.rest = torch.zeros(count, dtype=torch.float64)
        self.radius = ball_radius(count)
        self.prior = project_prior(inner.prior, self.W, self.radius)
        self.upper = torch.full((count,), self.radius, dtype=torch.float64)
        self.lower = -self.upper
        self.names = tuple(f"mode {i + 1}" for i in range(count))
        self._lift = inner.prior.deviation[:, None] * self.W

    @property
    def has_closed_form(self) -> bool:
        return self.inner.has_closed_form

    def inner_state(self, u: Tensor) -> Tensor:
        """The inner kinematics' state, [k]."""
        return self.inner.rest.to(u) + torch.as_tensor(self._lift, dtype=u.dtype) @ u

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return self.inner.positions(self.inner_state(q), where)

    def translate(self, by: Array) -> "Reduced":
        return Reduced(translate_space(self.inner, by), self.W)

    def transforms(self, q: Tensor) -> Tensor:
        return self.inner.transforms(self.inner_state(q))

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """The inner jet along lift v, its derivatives combined by lift; without a closed form only those asked for."""
        if not self.has_closed_form:
            return super().transforms_jet(q, velocity, rate=rate)
        inner = self.inner.transforms_jet(self.inner.rest.numpy() + self._lift @ q, self._lift @ velocity, rate=rate)
        moved = None if inner.rate is None or not rate else np.tensordot(self._lift.T, inner.rate, axes=1)
        return Jet(inner.value, np.tensordot(self._lift.T, inner.jacobian, axes=1), inner.second, moved)

    def transforms_line(self, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        inner = self.inner.transforms_line(self.inner.rest.numpy() + self._lift @ q, self._lift @ velocity, rate=rate)

        def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
            p, dp = inner.to_coordinates(P, dP)
            return self._lift.T @ p, self._lift.T @ dp

        return Line(inner.value, inner.first, inner.second, to_coordinates)

    def admit(self, q: Tensor) -> Tensor:
        return within(q, self.radius)


def _energy_matrix(space: Kinematics, kind: str, seed: int) -> Array:
    """C in whitened coordinates, averaged over states of the prior, [k, k]."""
    where = sample_even(space.mesh, POINT_COUNT, np.random.default_rng(seed))
    if space.size > MAX_DENSE_COORDINATES and not space.has_closed_form:
        return _sketched(space, kind, where, seed)
    deviation = space.prior.deviation
    C = np.zeros((space.size, space.size))
    for state in space.prior.sample(STATE_COUNT, torch.Generator().manual_seed(seed)).numpy().astype(np.float64):
        x, J = _points(space, state, where)
        J = J * deviation[:, None]
        if kind == "matrix":
            C += J @ J.T / (STATE_COUNT * where.count)
            continue
        moved = (x - where.position).reshape(-1)
        slope = J @ moved / max(float(np.linalg.norm(moved)), 1e-300)
        C += np.outer(slope, slope) / (STATE_COUNT * where.count)
    return C


def _sketched(space: Kinematics, kind: str, where: SurfacePoints, seed: int) -> Array:
    """C by reverse mode: a gradient costs two evaluations of F, however many coordinates there are.

    norm: exact. matrix: with r ~ N(0, 1) over the points, E[J^T r r^T J] = J^T J, averaged over probes as over states.
    """
    generator = torch.Generator().manual_seed(seed)
    C = torch.zeros((space.size, space.size), dtype=torch.float64)
    for state in space.prior.sample(STATE_COUNT, generator):
        q = state.clone().requires_grad_(True)
        x = space.positions(q, where)
        if kind == "matrix":
            along = torch.randn((PROBE_COUNT, *x.shape), generator=generator, dtype=x.dtype)
        else:
            moved = x.detach() - torch.from_numpy(where.position)
            along = (moved / moved.norm().clamp_min(1e-300))[None]
        for each in along:
            slope = torch.autograd.grad(x, q, each, retain_graph=True)[0] * torch.from_numpy(space.prior.deviation)
            C += torch.outer(slope, slope) / (STATE_COUNT * where.count * len(along))
    return C.numpy()


def _points(space: Kinematics, q: Array, where: SurfacePoints) -> tuple[Array, Array]:
    """Surface points [m, 3] and their Jacobian [k, 3 m]."""
    still = np.zeros_like(q)
    if space.skin is None:
        jet = forward_jet(lambda state: space.positions(state, where), q, still)
        return jet.value, jet.jacobian.reshape(len(q), -1)
    jet, H = space.transforms_jet(q, still), shares(space.mesh, space.skin, where)

    def carried(X: Array) -> Array:  # [b, 4, 4] -> [m, 3]
        return H @ np.swapaxes(X[:, :3], 1, 2).reshape(-1, 3)

    return carried(jet.value), np.array([carried(X).reshape(-1) for X in jet.jacobian]).reshape(len(q), -1)
