"""The project's judgement of what real parts are made of: by category and part name, weighed by the part's colour."""

import tomllib
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.data.procedural.compositions import read_weights
from neurok.geometry.arrays import Array
from neurok.materials.prediction.observation import INPUTS, MatterObservation
from neurok.training.materials.looks import weigh_by_color

COLOR_TRUST = 0.7  # exponent of what the colour says, below one since the looks are judged too; set by hand


@cache
def read_judgements() -> dict[str, dict[str, dict[str, float]]]:
    """Weights of materials by category and part words."""
    text = files("neurok.training.materials").joinpath("real_parts.toml").read_text(encoding="utf-8")
    return {
        category: {words: read_weights(weights) for words, weights in rows.items()}
        for category, rows in tomllib.loads(text).items()
    }


def find_judgement(category: str, words: tuple[str, ...]) -> dict[str, float]:
    """The weights of the first row that fits a part's words."""
    spoken = " ".join(words)
    rows = read_judgements()[category]
    return next(w for key, w in rows.items() if key == "*" or any(part in spoken for part in key.split("|")))


def judge_parts(category: str, seen: MatterObservation, materials: tuple[str, ...]) -> Array:
    """The chance of each material for each part, [p, k]."""
    prior = np.zeros((seen.count, len(materials)))
    for part, words in enumerate(seen.names):
        for name, weight in find_judgement(category, words).items():
            prior[part, materials.index(name)] = weight
    colored = seen.present[:, INPUTS.index("color")]
    target = prior * weigh_by_color(seen.color, colored, materials) ** COLOR_TRUST
    return target / target.sum(axis=1, keepdims=True)
