"""Selection: from the studies and odds of all parts to the likeliest movement of each."""

from collections.abc import Callable, Sequence

import numpy as np

from neurok.articulate.assemble import Movement
from neurok.articulate.limits import limit_by_free_way
from neurok.articulate.ranking import PartOdds
from neurok.articulate.study import PartStudy, study_part
from neurok.geometry.arrays import Array
from neurok.proposals.sampling import SampledShape


def study_parts(whole: SampledShape, progress: Callable[[float], None] | None = None) -> list[PartStudy | None]:
    """Try all motions of all parts."""
    studies: list[PartStudy | None] = []
    for part in range(len(whole.pieces)):
        studies.append(study_part(whole, part))
        if progress is not None:
            progress((part + 1) / len(whole.pieces))
    return studies


def select_movements(
    whole: SampledShape, studies: Sequence[PartStudy | None], odds: Sequence[PartOdds | None]
) -> list[Movement]:
    """The likeliest type and candidate of each part; at least one part is fixed. Parents are not known yet."""
    kinds = ["fixed" if one is None else one.kind for one in odds]
    if "fixed" not in kinds:
        chances = np.array([0.0 if one is None else one.chances["fixed"] for one in odds])
        kinds[choose_base(whole, chances)] = "fixed"
    return [
        Movement.fixed() if found is None or one is None else _select_movement(found, kind, one)
        for found, kind, one in zip(studies, kinds, odds, strict=True)
    ]


def choose_base(whole: SampledShape, chances: Array) -> int:
    """The part to hold where all would move: large, and likely to be fixed. chances: of being fixed, [p]."""
    return int(np.argmax(chances * np.array([piece.area for piece in whole.pieces])))


def _select_movement(found: PartStudy, kind: str, odds: PartOdds) -> Movement:
    """The best candidate of a type; of a fixed part, how it would move, for those who want to correct it."""
    best, best_turn = _find_best(found, kind, odds), _find_best(found, "revolute", odds)
    tried = found.tried
    axis, pivot, centre, chance = tried.axis[best], tried.pivot[best], tried.pivot[best_turn], odds.chances[kind]
    if kind == "fixed":
        return Movement.fixed(axis, pivot, confidence=chance, centre=centre)
    return limit_by_free_way(found, best, Movement.moving(kind, axis, pivot, confidence=chance, centre=centre))


def _find_best(found: PartStudy, kind: str, odds: PartOdds) -> int:
    """The likeliest candidate of a type; where the part is fixed, of the likelier type of motion."""
    if kind == "fixed":
        kind = max(("revolute", "prismatic"), key=lambda moving: odds.chances[moving])
    return int(np.argmax(np.where(found.tried.turns == (kind == "revolute"), odds.score, -np.inf)))
