"""Figures on examples that were kept from the training: types, axes and centres, by the network and by both."""

from collections.abc import Sequence

import numpy as np

from neurok.articulate.batches import batch_candidates
from neurok.articulate.examples import Example
from neurok.articulate.labels import MotionType
from neurok.articulate.network import ArticulationNetwork
from neurok.articulate.opinion import CandidateScores, Opinion, compute_type_chances, judge_candidates
from neurok.geometry.arrays import Array

Rows = list[tuple[int, int, float, float]]  # true kind, predicted kind, axis error [degrees], centre error [radii]


def measure_held_out(
    networks: Sequence[ArticulationNetwork], examples: Sequence[Example]
) -> dict[str, dict[str, float]]:
    """Figures as the evaluation has them, of the network and of both, over the parts of known labels."""
    rows: dict[str, Rows] = {"network": [], "both": []}
    for one in examples:
        opinion, scores = judge_candidates(networks, one.observation, batch_candidates([one.tried]))
        for part in map(int, np.flatnonzero((one.labels.kind > MotionType.UNKNOWN) & one.tried.studied)):
            rows["network"].append(score_answer(one, part, *_answer_by_network(opinion, part)))
            rows["both"].append(score_answer(one, part, *_answer_by_both(one, scores, part)))
    return {name: summarise_scores(some) for name, some in rows.items()}


def _answer_by_network(opinion: Opinion, part: int) -> tuple[int, Array, Array]:
    """Type, axis and centre of a part as the networks have them."""
    kind = int(np.argmax(opinion.type[part]))
    turns = kind == 1 if kind else bool(opinion.type[part, 1] >= opinion.type[part, 2])
    return kind, opinion.axis[part, opinion.best_idea(part, turns)], opinion.pivot[part, opinion.best_idea(part, True)]


def _answer_by_both(one: Example, scores: CandidateScores, part: int) -> tuple[int, Array, Array]:
    """Type, axis and centre of a part as the networks judge its candidates."""
    mine = np.flatnonzero(one.tried.part == part)
    turns, moving = one.tried.turns[mine], scores.moving[mine]
    chances = compute_type_chances(float(scores.fixed[part]), moving, turns)
    kind = int(np.argmax(chances))
    best_turn = mine[np.argmax(np.where(turns, moving, -np.inf))]
    best_slide = mine[np.argmax(np.where(turns, -np.inf, moving))]
    turning = kind == 1 if kind else chances[1] >= chances[2]
    return kind, one.tried.axis[best_turn if turning else best_slide], one.tried.pivot[best_turn]


def score_answer(one: Example, part: int, kind: int, axis: Array, pivot: Array) -> tuple[int, int, float, float]:
    """True and predicted type, axis error [degrees] and centre error [radii] of an answer; nan where there is none."""
    labels, true = one.labels, int(one.labels.kind[part])
    if true == MotionType.FIXED:
        return true, kind, np.nan, np.nan
    angle = float(np.degrees(np.arccos(np.clip(abs(labels.axis[part] @ axis), 0.0, 1.0))))
    if true != MotionType.TURNS:
        return true, kind, angle, np.nan
    points = one.observation.patches[..., :3].reshape(-1, 3)
    radius = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) or 1.0
    arm = pivot - labels.point[part]
    off = arm - (arm @ labels.axis[part]) * labels.axis[part]
    return true, kind, angle, float(np.linalg.norm(off)) / radius


def summarise_scores(rows: Rows) -> dict[str, float]:
    """Mean errors, macro precision and recall over the types that occur."""
    table = np.array(rows, dtype=float).reshape(-1, 4)
    true, said = table[:, 0].astype(int), table[:, 1].astype(int)
    there = [k for k in range(3) if (true == k).any()]
    right = {k: float(np.sum((true == k) & (said == k))) for k in there}
    return {
        "axis": float(np.nanmean(table[:, 2])),
        "centre": float(np.nanmean(table[:, 3])),
        "precision": float(np.mean([right[k] / max(np.sum(said == k), 1) for k in there])),
        "recall": float(np.mean([right[k] / np.sum(true == k) for k in there])),
        "parts": len(rows),
    }
