"""Kinematics: a state space and its map F to shapes. Everything downstream knows only this."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.jet import Jet, Line, Lines, forward_jet, forward_line, line_of, stack_lines
from neurok.kinematics.prior import StatePrior


@dataclass(frozen=True)
class StatedMasses:
    """The masses that a file states.

    moments: of each bone, sum_i m_i (x, 1)(x, 1)^T at rest [kg, file units], [b, 4, 4], or None where masses are to be
        spread over the surface. note: why masses that the file states are not used, "" where there is nothing to say.
    inertia: sum_i m_i h_i^T h_i of all matter in the rows of bones that share it, [4 b, 4 b], in the same units, where
        an object is filled with materials; then it holds.
    """

    moments: Array | None = None
    note: str = ""
    inertia: csr_matrix | None = None


@dataclass(frozen=True)
class Elasticity:
    """Springs that an object's materials give it, V = 1/2 (q - rest)^T K (q - rest).

    stiffness: K [J], [k, k]; damping: what the materials lose, C [J s], [k, k]. Both are zero for coordinates that no
    material draws to rest.
    """

    stiffness: Array
    damping: Array

    @property
    def is_elastic(self) -> Mask:
        """Which coordinates a material draws to rest, [k]."""
        return np.diagonal(self.stiffness) > 0

    def add_base(self, count: int) -> "Elasticity":
        """The same behind so many coordinates of a base."""
        return Elasticity(*(np.pad(x, ((count, 0), (count, 0))) for x in (self.stiffness, self.damping)))


class Kinematics(ABC):
    """Which shapes an object can take: x = F(q).

    mesh: the input, in its file's axes and units.
    rest: [k], with F(rest) the input mesh exactly; always admissible.
    lower, upper: [k], limits of each coordinate, infinite where there are none.
    names: one per coordinate.
    prior: which states are likely.
    skin: set where F is a linear blend skin, x = sum_b w_b X_b(q) x(rest); then `transforms` gives X.
        Mass matrices then cost the same for any number of points, and motions export as real skins.
    stated_masses: what the file says of the bones' masses.
    is_elastic: whether the object pulls itself back to rest under gravity (soft bodies do, joints do not).
    elasticity: the springs of its materials, where these are known; then no others are made up.
    """

    mesh: Mesh
    rest: Tensor
    lower: Tensor
    upper: Tensor
    names: tuple[str, ...]
    prior: StatePrior
    skin: Skin | None = None
    stated_masses: StatedMasses = StatedMasses()
    is_elastic: bool = True
    elasticity: Elasticity | None = None

    @abstractmethod
    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        """Surface points in state q [file units], [m, 3]; differentiable twice in forward mode."""

    @abstractmethod
    def admit(self, q: Tensor) -> Tensor:
        """The nearest admissible state, [k]."""

    def transforms(self, q: Tensor) -> Tensor:
        """Bone motions relative to rest, [b, 4, 4]; only where `skin` is set."""
        raise TypeError(f"{type(self).__name__} is not a skin")

    # ------------------------------------------------------------ derivatives

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """`transforms` with its derivatives; a class that knows them in closed form gives its own."""
        return forward_jet(self.transforms, q, velocity, rate=rate)

    def transforms_line(self, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        """`transforms` along a velocity, its upper rows [b, 3, 4]; a class that needs no Jacobians gives its own.

        rate: whether its `to_coordinates` will be asked.
        """
        if not self.has_closed_form:
            return forward_line(lambda state: self.transforms(state)[:, :3], q, velocity)
        jet = self.transforms_jet(q, velocity, rate=rate)
        moved = None if jet.rate is None else jet.rate[..., :3, :]
        return line_of(Jet(jet.value[..., :3, :], jet.jacobian[..., :3, :], jet.second[..., :3, :], moved), velocity)

    def transforms_lines(self, states: Array, velocities: Array) -> Lines:
        """`transforms_line` of many states and velocities, [n, k] each, at once: the upper rows are [b, 3, 4, n]."""
        return stack_lines([self.transforms_line(q, v) for q, v in zip(states, velocities)])

    @property
    def has_many_lines(self) -> bool:
        """Whether many lines at once cost hardly more than a few."""
        return type(self).transforms_lines is not Kinematics.transforms_lines

    @property
    def has_closed_form(self) -> bool:
        """Whether the derivatives of the bones are known without differentiating `transforms`, so that a Jacobian
        costs hardly more than a state."""
        return type(self).transforms_jet is not Kinematics.transforms_jet

    # ------------------------------------------------------------ the base

    @property
    def base_count(self) -> int:
        """How many leading coordinates move the object as a whole: they feel no spring and no limit."""
        return 0

    @property
    def has_free_base(self) -> bool:
        """Whether the object may fall, slide and tumble as a whole."""
        return self.base_count > 0

    @property
    def T_base(self) -> Array:
        """The pose of the base that the coordinates count from, [4, 4]."""
        return np.eye(4)

    def without_base(self) -> "Kinematics":
        """The state space of the object's shape alone, its base held."""
        return self

    def with_base_pose(self, T_base: Array) -> "Kinematics":
        """The same space, its coordinates counted from another pose of the base [4, 4], where the base is free."""
        return self

    def recentre(self, q: Array, velocity: Array) -> tuple["Kinematics", Array, Array]:
        """The same state and velocity with the base's coordinates at zero: the pose of the base takes them over."""
        return self, q, velocity

    def unroll(self, q: Array, velocity: Array) -> tuple["Kinematics", Array, Array]:
        """The same state and velocity counted from the base's pose in the file, as conditions are written."""
        return self, q, velocity

    # ------------------------------------------------------------ the rest

    def translate(self, by: Array) -> "Kinematics | None":
        """The same states of the object moved as a whole by a vector [file units], [3], as exact there as here.

        None where a class cannot be built at another place; ask `translate_space`, which knows what to do then.
        """
        return None

    @property
    def size(self) -> int:
        """The number of coordinates k."""
        return len(self.rest)


def clamp(q: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """The nearest state in a box of limits; keeps derivatives inside it."""
    return torch.minimum(torch.maximum(q, lower), upper)
