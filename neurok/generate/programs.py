"""What every program can be asked: its choices, parts and sizes, as a survey of its objects found them.

    python -m neurok.generate.programs      # makes programs.json anew

A choice shows itself only when it is made, so the survey draws SURVEY_COUNT objects of each kind.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import unknown
from neurok.generate.kinds import list_kinds
from neurok.generate.request import AXES

SURVEY_COUNT = 24  # objects of a kind: a choice made in one object of eight is missed in 4 % of the surveys
PAGE = Path(__file__).with_name("programs.json")


@dataclass(frozen=True)
class AskableChoice:
    """A named choice of a program: its kind as in data/procedural/choices.py, its words or its range."""

    name: str
    kind: str
    options: tuple[str, ...] = ()
    lower: float = 0.0
    upper: float = 0.0


@dataclass(frozen=True)
class AskablePart:
    """A named part: whether it moves by itself, how many there were, and of which materials."""

    name: str
    moving: bool
    lower: int
    upper: int
    materials: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProgramCard:
    """What one program can be asked. sizes: lower and upper end along each of AXES [m]. soft: whether it bends."""

    kind: str
    soft: bool
    choices: tuple[AskableChoice, ...]
    parts: tuple[AskablePart, ...]
    sizes: tuple[tuple[float, float], ...]

    def find_choices(self, kind: str) -> list[AskableChoice]:
        return [choice for choice in self.choices if choice.kind == kind]


def read_card(kind: str) -> ProgramCard:
    """The card of a kind."""
    cards = _read_page()
    if kind not in cards:
        raise unknown("kind", kind, cards)
    entry = cards[kind]
    return ProgramCard(
        kind, entry["soft"],
        tuple(AskableChoice(n, k, tuple(words), low, high) for n, k, words, low, high in entry["choices"]),
        tuple(AskablePart(n, moving, low, high, tuple(found)) for n, moving, low, high, found in entry["parts"]),
        tuple((low, high) for low, high in entry["sizes"]),
    )  # fmt: skip


@cache
def _read_page() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PAGE.read_text(encoding="utf-8"))
    return found


def name_part(name: str) -> str:
    """The name of a link or piece without its number: 'drawer_2' is a drawer."""
    return re.sub(r"( \d+)+$", "", name.replace("_", " ")).strip()


def survey_kind(kind: str, count: int = SURVEY_COUNT) -> dict[str, Any]:
    """The entry of one kind."""
    from neurok.data.procedural import run_program

    choices: dict[tuple[str, str], list[Any]] = {}
    parts: dict[tuple[str, bool], list[Any]] = {}
    sizes, soft = [], False
    for seed in range(count):
        kit = run_program(kind, seed, labelled=True)
        thing = kit.build(seed)
        soft = soft or thing.is_soft
        sizes.append(np.ptp(thing.mesh.vertices, axis=0))
        for choice in kit.choices.made:
            entry = choices.setdefault((choice.name, choice.kind), [[], choice.lower, choice.upper])
            entry[0] = list(dict.fromkeys([*entry[0], *choice.options]))
            entry[1], entry[2] = min(entry[1], choice.lower), max(entry[2], choice.upper)
        moving = Counter(name_part(link.name) for link in thing.articulation.links)
        still = Counter(part.name for part in thing.mesh.parts if part.parent >= 0)
        for table, moves in ((moving, True), (still, False)):
            for name, number in table.items():
                row = parts.setdefault((name, moves), [number, number])
                row[:] = [min(row[0], number), max(row[1], number)]
    low, high = np.min(sizes, axis=0), np.max(sizes, axis=0)
    return {
        "soft": soft,
        "choices": [[n, k, w, round(a, 4), round(b, 4)] for (n, k), (w, a, b) in sorted(choices.items())],
        "parts": [[n, m, a, b, []] for (n, m), (a, b) in sorted(parts.items())],
        "sizes": [[round(float(a), 3), round(float(b), 3)] for a, b in zip(low, high)],
    }


def describe_program(kind: str) -> list[str]:
    """The lines that `neurok generate --describe KIND` prints."""
    card = read_card(kind)
    lines = [f"{kind.replace('_', ' ')}{' (soft)' if card.soft else ''}"]
    lines += [f"  {axis}: {low * 100:.3g} to {high * 100:.3g} cm" for axis, (low, high) in zip(AXES, card.sizes)]
    lines.append("  parts, each of which may get a material or a colour, or be left out:")
    for part in card.parts:
        many = f"{part.lower}" if part.lower == part.upper else f"{part.lower} to {part.upper}"
        lines.append(f"    {part.name}: {many}{', moves' if part.moving else ''}")
    for label, sort in (("how many", "count"), ("which", "option"), ("with or without", "yes or no"),
                        ("materials", "material"), ("measures", "number")):  # fmt: skip
        found = card.find_choices(sort)
        if found:
            lines.append(f"  {label}:")
            lines += [f"    {choice.name}{_describe_range(choice)}" for choice in found]
    return lines


def _describe_range(choice: AskableChoice) -> str:
    if choice.kind in ("option", "material"):
        return f": {', '.join(choice.options)}"
    if choice.kind == "yes or no":
        return ""
    return f": {choice.lower:.4g} to {choice.upper:.4g}"


def main() -> None:
    lines = [f"{json.dumps(kind)}: {json.dumps(survey_kind(kind))}" for kind in list_kinds()]
    PAGE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
