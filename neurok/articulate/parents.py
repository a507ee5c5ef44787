"""Parents: on which part each part hangs, from what touches what and from what the network says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.opinion import Opinion
from neurok.geometry.arrays import Indices
from neurok.proposals.sampling import TOUCH_DISTANCE, SampledShape


def attach_parents(whole: SampledShape, movements: Sequence[Movement]) -> list[Movement]:
    """Attach every part to the base, unless it touches moving parts only: then to the larger one it touches most."""
    areas = np.array([piece.area for piece in whole.pieces])
    fixed = np.array([movement.kind == "fixed" for movement in movements])
    base = int(np.argmax(np.where(fixed, areas, -1.0)))
    touches = whole.gaps < TOUCH_DISTANCE
    attached = []
    for part, movement in enumerate(movements):
        near = touches[part].copy()
        near[part] = False
        parent = base
        if part != base and near.any() and not near[fixed].any():
            larger = np.flatnonzero(near & (areas > areas[part]))
            if len(larger):
                parent = int(larger[np.argmax(measure_contacts(whole, part, larger))])
        attached.append(replace(movement, parent=-1 if part == base else parent))
    return break_cycles(attached, base)


def attach_by_contact(whole: SampledShape, movements: Sequence[Movement]) -> list[Movement]:
    """Attach every part to what it touches on the shortest way to the base: an arm to its post, a head to its arm.

    The way is as long as there are joints on it; of ways of one length the one with the closest contacts is taken. What
    no way leads to hangs on the base.
    """
    from scipy.sparse.csgraph import dijkstra

    areas = np.array([piece.area for piece in whole.pieces])
    fixed = np.array([movement.kind == "fixed" for movement in movements])
    base = int(np.argmax(np.where(fixed, areas, -1.0)))
    count = len(movements)
    ways = np.full((count, count), np.inf)
    for one, other in np.argwhere(np.triu(whole.gaps < TOUCH_DISTANCE, 1)):
        joined = float(fixed[one] and fixed[other])
        apart = 1.0 - max(measure_contacts(whole, one, [other])[0], measure_contacts(whole, other, [one])[0])
        ways[one, other] = ways[other, one] = (1.0 - joined) + (1.0 + apart) / (4.0 * count)
    before = dijkstra(ways, indices=base, return_predecessors=True)[1]
    parents = [-1 if part == base else base if above < 0 else int(above) for part, above in enumerate(before)]
    return [replace(movement, parent=parent) for movement, parent in zip(movements, parents)]


def measure_contacts(whole: SampledShape, part: int, others: Sequence[int] | Indices) -> list[float]:
    """The share of a part's points that lie at each of the other parts, [others]."""
    points, reach = whole.pieces[part].points, TOUCH_DISTANCE
    return [float(np.mean(whole.trees[i].query(points, distance_upper_bound=reach)[0] < reach)) for i in others]


def attach_by_network(movements: Sequence[Movement], opinion: Opinion) -> list[Movement]:
    """Attach the moving parts where the network thinks they hang; fixed parts keep their parents.

    All fixed parts count as one parent, the base: their chances are added.
    """
    base = next(part for part, movement in enumerate(movements) if movement.parent < 0)
    fixed = np.array([movement.kind == "fixed" for movement in movements])
    attached = list(movements)
    for part in map(int, np.flatnonzero(~fixed)):
        log_base, log_parts = opinion.parent[part, 0], opinion.parent[part, 1:]
        log_base = np.logaddexp.reduce([log_base, *log_parts[fixed]])
        moving = np.where(fixed | (np.arange(len(fixed)) == part), -np.inf, log_parts)
        parent = int(np.argmax(moving)) if moving.max() > log_base else base
        attached[part] = replace(movements[part], parent=parent)
    return break_cycles(attached, base)


def break_cycles(movements: Sequence[Movement], base: int) -> list[Movement]:
    """Attach every part whose parents never lead to the base to the base itself."""
    rooted = list(movements)
    for part in range(len(rooted)):
        visited, above = {part}, rooted[part].parent
        while above >= 0 and above not in visited:
            visited.add(above)
            above = rooted[above].parent
        if above >= 0:
            rooted[part] = replace(rooted[part], parent=base)
    return rooted
