"""Numbers of a part's motion that say whether dragged points mean it: how near they come to their goals, how the axis
lies to the part and to its contact, and what the part runs into or comes away from on its way."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.proposals.assignment import carry_points
from neurok.proposals.candidates import Candidates, measure_axis_distances
from neurok.proposals.hypotheses import HypothesisStudy
from neurok.proposals.sampling import TOUCH_DISTANCE

BODY_POINT_COUNT = 96  # samples that stand for a part
TRIAL_SHARES = (0.15, 0.5, 1.0)  # of the motion, at which collision and contact are looked at
CONTACT_STRIDE = 4  # every so many contact samples are looked at
GOAL_FEATURES = ("point_count", "miss", "miss_share", "way", "turns", "is_free", "amount", "farther_than_points")
AXIS_FEATURES = (
    "upright", "along_longest", "along_shortest", "pivot_farther", "pivot_nearer", "at_contact", "contact_on_axis",
    "contact_distance", "axis_on_normal",
)  # fmt: skip
TRIAL_FEATURES = ("pressed", *(f"hit_{i}" for i in range(3)), *(f"kept_{i}" for i in range(3)), "touching", "gap")
MOTION_FEATURES = (*GOAL_FEATURES, *AXIS_FEATURES, *TRIAL_FEATURES)


@dataclass(frozen=True)
class DraggedPart:
    """A part and k motions of it, of which the last is free of any axis.

    tried: the others, k - 1. twist: of all of them, [k, 6]. points, goals: what is dragged, and where to, [p, 3] each.
    """

    study: HypothesisStudy
    tried: Candidates
    twist: Array
    points: Array
    goals: Array


def describe_motions(dragged: DraggedPart) -> Array:
    """The numbers of MOTION_FEATURES of each motion, [k, f]."""
    numbers = _describe_goals(dragged) | _describe_axes(dragged) | _describe_trial(dragged)
    return np.stack([np.asarray(numbers[name], dtype=np.float64) for name in MOTION_FEATURES], axis=1)


def _describe_goals(dragged: DraggedPart) -> dict[str, Array]:
    twist, points, goals = dragged.twist, dragged.points, dragged.goals
    body, count = dragged.study.piece.points[:BODY_POINT_COUNT], len(twist)
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
        "turns": np.append(dragged.tried.turns.astype(np.float64), 0.5),
        "is_free": np.append(np.zeros(count - 1), 1.0),
        "amount": np.append(angle, slide),
        "farther_than_points": np.log(np.maximum(moved, 1e-6) / np.maximum(own, 1e-6)).clip(-1.0, 3.0),
    }


def _describe_axes(dragged: DraggedPart) -> dict[str, Array]:
    """How the axes lie to the part and to its contact; the free motion, which has none, comes last."""
    tried, piece, contact = dragged.tried, dragged.study.piece, dragged.study.contact
    extent = np.maximum(np.sort(piece.extent), 1e-6)
    along = np.ptp(piece.points @ tried.axis.T, axis=0)
    reach = np.maximum(measure_axis_distances(piece.points[:200], tried).max(axis=1), 1e-6)
    radius = measure_axis_distances(contact.points[::CONTACT_STRIDE], tried) / reach[:, None]
    return {
        "upright": np.append(np.abs(tried.axis[:, 2]), 0.0),
        "along_longest": np.append(along / extent[2], 0.0),
        "along_shortest": np.append(extent[0] / np.maximum(along, extent[0]), 0.0),
        "pivot_farther": np.append(tried.box.max(axis=1), 0.0),
        "pivot_nearer": np.append(tried.box.min(axis=1), 0.0),
        "at_contact": np.append(tried.at_contact.astype(np.float64), 0.0),
        "contact_on_axis": np.append(np.mean(radius < 0.15, axis=1), 0.0),
        "contact_distance": np.append(radius.mean(axis=1), 1.0),
        "axis_on_normal": np.append(np.mean(np.abs(contact.normals @ tried.axis.T), axis=0), 0.0),
    }


def _describe_trial(dragged: DraggedPart) -> dict[str, Array]:
    study, twist = dragged.study, dragged.twist
    numbers = {
        "touching": np.full(len(twist), study.contact.share),
        "gap": np.full(len(twist), min(study.contact.gap / TOUCH_DISTANCE, 3.0)),
    }
    for number, share in enumerate(TRIAL_SHARES):
        hit, kept = study.probe.move_points(study.rest, share * twist, press=number == 0)
        numbers |= {f"hit_{number}": hit, f"kept_{number}": kept}
    points, toward = (x[::CONTACT_STRIDE] for x in (study.contact.points, study.contact.toward))
    velocity = carry_points(1e-3 * twist, points) - points
    fastest = np.maximum(np.linalg.norm(velocity, axis=2).max(axis=1), 1e-12)
    into = np.einsum("cpa,pa->cp", velocity, toward) / fastest[:, None]
    return numbers | {"pressed": np.maximum(into, 0.0).mean(axis=1)}
