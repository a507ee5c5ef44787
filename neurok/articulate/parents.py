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
                parent = int(larger[np.argmax(_measure_contacts(whole, part, larger))])
        attached.append(replace(movement, parent=-1 if part == base else parent))
    return break_cycles(attached, base)


def _measure_contacts(whole: SampledShape, part: int, others: Indices) -> list[float]:
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
