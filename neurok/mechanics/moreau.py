"""Moreau's step: the semi-implicit velocity, then holds, then impulses of contacts and limits, then the position.

    v1 = v0 + h (M + h D + h^2 K)^-1 (f - c - h K v0) + impulses,    q1 = q0 + h v1

First order, and taken only where something is held, touches or stands at a limit.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.contact import ContactPairs, ContactProblem, Limits
from neurok.mechanics.holds import Hold, solve_holds
from neurok.mechanics.integrators import StepFailed
from neurok.mechanics.lagrangian import Terms
from neurok.mechanics.scene import Scene
from neurok.mechanics.state import State

IMPACT_STEPS = 4.0  # what gravity gives in so many steps is the slowest approach that rebounds
SINKING_TOLERANCE = 0.1  # of the slop: how far a point may sink before it is let in


@dataclass(frozen=True)
class MoreauStep:
    """q, v [k] after the step; impulses [3] of what touched, by the contact's key; the greatest force of a hold
    [kg unit / s^2], and how far held points are from their places [unit], by name."""

    q: Array
    v: Array
    impulses: dict[int, Array]
    force: float
    missed: dict[str, float]


def take_moreau_step(
    scene: Scene,
    state: State,
    now: Terms,
    h: float,
    holds: list[Hold],
    guess: dict[int, Array],
    *,
    max_stride: Array | None = None,
) -> MoreauStep:
    """One step of h from a state, where the terms are `now`; guess: the impulses of the step before.

    max_stride: the farthest each coordinate may go, [k]. The velocity is brought down to that before anything is met,
    so that impulses answer the motion that is taken: against those of a far stronger push, rounding would throw it
    about.
    """
    space, q, v = state.space, state.q, state.v
    effective = now.mass + h * now.damping + h * h * now.stiffness
    try:
        after: Array = v + h * np.linalg.solve(effective, now.force - now.velocity_term - h * now.stiffness @ v)
        held = solve_holds(effective, after, holds) if holds else None
        if held is not None:
            effective, after = held.effective, held.velocity
        if max_stride is not None:
            after = after / measure_excess(h * after, max_stride, space.base_count)
        near, slop = find_near(scene, now.jet, (v, after), h)
        limits = find_limits(scene, space, q)
        rates = [np.tensordot(u, now.jet.jacobian, axes=1) for u in (v, after)]
        impact = IMPACT_STEPS * h * float(np.linalg.norm(scene.system.gravity))
        rebound = near.find_rebound(rates[0], rates[1], h, impact)
        problem = ContactProblem(near, limits, effective, now.jet.jacobian, h, SINKING_TOLERANCE * slop, rebound)
        after, impulses = problem.solve(after, guess)
        end = q + h * after
        end = end + problem.push_out(find_limits(scene, space, end), slop)
        if held is None:
            return MoreauStep(end, after, impulses, 0.0, {})
        return MoreauStep(end, after, impulses, held.measure_force(after, h), held.measure_misses(after, h))
    except np.linalg.LinAlgError:
        raise StepFailed from None


def find_near(scene: Scene, jet: Jet, velocities: tuple[Array, ...], h: float) -> tuple[ContactPairs, float]:
    """What may touch in a step of h at one of the velocities [k], and the penetration that is left alone [unit]."""
    contacts, own = scene.contacts, scene.self_contacts
    if contacts is None and own is None:
        return ContactPairs.empty(), 0.0
    speeds = tuple(np.tensordot(velocity, jet.jacobian, axes=1) for velocity in velocities)
    near, slop, count = ContactPairs.empty(), 0.0, 0
    if contacts is not None:
        near, slop, count = (
            contacts.find_near(jet.value, contacts.compute_margin(speeds, h)),
            contacts.slop,
            contacts.count,
        )
    if own is not None:
        near, slop = near.join(own.find_near(jet.value, speeds, h, count)), own.slop
    return near, slop


def measure_excess(move: Array, max_move: Array, base_count: int) -> Array:
    """How many times too far each coordinate moves, [k], at least 1; move, max_move: how far, and how far it may, [k].

    A free base (base_count: 6, else 0) shifts and turns as a whole, so that it keeps its way; each part goes its own,
    or one that is light and soon too fast would hold up all others.
    """
    times = np.maximum(np.abs(move) / max_move * (1.0 + 1e-9), 1.0)  # what is rounded stays within, too
    for group in (slice(0, base_count // 2), slice(base_count // 2, base_count)):
        times[group] = times[group].max(initial=1.0)
    return times


def find_limits(scene: Scene, space: Kinematics, q: Array) -> Limits:
    """Where the walls of the coordinates are from q."""
    solid = scene.system.springs.wall > 0
    below = np.where(solid, q - space.lower.numpy(), np.inf)
    above = np.where(solid, space.upper.numpy() - q, np.inf)
    return Limits(np.concatenate([below, above]))
