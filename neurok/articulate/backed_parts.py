"""Backed parts: two that lie flat on each other and would turn about one line are one, as a screen and its shell."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.parents import measure_contacts
from neurok.proposals.motion_features import SAME_LINE_COSINE
from neurok.proposals.sampling import SampledShape

MIN_BACKED_SHARE = (
    0.35  # of the samples of one, at the other: a plate has two sides; doors above each other touch at an edge
)
MAX_LINE_DISTANCE = 0.05  # of the diagonal, between their lines: hinges told apart by what is between two plates


def join_backed_parts(whole: SampledShape, movements: Sequence[Movement]) -> list[Movement]:
    """Movements in which of two such parts the less sure one is fixed to the other."""
    joined = list(movements)
    for part in sorted(range(len(joined)), key=lambda part: joined[part].confidence):
        others = [other for other in range(len(joined)) if other != part and turn_alike(joined[part], joined[other])]
        backed = [other for other in others if _lie_flat(whole, part, other)]
        if backed:
            joined[part] = replace(joined[part], kind="fixed", lower=0.0, upper=0.0, parent=backed[0])
            joined = [replace(m, parent=backed[0]) if m.parent == part else m for m in joined]
    return joined


def turn_alike(one: Movement, other: Movement) -> bool:
    """Whether both turn, against the same part or one against the other, about nearly the same line."""
    if "revolute" not in (one.kind, other.kind) or not {one.kind, other.kind} <= {"revolute", "continuous"}:
        return False
    (axis, pivot), (a, p) = one.screw, other.screw
    apart = np.linalg.norm(np.cross(p - pivot, axis))
    return bool(abs(axis @ a) > SAME_LINE_COSINE and apart < MAX_LINE_DISTANCE)


def _lie_flat(whole: SampledShape, one: int, other: int) -> bool:
    shares = (*measure_contacts(whole, one, [other]), *measure_contacts(whole, other, [one]))
    return max(shares) > MIN_BACKED_SHARE
