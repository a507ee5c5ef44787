"""Movements of the parts that geometry found to move: limits by their free ways, parents by what holds them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.limits import limit_by_ways
from neurok.articulate.parents import attach_by_contact, break_cycles
from neurok.proposals.mechanism import PartMotion
from neurok.proposals.sampling import SampledShape


def move_found_parts(whole: SampledShape, motions: Sequence[PartMotion | None]) -> list[Movement]:
    """How each part moves, in the shape's canonical frame; a part that lies within a moving one hangs on it, others on
    what they touch."""
    movements = [Movement.fixed() if part is None else _move_part(part) for part in motions]
    if all(part is not None for part in motions):  # something has to hold the others
        movements[int(np.argmax([piece.area for piece in whole.pieces]))] = Movement.fixed()
    return _hang_inner_parts(attach_by_contact(whole, movements), motions)


def _move_part(part: PartMotion) -> Movement:
    chance = 1.0 / (1.0 + np.exp(-part.log_odds))
    movement = Movement.moving(
        "revolute" if part.turns else "prismatic", part.axis, part.pivot, confidence=float(chance), centre=part.pivot
    )
    forth, back = part.ways
    if back > forth:
        movement, forth, back = movement.reversed(), back, forth
    return limit_by_ways(movement, (forth, back), part.along, part.size, part.asymmetry)


def _hang_inner_parts(movements: Sequence[Movement], motions: Sequence[PartMotion | None]) -> list[Movement]:
    """Movements with the smallest moving part around each moving part as its parent, where there is one."""
    moving = {number: part.members for number, part in enumerate(motions)
              if part is not None and movements[number].kind != "fixed"}  # fmt: skip
    hung = list(movements)
    for number, members in moving.items():
        around = [other for other, outer in moving.items() if other != number and np.all(outer[members])]
        if around:
            parent = min(around, key=lambda other: int(moving[other].sum()))
            hung[number] = replace(hung[number], parent=parent)
    base = next(number for number, movement in enumerate(hung) if movement.parent < 0)
    return break_cycles(hung, base)
