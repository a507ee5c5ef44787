"""Forces on what carries the points: weight, pushes, air, drag in proportion to speed; felt by Y, [r, 3]."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, vstack

from neurok.geometry.arrays import Array
from neurok.geometry.measure import is_closed
from neurok.geometry.mesh import Mesh
from neurok.geometry.twist_jacobian import cross
from neurok.mechanics.gram import RowMatrix, compact_matrix

AIR_DENSITY = 1.2  # kg/m^3
PLATE_DRAG_COEFFICIENT = 1.2  # of a plate, per side that faces the wind


@dataclass(frozen=True)
class PointForce:
    """A force [kg unit / s^2], [3], on one point (its H, [r]) over a window of time [s]."""

    share: Array
    force: Array
    start: float
    end: float


@dataclass(frozen=True)
class AirFlow:
    """Air moving past samples of the surface.

    velocity [unit/s], [3]; area of the samples [unit^2], [p]; density [kg/unit^3].
    middle: H of the samples, [p, r]. load_map: its transpose, which takes forces on the samples to the rows.
    edges: H of two edges of each sample's face, x and y in turn, [2 p, r]: a normal is followed through the motion as
    n ~ x cross y.
    """

    velocity: Array
    area: Array
    density: float
    middle: RowMatrix
    load_map: RowMatrix
    edges: RowMatrix


@dataclass(frozen=True)
class AirLoad:
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


def build_air_flow(
    mesh: Mesh, velocity: tuple[float, float, float], area: Array, share: csr_matrix, corners: list[csr_matrix]
) -> AirFlow:
    """Air of a velocity [m/s] past samples of areas [p]; share, corners: H of them and of their faces' corners."""
    # The air meets one side of a closed body, either side of a sheet; a body has a surface on both.
    sides = 0.5 if is_closed(mesh) else 1.0
    first, second, third = corners
    return AirFlow(
        velocity=np.array(velocity) / mesh.unit,
        area=sides * area,
        density=AIR_DENSITY * mesh.unit**3,
        middle=compact_matrix(share),
        load_map=compact_matrix(share.T.tocsr()),
        edges=compact_matrix(vstack([second - first, third - first]).tocsr()),
    )


def compute_air_load(air: AirFlow, Y: Array, dY: Array) -> AirLoad:
    """The air on samples whose rows are at Y and move at dY, [r, 3]."""
    x, y = (air.edges @ Y).reshape(2, -1, 3).transpose(0, 2, 1)
    normal = cross(x, y)
    normal /= np.maximum(np.sqrt((normal * normal).sum(axis=0)), 1e-300)
    speed = ((air.velocity - air.middle @ dY).T * normal).sum(axis=0)
    return AirLoad(normal, speed, 0.5 * PLATE_DRAG_COEFFICIENT * air.density * air.area * np.abs(speed))


def push_many(air: AirFlow, Y: Array, dY: Array) -> Array:
    """What the air does to the rows of n states, [r, 3, n], that are at Y and move at dY, [r, 3, n]."""
    r, _, n = Y.shape
    x, y = (air.edges @ Y.reshape(r, -1)).reshape(2, -1, 3, n).swapaxes(1, 2)
    normal = cross(x, y)
    normal /= np.maximum(np.sqrt((normal * normal).sum(axis=0)), 1e-300)
    past = air.velocity[:, None, None] - (air.middle @ dY.reshape(r, -1)).reshape(-1, 3, n).swapaxes(0, 1)
    speed = (past * normal).sum(axis=0)
    pressure = (0.5 * PLATE_DRAG_COEFFICIENT * air.density) * air.area[:, None] * np.abs(speed) * speed
    force = np.ascontiguousarray((pressure * normal).swapaxes(0, 1)).reshape(len(speed), -1)
    return (air.load_map @ force).reshape(r, 3, n)


def compute_air_damping(air: AirFlow, load: AirLoad, J: Array) -> Array:
    """-d force/dv of the air, [k, k]; J [k, r, 3]."""
    k, r, _ = J.shape
    at_points = (air.middle @ J.transpose(1, 0, 2).reshape(r, -1)).reshape(-1, k, 3)
    along_normal = np.einsum("pka,ap->pk", at_points, load.normal)
    return 2 * along_normal.T @ (load.strength[:, None] * along_normal)
