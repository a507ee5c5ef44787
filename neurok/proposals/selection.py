"""Selection: the parts that a thing seems to have, where nothing is dragged: likely ones that do not contradict each
other. Parts that overlap exclude each other, but one may lie within another: a lock in a door, a forearm on an arm."""

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask

MAX_SELECTED_COUNT = 16
MAX_OVERLAP = 0.02  # of the union, of parts that are apart; of an inner part, that lies outside of the outer one


def select_members(odds: Array, members: Mask, area: Array, least: float, least_nested: float) -> Indices:
    """Hypotheses that are taken for parts, the likeliest first; members: their units, [h, u]; area: of each unit, [u].

    odds: log odds of being a part that moves, [h]; least: from which one is taken, and least_nested: from which it is
    taken within or around one that is taken already.
    """
    chosen: list[int] = []
    for part in np.argsort(-odds, kind="stable"):
        if odds[part] < least or len(chosen) >= MAX_SELECTED_COUNT:
            break
        relations = {relate_parts(members[part], members[other], area) for other in chosen}
        if "overlap" not in relations and (odds[part] >= least_nested or "nested" not in relations):
            chosen.append(int(part))
    return np.array(chosen, dtype=np.int64)


def relate_parts(one: Mask, other: Mask, area: Array) -> str:
    """How two sets of units lie to each other: 'apart', 'nested' or 'overlap'; by area, with small exceptions."""
    common, first, second = area[one & other].sum(), area[one].sum(), area[other].sum()
    if common <= MAX_OVERLAP * (first + second - common):
        return "apart"
    small, large = min(first, second), max(first, second)
    return "nested" if common >= (1.0 - MAX_OVERLAP) * small and small < (1.0 - MAX_OVERLAP) * large else "overlap"


def label_units(members: Mask, area: Array) -> Indices:
    """The part of each unit, [u]: 0 where it belongs to none, else one more than the number of the part; of nested
    parts the inner one counts. members: of the parts, [p, u]."""
    label = np.zeros(members.shape[1], dtype=np.int64)
    for place in np.argsort(-(members @ area), kind="stable"):
        label[members[place]] = place + 1
    return label
