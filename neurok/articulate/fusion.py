"""Deciding with the network: alone, or as the judge of the motions that the search tried."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from neurok.articulate.assemble import Movement
from neurok.articulate.batches import CandidateBatch
from neurok.articulate.candidates import Candidates
from neurok.articulate.network import SHARP_AXIS, SHARP_LINE, ArticulationNetwork
from neurok.articulate.observation import observe_shape
from neurok.articulate.opinion import LEAD_NETWORK, Opinion, ask_networks, compute_type_chances
from neurok.articulate.part_features import PART_FEATURES
from neurok.articulate.ranking import KINDS, PartOdds
from neurok.articulate.ranking import score_parts as search_scores
from neurok.articulate.sampling import SampledShape
from neurok.articulate.selection import (
    SLIDE_STEPS,
    TIGHT,
    TURN_STEPS,
    attach_parents,
    choose_base,
    root_parents,
    select_movements,
)
from neurok.articulate.similar_parts import average_over_similar, find_similar_parts
from neurok.articulate.simulator import find_free_way
from neurok.articulate.study import PartStudy
from neurok.geometry.arrays import Array

LEAST_TURN, LEAST_SLIDE = np.radians(10.0), 0.05  # of a joint's range; a slide's in box diagonals
# Weight of the search's ranking beside the network: where the type is chosen, and where a motion of that type is.
# Chosen on dev objects; the type is better seen in context.
RANKED_TYPE, RANKED_MOTION = 0.3, 0.2
SEEN_TYPE = 0.6  # of what the network says of the type from the shape alone, beside what the motions tried tell of it
LEAST_CHANCE = 1e-9  # of a type
LEAST_SIZE = 1e-6  # diagonals: a part that is a point stays, as in the search
LIKE = 3.0  # distance of an idea from a motion, as in network.distance, up to which it speaks of its range
ENDLESS = 0.5  # chance from which a turning part has no limits


def predict_by_network(whole: SampledShape, networks: Sequence[ArticulationNetwork]) -> list[Movement]:
    """Types, axes, pivots, limits and parents as the network has them; no motion is tried."""
    said = ask_networks(networks, observe_shape(whole))
    said = replace(said, type=average_over_similar(said.type, find_similar_parts(whole)))
    stays = np.exp(said.type[:, 0])
    kinds = np.argmax(said.type + np.array([LEAD_NETWORK, 0.0, 0.0]), axis=1)
    kinds[[not np.linalg.norm(piece.extent) > LEAST_SIZE for piece in whole.pieces]] = 0
    if (kinds > 0).all():
        kinds[choose_base(whole, stays)] = 0
    moves = [_idea(whole, said, part, int(kind)) for part, kind in enumerate(kinds)]
    return attach_by_network(whole, attach_parents(whole, moves), said)


def _idea(whole: SampledShape, said: Opinion, part: int, kind: int) -> Movement:
    """The best idea of a kind; of the likelier kind of motion where the part stays."""
    sure = float(np.exp(said.type[part, kind]))
    turns = kind == 1 if kind else bool(said.type[part, 1] >= said.type[part, 2])
    best, turning = said.best_idea(part, turns), said.best_idea(part, True)
    axis, pivot, centre = said.axis[part, best], said.pivot[part, best], said.pivot[part, turning]
    if kind == 0:
        return Movement("fixed", axis, pivot, confidence=sure, centre=centre)
    if turns and said.endless[part, best] > ENDLESS:
        return Movement("continuous", axis, pivot, -np.inf, np.inf, confidence=sure, centre=centre)
    size = float(np.linalg.norm(whole.pieces[part].extent))
    low, high = (float(x) for x in said.limits[part, best])
    lower, upper = widen_limits(low, high, LEAST_TURN if turns else LEAST_SLIDE * size)
    return Movement(KINDS[kind], axis, pivot, lower, upper, confidence=sure, centre=centre)


def widen_limits(lower: float, upper: float, least: float) -> tuple[float, float]:
    """Limits that hold rest between them and are at least so far apart."""
    lower, upper = min(lower, upper, 0.0), max(lower, upper, 0.0)
    missing = max(least - (upper - lower), 0.0)
    return (float(lower), float(upper + missing)) if upper >= -lower else (float(lower - missing), float(upper))


def predict_by_both(
    whole: SampledShape, networks: Sequence[ArticulationNetwork], studies: Sequence[PartStudy | None]
) -> list[Movement]:
    """The search tries candidates; the network, which sees them and the whole shape, scores them."""
    tried = batch_studies(studies)
    if tried is None:  # nothing has anything to move against
        return attach_parents(whole, [Movement("fixed") for _ in whole.pieces])
    said = ask_networks(networks, observe_shape(whole), tried)
    part = tried.part.numpy()
    scores: dict[int, Array] = {}
    kinds = said.type.copy()  # of parts that nothing was tried with
    for number, (found, own) in enumerate(zip(studies, search_scores(studies), strict=True)):
        if found is None or own is None:
            continue
        # The search's own ranking and the network's judgement, as a product of opinions.
        opinions = said.scores[part == number]
        stays = float(mix_opinions(said.stays[number], own[0], RANKED_TYPE))
        tried_kinds = compute_type_chances(stays, mix_opinions(opinions, own[1:], RANKED_TYPE), found.tried.turns)
        kinds[number] = mix_opinions(np.log(np.maximum(tried_kinds, LEAST_CHANCE)), said.type[number], SEEN_TYPE)
        scores[number] = mix_opinions(opinions, own[1:], RANKED_MOTION)
    shares = np.exp(average_over_similar(kinds, find_similar_parts(whole)))
    ranked = [
        PartOdds(dict(zip(KINDS, map(float, shares[i]))), scores[i]) if i in scores else None
        for i in range(len(studies))
    ]
    moves = []
    for number, move in enumerate(select_movements(whole, studies, ranked)):
        if move.kind == "fixed":  # no motion tried was believed: how it would move if it did, the network says
            moves.append(replace(_idea(whole, said, number, 0), confidence=move.confidence))
        else:
            moves.append(limit_by_network(studies[number], said, number, move))
    return attach_by_network(whole, attach_parents(whole, moves), said)


def limit_by_network(found: PartStudy, said: Opinion, part: int, move: Movement) -> Movement:
    """The limits of the network's nearest idea, where it has one that is nearly this motion; no wider than the free way
    of the simulator, as far as that is believed."""
    turns = move.kind != "prismatic"
    ideas = np.flatnonzero(said.turns == turns)
    cosine = said.axis[part, ideas] @ move.axis
    arm = said.pivot[part, ideas] - move.pivot
    off = np.linalg.norm(arm - (arm @ move.axis)[:, None] * move.axis, axis=1) if turns else 0.0
    apart = np.sqrt(np.maximum(1.0 - cosine**2, 0.0)) / SHARP_AXIS + off / SHARP_LINE
    nearest = int(np.argmin(apart - said.share[part, ideas]))
    if move.kind == "continuous" or apart[nearest] > LIKE:
        return move
    if turns and said.endless[part, ideas[nearest]] > ENDLESS:  # a wheel, whose hub grazes its axle as samples fall
        return replace(move, kind="continuous", lower=-np.inf, upper=np.inf)
    lower, upper = said.limits[part, ideas[nearest]]
    if cosine[nearest] < 0:
        lower, upper = -upper, -lower
    size = float(np.linalg.norm(found.piece.extent))
    lower, upper = widen_limits(lower, upper, LEAST_TURN if turns else LEAST_SLIDE * size)
    one = Candidates(np.array([turns]), move.axis[None], move.pivot[None], np.zeros((1, 2)), np.zeros(1, dtype=bool))
    steps = TURN_STEPS if turns else SLIDE_STEPS * size
    forth, back = find_free_way(found.piece, found.contact, found.rest, one, steps)
    upper = min(upper, forth) if forth >= TIGHT * upper else upper
    lower = max(lower, -back) if back >= TIGHT * -lower else lower
    return replace(move, lower=lower, upper=upper)


def mix_opinions(judgement: Array, ranking: Array, weight: float) -> Array:
    return (1 - weight) * judgement + weight * ranking


def batch_studies(studies: Sequence[PartStudy | None]) -> CandidateBatch | None:
    """The candidates of all parts as the network takes them; None where no part has any."""
    there = [(number, found) for number, found in enumerate(studies) if found is not None]
    if not there:
        return None
    own = np.zeros((len(studies), len(PART_FEATURES)))
    for number, found in there:
        own[number] = found.part
    part = np.concatenate([np.full(found.tried.count, number) for number, found in there])
    rows = {
        name: torch.from_numpy(np.concatenate(values)).float()
        for name, values in (
            ("axis", [f.tried.axis for _, f in there]),
            ("pivot", [f.tried.pivot for _, f in there]),
            ("reasons", [f.reasons for _, f in there]),
        )
    }
    turns = torch.from_numpy(np.concatenate([f.tried.turns for _, f in there]))
    return CandidateBatch(torch.from_numpy(part), turns, **rows, own=torch.from_numpy(own).float())


def attach_by_network(whole: SampledShape, moves: Sequence[Movement], said: Opinion) -> list[Movement]:
    """Moving parts hung where the network thinks they hang; parts that stay keep what they lie on."""
    base = next(i for i, move in enumerate(moves) if move.parent < 0)
    found = list(moves)
    for part, move in enumerate(moves):
        if move.kind != "fixed":
            log = said.parent[part].copy()
            log[1 + part] = -np.inf
            others = [i for i, other in enumerate(moves) if other.kind == "fixed"]
            log[0] = np.logaddexp.reduce([log[0], *(log[1 + i] for i in others)])
            log[[1 + i for i in others]] = -np.inf
            choice = int(np.argmax(log))
            found[part] = replace(move, parent=base if choice == 0 else choice - 1)
    return root_parents(found, base)
