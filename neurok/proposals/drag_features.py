"""Numbers of a part's motion that say whether dragged points mean it: how near they come to their goals, how far it
goes for that, and what the part runs into or comes away from on its way."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.proposals.assignment import carry_points
from neurok.proposals.candidates import Candidates
from neurok.proposals.sampling import PART_POINT_COUNT
from neurok.proposals.simulator import SLIDE_STEPS, TURN_STEPS
from neurok.proposals.study import HypothesisStudy

WAY_SHARES = (0.15, 0.5, 1.0)  # of the motion, at which collision and contact are looked at
GOAL_FEATURES = ("point_count", "miss", "miss_share", "way", "is_free", "amount", "farther_than_points")
WAY_FEATURES = (
    *(f"hit_{share}" for share in WAY_SHARES), *(f"kept_{share}" for share in WAY_SHARES), "hit_back", "pressed_on",
)  # fmt: skip
DRAG_FEATURES = (*GOAL_FEATURES, *WAY_FEATURES)


@dataclass(frozen=True)
class DraggedPart:
    """A part and k motions of it, of which the last is free of any axis.

    number: of the others among the candidates of the study, [k - 1]. amount: of these [rad, or diagonals], [k - 1].
    twist: of all, [k, 6]. points, goals: what is dragged, and where to, [p, 3] each.
    """

    study: HypothesisStudy
    number: Indices
    amount: Array
    twist: Array
    points: Array
    goals: Array

    @property
    def tried(self) -> Candidates:
        return self.study.tried.chosen(self.number)


def describe_drag(dragged: DraggedPart) -> Array:
    """The numbers of DRAG_FEATURES of each motion, [k, f]."""
    numbers = _describe_goals(dragged) | _describe_way(dragged)
    return np.stack([np.asarray(numbers[name], dtype=np.float64) for name in DRAG_FEATURES], axis=1)


def _describe_goals(dragged: DraggedPart) -> dict[str, Array]:
    twist, points, goals = dragged.twist, dragged.points, dragged.goals
    body, count = dragged.study.piece.points[:PART_POINT_COUNT], len(twist)
    way = max(float(np.sqrt(np.mean(np.sum((goals - points) ** 2, axis=1)))), 1e-9)
    miss = np.sqrt(np.mean(np.sum((carry_points(twist, points) - goals) ** 2, axis=2), axis=1))
    moved = np.linalg.norm(carry_points(twist, body) - body, axis=2).max(axis=1)
    own = np.linalg.norm(carry_points(twist, points) - points, axis=2).max(axis=1)
    slide = way / dragged.study.piece.size
    angle = np.where(dragged.tried.turns, np.linalg.norm(twist[:-1, 3:], axis=1), slide)
    return {
        "point_count": np.full(count, len(points) > 1),
        "miss": np.log(np.maximum(miss, 1e-4)),
        "miss_share": np.minimum(miss / way, 2.0),
        "way": np.full(count, np.log(way)),
        "is_free": np.append(np.zeros(count - 1), 1.0),
        "amount": np.append(angle, slide),
        "farther_than_points": np.log(np.maximum(moved, 1e-6) / np.maximum(own, 1e-6)).clip(-1.0, 3.0),
    }


def _describe_way(dragged: DraggedPart) -> dict[str, Array]:
    """What happens on the way: of motions about an axis by the trials that the study made once, of the free one anew.

    pressed_on: how much the first instant presses the contact together; hit_back: what a small motion the other way
    runs into, of the free one as much as on its way.
    """
    study, number, twist = dragged.study, dragged.number, dragged.twist
    sense, far = (dragged.amount < 0).astype(np.int64), np.abs(dragged.amount)
    worst, kept = (x[number] for x in (study.trials.worst, study.trials.kept))  # [k - 1, 2, s]
    rows = np.arange(len(number))
    steps = np.where(dragged.tried.turns[:, None], TURN_STEPS, SLIDE_STEPS * study.piece.size)
    numbers = {}
    for share in WAY_SHARES:
        free_hit, free_kept = study.probe.move_points(study.rest, share * twist[-1:], press=share == WAY_SHARES[0])
        for name, trial, start, free in (("hit", worst, 0.0, free_hit), ("kept", kept, 1.0, free_kept)):
            on_way = interpolate_trial(steps, trial[rows, sense], start, share * far)
            numbers[f"{name}_{share}"] = np.append(on_way, free)
    numbers["hit_back"] = np.append(worst[rows, 1 - sense, 0], numbers[f"hit_{WAY_SHARES[0]}"][-1])
    return numbers | {"pressed_on": _measure_pressing(study, twist)}


def interpolate_trial(steps: Array, trial: Array, start: float, amount: Array) -> Array:
    """Values of trials [k, s] made at steps [k, s] after a start of 0, at amounts [k]; the last goes on, [k]."""
    steps = np.hstack([np.zeros((len(steps), 1)), steps])
    trial = np.hstack([np.full((len(trial), 1), start), trial])
    rows, upper = np.arange(len(steps)), np.minimum((steps < amount[:, None]).sum(axis=1), steps.shape[1] - 1)
    lower = np.maximum(upper - 1, 0)
    length = np.maximum(steps[rows, upper] - steps[rows, lower], 1e-12)
    share = np.clip((amount - steps[rows, lower]) / length, 0.0, 1.0)
    return np.asarray((1.0 - share) * trial[rows, lower] + share * trial[rows, upper])


def _measure_pressing(study: HypothesisStudy, twist: Array) -> Array:
    """How much the first instant of each motion [k, 6] presses the contact together, [k]."""
    chosen = slice(None, None, max(1, len(study.contact.points) // PART_POINT_COUNT))
    points, toward = study.contact.points[chosen], study.contact.toward[chosen]
    velocity = carry_points(1e-3 * twist, points) - points
    fastest = np.maximum(np.linalg.norm(velocity, axis=2).max(axis=1), 1e-12)
    into = np.einsum("cpa,pa->cp", velocity, toward) / fastest[:, None]
    return np.asarray(np.maximum(into, 0.0).mean(axis=1))
