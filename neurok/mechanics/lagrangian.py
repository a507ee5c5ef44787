"""Lagrangian dynamics in a state space: M(q), velocity term, potential, forces -> acceleration.

    M(q) a + c(q, v) + dV/dq = Q(q, v, t),      M = sum_i m_i J_i^T J_i,    c = sum_i m_i J_i^T x_i''

with x_i'' = d^2/ds^2 F_i(q + s v): one nested forward-mode derivative; the k^3 Christoffel symbols are never
formed (they stay in the tests as the oracle). With x_p = H_p Y(q) (see `carrier`) sums over points become
products with the fixed matrix G = sum_i m_i H_i^T H_i.

Everything here is in the file's length unit, kilograms and seconds; `System.unit` turns energies into joules.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from torch.func import jacfwd

from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier

Array = NDArray[np.float64]

AIR = 1.2  # density of air [kg/m^3]
DRAG = 1.2  # drag coefficient of a plate, per side that faces the wind
WALL_RATE = 2 * np.pi * 10.0  # how fast a limit pushes back [rad/s]
WALL_DAMPING = 0.02  # of a limit's stiffness [s]; a limit takes energy out where there is damping at all
STIFFNESS_DAMPING = 0.02  # of the stiffness, per unit of damping rate [s^2]


@dataclass(frozen=True)
class Push:
    """A force [kg unit / s^2] on one point (its H, [r]) over a window of time [s]."""

    share: Array
    force: Array
    start: float
    end: float


@dataclass(frozen=True)
class Wind:
    """Air moving past samples of the surface: H [p, r], area [unit^2], normals at rest through two more rows each.

    A normal is followed through the motion by the positions of three nearby points: n ~ (b - a) x (c - a).
    """

    velocity: Array
    corners: tuple[csr_matrix, csr_matrix, csr_matrix]
    middle: csr_matrix
    area: Array
    density: float


@dataclass(frozen=True)
class System:
    """All that does not change while simulating.

    space: the kinematics at the start. carrier: its rows. inertia: G, [r, r] (dense or sparse).
    moment: sum_i m_i H_i, [r]. damping: G with each point's rate, or None where there is none.
    stiffness: springs to rest, and what they damp, [k, k]; wall: those at the limits, per coordinate [k].
    gravity: [unit/s^2], [3]. armature: a little mass of coordinates on their own, [k, k].
    """

    space: Kinematics
    carrier: Carrier
    inertia: Array | csr_matrix
    moment: Array
    damping: Array | csr_matrix | None
    stiffness: Array
    stiffness_damping: Array
    wall: Array
    wall_damping: Array
    gravity: Array
    pushes: tuple[Push, ...] = ()
    wind: Wind | None = None
    armature: Array = field(default_factory=lambda: np.zeros((0, 0)))
    unit: float = 1.0


@dataclass(frozen=True)
class Terms:
    """The equation of motion at one (q, v, t).

    mass [k, k]; velocity_term c [k]; force: all generalised forces but c, [k];
    damping [k, k] and stiffness [k, k]: -d force/dv and -d force/dq as far as they are known in closed form
    (implicit steps need them to be stable, not to be exact); momentum_rate: dT/dq + force, [k], where asked for.
    """

    jet: Jet
    mass: Array
    velocity_term: Array
    force: Array
    damping: Array
    stiffness: Array
    kinetic: float
    potential: float
    momentum_rate: Array | None = None

    @property
    def acceleration(self) -> Array:
        return np.linalg.solve(self.mass, self.force - self.velocity_term)


def gram(jacobian: Array, weights: Array | csr_matrix, other: Array) -> Array:
    """sum over rows and axes of jacobian_i G other_j: [k, r, 3] x [r, r] x [j, r, 3] -> [k, j]."""
    return jacobian.reshape(len(jacobian), -1) @ weigh(weights, other).reshape(len(other), -1).T


def weigh(weights: Array | csr_matrix, rows: Array) -> Array:
    """G applied to each [r, 3] of [j, r, 3]."""
    j, r, _ = rows.shape  # as one product: many slim ones cost several times as much
    flat = np.ascontiguousarray(rows.transpose(1, 0, 2)).reshape(r, -1)
    return (weights @ flat).reshape(r, j, 3).transpose(1, 0, 2)


def evaluate(system: System, space: Kinematics, q: Array, v: Array, t: float, *, rate: bool = False) -> Terms:
    """Everything in the equation of motion at (q, v, t); space is the system's, re-centred where it is free."""
    jet = system.carrier.jet(space, q, v, rate=rate)
    J = jet.jacobian
    weighed = weigh(system.inertia, J)
    flat = weighed.reshape(len(J), -1)
    mass = J.reshape(len(J), -1) @ flat.T + system.armature
    velocity_term = flat @ jet.second.ravel()
    along = (v @ J.reshape(len(J), -1)).reshape(-1, 3)  # dY/dt, [r, 3]

    force, potential = _gravity(system, jet)
    spring = q - system.space.rest.numpy()
    pulled = system.stiffness @ spring
    force, potential = force - pulled, potential + 0.5 * float(pulled @ spring)
    damping, stiffness = system.stiffness_damping, system.stiffness
    wall = _wall(system, space, q)
    if wall is not None:
        force, potential = force - wall.push, potential + wall.potential
        damping, stiffness = damping + wall.damping, stiffness + wall.stiffness
    if system.damping is not None:
        damping = damping + gram(J, system.damping, J)
    force = force - damping @ v
    for push in system.pushes:
        if push.start <= t < push.end:
            force = force + (push.share @ J) @ push.force
    if system.wind is not None:
        blow, drag = _wind(system.wind, jet, along)
        force, damping = force + blow, damping + drag
    momentum_rate = None
    if rate:
        momentum_rate = jet.rate.reshape(len(J), -1) @ weigh(system.inertia, along[None]).ravel() + force
    return Terms(
        jet=jet,
        mass=mass,
        velocity_term=velocity_term,
        force=force,
        damping=damping,
        stiffness=stiffness,
        kinetic=0.5 * float(v @ mass @ v),
        potential=potential,
        momentum_rate=momentum_rate,
    )


@dataclass(frozen=True)
class Wall:
    """What drives a state back that is not admissible: push [k] and its potential, stiffness and damping [k, k]."""

    push: Array
    potential: float
    stiffness: Array
    damping: Array


def _wall(system: System, space: Kinematics, q: Array) -> Wall | None:
    """The spring between a state and the nearest admissible one, V = 1/2 sum_i wall_i (q - admit(q))_i^2.

    Its push is the gradient of V, through the derivative of `admit`: at a ball the springs of coordinates differ and
    the nearest state moves along, and a push by the springs alone would make energy.
    """
    state = torch.from_numpy(q)
    nearest = space.admit(state).numpy()
    beyond = q - nearest
    if not (system.wall @ np.abs(beyond)) > 0:
        return None
    if np.array_equal(nearest, np.clip(q, space.lower.numpy(), space.upper.numpy())):
        slope = np.diag((beyond != 0).astype(np.float64))  # each coordinate by itself
    else:
        slope = np.eye(len(q)) - jacfwd(space.admit)(state).numpy()
    return Wall(
        push=slope.T @ (system.wall * beyond),
        potential=0.5 * float(system.wall @ beyond**2),
        stiffness=(slope.T * system.wall) @ slope,
        damping=(slope.T * system.wall_damping) @ slope,
    )


def _gravity(system: System, jet: Jet) -> tuple[Array, float]:
    """Generalised weight [k] and its potential -sum m g . x."""
    force = (system.moment @ jet.jacobian) @ system.gravity
    return force, -float(system.moment @ jet.value @ system.gravity)


def _wind(wind: Wind, jet: Jet, along: Array) -> tuple[Array, Array]:
    """Generalised force of the air and its damping matrix.

    f = 1/2 rho C A |u_n| u_n n with u_n the air's speed relative to the sample along its normal.
    """
    a, b, c = (corner @ jet.value for corner in wind.corners)
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    speed = np.einsum("pa,pa->p", wind.velocity - wind.middle @ along, normal)
    strength = 0.5 * wind.density * DRAG * wind.area * np.abs(speed)
    k = len(jet.jacobian)
    flat = jet.jacobian.transpose(1, 0, 2).reshape(jet.jacobian.shape[1], -1)
    at_points = (wind.middle @ flat).reshape(-1, k, 3)
    along_normal = np.einsum("pka,pa->pk", at_points, normal)
    force = along_normal.T @ (strength * speed)
    return force, 2 * along_normal.T @ (strength[:, None] * along_normal)


def point_jacobian(share: Array, jet: Jet) -> Array:
    """J of one point with its H [r] at the jet, [3, k]."""
    return (share @ jet.jacobian).T


def mass_matrix(system: System, space: Kinematics, q: Array) -> Array:
    """M(q) alone, [k, k]."""
    J = system.carrier.jet(space, q, np.zeros_like(q)).jacobian
    return gram(J, system.inertia, J) + system.armature
