"""Kinematics: a state space and its map F to shapes. Everything downstream knows only this."""

from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.jet import Jet, Line, forward_jet, forward_line, line_of


class Kinematics(ABC):
    """Which shapes an object can take: x = F(q).

    mesh: the input, in its file's axes and units.
    rest: [k], with F(rest) the input mesh exactly; always admissible.
    spread: [k], one prior deviation, or half the joint range.
    lower, upper: [k], limits of each coordinate, infinite where there are none.
    names: one per coordinate.
    doubt: [k], how many times as unlikely as usual each coordinate is to leave rest at all, in its logarithm; None
        where all are alike. Fits that leave much open move such coordinates last.
    mends: [k], the coordinate whose axis each one mends (see `leeway`), -1 for those that stand for themselves; None
        where all do. Those that mend are never drawn.
    skin: set where F is a linear blend skin, x = sum_b w_b X_b(q) x(rest); then `transforms` gives X.
        Mass matrices then cost the same for any number of points, and motions export as real skins.
    bone_moments: mass of each bone as the file states it, sum_i m_i (x, 1)(x, 1)^T at rest [kg, file units],
        [b, 4, 4], or None where masses are to be spread over the surface.
    mass_note: why masses that the file states are not taken, "" where there is nothing to say.
    rigid_count: how many leading coordinates move the object as a whole (they feel no spring and no limit).
    is_elastic: whether the object pulls itself back to rest under gravity (soft bodies do, joints do not).
    is_sparse: whether few coordinates move at a time, as parts do; else all do a little, as where a body bends.
    """

    mesh: Mesh
    rest: Tensor
    spread: Tensor
    lower: Tensor
    upper: Tensor
    names: tuple[str, ...]
    doubt: Tensor | None = None
    mends: Indices | None = None
    skin: Skin | None = None
    bone_moments: Array | None = None
    mass_note: str = ""
    rigid_count: int = 0
    is_elastic: bool = True
    is_sparse: bool = True

    @abstractmethod
    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        """Surface points in state q [file units], [m, 3]; differentiable twice in forward mode."""

    @abstractmethod
    def sample(self, count: int, generator: Generator) -> Tensor:
        """Plausible states, [count, k]."""

    @abstractmethod
    def admit(self, q: Tensor) -> Tensor:
        """The nearest admissible state, [k]."""

    def transforms(self, q: Tensor) -> Tensor:
        """Bone motions relative to rest, [b, 4, 4]; only where `skin` is set."""
        raise TypeError(f"{type(self).__name__} is not a skin")

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """`transforms` with its derivatives; a class that knows them in closed form gives its own."""
        return forward_jet(self.transforms, q, velocity, rate=rate)

    def transforms_line(self, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        """`transforms` along a velocity, its upper rows [b, 3, 4]; a class that needs no Jacobians gives its own.

        rate: whether its `pull` will be asked.
        """
        if not self.has_closed_form:
            return forward_line(lambda state: self.transforms(state)[:, :3], q, velocity)
        jet = self.transforms_jet(q, velocity, rate=rate)
        parts = (None if x is None else x[..., :3, :] for x in (jet.value, jet.jacobian, jet.second, jet.rate))
        return line_of(Jet(*parts), velocity)

    def shifted(self, by: Array) -> "Kinematics | None":
        """The same states of the object moved as a whole by a vector [file units], [3], as exact there as here.

        None where a class cannot be built at another place; ask `elsewhere`, which knows what to do then.
        """
        return None

    def moves(self, states: Array, least: float) -> Array:
        """What leaving rest costs states [..., k], in prices of a usual coordinate: how many do, by more than `least`
        deviations, each times its doubt, [...]."""
        away = np.abs((states - self.rest.numpy()) / self.spread.numpy()) > least
        return (away if self.doubt is None else away * self.doubt.numpy()).sum(axis=-1)

    @property
    def has_closed_form(self) -> bool:
        """Whether the derivatives of the bones are known without differentiating `transforms`, so that a Jacobian
        costs hardly more than a state."""
        return type(self).transforms_jet is not Kinematics.transforms_jet

    @property
    def size(self) -> int:
        """The number of coordinates k."""
        return len(self.rest)


def clamp(q: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """The nearest state in a box of limits; keeps derivatives inside it."""
    return torch.minimum(torch.maximum(q, lower), upper)
