"""One small class per scheme, each with its declared order; smooth forces only (contact is in `simulate`)."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.lagrangian import PoseTerms, System, Terms, compute_momenta, compute_pose_terms, evaluate

JUST_BEFORE = 1 - 1e-6  # of a step: a force that ends where the step ends still acts in it


class StepFailed(Exception):
    """A step that could not be solved; the caller halves it."""


class StepResult(NamedTuple):
    """q and v [k] one step later, and what the scheme happens to know of that q."""

    q: Array
    v: Array
    known: PoseTerms | None = None


class Integrator(Protocol):
    """A scheme of time stepping."""

    @property
    def order(self) -> int:
        """The power of the step with which its error falls."""

    def step(self, system: System, space: Kinematics, now: Terms, q: Array, v: Array, t: float, h: float) -> StepResult:
        """One step of h; `now` holds the terms at (q, v, t)."""


@dataclass(frozen=True)
class SemiImplicitEuler:
    """v1 = v0 + h (M + h D + h^2 K)^-1 (f - c - h K v0),   q1 = q0 + h v1.

    Damping and springs are taken at the end of the step (linearised), so that stiff ones stay stable.
    """

    order: int = 1

    def step(self, system: System, space: Kinematics, now: Terms, q: Array, v: Array, t: float, h: float) -> StepResult:
        effective = now.mass + h * now.damping + h * h * now.stiffness
        v1 = v + h * _solve(effective, now.force - now.velocity_term - h * now.stiffness @ v)
        return StepResult(q + h * v1, v1)


@dataclass(frozen=True)
class RungeKutta4:
    """The classical scheme on (q, v)' = (v, a(q, v, t))."""

    order: int = 4

    def step(self, system: System, space: Kinematics, now: Terms, q: Array, v: Array, t: float, h: float) -> StepResult:
        # Beyond its region of stability an explicit scheme cannot be trusted, however smooth the result looks.
        rates = np.trace(_solve(now.mass, now.damping)), np.sqrt(np.trace(_solve(now.mass, now.stiffness)))
        if h * max(rates) > 2.5:
            raise StepFailed
        v1, a1 = v, now.acceleration
        v2 = v + h / 2 * a1
        a2 = evaluate(system, space, q + h / 2 * v1, v2, t + h / 2).acceleration
        v3 = v + h / 2 * a2
        a3 = evaluate(system, space, q + h / 2 * v2, v3, t + h / 2).acceleration
        v4 = v + h * a3
        a4 = evaluate(system, space, q + h * v3, v4, t + h * JUST_BEFORE).acceleration
        return StepResult(q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4))


@dataclass(frozen=True)
class VariationalMidpoint:
    """The discrete Lagrangian L_d(q0, q1) = h L((q0 + q1) / 2, (q1 - q0) / h), symplectic, order 2.

    With w the mid-step velocity, m = q0 + h w / 2 and p = M v:
        p0 = M(m) w - h/2 (dT/dq + f)(m, w)     solved for w,
        p1 = M(m) w + h/2 (dT/dq + f)(m, w),    q1 = q0 + h w,    v1 = M(q1)^-1 p1.
    """

    order: int = 2
    tolerance: float = 1e-12
    stalled: float = 1e-8  # what is good enough where corrections no longer shrink
    iterations: int = 20

    def step(self, system: System, space: Kinematics, now: Terms, q: Array, v: Array, t: float, h: float) -> StepResult:
        mass, start = now.mass, now.mass @ v
        w = v + h / 2 * now.acceleration
        scale = float(w @ mass @ w) + float(start @ v) + 1e-300
        # Masses and known slopes of the start stand for the derivative; Broyden's updates correct it.
        inverse = invert(mass + h / 2 * now.damping + h * h / 4 * now.stiffness)
        steps: list[Array] = []
        last = np.inf
        for _ in range(self.iterations):
            p, rate = compute_momenta(system, space, q + h / 2 * w, w, t + h / 2)
            correction = _take_broyden_step(inverse, mass, steps, p - h / 2 * rate - start)
            w = w + correction
            size = float(correction @ mass @ correction)
            if size <= self.tolerance**2 * scale or (last <= self.stalled**2 * scale and size >= last):
                break  # met, or as near as rounding lets it come, as with objects far from their file's origin
            if not np.isfinite(size) or size > 4 * last:
                raise StepFailed  # it runs away
            last = size
        else:
            if not last <= self.stalled**2 * scale:
                raise StepFailed
        q1 = q + h * w
        there = compute_pose_terms(system, space, q1)
        return StepResult(q1, _solve(there.mass, start + h * rate), there)


INTEGRATORS: dict[str, Integrator] = {
    "euler": SemiImplicitEuler(),
    "rk4": RungeKutta4(),
    "midpoint": VariationalMidpoint(),
}


def _solve(matrix: Array, right: Array) -> Array:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        raise StepFailed from None


def invert(matrix: Array) -> Array:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        raise StepFailed from None


def _take_broyden_step(inverse: Array, mass: Array, steps: list[Array], residual: Array) -> Array:
    """The next step of Broyden's (good) method, which needs nothing but the steps so far [k]; it is added to them.

    inverse: of the derivative as first guessed, [k, k]; mass: the metric in which steps are compared, [k, k].
    """
    step = -inverse @ residual
    for before, after in zip(steps, steps[1:]):
        weighed = mass @ before
        step = step + after * float(weighed @ step / (weighed @ before))
    if steps:
        weighed = mass @ steps[-1]
        left = 1.0 - float(weighed @ step / (weighed @ steps[-1]))
        step = step / left if abs(left) > 0.1 else step
    steps.append(step)
    return step
