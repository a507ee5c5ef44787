"""Lagrangian dynamics in a state space: M(q), velocity term, potential, forces -> acceleration.

    M(q) a + c(q, v) + dV/dq = Q(q, v, t),      M = sum_i m_i J_i^T J_i,    c = sum_i m_i J_i^T x_i''

with x_i'' = d^2/ds^2 F_i(q + s v): one nested forward-mode derivative; the k^3 Christoffel symbols are never
formed (they stay in the tests as the oracle). With x_p = H_p Y(q) (see `carrier`) sums over points become
products with the fixed matrix G = sum_i m_i H_i^T H_i.

Everything here is in the file's length unit, kilograms and seconds; `System.unit` turns energies into joules.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch.func import jacfwd

from neurok.geometry.arrays import Array
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier
from neurok.mechanics.forces import Push, Wind, air_damping, blow

WALL_RATE = 2 * np.pi * 10.0  # how fast a limit pushes back [rad/s]
WALL_DAMPING = 0.02  # of a limit's stiffness [s]; a limit takes energy out where there is damping at all
STIFFNESS_DAMPING = 0.02  # of the stiffness, per unit of damping rate [s^2]


@dataclass(frozen=True)
class System:
    """All that does not change while simulating.

    space: the kinematics at the start. carrier: its rows. inertia: G, [r, r] (dense or sparse).
    moment: sum_i m_i H_i, [r]. damping: the rate of all points [1/s], or G with each point's own in it, [r, r].
    stiffness: springs to rest, and what they damp, [k, k]; wall: those at the limits, per coordinate [k].
    gravity: [unit/s^2], [3]. armature: a little mass of coordinates on their own, [k, k].
    """

    space: Kinematics
    carrier: Carrier
    inertia: Array | csr_matrix
    moment: Array
    damping: float | Array | csr_matrix
    stiffness: Array
    stiffness_damping: Array
    wall: Array
    wall_damping: Array
    gravity: Array
    pushes: tuple[Push, ...] = ()
    wind: Wind | None = None
    armature: Array = field(default_factory=lambda: np.zeros((0, 0)))
    unit: float = 1.0

    @cached_property
    def weight(self) -> Array:
        """Of the rows, sum_i m_i H_i g, [r, 3]."""
        return np.outer(self.moment, self.gravity)


@dataclass(frozen=True)
class Pose:
    """What of the equation of motion depends on q alone: Y and J (their jet), M [k, k]."""

    jet: Jet
    mass: Array


@dataclass(frozen=True)
class Terms:
    """The equation of motion at one (q, v, t).

    mass [k, k]; velocity_term c [k]; force: all generalised forces but c, [k];
    damping [k, k] and stiffness [k, k]: -d force/dv and -d force/dq as far as they are known in closed form
    (implicit steps need them to be stable, not to be exact).
    """

    jet: Jet
    mass: Array
    velocity_term: Array
    force: Array
    damping: Array
    stiffness: Array
    kinetic: float
    potential: float

    @cached_property
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


def pose(system: System, space: Kinematics, q: Array) -> Pose:
    """Where things are and how heavy, whatever their speed."""
    return _pose(system, system.carrier.jet(space, q, np.zeros_like(q)))


def _pose(system: System, jet: Jet) -> Pose:
    return Pose(jet, gram(jet.jacobian, system.inertia, jet.jacobian) + system.armature)


def evaluate(system: System, space: Kinematics, q: Array, v: Array, t: float, *, known: Pose | None = None) -> Terms:
    """Everything in the equation of motion at (q, v, t); space is the system's, re-centred where it is free.

    known: what was found at q before.
    """
    if known is None:
        jet = system.carrier.jet(space, q, v)
        second, known = jet.second, _pose(system, jet)
    else:
        second = system.carrier.line(space, q, v, rate=False).second()
    Y, J, mass = known.jet.value, known.jet.jacobian, known.mass
    flat = J.reshape(len(J), -1)
    dY = (v @ flat).reshape(-1, 3)
    spring = _springs(system, space, q, v)
    damping = spring.damping
    if isinstance(system.damping, float):
        damping = damping + system.damping * (mass - system.armature)
    else:
        damping = damping + gram(J, system.damping, J)
    load = _load(system, dY, system.inertia @ dY, t)
    if system.wind is not None:
        air = blow(system.wind, Y, dY)
        load = load + system.wind.spread @ air.force
        damping = damping + air_damping(system.wind, air, J)
    return Terms(
        jet=known.jet,
        mass=mass,
        velocity_term=flat @ (system.inertia @ second).ravel(),
        force=flat @ load.ravel() + spring.force,
        damping=damping,
        stiffness=spring.stiffness,
        kinetic=0.5 * float(v @ mass @ v),
        potential=spring.potential - float(np.sum(system.weight * Y)),
    )


def momenta(system: System, space: Kinematics, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """p = M v and dT/dq + force at (q, v, t), [k] each: what Lagrange's equation d/dt p = dT/dq + force is made of.

    Neither M nor J is formed where the kinematics does without (see `Line`), so this costs a small part of `evaluate`.
    With P = G dY/dt the momenta of the rows, p = J^T P and dT/dq = (d/dt J)^T P.
    """
    line = system.carrier.line(space, q, v)
    P = system.inertia @ line.first
    load = _load(system, line.first, P, t)
    if system.wind is not None:
        load = load + system.wind.spread @ blow(system.wind, line.value, line.first).force
    p, dp = line.to_coordinates(P, load)
    return p + system.armature @ v, dp + _springs(system, space, q, v).force


def _load(system: System, dY: Array, P: Array, t: float) -> Array:
    """Forces but the air's on the rows, [r, 3], that move at dY and have the momenta P."""
    drag = system.damping * P if isinstance(system.damping, float) else system.damping @ dY
    load = system.weight - drag
    for push in system.pushes:
        if push.start <= t < push.end:
            load = load + np.outer(push.share, push.force)
    return load


@dataclass(frozen=True)
class Springs:
    """What draws a state to rest, and back where it is not admissible.

    force, their damping included [k]; potential; stiffness and damping [k, k].
    """

    force: Array
    potential: float
    stiffness: Array
    damping: Array


def _springs(system: System, space: Kinematics, q: Array, v: Array) -> Springs:
    """Springs to rest, and those between a state and the nearest admissible one.

    The latter's energy is V = 1/2 sum_i wall_i (q - admit(q))_i^2, and their push is the gradient of V, through the
    derivative of `admit`: at a ball the springs of coordinates differ and the nearest state moves along, and a push by
    the springs alone would make energy.
    """
    away = q - system.space.rest.numpy()
    pulled = system.stiffness @ away
    rest = Springs(
        -pulled - system.stiffness_damping @ v, 0.5 * float(pulled @ away), system.stiffness, system.stiffness_damping
    )
    state = torch.from_numpy(q)
    nearest = space.admit(state).numpy()
    beyond = q - nearest
    if not (system.wall @ np.abs(beyond)) > 0:
        return rest
    if np.array_equal(nearest, np.clip(q, space.lower.numpy(), space.upper.numpy())):
        slope = np.diag((beyond != 0).astype(np.float64))  # each coordinate by itself
    else:
        slope = np.eye(len(q)) - jacfwd(space.admit)(state).numpy()
    damping = (slope.T * system.wall_damping) @ slope
    return Springs(
        force=rest.force - slope.T @ (system.wall * beyond) - damping @ v,
        potential=rest.potential + 0.5 * float(system.wall @ beyond**2),
        stiffness=rest.stiffness + (slope.T * system.wall) @ slope,
        damping=rest.damping + damping,
    )
