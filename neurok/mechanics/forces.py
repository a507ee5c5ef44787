"""Forces on what carries the points: weight, pushes, air, drag in proportion to speed; felt by Y, [r, 3]."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from neurok.geometry.arrays import Array
from neurok.geometry.twist_jacobian import cross

AIR = 1.2  # density of air [kg/m^3]
DRAG = 1.2  # drag coefficient of a plate, per side that faces the wind


@dataclass(frozen=True)
class Push:
    """A force [kg unit / s^2] on one point (its H, [r]) over a window of time [s]."""

    share: Array
    force: Array
    start: float
    end: float


@dataclass(frozen=True)
class Wind:
    """Air moving past samples of the surface.

    velocity [unit/s], [3]; area of the samples [unit^2], [p]; density [kg/unit^3].
    middle: H of the samples, [p, r], and its transpose, `spread`. edges: of two edges of each sample's face, x and y in
    turn, [2 p, r]: a normal is followed through the motion as n ~ x cross y.
    """

    velocity: Array
    area: Array
    density: float
    middle: Array | csr_matrix
    spread: Array | csr_matrix
    edges: Array | csr_matrix


@dataclass(frozen=True)
class Blow:
    """What the air does to its samples: normals [3, p], the air's speed u_n along them [p], and f / u_n [p].

    f = 1/2 rho C A |u_n| u_n n with u_n the air's speed relative to the sample along its normal.
    """

    normal: Array
    speed: Array
    strength: Array

    @property
    def force(self) -> Array:
        """On each sample [kg unit / s^2], [p, 3]."""
        return ((self.strength * self.speed) * self.normal).T


def blow(wind: Wind, Y: Array, dY: Array) -> Blow:
    """The air on samples whose rows are at Y and move at dY, [r, 3]."""
    x, y = (wind.edges @ Y).reshape(2, -1, 3).transpose(0, 2, 1)
    normal = cross(x, y)
    normal /= np.maximum(np.sqrt((normal * normal).sum(axis=0)), 1e-300)
    speed = ((wind.velocity - wind.middle @ dY).T * normal).sum(axis=0)
    return Blow(normal, speed, 0.5 * DRAG * wind.density * wind.area * np.abs(speed))


def air_damping(wind: Wind, air: Blow, J: Array) -> Array:
    """-d force/dv of the air, [k, k]; J [k, r, 3]."""
    k, r, _ = J.shape
    at_points = (wind.middle @ J.transpose(1, 0, 2).reshape(r, -1)).reshape(-1, k, 3)
    along_normal = np.einsum("pka,ap->pk", at_points, air.normal)
    return 2 * along_normal.T @ (air.strength[:, None] * along_normal)
