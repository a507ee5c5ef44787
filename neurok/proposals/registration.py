"""Registration: which parts moved, and how, where only the surface after the motion is known, not what went where.

A part is sought where the surface is not explained: its samples lie off the target, and parts of the target lie off
everything. Every motion of such a part is tried by many amounts; the best ones are refined, first along the motion,
then as free rigid motions by nearest points; what explains the most surface, both ways, is taken, and the search goes
on with what is still unexplained.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rigid import exp_twist, log_twist, rigid_from_points
from neurok.proposals.assignment import AssignedPart, Assignment, carry_points
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.sampling import NEAR_DISTANCE, PART_POINT_COUNT
from neurok.proposals.simulator import Surroundings
from neurok.proposals.study import STUDIED_COUNT, HypothesisStudy

TURN_AMOUNTS = np.radians([12.0, 25.0, 40.0, 60.0, 85.0, 115.0, 150.0, 180.0])
SLIDE_AMOUNTS = np.array([0.03, 0.06, 0.1, 0.15, 0.2, 0.28, 0.4, 0.55])  # diagonals
JUDGE_POINT_COUNT = 2048  # of either surface, that say how far they are apart
KEPT_POSE_COUNT = 3  # of each part, that are refined
MOTION_PRICE = 0.02  # of the mean way of the surface
MIN_GAIN_SHARE = 0.03  # of the cost at rest: what a further part must explain


@dataclass(frozen=True)
class SurfaceTarget:
    """Samples of the target surface and their normals, [t, 3] each, canonical place, with a tree for distances.

    They are shuffled, so that the first of them stand for all.
    """

    surroundings: Surroundings

    @staticmethod
    def of(points: Array, normals: Array) -> "SurfaceTarget":
        order = np.random.default_rng(0).permutation(len(points))
        return SurfaceTarget(Surroundings(points[order], normals[order]))

    @property
    def points(self) -> Array:
        return self.surroundings.points

    def measure(self, points: Array) -> Array:
        """Distances of points [..., 3] from the target, cut off, [...]."""
        flat = points.reshape(-1, 3)
        distance, index = self.surroundings.tree.query(flat, distance_upper_bound=NEAR_DISTANCE)
        near = index < len(self.points)
        found = np.full(len(flat), NEAR_DISTANCE)
        offset = flat[near] - self.points[index[near]]
        height = np.abs(np.einsum("na,na->n", offset, self.surroundings.normals[index[near]]))
        found[near] = np.minimum(distance[near], np.maximum(height, 0.3 * distance[near]))
        return found.reshape(points.shape[:-1])


def register_surface(found: Hypotheses, target: SurfaceTarget, most: int) -> Assignment:
    """At most `most` moved parts that explain a target surface."""
    units = found.units
    moved = Assignment((), units.count)
    cost = first = _judge(found, target, moved)
    for _ in range(most):
        best = None
        for part in _find_unexplained(found, target, moved):
            for candidate in _search_poses(found, target, moved, int(part)):
                trial = moved.with_part(candidate)
                value = _judge(found, target, trial)
                if best is None or value < best[0]:
                    best = value, trial
        if best is None or cost - best[0] < MIN_GAIN_SHARE * first:
            break
        cost, moved = best
    return moved


def _judge(found: Hypotheses, target: SurfaceTarget, moved: Assignment) -> float:
    """Mean distance of either surface from the other, cut off, and a small price on motion: of two that explain the
    same surface, as turns of a round part do, the smaller is meant."""
    from scipy.spatial import cKDTree

    units = found.units
    here = moved.move_points(units.points, units.owner)
    forth = target.measure(here[:JUDGE_POINT_COUNT])
    back = cKDTree(here).query(target.points[:JUDGE_POINT_COUNT], distance_upper_bound=NEAR_DISTANCE)[0]
    apart = forth.mean() + np.maximum(np.minimum(back, NEAR_DISTANCE) - 0.5 * units.spacing, 0.0).mean()
    way = np.linalg.norm(here - units.points, axis=1).mean()
    return float(apart + MOTION_PRICE * way)


def _find_unexplained(found: Hypotheses, target: SurfaceTarget, moved: Assignment) -> Indices:
    """The hypotheses that hold most of what lies off the target and least of what does not, best first."""
    units = found.units
    off = target.measure(moved.move_points(units.points, units.owner)) > units.spacing
    off_area = (
        np.bincount(units.owner, off, units.count)
        / np.maximum(np.bincount(units.owner, minlength=units.count), 1)
        * units.area
    )
    M = found.members.astype(np.float64)
    lost, area = M @ off_area, M @ units.area
    score = 2.0 * lost / np.maximum(area + off_area.sum(), 1e-12)  # harmonic mean of precision and recall
    own = lost / np.maximum(area, 1e-12)
    order = np.argsort(-score, kind="stable")[: STUDIED_COUNT // 2]
    rest = np.argsort(-(own * np.sqrt(area)), kind="stable")
    return np.array(list(dict.fromkeys([*order, *rest]))[:STUDIED_COUNT])


def _search_poses(found: Hypotheses, target: SurfaceTarget, moved: Assignment, part: int) -> list[AssignedPart]:
    """The best motions of one part from rest."""
    study = found.study(part)
    if study is None:
        return []
    from scipy.spatial import cKDTree

    units = found.units
    tried, piece = study.tried, study.piece
    amounts = np.where(tried.turns[:, None], TURN_AMOUNTS, SLIDE_AMOUNTS)
    amounts = np.concatenate([amounts, -amounts], axis=1)  # [c, a]
    screws = tried.screws()
    twist = (amounts[..., None] * screws[:, None]).reshape(-1, 6)
    body = piece.points[: PART_POINT_COUNT // 2]
    forth = target.measure(carry_points(twist, body)).mean(axis=1)
    others = moved.move_points(units.points, units.owner)[~found.members[part][units.owner]]
    lost = target.points[:JUDGE_POINT_COUNT]
    far = cKDTree(others).query(lost, distance_upper_bound=NEAR_DISTANCE)[0] > 1.5 * units.spacing
    lost = lost[far][: PART_POINT_COUNT // 2]
    order = np.argsort(forth, kind="stable")[:60]
    total = forth[order] + _measure_back(twist[order], body, lost)
    kept: list[int] = []
    for i in order[np.argsort(total, kind="stable")]:
        candidate = i // amounts.shape[1]
        if len(kept) < KEPT_POSE_COUNT and candidate not in [k // amounts.shape[1] for k in kept]:
            kept.append(int(i))
    members = found.members[part]
    result = []
    for i in kept:
        best = _refine_amount(study, target, twist[i], lost)
        result += [AssignedPart(members, best), AssignedPart(members, _refine_freely(study, target, best))]
    return result


def _refine_amount(study: HypothesisStudy, target: SurfaceTarget, twist: Array, lost: Array) -> Array:
    body = study.piece.points[: 2 * PART_POINT_COUNT]
    for width in (0.25, 0.05):
        trial = twist * (1.0 + np.linspace(-width, width, 11))[:, None]
        value = target.measure(carry_points(trial, body)).mean(axis=1) + _measure_back(trial, body, lost)
        twist = trial[int(value.argmin())]
    return twist


def _refine_freely(study: HypothesisStudy, target: SurfaceTarget, twist: Array) -> Array:
    """Nearest points again and again, as a free rigid motion."""
    body = study.piece.points[: 2 * PART_POINT_COUNT]
    T = exp_twist(twist[None])[0]
    for _ in range(8):
        here = body @ T[:3, :3].T + T[:3, 3]
        distance, index = target.surroundings.tree.query(here)
        near = distance < max(2.0 * np.median(distance), 1e-3)
        if near.sum() < 6:
            break
        goal, normal = target.points[index[near]], target.surroundings.normals[index[near]]
        off = np.einsum("na,na->n", here[near] - goal, normal)
        T = np.asarray(rigid_from_points(here[near], here[near] - off[:, None] * normal)) @ T
    return np.asarray(log_twist(T))


def _measure_back(twist: Array, body: Array, lost: Array) -> Array:
    """Mean distance of lost points [l, 3] from a body moved by each twist [c, 6], cut off, [c]."""
    if len(lost) == 0:
        return np.zeros(len(twist))
    here = carry_points(twist, body)
    square = ((here**2).sum(axis=2)[:, :, None] - 2.0 * here @ lost.T + (lost**2).sum(axis=1)).min(axis=1)
    return np.minimum(np.sqrt(np.maximum(square, 0.0)), NEAR_DISTANCE).mean(axis=1)
