"""Selection: the parts that a thing seems to have, where nothing is dragged: likely ones that do not contradict each
other. Of two parts one may lie within the other (a lock in a door); parts that overlap otherwise exclude each other."""

import numpy as np

from neurok.geometry.arrays import Indices, Mask
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.ranker import Ranker, load_ranker

MIN_LOG_ODDS = -3.0  # of moving, from which a hypothesis becomes a part; see MAX_INNER_SHARE
MAX_SELECTED_COUNT = 16
MAX_OVERLAP = 0.02  # of the union, of parts that are apart
NESTED_SHARE = 0.98  # of the inner part that lies in the outer one
# Larger than this share of the outer part, the two are two opinions of one part. Chosen with MIN_LOG_ODDS on 60 train
# objects of kinds left out: a found part meets 77 % of the moving parts (IoU > .5), welded components 62 %.
MAX_INNER_SHARE = 0.1


def select_parts(found: Hypotheses, ranker: Ranker | None = None) -> Indices:
    """Hypotheses that are taken for parts, the likeliest first."""
    odds = (ranker or load_ranker()).judge_parts(found.features)
    chosen: list[int] = []
    for part in np.argsort(-odds, kind="stable"):
        if odds[part] < MIN_LOG_ODDS or len(chosen) >= MAX_SELECTED_COUNT:
            break
        if all(_agree(found, found.members[part], found.members[other]) for other in chosen):
            chosen.append(int(part))
    return np.array(chosen, dtype=np.int64)


def label_faces(found: Hypotheses, chosen: Indices) -> Indices:
    """The part of each face, [m]: 0 where it belongs to none, else one more than its place among the chosen ones; the
    inner of two nested parts counts."""
    label = np.zeros(found.units.count, dtype=np.int64)
    area = found.members[chosen] @ found.units.area
    for place in np.argsort(-area, kind="stable"):
        label[found.members[chosen[place]]] = place + 1
    return label[found.units.face]


def _agree(found: Hypotheses, one: Mask, other: Mask) -> bool:
    area = found.units.area
    common, first, second = area[one & other].sum(), area[one].sum(), area[other].sum()
    if common <= MAX_OVERLAP * (first + second - common):
        return True
    small, large = min(first, second), max(first, second)
    return bool(common >= NESTED_SHARE * small and small < MAX_INNER_SHARE * large)
