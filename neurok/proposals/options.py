"""Options: what dragged points may mean. Each is a part, a motion of it, and the amount that brings the points nearest.

The amount has a closed form: the mean displacement along a slide's axis n, and for a turn about an axis, with a and b
the points and goals as seen from the axis,  angle = atan2(sum n . (a x b), sum a . b).
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rigid import log_twist, rigid_from_points
from neurok.proposals.assignment import carry_points
from neurok.proposals.candidates import Candidates
from neurok.proposals.drag_features import DRAG_FEATURES, DraggedPart, describe_drag
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.motion_features import PART_FEATURES, POSSIBLE_FEATURES, ROUND_FEATURES
from neurok.proposals.sampling import PART_POINT_COUNT
from neurok.proposals.study import HypothesisStudy

KEPT_MOTION_COUNT = 10  # motions of a part that are tried against what is around, those that reach the points best
STUDIED_COUNT = 16  # parts that are tried for one set of points, the likeliest
STIFFNESS = 0.05  # weight of all of a part's samples beside the dragged points, where these leave its turn open
COMPARED_FEATURES = ("miss_share", "miss", "area")  # with the option of the list that has the least of it
# Of the numbers of a motion, the drag ranker reads these: all of them were worse by kinds left out (133 objects).
AXIS_FEATURES = (
    "turns", "upright", "along_longest", "along_shortest", "pivot_farther", "pivot_nearer", "at_contact",
    "contact_on_axis", "contact_distance", "axis_on_normal",
)  # fmt: skip
KNOWN_FEATURES = (*PART_FEATURES, *AXIS_FEATURES, *ROUND_FEATURES)
KNOWN_COLUMNS = [POSSIBLE_FEATURES.index(name) for name in KNOWN_FEATURES]
OPTION_FEATURES = (*KNOWN_FEATURES, *DRAG_FEATURES, *(f"more_{name}" for name in COMPARED_FEATURES))


@dataclass(frozen=True)
class Options:
    """n options. part: the hypothesis of each, [n]. twist: (v, w) of the whole motion in the canonical place, [n, 6].
    features: the numbers of OPTION_FEATURES, [n, f]."""

    part: Indices
    twist: Array
    features: Array

    @property
    def count(self) -> int:
        return len(self.part)


def list_options(
    found: Hypotheses, odds: Array, points: Array, goals: Array, inside: Indices, outside: Indices
) -> Options:
    """What points [p, 3] dragged to goals [p, 3] may mean; canonical place.

    odds: of each hypothesis, that it is a part that moves, [h]. inside: the units of the points; outside: units that
    must not move with them.
    """
    parts, twists, rows = [], [], []
    holding = found.holding(inside, outside)
    for part in holding[np.argsort(-odds[holding], kind="stable")[:STUDIED_COUNT]]:
        study = found.study(int(part))
        if study is not None:
            twist, features = _list_motions(study, found.describe(int(part))[:, KNOWN_COLUMNS], points, goals)
            parts.append(np.full(len(twist), part))
            twists.append(twist)
            rows.append(features)
    if not parts:
        return Options(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, len(OPTION_FEATURES))))
    features = np.concatenate(rows)
    compared = features[:, [OPTION_FEATURES.index(name) for name in COMPARED_FEATURES]]
    return Options(
        np.concatenate(parts), np.concatenate(twists), np.hstack([features, compared - compared.min(axis=0)])
    )


def fit_amounts(tried: Candidates, points: Array, goals: Array) -> Array:
    """The amount [rad, or diagonals] by which each candidate brings the points nearest to their goals, [c]."""
    n = tried.axis
    a, b = (x[None] - tried.pivot[:, None] for x in (points, goals))
    a, b = (x - np.einsum("cpa,ca->cp", x, n)[..., None] * n[:, None] for x in (a, b))
    angle = np.arctan2(np.einsum("ca,cpa->c", n, np.cross(a, b)), np.einsum("cpa,cpa->c", a, b))
    return np.where(tried.turns, angle, (goals - points).mean(axis=0) @ n.T)


def _list_motions(study: HypothesisStudy, known: Array, points: Array, goals: Array) -> tuple[Array, Array]:
    """The motions of a part that reach the goals best, the free one last: twists [k, 6] and features [k, f].

    known: the numbers of KNOWN_FEATURES of all motions of the part; the free one shares those of the part.
    """
    amount = fit_amounts(study.tried, points, goals)
    twist = study.tried.screws() * amount[:, None]
    miss = np.sqrt(np.mean(np.sum((carry_points(twist, points) - goals) ** 2, axis=2), axis=1))
    order = np.argsort(miss, kind="stable")[:KEPT_MOTION_COUNT]
    twist = np.concatenate([twist[order], _move_freely(study, points, goals)[None]])
    free = np.where(np.arange(known.shape[1]) < len(PART_FEATURES), known[0], 0.0)
    drag = describe_drag(DraggedPart(study, order, amount[order], twist, points, goals))
    return twist, np.hstack([np.vstack([known[order], free]), drag])


def _move_freely(study: HypothesisStudy, points: Array, goals: Array) -> Array:
    """The rigid motion that brings points to their goals, turning the part no more than three of them ask for, [6]."""
    shift = (goals - points).mean(axis=0)
    if len(points) < 3:
        return np.concatenate([shift, np.zeros(3)])
    body = study.piece.points[:PART_POINT_COUNT]
    weight = np.concatenate([np.ones(len(points)), np.full(len(body), STIFFNESS * len(points) / len(body))])
    T = rigid_from_points(np.concatenate([points, body]), np.concatenate([goals, body + shift]), weight)
    return np.asarray(log_twist(T))
