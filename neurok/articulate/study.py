"""Study: all motions of a part tried, and the features that speak for each of them.

The features of a part (part_features.py) say whether it turns, slides or is fixed; those of a candidate
(candidate_features.py) say which motion it is; nothing in them knows a category or a name. Where the part lies in the
object's frame (facing.py) is kept apart from both, for each way in which the object may face. ranking.py makes scores
of them.
"""

from dataclasses import dataclass

import numpy as np

from neurok.articulate.facing import PartPlacement, measure_hits, place_part
from neurok.articulate.part_features import compute_part_features
from neurok.geometry.arrays import Array
from neurok.proposals.candidate_features import compute_candidate_features, compute_relative_features
from neurok.proposals.candidates import Candidates, propose_candidates
from neurok.proposals.sampling import PartContact, SampledPart, SampledShape, find_contact
from neurok.proposals.simulator import Surroundings, Trials, measure_asymmetry, simulate_candidates


@dataclass(frozen=True)
class PartStudy:
    """All that is known of one part: its candidate motions, what the simulator found, and the features of the part [f]
    and of the candidates [c, g]. places: where it lies, for each way in which the object may face."""

    piece: SampledPart
    contact: PartContact
    rest: Surroundings
    tried: Candidates
    trials: Trials
    part_features: Array
    features: Array
    places: tuple[PartPlacement, ...]


def study_part(shape: SampledShape, part: int) -> PartStudy | None:
    """Try all motions of one part; None where there is nothing it could move against."""
    piece = shape.pieces[part]
    points, normals, _ = shape.rest(part)
    if len(points) == 0 or piece.is_point:
        return None
    contact, rest = find_contact(piece, points, normals), Surroundings(points, normals)
    tried = propose_candidates(piece, contact)
    trials = simulate_candidates(piece, contact, rest, tried)
    asymmetry = measure_asymmetry(piece, shape.trees[part], tried)
    own = compute_part_features(shape, part, contact, tried, trials, float(asymmetry.min(initial=1.0)))
    absolute = compute_candidate_features(shape.box, piece, contact, tried, trials, asymmetry)
    features = np.hstack([absolute, compute_relative_features(tried, absolute)])
    places = place_part(shape, part, measure_hits(tried.turns, features, piece.centre))
    return PartStudy(piece, contact, rest, tried, trials, own, features, places)
