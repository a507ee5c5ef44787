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
from neurok.proposals.hypotheses import Hypotheses, HypothesisStudy
from neurok.proposals.hypothesis_features import HYPOTHESIS_FEATURES
from neurok.proposals.motion_features import BODY_POINT_COUNT, MOTION_FEATURES, DraggedPart, describe_motions

KEPT_MOTION_COUNT = 10  # motions of a part that are tried against what is around, those that reach the points best
MAX_PART_COUNT = 40  # parts that are studied for one set of points, those that are cut best
STIFFNESS = 0.05  # weight of all of a part's samples beside the dragged points, where these leave its turn open
RELATIVE_FEATURES = ("worse_miss", "larger_area")  # than the option of the list that has the least of it
OPTION_FEATURES = (*HYPOTHESIS_FEATURES, *MOTION_FEATURES, *RELATIVE_FEATURES)


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


def list_options(found: Hypotheses, points: Array, goals: Array, inside: Indices, outside: Indices) -> Options:
    """What points [p, 3] dragged to goals [p, 3] may mean; canonical place.

    inside: the units of the points; outside: units that must not move with them.
    """
    parts, twists, rows = [], [], []
    for part in _find_tightest(found, found.holding(inside, outside)):
        study = found.study(int(part))
        if study is not None:
            twist, features = _list_motions(study, points, goals)
            parts.append(np.full(len(twist), part))
            twists.append(twist)
            rows.append(np.hstack([np.tile(found.features[part], (len(twist), 1)), features]))
    if not parts:
        return Options(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, len(OPTION_FEATURES))))
    features = np.concatenate(rows)
    compared = features[:, [OPTION_FEATURES.index(name) for name in ("miss_share", "area")]]
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


def _find_tightest(found: Hypotheses, parts: Indices) -> Indices:
    """Of these parts, those that are cut best from the rest and leave little behind that rides on them."""
    firm, left = (found.features[parts, HYPOTHESIS_FEATURES.index(name)] for name in ("cut_firm", "left_over"))
    return parts[np.argsort(firm + 0.3 * left.clip(max=1.0), kind="stable")[:MAX_PART_COUNT]]


def _list_motions(study: HypothesisStudy, points: Array, goals: Array) -> tuple[Array, Array]:
    """The motions of a part that reach the goals best, the free one last: twists [k, 6] and features [k, f]."""
    twist = study.tried.screws() * fit_amounts(study.tried, points, goals)[:, None]
    miss = np.sqrt(np.mean(np.sum((carry_points(twist, points) - goals) ** 2, axis=2), axis=1))
    order = np.argsort(miss, kind="stable")[:KEPT_MOTION_COUNT]
    twist = np.concatenate([twist[order], _move_freely(study, points, goals)[None]])
    return twist, describe_motions(DraggedPart(study, study.tried.chosen(order), twist, points, goals))


def _move_freely(study: HypothesisStudy, points: Array, goals: Array) -> Array:
    """The rigid motion that brings points to their goals, turning the part no more than three of them ask for, [6]."""
    shift = (goals - points).mean(axis=0)
    if len(points) < 3:
        return np.concatenate([shift, np.zeros(3)])
    body = study.piece.points[:BODY_POINT_COUNT]
    weight = np.concatenate([np.ones(len(points)), np.full(len(body), STIFFNESS * len(points) / len(body))])
    T = rigid_from_points(np.concatenate([points, body]), np.concatenate([goals, body + shift]), weight)
    return np.asarray(log_twist(T))
