"""Fusion: the movements of all parts by the network alone, or by the network as judge of the search's candidates."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.batches import batch_studies
from neurok.articulate.limits import limit_by_network, widen_limits
from neurok.articulate.network import ArticulationNetwork
from neurok.articulate.observation import observe_shape
from neurok.articulate.opinion import CandidateScores, Opinion, ask_networks, compute_type_chances, judge_candidates
from neurok.articulate.parents import attach_by_network, attach_parents
from neurok.articulate.ranking import KINDS, PartOdds, score_parts
from neurok.articulate.selection import choose_base, select_movements
from neurok.articulate.similar_parts import average_over_similar, find_similar_parts
from neurok.articulate.study import PartStudy
from neurok.geometry.arrays import Array, Indices
from neurok.proposals.sampling import SampledShape
from neurok.proposals.simulator import find_steps

# Weights of two opinions of the same thing, as exponents of a product of chances; chosen by `neurok evaluate
# articulation --split dev`. On 128 train objects every ranking weight from .2 to .5 gives the same figures.
RANKING_WEIGHT = 0.25  # of the search's ranking beside the network's judgement of the candidates
SHAPE_WEIGHT = 0.6  # of the type that the network reads from the shape alone beside the type of the candidates


def predict_by_network(whole: SampledShape, networks: Sequence[ArticulationNetwork]) -> list[Movement]:
    """Types, axes, pivots, limits and parents as the networks have them; no motion is tried."""
    opinion = ask_networks(networks, observe_shape(whole))
    log_types = average_over_similar(opinion.type, find_similar_parts(whole))
    kinds = _choose_types(whole, log_types)
    movements = [_follow_idea(whole, opinion, log_types, part, int(kind)) for part, kind in enumerate(kinds)]
    return attach_by_network(attach_parents(whole, movements), opinion)


def predict_by_both(
    whole: SampledShape, networks: Sequence[ArticulationNetwork], studies: Sequence[PartStudy | None]
) -> list[Movement]:
    """The search tries candidates; the networks, which see them and the whole shape, score them."""
    candidates = batch_studies(studies)
    if candidates is None:  # no part has anything to move against
        return attach_parents(whole, [Movement.fixed() for _ in whole.pieces])
    opinion, scores = judge_candidates(networks, observe_shape(whole), candidates)
    odds = combine_odds(whole, studies, opinion, scores)
    movements = select_movements(whole, studies, odds)
    refined = [_refine_movement(whole, opinion, part, *pair) for part, pair in enumerate(zip(studies, movements))]
    return attach_by_network(attach_parents(whole, refined), opinion)


def combine_odds(
    whole: SampledShape, studies: Sequence[PartStudy | None], opinion: Opinion, scores: CandidateScores
) -> list[PartOdds | None]:
    """The chances of each part's types and the scores of its candidates, from the ranking and from the networks.

    Parts that were not studied have a type, which counts for parts like them, but no odds.
    """
    log_types, motions, first = opinion.type.copy(), {}, 0
    for part, (found, ranked) in enumerate(zip(studies, score_parts(studies), strict=True)):
        if found is None or ranked is None:
            continue
        mine = slice(first, first + found.tried.count)
        first = mine.stop
        fixed = mix_opinions(scores.fixed[part], ranked[0], RANKING_WEIGHT)
        motions[part] = mix_opinions(scores.moving[mine], ranked[1:], RANKING_WEIGHT)
        tried = compute_type_chances(float(fixed), motions[part], found.tried.turns)
        log_types[part] = mix_opinions(tried, opinion.type[part], SHAPE_WEIGHT)
    chances = np.exp(average_over_similar(log_types, find_similar_parts(whole)))
    return [
        PartOdds(dict(zip(KINDS, map(float, chances[part]))), motions[part]) if part in motions else None
        for part in range(len(studies))
    ]


def mix_opinions(first: Array, second: Array, weight: float) -> Array:
    """The log chances of a product of two opinions; weight: that of the second."""
    return (1 - weight) * first + weight * second


def _choose_types(whole: SampledShape, log_types: Array) -> Indices:
    """The likeliest type of each part, as an index of KINDS, [p]; at least one part is fixed, and every point is."""
    kinds = np.argmax(log_types, axis=1)
    kinds[[piece.is_point for piece in whole.pieces]] = 0
    if (kinds > 0).all():
        kinds[choose_base(whole, np.exp(log_types[:, 0]))] = 0
    return kinds


def _refine_movement(
    whole: SampledShape, opinion: Opinion, part: int, found: PartStudy | None, movement: Movement
) -> Movement:
    """A selected movement with the network's limits; of a fixed part, how the network thinks that it would move."""
    if found is None or movement.kind == "fixed":
        return replace(_follow_idea(whole, opinion, opinion.type, part, 0), confidence=movement.confidence)
    return limit_by_network(found, opinion, part, movement)


def _follow_idea(whole: SampledShape, opinion: Opinion, log_types: Array, part: int, kind: int) -> Movement:
    """The network's best idea of a type (an index of KINDS); of the likelier type of motion for a fixed part."""
    turns = kind == 1 if kind else bool(log_types[part, 1] >= log_types[part, 2])
    best, best_turn = opinion.best_idea(part, turns), opinion.best_idea(part, True)
    axis, pivot, centre = opinion.axis[part, best], opinion.pivot[part, best], opinion.pivot[part, best_turn]
    chance = float(np.exp(log_types[part, kind]))
    if kind == 0:
        return Movement.fixed(axis, pivot, confidence=chance, centre=centre)
    movement = Movement.moving(KINDS[kind], axis, pivot, confidence=chance, centre=centre)
    if turns and opinion.is_endless(part, best):
        return movement.without_limits()
    lower, upper = opinion.limits[part, best]
    lower, upper = widen_limits(lower, upper, find_steps(whole.pieces[part].size, turns)[0])
    return replace(movement, lower=lower, upper=upper)
