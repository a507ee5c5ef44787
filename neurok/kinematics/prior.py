"""StatePrior: which states of a state space are likely.

A prior says how far each coordinate usually goes, draws states, gives their log-density, and prices coordinates that
leave rest, which is what decides a fit that leaves much open. A free base transforms the prior
of the space that it wraps here, and nowhere else.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.geometry.arrays import Array, Mask

MOVING_COUNT = 2.0  # coordinates that leave rest in a state of a mechanism, at most on average; set by hand


@dataclass(frozen=True, kw_only=True)
class StatePrior(ABC):
    """What is likely of k coordinates.

    rest: the state at rest, [k]. deviation: one standard deviation of each coordinate, or half of a joint's range, [k].
    penalty: by how many times the price of leaving rest is multiplied for each coordinate, [k]: a factor on its
        negative log-prior, one for a coordinate that moves as likely as any.
    typical: the least and the greatest value of each coordinate in nearly all states, [2, k].
    is_sparse: whether few coordinates leave rest at a time, as parts of a mechanism do; otherwise all move a little.
    """

    rest: Array
    deviation: Array
    penalty: Array
    typical: Array
    is_sparse: bool

    @abstractmethod
    def sample(self, count: int, generator: Generator) -> Tensor:
        """Draws of states, [count, k]."""

    @abstractmethod
    def log_density(self, states: Array) -> Array:
        """The logarithm of the density of states [..., k], up to a constant, [...]; -inf where there is none."""

    def whiten(self, states: Array) -> Array:
        """States [..., k] as deviations from rest."""
        return (states - self.rest) / self.deviation

    def find_moving(self, states: Array, threshold: float) -> Mask:
        """Which coordinates of states [..., k] are away from rest by more than so many deviations, [..., k]."""
        return np.abs(self.whiten(states)) > threshold

    def price(self, states: Array, threshold: float) -> Array:
        """How many coordinates of states [..., k] have left rest, each times its penalty, [...]."""
        return (self.find_moving(states, threshold) * self.penalty).sum(axis=-1)

    def clip_to_typical(self, states: Array) -> Array:
        """The nearest states in the typical range, [..., k]."""
        return np.clip(states, *self.typical)


class PriorFields(TypedDict):
    """The fields that all priors share, but for `is_sparse`."""

    rest: Array
    deviation: Array
    penalty: Array
    typical: Array


def plain_fields(deviation: Array, lower: Array, upper: Array, rest: Array | None = None) -> PriorFields:
    """The fields of a prior under which all coordinates are alike, and nearly all states fill the bounds, [k] each."""
    count = len(deviation)
    return {
        "rest": np.zeros(count) if rest is None else rest, "deviation": deviation, "penalty": np.ones(count),
        "typical": np.array([lower, upper]).reshape(2, count),
    }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class UniformPrior(StatePrior):
    """Every state between `low` and two deviations above it, [k], is as likely as any other: joints with limits."""

    low: Array
    is_sparse: bool = True

    def sample(self, count: int, generator: Generator) -> Tensor:
        u = torch.rand((count, len(self.low)), generator=generator, dtype=torch.float64)
        return torch.from_numpy(self.low) + 2.0 * torch.from_numpy(self.deviation) * u

    def log_density(self, states: Array) -> Array:
        width = 2.0 * self.deviation
        inside = ((states >= self.low) & (states <= self.low + width)).all(axis=-1)
        return np.where(inside, -np.log(width).sum(), -np.inf)


@dataclass(frozen=True, kw_only=True)
class SparsePrior(StatePrior):
    """A coordinate rests, or lies anywhere between its bounds `low` and `high`, [k] each, as a drawer does.

    The odds of leaving rest fall with the penalty, and come to MOVING_COUNT in all; in any draw at least one does.
    """

    low: Array
    high: Array
    is_sparse: bool = True

    def sample(self, count: int, generator: Generator) -> Tensor:
        draw = torch.rand((2, count, len(self.low)), generator=generator, dtype=torch.float64)
        if not len(self.low):
            return draw[0]
        eagerness, low = torch.from_numpy(self._eagerness), torch.from_numpy(self.low)
        order = draw[0] / eagerness.clamp_min(1e-9)
        moves = (draw[0] < torch.from_numpy(self.chance)) | (order == order.min(dim=1, keepdim=True).values)
        return torch.where(moves, low + draw[1] * (torch.from_numpy(self.high) - low), 0.0)

    def log_density(self, states: Array) -> Array:
        """Of the product over coordinates; that a draw moves at least one is left out."""
        moves, width = states != self.rest, np.maximum(self.high - self.low, 1e-300)
        inside = ((states >= self.low) & (states <= self.high)).all(axis=-1)
        with np.errstate(divide="ignore"):
            rests, leaves = np.log1p(-self.chance), np.log(self.chance / width)
        return np.where(inside, np.where(moves, leaves, rests).sum(axis=-1), -np.inf)

    @property
    def _eagerness(self) -> Array:
        return 1.0 / self.penalty

    @property
    def chance(self) -> Array:
        """The probability with which each coordinate leaves rest, [k]."""
        odds = self._eagerness * (MOVING_COUNT / max(self._eagerness.sum(), 1e-9))
        return odds / (1.0 + odds)


@dataclass(frozen=True, kw_only=True)
class NormalPrior(StatePrior):
    """All coordinates are normal about rest, cut off at `low` and `high`, [k] each: a body that bends."""

    low: Array
    high: Array
    is_sparse: bool = False

    def sample(self, count: int, generator: Generator) -> Tensor:
        noise = torch.randn((count, len(self.low)), generator=generator, dtype=torch.float64)
        states = torch.from_numpy(self.rest) + torch.from_numpy(self.deviation) * noise
        return states.clamp(torch.from_numpy(self.low), torch.from_numpy(self.high))

    def log_density(self, states: Array) -> Array:
        inside = ((states >= self.low) & (states <= self.high)).all(axis=-1)
        return np.where(inside, -0.5 * (self.whiten(states) ** 2).sum(axis=-1), -np.inf)


def sparse_prior(extent: Array, *, typical: Array | None = None, penalty: Array | None = None) -> SparsePrior:
    """The prior of a mechanism whose coordinates count deviations and rest at zero.

    extent, typical: how far each coordinate goes below and above rest, at most and in nearly all states, none below
    zero, [k, 2] each. penalty: see StatePrior, [k].
    """
    fields = _extent_fields(extent, typical)
    if penalty is not None:
        fields["penalty"] = np.asarray(penalty, dtype=np.float64)
    return SparsePrior(low=-extent[:, 0], high=extent[:, 1], **fields)


def normal_prior(extent: Array, *, typical: Array | None = None) -> NormalPrior:
    """The prior of a body that bends, of which all coordinates move; extent, typical: as for `sparse_prior`."""
    return NormalPrior(low=-extent[:, 0], high=extent[:, 1], **_extent_fields(extent, typical))


def _extent_fields(extent: Array, typical: Array | None) -> PriorFields:
    below, above = (extent if typical is None else typical).T
    return plain_fields(np.ones(len(extent)), -below, above)


@dataclass(frozen=True, kw_only=True)
class BallPrior(StatePrior):
    """A standard normal about zero within a ball of states; rest may lie anywhere in it: latent vectors."""

    radius: float
    is_sparse: bool = True

    def sample(self, count: int, generator: Generator) -> Tensor:
        """Draws that lie in the ball; those that do not are drawn anew."""
        states = torch.randn((count, len(self.rest)), generator=generator, dtype=torch.float64)
        while (outside := states.norm(dim=1) > self.radius).any():
            fresh = (int(outside.sum()), len(self.rest))
            states[outside] = torch.randn(fresh, generator=generator, dtype=torch.float64)
        return states

    def log_density(self, states: Array) -> Array:
        square = (states**2).sum(axis=-1)
        return np.where(square <= self.radius**2, -0.5 * square, -np.inf)


@dataclass(frozen=True, kw_only=True)
class BasePrior(StatePrior):
    """An inner prior behind the coordinates of a free base: where an object stands, no prior says."""

    inner: StatePrior

    def sample(self, count: int, generator: Generator) -> Tensor:
        """Draws of the inner prior, with the base where it is."""
        inner = self.inner.sample(count, generator)
        return torch.cat([torch.zeros((count, self._base_count), dtype=inner.dtype), inner], dim=1)

    def log_density(self, states: Array) -> Array:
        return self.inner.log_density(states[..., self._base_count :])

    @property
    def _base_count(self) -> int:
        return len(self.rest) - len(self.inner.rest)


def with_base(inner: StatePrior, deviation: Array) -> BasePrior:
    """The prior of an object whose base is free; deviation: of the base's coordinates, [b]."""
    b = len(deviation)
    return BasePrior(
        inner=inner,
        rest=np.concatenate([np.zeros(b), inner.rest]),
        deviation=np.concatenate([deviation, inner.deviation]),
        penalty=np.concatenate([np.ones(b), inner.penalty]),
        typical=np.concatenate([np.outer([-np.inf, np.inf], np.ones(b)), inner.typical], axis=1),
        is_sparse=inner.is_sparse,
    )


def extend_prior(prior: StatePrior, count: int) -> SparsePrior | NormalPrior:
    """The prior with so many further coordinates, as unlikely as the unlikeliest and going as far as the farthest."""
    if not isinstance(prior, SparsePrior | NormalPrior):
        raise TypeError(f"a {type(prior).__name__} has no further coordinates")
    far = float(max(-prior.low.min(initial=0.0), prior.high.max(initial=0.0)))

    def append(values: Array, value: float) -> Array:
        return np.concatenate([values, np.full(count, value)])

    return replace(
        prior,
        rest=append(prior.rest, 0.0),
        deviation=append(prior.deviation, 1.0),
        penalty=append(prior.penalty, float(prior.penalty.max(initial=1.0))),
        typical=np.stack([append(row, sign * far) for sign, row in zip((-1.0, 1.0), prior.typical)]),
        low=append(prior.low, -far),
        high=append(prior.high, far),
    )
