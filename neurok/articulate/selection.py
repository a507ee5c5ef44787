"""Moves: from what is known of the parts of a shape to how each of them moves, with its range and parent."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.candidate_features import CANDIDATE_FEATURES
from neurok.articulate.ranking import PartOdds
from neurok.articulate.sampling import NEIGHBOUR, SampledShape
from neurok.articulate.simulator import find_free_way
from neurok.articulate.study import PartStudy, study_part
from neurok.geometry.arrays import Array

TURN_STEPS = np.radians(np.arange(5.0, 181.0, 5.0))
SLIDE_STEPS = np.arange(0.02, 1.001, 0.02)  # of the part's box diagonal
WIDEST = np.pi / 2  # of a hinge with one free sense: what nearly every door, lid and flap does
DEEPEST = 0.8  # of the part's extent along a slide: a drawer stays in its case
BUTTON, PRESSED = 0.12, 0.1  # a sliding part smaller than this goes no farther than this share of its box diagonal
ROUND = 0.15  # asymmetry below which a part that turns freely has no limits
TIGHT = 0.4  # of the usual range: a free way below it is not believed


def study_parts(whole: SampledShape, progress: Callable[[float], None] | None = None) -> list[PartStudy | None]:
    """All motions of all parts tried."""
    found: list[PartStudy | None] = []
    for number in range(len(whole.pieces)):
        found.append(study_part(whole, number))
        if progress is not None:
            progress((number + 1) / len(whole.pieces))
    return found


def select_movements(
    whole: SampledShape, studies: Sequence[PartStudy | None], ranked: Sequence[PartOdds | None]
) -> list[Movement]:
    """The likeliest kind and candidate of each part; at least one part stays. Parents are not known yet."""
    kinds = ["fixed" if one is None else one.kind for one in ranked]
    if all(kind != "fixed" for kind in kinds):
        kinds[choose_base(whole, [one.chances["fixed"] for one in ranked])] = "fixed"
    return [_movement(studies[i], kind, ranked[i]) for i, kind in enumerate(kinds)]


def choose_base(whole: SampledShape, stays: Sequence[float]) -> int:
    """The part to hold where all would move: large, and likely to stay."""
    return int(np.argmax([chance * piece.area for chance, piece in zip(stays, whole.pieces)]))


def _movement(found: PartStudy | None, kind: str, ranked: PartOdds | None) -> Movement:
    if found is None:
        return Movement("fixed")
    best = _best(found, kind, ranked)
    one = found.tried.chosen(np.array([best]))
    axis, pivot, sure = one.axis[0], one.pivot[0], ranked.chances[kind]
    centre = found.tried.pivot[_best(found, "revolute", ranked)]
    if kind == "fixed":  # how it would move if it did, for those who want to correct it
        return Movement("fixed", axis, pivot, confidence=sure, centre=centre)
    size = float(np.linalg.norm(found.piece.extent))
    steps = TURN_STEPS if one.turns[0] else SLIDE_STEPS * size
    forth, back = find_free_way(found.piece, found.contact, found.rest, one, steps)
    worst = found.trials.worst[best].sum(axis=1)
    if back > forth or (back == forth and worst[1] < worst[0]):
        axis, forth, back = -axis, back, forth
    lower, upper, kind = _range(found, best, kind, forth, back)
    return Movement(kind, axis, pivot, lower, upper, confidence=sure, centre=centre)


def _best(found: PartStudy, kind: str, ranked: PartOdds) -> int:
    """The likeliest candidate of a kind; where the part stays, of the likelier kind of motion."""
    if kind == "fixed":
        kind = max(("revolute", "prismatic"), key=lambda moving: ranked.chances[moving])
    return int(np.argmax(np.where(found.tried.turns == (kind == "revolute"), ranked.score, -np.inf)))


def _range(found: PartStudy, best: int, kind: str, forth: float, back: float) -> tuple[float, float, str]:
    """Limits from the free way; a round part that turns all the way has none.

    A way that ends almost at once says more about a tight fit than about the joint: the usual range stands then.
    """
    if kind == "prismatic":
        size = float(np.linalg.norm(found.piece.extent))
        along = float(np.ptp(found.piece.points @ found.tried.axis[best]))
        most = max(PRESSED * size if size < BUTTON else DEEPEST * along, 0.01 * size)
        return 0.0, float(most if forth < TIGHT * most else min(forth, most)), kind
    asymmetry = found.reasons[best, CANDIDATE_FEATURES.index("asymmetry")]
    if asymmetry < ROUND and forth >= np.pi - 1e-6:
        return -np.inf, np.inf, "continuous"
    forth = WIDEST if forth < TIGHT * WIDEST else min(forth, WIDEST)
    if back > 0.5 * forth:
        return -forth / 2, forth / 2, kind
    return 0.0, float(forth), kind


def attach_parents(whole: SampledShape, moves: Sequence[Movement]) -> list[Movement]:
    """Each part hung on what it touches most: a moving one on the base or on a larger part that moves; one that
    stays on the base, unless all it touches is a part that moves, which then carries it."""
    areas = np.array([piece.area for piece in whole.pieces])
    still = np.array([move.kind == "fixed" for move in moves])
    base = int(np.argmax(np.where(still, areas, -1.0)))
    touches = whole.gaps < NEIGHBOUR
    found = []
    for number, move in enumerate(moves):
        near = touches[number].copy()
        near[number] = False
        parent = base
        if number != base and near.any() and not near[still].any():
            larger = np.flatnonzero(near & (areas > areas[number]))
            if len(larger):
                parent = int(larger[np.argmax(_meeting(whole, number, larger))])
        found.append(replace(move, parent=-1 if number == base else parent))
    return root_parents(found, base)


def _meeting(whole: SampledShape, number: int, others: Array) -> list[float]:
    """How much of a part lies at each of the others."""
    points = whole.pieces[number].points
    return [float(np.mean(whole.trees[i].query(points, distance_upper_bound=NEIGHBOUR)[0] < NEIGHBOUR)) for i in others]


def root_parents(moves: list[Movement], base: int) -> list[Movement]:
    """Parents lead to the base from everywhere: they are larger, or the base itself."""
    for number in range(len(moves)):
        seen, here = {number}, moves[number].parent
        while here >= 0 and here not in seen:
            seen.add(here)
            here = moves[here].parent
        if here >= 0:
            moves[number] = replace(moves[number], parent=base)
    return moves
