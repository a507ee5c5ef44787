"""Holds: points that are pulled along a path or pinned, solved with the mass matrix as very stiff springs.

    min_v'  1/2 |v' - v|_E^2 + sum_holds w/2 |J v' - u|^2

with u the velocity that brings the point to its place by the end of the step. A hold gives way only where the
object cannot go: along directions in which its point cannot move there is nothing to push against.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.kinematics.jet import Jet
from neurok.mechanics.conditions import Conditions, Pull

HOLD_STIFFNESS_RATIO = 1e6  # how much stiffer a hold is than the object is heavy at that point
MAX_STEP_SHARE = 0.05  # the farthest a held point is moved in one step, of the diagonal


@dataclass(frozen=True)
class HeldPoint:
    """A point (its H, [r]) held to a path over a window of time; `place(t, origin)` is where it should be, [3].

    origin is where the point was when the hold began.
    """

    share: Array
    start: float
    end: float
    place: Callable[[float, Array], Array]
    what: str


@dataclass(frozen=True)
class Hold:
    """A hold in one step: J of its point [3, k], the velocity to take [3], and how far the place is by then, [3]."""

    what: str
    J: Array
    speed: Array
    wanted: Array


@dataclass(frozen=True)
class HoldSolution:
    """The holds of one step, solved: E [k, k] with them in it, the velocity [k], each one's impulse
    [kg unit / s]."""

    holds: tuple[Hold, ...]
    effective: Array
    velocity: Array
    impulses: tuple[float, ...]

    def measure_force(self, after: Array, h: float) -> float:
        """The greatest force [kg unit / s^2] of those holds that nothing stopped; after: the final velocity, [k].

        Against a limit or an obstacle a hold would push as hard as it is stiff, which says nothing.
        """
        free = [
            impulse / h
            for hold, impulse in zip(self.holds, self.impulses)
            if np.linalg.norm(hold.J @ (after - self.velocity)) <= 0.01 * np.linalg.norm(hold.J @ self.velocity)
        ]
        return max(free, default=0.0)

    def measure_misses(self, after: Array, h: float) -> dict[str, float]:
        """How far each point is from its place at the end of the step [unit], by name."""
        return {hold.what: float(np.linalg.norm(hold.wanted - h * hold.J @ after)) for hold in self.holds}


def find_active_holds(
    held: tuple[HeldPoint, ...],
    origins: dict[int, Array],
    jet: Jet,
    t: float,
    h: float,
    *,
    whole: float,
    diagonal: float,
) -> list[Hold]:
    """The holds that act in the step from t to t + h; origins [3] are noted as holds begin.

    What a point lags behind is made good over a whole step: in a part of one it would have to leap.
    """
    found = []
    for index, one in enumerate(held):
        if not one.start <= t < one.end:
            continue
        at = one.share @ jet.value
        origin = origins.setdefault(index, at)
        here, there = one.place(t, origin), one.place(t + h, origin)
        speed = (there - here) / h + (here - at) / max(h, whole)
        speed *= min(1.0, MAX_STEP_SHARE * diagonal / h / max(float(np.linalg.norm(speed)), 1e-300))
        found.append(Hold(one.what, (one.share @ jet.jacobian).T, speed, there - at))
    return found


def solve_holds(effective: Array, v: Array, holds: list[Hold]) -> HoldSolution:
    """The velocity with which the held points go where they should, as far as the object allows."""
    stiffened, right = effective.copy(), effective @ v
    weights = []
    for hold in holds:
        mobility = np.trace(hold.J @ np.linalg.solve(effective, hold.J.T)) / 3
        weight = HOLD_STIFFNESS_RATIO / mobility if mobility > 0 else 0.0
        weights.append(weight)
        stiffened += weight * hold.J.T @ hold.J
        right += weight * hold.J.T @ hold.speed
    after = np.linalg.solve(stiffened, right)
    impulses = []
    for weight, hold in zip(weights, holds):
        U, size, _ = np.linalg.svd(hold.J, full_matrices=False)
        can = U[:, size > 1e-9 * max(size.max(initial=0.0), 1e-300)]
        impulses.append(float(weight * np.linalg.norm(can.T @ (hold.speed - hold.J @ after))))
    return HoldSolution(tuple(holds), stiffened, after, tuple(impulses))


def build_pulls(conditions: Conditions, shares: Array) -> list[HeldPoint]:
    """The pulls of the conditions; shares: H of their points, [p, r]."""
    held = []
    for i, (pull, share) in enumerate(zip(conditions.pulls, shares)):
        start, end = pull.find_window(conditions.seconds)
        place = _follow_path(pull) if pull.path else _follow_line(pull, start, end)
        held.append(HeldPoint(share, start, end, place, f"pull {i + 1}"))
    return held


def build_pins(shares: Array, places: Array) -> list[HeldPoint]:
    """Points (H, [p, r]) that stay at their places [unit], [p, 3]."""
    return [
        HeldPoint(share, 0.0, np.inf, _stay_at(place), f"pin {i + 1}")
        for i, (share, place) in enumerate(zip(shares, places))
    ]


def _stay_at(place: Array) -> Callable[[float, Array], Array]:
    return lambda t, origin: place


def _follow_line(pull: Pull, start: float, end: float) -> Callable[[float, Array], Array]:
    def place(t: float, origin: Array) -> Array:
        goal = origin + np.array(pull.by) if pull.by is not None else np.array(pull.to)
        return origin + min(max((t - start) / (end - start), 0.0), 1.0) * (goal - origin)

    return place


def _follow_path(pull: Pull) -> Callable[[float, Array], Array]:
    rows = np.array(pull.path)

    def place(t: float, origin: Array) -> Array:
        return np.array([np.interp(t, rows[:, 0], rows[:, axis]) for axis in (1, 2, 3)])

    return place
