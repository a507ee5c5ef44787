"""Lagrangian dynamics in a state space: M(q), velocity term, potential, forces -> acceleration.

    M(q) a + c(q, v) + dV/dq = Q(q, v, t),      M = sum_i m_i J_i^T J_i,    c = sum_i m_i J_i^T x_i''

with x_i'' = d^2/ds^2 F_i(q + s v): one nested forward-mode derivative; the k^3 Christoffel symbols are never
formed (they stay in the tests as the oracle). With x_p = H_p Y(q) (see `carrier`) sums over points become
products with the fixed matrix G = sum_i m_i H_i^T H_i.

Everything here is in the file's length unit, kilograms and seconds; `System.unit` turns energies into joules.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier
from neurok.mechanics.forces import AirFlow, PointForce, compute_air_damping, compute_air_load, push_many
from neurok.mechanics.gram import RowMatrix, compute_gram
from neurok.mechanics.springs import Springs, evaluate_springs


@dataclass(frozen=True)
class System:
    """All that does not change while simulating.

    space: the kinematics at the start. carrier: its rows. inertia: G, [r, r] (dense or sparse).
    moment: sum_i m_i H_i, [r]. damping: the rate of all points [1/s], or G with each point's own in it, [r, r].
    springs: to rest and at the limits. gravity: [unit/s^2], [3].
    armature: a little mass of coordinates on their own, [k, k].
    """

    space: Kinematics
    carrier: Carrier
    inertia: RowMatrix
    moment: Array
    damping: float | RowMatrix
    springs: Springs
    gravity: Array
    pushes: tuple[PointForce, ...] = ()
    wind: AirFlow | None = None
    armature: Array = field(default_factory=lambda: np.zeros((0, 0)))
    unit: float = 1.0

    @cached_property
    def weight(self) -> Array:
        """Of the rows, sum_i m_i H_i g, [r, 3]."""
        return np.outer(self.moment, self.gravity)


@dataclass(frozen=True)
class PoseTerms:
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


def compute_pose_terms(system: System, space: Kinematics, q: Array) -> PoseTerms:
    """Where things are and how heavy, whatever their speed."""
    return _weigh_pose(system, system.carrier.compute_jet(space, q, np.zeros_like(q)))


def _weigh_pose(system: System, jet: Jet) -> PoseTerms:
    return PoseTerms(jet, compute_gram(jet.jacobian, system.inertia, jet.jacobian) + system.armature)


def evaluate(
    system: System, space: Kinematics, q: Array, v: Array, t: float, *, known: PoseTerms | None = None
) -> Terms:
    """Everything in the equation of motion at (q, v, t); space is the system's, re-centred where it is free.

    known: what was found at q before.
    """
    if known is None:
        jet = system.carrier.compute_jet(space, q, v)
        second, known = jet.second, _weigh_pose(system, jet)
    else:
        second = system.carrier.compute_line(space, q, v, rate=False).second()
    Y, J, mass = known.jet.value, known.jet.jacobian, known.mass
    flat = J.reshape(len(J), -1)
    dY = (v @ flat).reshape(-1, 3)
    spring = evaluate_springs(system.springs, system.space.rest.numpy(), space, q, v)
    damping = spring.damping
    if isinstance(system.damping, float):
        damping = damping + system.damping * (mass - system.armature)
    else:
        damping = damping + compute_gram(J, system.damping, J)
    load = _compute_load(system, dY, system.inertia @ dY, t)
    if system.wind is not None:
        air = compute_air_load(system.wind, Y, dY)
        load = load + system.wind.load_map @ air.force
        damping = damping + compute_air_damping(system.wind, air, J)
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


def compute_momenta(system: System, space: Kinematics, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """p = M v and dT/dq + force at (q, v, t), [k] each: what Lagrange's equation d/dt p = dT/dq + force is made of.

    Neither M nor J is formed where the kinematics does without (see `Line`), so this costs a small part of `evaluate`.
    With P = G dY/dt the momenta of the rows, p = J^T P and dT/dq = (d/dt J)^T P.
    """
    line = system.carrier.compute_line(space, q, v)
    P = system.inertia @ line.first
    load = _compute_load(system, line.first, P, t)
    if system.wind is not None:
        load = load + system.wind.load_map @ compute_air_load(system.wind, line.value, line.first).force
    p, dp = line.to_coordinates(P, load)
    return p + system.armature @ v, dp + evaluate_springs(system.springs, system.space.rest.numpy(), space, q, v).force


def _compute_load(system: System, dY: Array, P: Array, t: float) -> Array:
    """Forces but the air's on the rows, [r, 3], that move at dY and have the momenta P."""
    drag = system.damping * P if isinstance(system.damping, float) else system.damping @ dY
    return _compute_dead_load(system, t) - drag


def _compute_dead_load(system: System, t: float) -> Array:
    """Weight and pushes on the rows, whatever they do, [r, 3]."""
    load = system.weight
    for push in system.pushes:
        if push.start <= t < push.end:
            load = load + np.outer(push.share, push.force)
    return load


@dataclass(frozen=True)
class ManyMomenta:
    """p and dT/dq + force as `compute_momenta` gives them, of n states and velocities, [n, k] each.

    find_energy: gives the kinetic and the potential energy, [2, n].
    """

    p: Array
    rate: Array
    find_energy: Callable[[], Array]


def compute_many_momenta(system: System, space: Kinematics, states: Array, velocities: Array, t: float) -> ManyMomenta:
    """The momenta of states and velocities [n, k] at once, at a time t when the same pushes act on all.

    Limits are left out: it holds where no state is beyond one.
    """
    lines = system.carrier.compute_lines(space, states, velocities)
    r, _, n = lines.first.shape
    flat = lines.first.reshape(r, -1)
    P = system.inertia @ flat
    drag = system.damping * P if isinstance(system.damping, float) else system.damping @ flat
    load = _compute_dead_load(system, t)[..., None] - drag.reshape(r, 3, n)
    if system.wind is not None:
        load = load + push_many(system.wind, lines.value(), lines.first)
    p, rate = lines.to_coordinates(P.reshape(r, 3, n), load)
    away, springs = states - system.space.rest.numpy(), system.springs
    drawn, p = away @ springs.stiffness, p + velocities @ system.armature

    def find_energy() -> Array:
        weight = np.tensordot(system.weight, lines.value(), axes=2)
        return 0.5 * np.array([(p * velocities).sum(axis=1), (drawn * away).sum(axis=1) - 2.0 * weight])

    return ManyMomenta(p, rate - drawn - velocities @ springs.stiffness_damping, find_energy)
