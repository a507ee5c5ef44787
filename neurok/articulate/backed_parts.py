"""Backed parts: two that lie flat on each other and would turn about one line are one, as a screen and its shell.

The rule was set by hand, with a laptop in view, and never measured on kinds left out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.parents import break_cycles, measure_contacts
from neurok.proposals.motion_features import SAME_LINE_COSINE
from neurok.proposals.sampling import SampledShape
from neurok.proposals.trees import RIDER_CONTACT_SHARE


def join_backed_parts(whole: SampledShape, movements: Sequence[Movement]) -> list[Movement]:
    """Movements in which of two such parts the less sure one is fixed to the other."""
    joined = list(movements)
    base = next((number for number, movement in enumerate(joined) if movement.parent < 0), 0)
    for part in sorted(range(len(joined)), key=lambda part: joined[part].confidence):
        backed = [other for other in range(len(joined)) if other != part and is_one(whole, joined, part, other)]
        if backed:
            lead, above = backed[0], joined[part].parent
            joined = [
                replace(m, parent=above if number == lead else lead) if m.parent == part else m
                for number, m in enumerate(joined)
            ]
            joined[part] = replace(joined[part], kind="fixed", lower=0.0, upper=0.0, parent=lead)
    return break_cycles(joined, base)


def is_one(whole: SampledShape, movements: Sequence[Movement], one: int, other: int) -> bool:
    """Whether two plates turn about nearly one line, one lies behind the other, and one touches hardly anything else.

    Near is what is less than half as far as the smaller one's second side: doors above each other are farther apart.
    """
    first, second = movements[one], movements[other]
    if not {first.kind, second.kind} <= {"revolute", "continuous"}:
        return False
    (axis, pivot), (a, p) = first.screw, second.screw
    near = 0.5 * min(np.sort(whole.pieces[part].extent)[1] for part in (one, other))
    apart = np.linalg.norm(np.cross(p - pivot, axis))
    between = np.linalg.norm(whole.pieces[one].centre - whole.pieces[other].centre)
    if abs(axis @ a) < SAME_LINE_COSINE or max(apart, between) > near:
        return False
    return _rides(whole, one, other) or _rides(whole, other, one)


def _rides(whole: SampledShape, one: int, other: int) -> bool:
    """Whether most of what a part touches is the other one."""
    others = [part for part in range(len(whole.pieces)) if part != one]
    shares = dict(zip(others, measure_contacts(whole, one, others)))
    return shares[other] > RIDER_CONTACT_SHARE * sum(shares.values()) > 0
