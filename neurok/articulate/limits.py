"""Limits: how far a part moves, from the free way that the simulator finds and from what the network says."""

from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.opinion import Opinion, measure_ideas
from neurok.articulate.study import PartStudy
from neurok.proposals.candidate_features import CANDIDATE_FEATURES
from neurok.proposals.candidates import Candidates
from neurok.proposals.simulator import find_free_way, find_steps

# Kept because both rules pay on 128 train objects: without them the median error of the search's ranges rises from .54
# to .71 and .60; the exact values were set by hand.
MAX_ROUND_ASYMMETRY = 0.15  # a part below it that turns freely all the way has no limits
MIN_FREE_SHARE = 0.5  # of the usual range: a shorter free way tells of a tight fit and is not believed


def limit_by_free_way(found: PartStudy, best: int, movement: Movement) -> Movement:
    """The movement with limits from the free way of its candidate, its axis pointing along the longer way.

    A round part that turns all the way has no limits. Where the free way ends almost at once, the usual range stands.
    """
    forth, back = measure_free_way(found, movement)
    worst = found.trials.worst[best].sum(axis=1)
    if back > forth or (back == forth and worst[1] < worst[0]):
        movement, forth, back = movement.reversed(), back, forth
    along = float(np.ptp(found.piece.points @ found.tried.axis[best]))
    asymmetry = float(found.features[best, CANDIDATE_FEATURES.index("asymmetry")])
    return limit_by_ways(movement, (forth, back), along, found.piece.size, asymmetry)


def limit_by_ways(
    movement: Movement, ways: tuple[float, float], along: float, size: float, asymmetry: float
) -> Movement:
    """The movement with limits from its free ways, of which the first, along the axis, is the longer one.

    along: the part's extent along the axis; size: the diagonal of its box; asymmetry: 0 where it is round.
    """
    forth, back = ways
    if movement.kind == "prismatic":
        usual = max(along, find_steps(size, False)[0])  # a drawer stays in its case
        return replace(movement, lower=0.0, upper=_believe_way(forth, usual))
    if asymmetry < MAX_ROUND_ASYMMETRY and forth >= np.pi - 1e-6:
        return movement.without_limits()
    forth = _believe_way(forth, np.pi / 2)  # what nearly every door, lid and flap does
    if back > MIN_FREE_SHARE * forth:
        return replace(movement, lower=-forth / 2, upper=forth / 2)
    return replace(movement, lower=0.0, upper=forth)


def _believe_way(way: float, usual: float) -> float:
    """The free way up to the usual range; all of that range where the way is too short to be believed."""
    return float(usual if way < MIN_FREE_SHARE * usual else min(way, usual))


def limit_by_network(found: PartStudy, opinion: Opinion, part: int, movement: Movement) -> Movement:
    """The movement with the limits of the network's nearest idea, no wider than a free way that is believed."""
    turns = movement.kind != "prismatic"
    axis, pivot = movement.screw
    ideas = np.flatnonzero(opinion.turns == turns)
    apart = measure_ideas(opinion.axis[part, ideas], opinion.pivot[part, ideas], axis, pivot, turns)
    nearest = int(ideas[np.argmin(apart - opinion.share[part, ideas])])
    if movement.kind == "continuous":
        return movement
    if turns and opinion.is_endless(part, nearest):  # a wheel, whose hub grazes its axle as samples fall
        return movement.without_limits()
    lower, upper = opinion.limits[part, nearest]
    if opinion.axis[part, nearest] @ axis < 0:
        lower, upper = -upper, -lower
    lower, upper = widen_limits(lower, upper, find_steps(found.piece.size, turns)[0])
    forth, back = measure_free_way(found, movement)
    upper = min(upper, forth) if forth >= MIN_FREE_SHARE * upper else upper
    lower = max(lower, -back) if back >= MIN_FREE_SHARE * -lower else lower
    return replace(movement, lower=lower, upper=upper)


def widen_limits(lower: float, upper: float, smallest: float) -> tuple[float, float]:
    """Limits that hold rest between them and are at least `smallest` apart [rad, or diagonals]."""
    lower, upper = min(lower, upper, 0.0), max(lower, upper, 0.0)
    missing = max(smallest - (upper - lower), 0.0)
    return (float(lower), float(upper + missing)) if upper >= -lower else (float(lower - missing), float(upper))


def measure_free_way(found: PartStudy, movement: Movement) -> tuple[float, float]:
    """How far the part moves freely along the axis and against it [rad, or diagonals]."""
    turns = movement.kind != "prismatic"
    axis, pivot = movement.screw
    one = Candidates(np.array([turns]), axis[None], pivot[None], np.zeros((1, 2)), np.zeros(1, dtype=bool))
    return find_free_way(found.piece, found.contact, found.rest, one, find_steps(found.piece.size, turns))
