"""Drag: what a few dragged points mean. They may lie on one part or on several: all ways to share them out count.

For every set of points that may move as one, the option is chosen that promises most; of all partitions of the points
into such sets, the one whose options are expected to explain the most motion is taken.
"""

from collections.abc import Iterator

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.proposals.assignment import AssignedPart, Assignment
from neurok.proposals.choice import choose_option
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.options import list_options
from neurok.proposals.ranker import Ranker, load_ranker

SPLIT_PRICE = 0.5  # of each further part, of the squared motion; of 0, .1, .2, .3, .5, by kinds left out
MAX_PARTITIONED_COUNT = 3  # points of which all partitions are tried; of more, only some

Subset = tuple[int, ...]


def assign_drag(
    found: Hypotheses, unit: Indices, points: Array, goals: Array, ranker: Ranker | None = None
) -> Assignment:
    """The likeliest parts and motions that take points [p, 3] of units [p] to their goals, [p, 3]; canonical place."""
    ranker = ranker or load_ranker()
    chosen: dict[Subset, tuple[float, AssignedPart] | None] = {}

    def choose(subset: Subset) -> tuple[float, AssignedPart] | None:
        if subset not in chosen:
            chosen[subset] = _choose_option(found, ranker, unit, points, goals, subset)
        return chosen[subset]

    best: tuple[float, tuple[AssignedPart, ...]] = (-np.inf, ())
    for partition in list_partitions(found, unit):
        picked = [choose(subset) for subset in partition]
        known = [option for option in picked if option is not None]
        if len(known) == len(picked):
            gain = sum(gain for gain, _ in known) - SPLIT_PRICE * (len(known) - 1)
            best = max(best, (gain, tuple(part for _, part in known)), key=lambda x: x[0])
    # An inner part lies over the outer one that carries it.
    moved = sorted(best[1], key=lambda part: -found.units.area[part.members].sum())
    return Assignment(tuple(moved), found.units.count)


def _choose_option(
    found: Hypotheses, ranker: Ranker, unit: Indices, points: Array, goals: Array, subset: Subset
) -> tuple[float, AssignedPart] | None:
    mine = np.array(subset)
    others = np.setdiff1d(np.arange(len(points)), mine)
    odds = ranker.judge_parts(found.features)
    options = list_options(found, odds, points[mine], goals[mine], unit[mine], unit[others])
    if options.count == 0:
        return None
    score, gain = ranker.judge_options(options.features)
    best = choose_option(found, options, score)
    return float(gain[best]), AssignedPart(found.members[options.part[best]], options.twist[best])


def list_partitions(found: Hypotheses, unit: Indices) -> list[list[Subset]]:
    """Ways to share points of units [p] out among parts: all of them for a few points; for many, all as one, by
    component and by unit."""
    count = len(unit)
    if count <= MAX_PARTITIONED_COUNT:
        return list(_partition(list(range(count))))
    labels = (np.zeros(count, dtype=np.int64), found.units.component[unit], unit)
    ways = [[tuple(np.flatnonzero(label == each).tolist()) for each in np.unique(label)] for label in labels]
    return [way for i, way in enumerate(ways) if way not in ways[:i]]


def _partition(items: list[int]) -> Iterator[list[Subset]]:
    """All partitions of a list."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for number in range(2 ** len(rest)):
        mine = (first, *(item for bit, item in enumerate(rest) if number >> bit & 1))
        for others in _partition([item for item in rest if item not in mine]):
            yield [mine, *others]
