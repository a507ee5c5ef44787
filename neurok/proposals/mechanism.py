"""Mechanism: which parts of a thing move, and how, where nothing is dragged; told by geometry, ranked without kinds.

Each likely hypothesis is moved by every motion it might have. The ranker scores part and motion together; of parts that
contradict each other the likelier stays, and each part that stays moves by its likeliest motion.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.motion_features import POSSIBLE_FEATURES, SAME_LINE_COSINE
from neurok.proposals.motion_ranker import MotionRanker, load_motion_ranker, sum_log_odds
from neurok.proposals.possible_motions import PossibleMotions, list_possible_motions
from neurok.proposals.ranker import load_ranker
from neurok.proposals.sampling import SMALL_LENGTH
from neurok.proposals.selection import select_members
from neurok.proposals.simulator import find_free_way, find_steps
from neurok.proposals.study import STUDIED_COUNT

SAME_OVERLAP = 0.9  # of the union, from which two hypotheses are one part: the likelier is tried
MIN_LOG_ODDS = -1.5  # of moving, from which a hypothesis is taken for a part: see docs/decisions, note 066


@dataclass(frozen=True)
class PartMotion:
    """A part that moves. members: its units, [u]. turns: else it slides; axis: unit, and pivot: a point of the axis,
    canonical place, [3] each. log_odds: of being a part that moves. ways: how far it goes freely along the axis and
    against it [rad, or diagonals]; along: its extent along the axis, and size: the diagonal of its box [diagonals];
    asymmetry: how far it is from round about the axis, 0 to 1.
    """

    members: Mask
    turns: bool
    axis: Array
    pivot: Array
    log_odds: float
    ways: tuple[float, float]
    along: float
    size: float
    asymmetry: float


def find_mechanism(
    found: Hypotheses, ranker: MotionRanker | None = None, *, least: float = MIN_LOG_ODDS
) -> list[PartMotion]:
    """The parts that seem to move, the likeliest first; none where the thing seems to be rigid."""
    listed = list_possible_motions(found, choose_likely(found))
    if not listed.count:
        return []
    parts = np.unique(listed.part)
    score = (ranker or load_motion_ranker()).score(listed.features)
    odds = sum_log_odds(score, listed.part, parts)
    chosen = select_members(odds, found.members[parts], found.units.area, least, least)
    moving = [_take_motion(found, listed, score, int(parts[row]), float(odds[row])) for row in chosen]
    return [part for part in moving if not any(is_carried_alike(part, other) for other in moving)]


def is_carried_alike(inner: PartMotion, outer: PartMotion) -> bool:
    """Whether a part lies within another one and moves just as that does: the top of a cap, the front of a drawer."""
    within = np.all(outer.members[inner.members]) and inner.members.sum() < outer.members.sum()
    if not within or inner.turns != outer.turns or abs(inner.axis @ outer.axis) < SAME_LINE_COSINE:
        return False
    apart = np.linalg.norm(np.cross(inner.pivot - outer.pivot, outer.axis))
    return not inner.turns or bool(apart < SMALL_LENGTH)


def choose_likely(found: Hypotheses) -> Indices:
    """The hypotheses that are likeliest to be parts by how they are cut from the rest, no two of them nearly the same.

    None is nearly the whole: something has to hold it. Of the moving parts of 18 train objects 94 % are among the first
    twenty, and all are if near doubles are left out.
    """
    area, members = found.units.area, found.members
    chosen: list[int] = []
    for part in np.argsort(-load_ranker().judge_parts(found.features), kind="stable"):
        common = (members[chosen] & members[part]) @ area
        united = (members[chosen] | members[part]) @ area
        if np.all(common < SAME_OVERLAP * united) and area[members[part]].sum() < SAME_OVERLAP * area.sum():
            chosen.append(int(part))
        if len(chosen) == STUDIED_COUNT:
            break
    return np.array(chosen, dtype=np.int64)


def _take_motion(found: Hypotheses, listed: PossibleMotions, score: Array, part: int, odds: float) -> PartMotion:
    """The likeliest motion of one hypothesis."""
    mine: Indices = np.flatnonzero(listed.part == part)
    best = int(mine[np.argmax(score[mine])])
    study, number = found.study(part), np.array([listed.number[best]])
    assert study is not None
    piece, one = study.piece, study.tried.chosen(number)
    turns, axis = bool(one.turns[0]), one.axis[0]
    asymmetry = listed.features[best, POSSIBLE_FEATURES.index("asymmetry")]
    return PartMotion(
        found.members[part], turns, axis, one.pivot[0], odds,
        find_free_way(piece, study.contact, study.rest, one, find_steps(piece.size, turns)),
        float(np.ptp(piece.points @ axis)), piece.size, float(asymmetry),
    )  # fmt: skip
