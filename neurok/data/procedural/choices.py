"""The choices of a program: what each is called and may be, what was drawn, and what was asked for instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from neurok.geometry.mesh import Material

CHOICE_KINDS = ("number", "count", "option", "yes or no", "material")

# What may be asked for: a number, a word among the options, yes or no, or a material.
Wish = float | int | bool | str | Material


@dataclass(frozen=True)
class ProgramChoice:
    """One named choice of a program as it was made.

    kind: one of CHOICE_KINDS. options: words for people, of an option or the families of a material. lower, upper: the
    range of a number (in the program's own unit) or of a count. value: a number, a word, a truth value, or the name of
    a material. asked: whether it was asked for instead of drawn.
    """

    name: str
    kind: str
    value: float | int | bool | str
    options: tuple[str, ...] = ()
    lower: float = 0.0
    upper: float = 0.0
    asked: bool = False


class ChoiceLog:
    """Wishes for named choices, and the record of all that were made.

    A wish replaces what was drawn after the random numbers have been used, so that everything else stays as it was.
    """

    def __init__(self, wishes: Mapping[str, Wish] | None = None) -> None:
        self.wishes = dict(wishes or {})
        self.made: list[ProgramChoice] = []

    def settle_number(self, name: str, drawn: float, low: float, high: float) -> float:
        wish = self.wishes.get(name)
        value = float(wish) if _is_number(wish) else drawn
        self._note(ProgramChoice(name, "number", value, (), float(low), float(high), _is_number(wish)))
        return value

    def settle_count(self, name: str, drawn: int, low: int, high: int) -> int:
        wish = self.wishes.get(name)
        value = int(wish) if _is_number(wish) else drawn
        self._note(ProgramChoice(name, "count", value, (), float(low), float(high), _is_number(wish)))
        return value

    def settle_chance(self, name: str, drawn: bool) -> bool:
        wish = self.wishes.get(name)
        value = wish if isinstance(wish, bool) else drawn
        self._note(ProgramChoice(name, "yes or no", value, asked=isinstance(wish, bool)))
        return value

    def settle_option(self, name: str, drawn: int, words: tuple[str, ...]) -> int:
        """The index of the chosen option."""
        wish = self.wishes.get(name)
        asked = isinstance(wish, str) and wish in words
        place = words.index(wish) if asked and isinstance(wish, str) else drawn
        self._note(ProgramChoice(name, "option", words[place], tuple(dict.fromkeys(words)), asked=asked))
        return place

    def settle_material(self, name: str, drawn: Material, families: tuple[str, ...]) -> Material:
        wish = self.wishes.get(name)
        value = wish if isinstance(wish, Material) else drawn
        words = tuple(dict.fromkeys(families))
        self._note(ProgramChoice(name, "material", value.name, words, asked=isinstance(wish, Material)))
        return value

    def _note(self, choice: ProgramChoice) -> None:
        if choice.name:
            self.made.append(choice)


def _is_number(wish: Wish | None) -> TypeGuard[float]:
    return isinstance(wish, (int, float)) and not isinstance(wish, bool)


def describe_option(option: object) -> str:
    """An option in words."""
    if isinstance(option, str):
        return option.replace("_", " ")
    if isinstance(option, Material):
        return option.name
    if isinstance(option, (tuple, list, np.ndarray)):
        return " and ".join(describe_option(each) for each in option) or "none"
    if isinstance(option, (int, float)):
        return f"{option:.3g}"
    return str(getattr(option, "__name__", option)).strip("_").replace("_", " ")
