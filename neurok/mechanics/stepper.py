"""Stepper: one step of a scene, whole or in halves, by the chosen scheme or by Moreau's."""

from dataclasses import dataclass

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics import moreau
from neurok.mechanics.holds import Hold, acting
from neurok.mechanics.integrators import JUST_BEFORE, Integrator, StepFailed
from neurok.mechanics.lagrangian import Terms, evaluate
from neurok.mechanics.scene import Scene
from neurok.mechanics.tally import Tally

HALVINGS = 4  # so the smallest step is a sixteenth; speeds beyond it are limited, and said so


@dataclass(frozen=True)
class State:
    """q, v [k], the time [s], and the kinematics with the base where it is."""

    space: Kinematics
    q: Array
    v: Array
    t: float


class Stepper:
    """Takes steps of one scene with one integrator and remembers what was noteworthy.

    whole: the length of a whole step [s].
    touched, force: contacts and the greatest hold force [kg unit / s^2] of the last step.
    """

    def __init__(self, scene: Scene, integrator: Integrator, *, whole: float) -> None:
        self.scene, self.system, self.integrator, self.whole = scene, scene.system, integrator, whole
        self.tally = Tally()
        self.touched, self.force = 0, 0.0
        self._begin, self._deepest = 0, 0
        self._origins: dict[int, Array] = {}
        self._pressed: dict[int, Array] = {}
        self._terms: tuple[State, list[bool], Terms] | None = None

    def terms(self, state: State) -> Terms:
        """The equation of motion at a state; the last one is remembered."""
        pushing = self._pushing(state.t)
        if self._terms is None or pushing != self._terms[1] or not _same(self._terms[0], state):
            found = evaluate(self.system, state.space, state.q, state.v, state.t)
            self._terms = state, pushing, found
        return self._terms[2]

    def _pushing(self, t: float) -> list[bool]:
        """Which pushes act: the only thing about the terms that depends on time."""
        return [push.start <= t < push.end for push in self.system.pushes]

    def advance(self, state: State, h: float, depth: int = 0) -> State:
        """One step of h, in two halves where it cannot be taken whole.

        A step after a hard one begins one halving below what that one needed, so that hard times cost no more
        failures than they must.
        """
        if depth == 0:
            self._deepest, self._begin = 0, max(self._deepest - 1, 0)
        if depth >= self._begin:
            try:
                after = self._try(state, h, last=depth == HALVINGS)
                self.tally.steps += 1
                self._deepest = max(self._deepest, depth)
                return after
            except StepFailed:
                pass
        self.tally.halve(h)
        return self.advance(self.advance(state, h / 2, depth + 1), h / 2, depth + 1)

    def _try(self, state: State, h: float, *, last: bool) -> State:
        with np.errstate(all="ignore"):  # a step that overflows is caught below, as one that fails
            now = self.terms(state)
            diagonal = self.system.space.mesh.diagonal
            holds = acting(self.scene.held, self._origins, now.jet, state.t, h, whole=self.whole, diagonal=diagonal)
            q, v = self._attempt(state, now, h, holds, last=last)
        return State(*state.space.recentre(q, v), state.t + h)

    def _attempt(self, state: State, now: Terms, h: float, holds: list[Hold], *, last: bool) -> tuple[Array, Array]:
        """The chosen scheme; at the smallest step the sturdier one, and at last a slower motion."""
        try:
            if not holds and not self._meets(state, now, h):
                return self._smooth(state, now, h)
            return self._moreau(state, now, h, holds)
        except StepFailed:
            if not last:
                raise
        try:
            return self._moreau(state, now, h, holds)
        except StepFailed:
            return self._limited(state, now, h, holds)

    def _meets(self, state: State, now: Terms, h: float) -> bool:
        """Whether something may touch in this step, or a coordinate cross a limit."""
        ahead = state.v + h * now.acceleration
        if np.any(moreau.limits(self.scene, state.space, state.q + h * ahead).room < 0):
            return True
        if self.scene.contacts is None:
            return False
        speeds = tuple(np.tensordot(v, now.jet.jacobian, axes=1) for v in (state.v, ahead))
        return self.scene.contacts.may_close(now.jet.value, speeds, h)

    def _smooth(self, state: State, now: Terms, h: float) -> tuple[Array, Array]:
        """A step of the chosen integrator; refused where it makes energy out of nothing."""
        q, v, known = self.integrator.step(self.system, state.space, now, state.q, state.v, state.t, h)
        self._check(state, q, v)
        t = state.t + h * JUST_BEFORE
        end = evaluate(self.system, state.space, q, v, t, known=known)
        self._terms = State(state.space, q, v, state.t + h), self._pushing(t), end
        work = 0.5 * (q - state.q) @ (now.force + end.force)
        kick = float(now.force @ np.linalg.solve(now.mass, now.force)) * h * h
        if abs(end.kinetic - now.kinetic - work) > 0.5 * max(end.kinetic, now.kinetic) + 4 * kick:
            raise StepFailed
        self.touched, self.force, self._pressed = 0, 0.0, {}
        return q, v

    def _moreau(self, state: State, now: Terms, h: float, holds: list[Hold]) -> tuple[Array, Array]:
        """A step with holds, contacts and limits."""
        found = moreau.step(self.scene, state.space, now, state.q, state.v, h, holds, self._pressed)
        self._check(state, found.q, found.v)
        self.touched, self.force, self._pressed = len(found.pressed), found.force, found.pressed
        self.tally.contacts = max(self.tally.contacts, self.touched)
        self.tally.hold(found.force, found.missed)
        return found.q, found.v

    def _check(self, state: State, q: Array, v: Array) -> None:
        """Refuse steps that are not finite or go too far."""
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            raise StepFailed
        if np.any(np.abs(q - state.q) > self.scene.stride):
            raise StepFailed

    def _limited(self, state: State, now: Terms, h: float, holds: list[Hold]) -> tuple[Array, Array]:
        """The last resort at the smallest step: the way that Moreau's step would go, as far as the stride allows."""
        self.tally.limit(h)
        most = self.scene.stride
        try:
            found = moreau.step(self.scene, state.space, now, state.q, state.v, h, holds, self._pressed, most=most)
            q, v, self._pressed = found.q, found.v, found.pressed
        except StepFailed:
            q, v, self._pressed = state.q + h * state.v, state.v, {}
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            q, v, self._pressed = state.q, np.zeros_like(state.v), {}
        self.touched, self.force = len(self._pressed), 0.0
        share = float(np.min(1.0 / moreau.excess(q - state.q, most, 0), initial=1.0))
        share *= self._onward(state, now, state.q + share * (q - state.q), v, h)
        q, v = state.q + share * (q - state.q), share * v
        if self.system.wall.any():  # nothing else bounds how far such steps go
            q = state.space.admit(torch.from_numpy(q)).numpy()
        return q, v

    def _onward(self, state: State, now: Terms, q: Array, v: Array, h: float) -> float:
        """The share of a limited step after which what pushes turns against the motion (by a secant), at most 1.

        A strong push holds a lid where it points; steps beyond that would throw it to and fro.
        """
        there = evaluate(self.system, state.space, q, v, state.t + h * JUST_BEFORE)
        first, last = float(v @ now.force), float(v @ there.force)
        return first / (first - last) if first > 0 > last else 1.0


def _same(a: State, b: State) -> bool:
    return a.space is b.space and np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v)
