"""Matter: what fills a body, as points that stand for volumes, each of some material."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask


@dataclass(frozen=True)
class Hooke:
    """What a linear elastic material resists with.

    young: E [Pa]. poisson: nu. density: rho [kg/m^3]. loss: the loss factor, twice the damping ratio of a vibration.
    is_rigid: whether it is taken not to deform at all.
    """

    young: float
    poisson: float
    density: float
    loss: float = 0.0
    is_rigid: bool = False


@dataclass(frozen=True)
class Matter:
    """position [m], [p, 3]; volume [m^3], [p]; material: which of `materials`, [p]."""

    position: Array
    volume: Array
    material: Indices
    materials: tuple[Hooke, ...]

    @property
    def mass(self) -> Array:
        """Of each point [kg], [p]."""
        return self.volume * np.array([one.density for one in self.materials])[self.material]

    @property
    def rigid(self) -> Mask:
        """Which points do not deform, [p]."""
        return np.array([one.is_rigid for one in self.materials])[self.material]


@dataclass(frozen=True)
class FaceMaterials:
    """What the faces of a mesh are made of; index: into `materials`, [m]; thickness: as a shell [m], [m]."""

    index: Indices
    thickness: Array
    materials: tuple[Hooke, ...]

    @property
    def elastic(self) -> Mask:
        """Which faces are made of what deforms, [m]."""
        return ~np.array([one.is_rigid for one in self.materials])[self.index]
