"""Moreau's step: the semi-implicit velocity, then holds, then impulses of contacts and limits, then the position.

    v1 = v0 + h (M + h D + h^2 K)^-1 (f - c - h K v0) + impulses,    q1 = q0 + h v1

First order, and taken only where something is held, touches or stands at a limit.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.contact import Limits, Meeting
from neurok.mechanics.holds import Hold, grip
from neurok.mechanics.integrators import StepFailed
from neurok.mechanics.lagrangian import Terms
from neurok.mechanics.scene import Scene

UNNOTICED = 0.1  # of the slop: how far a point may sink before it is let in


@dataclass(frozen=True)
class Outcome:
    """q, v [k] after the step; impulses [3] of what touched, by the contact's key; hold force and misses."""

    q: Array
    v: Array
    pressed: dict[int, Array]
    force: float
    missed: dict[str, float]


def step(
    scene: Scene,
    space: Kinematics,
    now: Terms,
    q: Array,
    v: Array,
    h: float,
    holds: list[Hold],
    guess: dict[int, Array],
    *,
    most: Array | None = None,
) -> Outcome:
    """One step from (q, v), where the terms are `now`; guess: the impulses of the step before.

    most: the farthest each coordinate may go, [k]. The velocity is brought down to that before anything is met, so that
    impulses answer the motion that is taken: against those of a far stronger push, rounding would throw it about.
    """
    effective = now.mass + h * now.damping + h * h * now.stiffness
    try:
        after = v + h * np.linalg.solve(effective, now.force - now.velocity_term - h * now.stiffness @ v)
        gripped = grip(effective, after, holds) if holds else None
        if gripped is not None:
            effective, after = gripped.effective, gripped.velocity
        if most is not None:
            after = after / excess(h * after, most, space.base_count)
        near, slop = None, 0.0
        if scene.contacts is not None:
            slop = scene.contacts.slop
            speeds = tuple(np.tensordot(speed, now.jet.jacobian, axes=1) for speed in (v, after))
            near = scene.contacts.near(now.jet.value, scene.contacts.margin(speeds, h))
        meeting = Meeting(near, limits(scene, space, q), effective, now.jet.jacobian, h, UNNOTICED * slop)
        after, pressed = meeting.solve(after, guess)
        end = q + h * after
        end = end + meeting.push_out(limits(scene, space, end), slop)
        if gripped is None:
            return Outcome(end, after, pressed, 0.0, {})
        return Outcome(end, after, pressed, gripped.force(after, h), gripped.missed(after, h))
    except np.linalg.LinAlgError:
        raise StepFailed from None


def excess(move: Array, most: Array, rigid: int) -> Array:
    """How many times too far each coordinate moves, [k], at least 1; move, most: how far, and how far it may, [k].

    A base (rigid: 6, else 0) shifts and turns as a whole, so that it keeps its way; each part goes its own, or one that
    is light and soon too fast would hold up all others.
    """
    times = np.maximum(np.abs(move) / most * (1.0 + 1e-9), 1.0)  # what is rounded stays within, too
    for group in (slice(0, rigid // 2), slice(rigid // 2, rigid)):
        times[group] = times[group].max(initial=1.0)
    return times


def limits(scene: Scene, space: Kinematics, q: Array) -> Limits:
    """Where the walls of the coordinates are from q."""
    solid = scene.system.wall > 0
    below = np.where(solid, q - space.lower.numpy(), np.inf)
    above = np.where(solid, space.upper.numpy() - q, np.inf)
    return Limits(np.concatenate([below, above]))
