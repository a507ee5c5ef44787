"""Stepper: one step of a scene, whole or in halves, by the chosen scheme or by Moreau's."""

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.mechanics import moreau
from neurok.mechanics.holds import Hold, find_active_holds
from neurok.mechanics.integrators import JUST_BEFORE, Integrator, StepFailed
from neurok.mechanics.lagrangian import Terms, evaluate
from neurok.mechanics.scene import Scene
from neurok.mechanics.state import State
from neurok.mechanics.tally import Tally

MAX_HALVINGS = 4  # so the smallest step is a sixteenth; speeds beyond it are limited, and said so


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
        self._impulses: dict[int, Array] = {}
        self._terms: tuple[State, list[bool], Terms] | None = None

    def evaluate_terms(self, state: State) -> Terms:
        """The equation of motion at a state; the last one is remembered."""
        pushing = self._list_pushing(state.t)
        if self._terms is None or pushing != self._terms[1] or not _is_same(self._terms[0], state):
            found = evaluate(self.system, state.space, state.q, state.v, state.t)
            self._terms = state, pushing, found
        return self._terms[2]

    def _list_pushing(self, t: float) -> list[bool]:
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
                after = self._try_step(state, h, last=depth == MAX_HALVINGS)
                self.tally.steps += 1
                self._deepest = max(self._deepest, depth)
                return after
            except StepFailed:
                pass
        self.tally.count_halving(h)
        return self.advance(self.advance(state, h / 2, depth + 1), h / 2, depth + 1)

    def count_free_steps(self, count: int) -> None:
        """Note steps in which nothing touched or was held, and which were taken elsewhere."""
        self.tally.steps += count
        self.touched, self.force, self._impulses = 0, 0.0, {}
        self._begin = self._deepest = 0

    def _try_step(self, state: State, h: float, *, last: bool) -> State:
        with np.errstate(all="ignore"):  # a step that overflows is caught below, as one that fails
            now = self.evaluate_terms(state)
            diagonal = self.system.space.mesh.diagonal
            holds = find_active_holds(
                self.scene.held, self._origins, now.jet, state.t, h, whole=self.whole, diagonal=diagonal
            )
            q, v = self._take_step(state, now, h, holds, last=last)
        return State(*state.space.recentre(q, v), state.t + h)

    def _take_step(self, state: State, now: Terms, h: float, holds: list[Hold], *, last: bool) -> tuple[Array, Array]:
        """The chosen scheme; at the smallest step the sturdier one, and at last a slower motion."""
        try:
            if not holds and not self._may_meet(state, now, h):
                return self._take_smooth_step(state, now, h)
            return self._take_moreau_step(state, now, h, holds)
        except StepFailed:
            if not last:
                raise
        try:
            return self._take_moreau_step(state, now, h, holds)
        except StepFailed:
            return self._take_limited_step(state, now, h, holds)

    def _may_meet(self, state: State, now: Terms, h: float) -> bool:
        """Whether something may touch in this step, or a coordinate cross a limit."""
        ahead = state.v + h * now.acceleration
        if np.any(moreau.find_limits(self.scene, state.space, state.q + h * ahead).room < 0):
            return True
        if self.scene.contacts is None and self.scene.self_contacts is None:
            return False
        speeds = tuple(np.tensordot(v, now.jet.jacobian, axes=1) for v in (state.v, ahead))
        meeting = (self.scene.contacts, self.scene.self_contacts)
        return any(found is not None and found.may_touch(now.jet.value, speeds, h) for found in meeting)

    def _take_smooth_step(self, state: State, now: Terms, h: float) -> tuple[Array, Array]:
        """A step of the chosen integrator; refused where it makes energy out of nothing."""
        q, v, known = self.integrator.step(self.system, state.space, now, state.q, state.v, state.t, h)
        self._check_step(state, q, v)
        t = state.t + h * JUST_BEFORE
        end = evaluate(self.system, state.space, q, v, t, known=known)
        self._terms = State(state.space, q, v, state.t + h), self._list_pushing(t), end
        work = 0.5 * (q - state.q) @ (now.force + end.force)
        kick = float(now.force @ np.linalg.solve(now.mass, now.force)) * h * h
        if abs(end.kinetic - now.kinetic - work) > 0.5 * max(end.kinetic, now.kinetic) + 4 * kick:
            raise StepFailed
        self.touched, self.force, self._impulses = 0, 0.0, {}
        return q, v

    def _take_moreau_step(self, state: State, now: Terms, h: float, holds: list[Hold]) -> tuple[Array, Array]:
        """A step with holds, contacts and limits."""
        found = moreau.take_moreau_step(self.scene, state, now, h, holds, self._impulses)
        self._check_step(state, found.q, found.v)
        self.touched, self.force, self._impulses = len(found.impulses), found.force, found.impulses
        self.tally.contacts = max(self.tally.contacts, self.touched)
        self.tally.count_hold(found.force, found.missed)
        return found.q, found.v

    def _check_step(self, state: State, q: Array, v: Array) -> None:
        """Refuse steps that are not finite or go too far."""
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            raise StepFailed
        if np.any(np.abs(q - state.q) > self.scene.stride):
            raise StepFailed

    def _take_limited_step(self, state: State, now: Terms, h: float, holds: list[Hold]) -> tuple[Array, Array]:
        """The last resort at the smallest step: the way that Moreau's step would go, as far as the stride allows."""
        self.tally.count_limited(h)
        max_stride = self.scene.stride
        try:
            found = moreau.take_moreau_step(self.scene, state, now, h, holds, self._impulses, max_stride=max_stride)
            q, v, self._impulses = found.q, found.v, found.impulses
        except StepFailed:
            q, v, self._impulses = state.q + h * state.v, state.v, {}
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            q, v, self._impulses = state.q, np.zeros_like(state.v), {}
        self.touched, self.force = len(self._impulses), 0.0
        share = float(np.min(1.0 / moreau.measure_excess(q - state.q, max_stride, 0), initial=1.0))
        share *= self._find_turning_share(state, now, state.q + share * (q - state.q), v, h)
        q, v = state.q + share * (q - state.q), share * v
        if self.system.springs.wall.any():  # nothing else bounds how far such steps go
            q = state.space.admit(torch.from_numpy(q)).numpy()
        return q, v

    def _find_turning_share(self, state: State, now: Terms, q: Array, v: Array, h: float) -> float:
        """The share of a limited step after which what pushes turns against the motion (by a secant), at most 1.

        A strong push holds a lid where it points; steps beyond that would throw it to and fro.
        """
        there = evaluate(self.system, state.space, q, v, state.t + h * JUST_BEFORE)
        first, last = float(v @ now.force), float(v @ there.force)
        return first / (first - last) if first > 0 > last else 1.0


def _is_same(a: State, b: State) -> bool:
    return a.space is b.space and np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v)
