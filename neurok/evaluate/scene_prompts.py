"""Texts of scenes to measure with: drawn from a seed, each with what it asks for."""

from dataclasses import dataclass

import numpy as np

SMALL_THINGS = ("kettle", "toaster", "bottle", "pot", "microwave", "lamp", "laptop", "globe", "coffee machine",
                "stapler", "box", "bucket", "monitor", "printer", "safe", "camera", "desk fan", "suitcase",
                "mantel clock", "teddy bear")  # fmt: skip
LARGE_THINGS = ("refrigerator", "oven", "trash can", "office chair", "folding chair", "washing machine", "dishwasher",
                "drawer cabinet", "door cabinet", "chest", "dining chair", "trolley")  # fmt: skip
BASES = ("counter", "table", "desk", "shelf", "workbench", "kitchen counter")
SIDE_WORDS = ("left of", "right of", "next to", "behind", "in front of")
# What a hand is asked to open in a thing that has it.
OPENINGS = {
    "refrigerator": "door", "oven": "door", "microwave": "door", "safe": "door", "washing machine": "door",
    "dishwasher": "door", "door cabinet": "door", "drawer cabinet": "drawer", "kettle": "lid", "pot": "lid",
    "chest": "lid", "suitcase": "lid", "laptop": "lid",
}  # fmt: skip


@dataclass(frozen=True)
class ScenePrompt:
    """A text, how many things it asks for, and what a hand should open: (thing's name, part); '' for none."""

    text: str
    count: int
    opening: tuple[str, str] = ("", "")


def draw_prompts(count: int, seed: int = 0) -> list[ScenePrompt]:
    """So many texts of scenes with 3 to 10 things."""
    return [_draw_prompt(np.random.default_rng([seed, number])) for number in range(count)]


def _draw_prompt(rng: np.random.Generator) -> ScenePrompt:
    base = str(rng.choice(BASES))
    carried = [str(x) for x in rng.choice(SMALL_THINGS, int(rng.integers(1, 6)), replace=False)]
    stood = [str(x) for x in rng.choice(LARGE_THINGS, int(rng.integers(0, 4)), replace=False)]
    listed = [f"{_article(name)} {name}" for name in carried]
    beside = ""
    if len(carried) > 2 and base != "shelf" and rng.random() < 0.5:
        beside = f". The {carried[0]} is {rng.choice(SIDE_WORDS[:3])} the {carried[1]}"
    text = f"{_article(base)} {base} with {_join(listed)}"
    below = base != "shelf" and rng.random() < 0.3
    if below:
        text += " and a drawer cabinet below"
        stood = [name for name in stood if name != "drawer cabinet"]
    for name in stood:
        text += f". {_article(name).capitalize()} {name} {rng.choice(SIDE_WORDS)} the {base}"
    while 1 + len(carried) + below + len(stood) < 3:
        text += f". A bucket next to the {base}"
        stood.append("bucket")
    things = [*carried, *stood, *(["drawer cabinet"] if below else [])]
    choices = [name for name in things if name in OPENINGS]
    chosen = str(rng.choice(choices)) if choices else ""
    opening = (chosen.replace(" ", "_"), OPENINGS[chosen]) if chosen else ("", "")
    return ScenePrompt(text + beside, 1 + len(things), opening)


def _article(name: str) -> str:
    return "an" if name[0] in "aeio" else "a"


def _join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
