"""Study: all motions of a part tried, and what speaks for each of them as numbers.

A part's own numbers (part_reasons.py) say whether it turns, slides or stays; a candidate's (candidate_reasons.py) say
which motion it is; nothing in them knows a category or a name. Where it lies in the object's frame (placing.py) is
kept apart from both, for each way in which it may face. ranking.py makes scores of them.
"""

from dataclasses import dataclass

import numpy as np

from neurok.articulate.candidate_features import compute_candidate_features, compute_relative_features
from neurok.articulate.candidates import Candidates, propose_candidates
from neurok.articulate.facing import PartPlacement, measure_hits, place_part
from neurok.articulate.part_features import compute_part_features
from neurok.articulate.sampling import PartContact, SampledPart, SampledShape, find_contact
from neurok.articulate.simulator import Surroundings, Trials, measure_asymmetry, simulate_candidates
from neurok.geometry.arrays import Array

NEAR_MIDDLE = 0.2  # of the box: a pivot there may be an axis of symmetry


@dataclass(frozen=True)
class PartStudy:
    """All that is known of one part: its motions tried, what happened, and the reasons, part [f], candidates [c, g]."""

    piece: SampledPart
    contact: PartContact | None
    rest: Surroundings
    tried: Candidates
    trials: Trials
    part: Array
    reasons: Array
    places: tuple[PartPlacement, ...]


def study_part(shape: SampledShape, number: int) -> PartStudy | None:
    """Try all motions of one part; None where there is nothing it could move against."""
    piece = shape.pieces[number]
    points, normals, _ = shape.rest(number)
    if len(points) == 0 or not np.linalg.norm(piece.extent) > 1e-6:
        return None
    meeting, rest = find_contact(piece, points, normals), Surroundings(points, normals)
    tried = propose_candidates(piece, meeting)
    trials = simulate_candidates(piece, meeting, rest, tried)
    middle = np.flatnonzero(tried.turns & (tried.box.max(axis=1) < NEAR_MIDDLE))
    round_ = measure_asymmetry(piece, shape.trees[number], tried, middle)
    reasons = compute_candidate_features(shape, piece, meeting, tried, trials, round_)
    part = compute_part_features(shape, number, meeting, tried, trials, float(round_.min(initial=1.0)))
    reasons = np.hstack([reasons, compute_relative_features(tried, reasons)])
    places = place_part(shape, number, measure_hits(tried.turns, reasons, piece.centre))
    return PartStudy(piece, meeting, rest, tried, trials, part, reasons, places)
