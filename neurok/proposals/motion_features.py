"""Numbers of a part's motions that say which of them are real, whatever is or is not dragged.

A motion is described by how its part is cut from the rest, by how its axis lies to the part and to its contact, by what
happens when it is tried, and by the round surfaces that it slips along: a pin and its hole share the axis of a hinge.
"""

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.proposals.candidate_features import (
    CANDIDATE_FEATURES,
    compute_candidate_features,
    compute_relative_features,
)
from neurok.proposals.candidates import Candidates
from neurok.proposals.hypothesis_features import HYPOTHESIS_FEATURES
from neurok.proposals.round_axes import RoundAxes
from neurok.proposals.sampling import SMALL_LENGTH, TOUCH_DISTANCE
from neurok.proposals.simulator import FREE_SHARE
from neurok.proposals.study import HypothesisStudy

STUDY_FEATURES = ("touching", "gap", "free_small", "free_middle", "free_out", "turns_free", "least_asymmetry", "tried")
ROUND_FEATURES = ("round_own", "round_rest", "round_both", "round_radius")
PART_FEATURES = (*HYPOTHESIS_FEATURES, *STUDY_FEATURES)  # which all motions of a part share
POSSIBLE_FEATURES = (*PART_FEATURES, *CANDIDATE_FEATURES, *ROUND_FEATURES)
SAME_LINE_COSINE = np.cos(np.radians(8.0))  # of a turn and of a round surface that it slips along


def describe_motions(study: HypothesisStudy, own: Array, members: Mask, box: Array, lines: RoundAxes) -> Array:
    """The numbers of POSSIBLE_FEATURES of each motion of one hypothesis, [c, f].

    own: its HYPOTHESIS_FEATURES. members: its units, [u]. box: corners of the object, [2, 3]. lines: of the object.
    """
    piece, tried = study.piece, study.tried
    absolute = compute_candidate_features(box, piece, study.contact, tried, study.trials, study.asymmetry)
    whole = np.tile(np.concatenate([own, _describe_study(study)]), (tried.count, 1))
    relative = compute_relative_features(tried, absolute)
    return np.hstack([whole, absolute, relative, _describe_round(lines, members, study)])


def _describe_study(study: HypothesisStudy) -> Array:
    """The numbers of STUDY_FEATURES, [f]."""
    tried, piece, worst = study.tried, study.piece, study.trials.worst
    slides = np.flatnonzero(~tried.turns)[:3]  # the shape's own axes come first
    free = worst[slides] < FREE_SHARE
    signs = np.array([1.0, -1.0])
    centre = piece.centre / max(float(np.linalg.norm(piece.centre)), 1e-6)
    outwards = tried.axis[slides][:, None] * signs[None, :, None] @ centre
    turning = worst[tried.turns]
    return np.array([
        study.contact.share, min(study.contact.gap / TOUCH_DISTANCE, 3.0), free[:, :, 1].mean(), free[:, :, 2].mean(),
        np.max(np.where(free[:, :, 2], outwards, -1.0), initial=-1.0),
        np.mean(turning[:, :, 2].min(axis=1) < FREE_SHARE), study.asymmetry.min(initial=1.0), np.log(tried.count),
    ])  # fmt: skip


def _describe_round(lines: RoundAxes, members: Mask, study: HypothesisStudy) -> Array:
    """The numbers of ROUND_FEATURES: samples of the part and of what it touches that lie on round surfaces about the
    axis of each turn, as logarithms, how many on both sides, and the radius of the largest in sizes of the part."""
    tried, found = study.tried, np.zeros((study.tried.count, len(ROUND_FEATURES)))
    if not len(lines.unit):
        return found
    same = _share_line(tried, lines)
    own = members[lines.unit]
    lower, upper = study.piece.lower - TOUCH_DISTANCE, study.piece.upper + TOUCH_DISTANCE
    near = np.all((lines.lower < upper) & (lines.upper > lower), axis=1)
    inner, outer = (same & own) @ np.sqrt(lines.area), (same & ~own & near) @ np.sqrt(lines.area)
    found[:, 0], found[:, 1], found[:, 2] = np.log1p(20 * inner), np.log1p(20 * outer), np.minimum(inner, outer) * 20
    found[:, 3] = np.max(np.where(same & (own | near), lines.radius, 0.0), axis=1) / study.piece.size
    return found


def _share_line(tried: Candidates, lines: RoundAxes) -> Mask:
    """Which candidates turn about the line of which round surfaces, [c, r]."""
    offset = lines.point[None] - tried.pivot[:, None]
    along = np.einsum("cra,ca->cr", offset, tried.axis)
    apart = np.sqrt(np.maximum(np.einsum("cra,cra->cr", offset, offset) - along**2, 0.0))
    return (np.abs(tried.axis @ lines.axis.T) > SAME_LINE_COSINE) & (apart < SMALL_LENGTH) & tried.turns[:, None]
