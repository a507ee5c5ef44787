"""Study: all motions of a part tried, and what speaks for each of them as numbers.

A part's own numbers (part_reasons.py) say whether it turns, slides or stays; a candidate's (candidate_reasons.py) say
which motion it is; nothing in them knows a category or a name. Where it lies in the object's frame (placing.py) is
kept apart from both, for each way in which it may face. ranking.py makes scores of them.
"""

from dataclasses import dataclass

import numpy as np

from neurok.articulate.candidate_reasons import candidate_reasons, relative_reasons
from neurok.articulate.candidates import Candidates, candidates
from neurok.articulate.part_reasons import part_reasons
from neurok.articulate.pieces import Contact, Piece, Shape, contact
from neurok.articulate.placing import Place, hits_along_ways, places_in
from neurok.articulate.simulator import Rest, Trials, simulate, symmetry
from neurok.geometry.arrays import Array

NEAR_MIDDLE = 0.2  # of the box: a pivot there may be an axis of symmetry


@dataclass(frozen=True)
class Study:
    """All that is known of one part: its motions tried, what happened, and the reasons, part [f], candidates [c, g]."""

    piece: Piece
    contact: Contact | None
    rest: Rest
    tried: Candidates
    trials: Trials
    part: Array
    reasons: Array
    places: tuple[Place, ...]


def study(shape: Shape, number: int) -> Study | None:
    """Try all motions of one part; None where there is nothing it could move against."""
    piece = shape.pieces[number]
    points, normals, _ = shape.rest(number)
    if len(points) == 0 or not np.linalg.norm(piece.extent) > 1e-6:
        return None
    meeting, rest = contact(piece, points, normals), Rest(points, normals)
    tried = candidates(piece, meeting)
    trials = simulate(piece, meeting, rest, tried)
    middle = np.flatnonzero(tried.turns & (tried.box.max(axis=1) < NEAR_MIDDLE))
    round_ = symmetry(piece, shape.trees[number], tried, middle)
    reasons = candidate_reasons(shape, piece, meeting, tried, trials, round_)
    part = part_reasons(shape, number, meeting, tried, trials, float(round_.min(initial=1.0)))
    reasons = np.hstack([reasons, relative_reasons(tried, reasons)])
    places = places_in(shape, number, hits_along_ways(tried.turns, reasons, piece.centre))
    return Study(piece, meeting, rest, tried, trials, part, reasons, places)
