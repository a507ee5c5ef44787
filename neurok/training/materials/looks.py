"""Colours drawn for a material, and how likely a colour is of each material, by looks.toml."""

import tomllib
from functools import cache
from importlib.resources import files

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.materials.prediction.looks import compose_color

KERNEL_DRAWS = 300  # colours of each material that a seen colour is compared with
KERNEL_WIDTH = 0.12  # how far colours that are taken as the same lie apart; set by hand, never measured
CLEAR_WEIGHT = 2.0  # transparency tells more than a channel of colour does


@cache
def read_looks() -> dict[str, Array]:
    """The rows of each material: weight and ranges, [r, 11]."""
    text = files("neurok.training.materials").joinpath("looks.toml").read_text(encoding="utf-8")
    return {name: np.array(rows, dtype=np.float64) for name, rows in tomllib.loads(text).items()}


def draw_looks(material: str, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """COLOR_FEATURES [n, 10] and GLOSS_FEATURES [n, 2] of things made of a material."""
    rows = read_looks()[material]
    row = rows[rng.choice(len(rows), count, p=rows[:, 0] / rows[:, 0].sum())]
    low, high = row[:, 1:7:2], row[:, 2:7:2]
    hsv = low + (high - low) * rng.random((count, 3))
    rgb = convert_hsv(hsv)
    textured = (rng.random(count) < row[:, 10]).astype(np.float64)
    spread = textured * rng.uniform(0.01, 0.16, count)
    clear = np.where(row[:, 9] > 0, np.clip(row[:, 9] + rng.normal(0.0, 0.15, count), 0.0, 0.95), 0.0)
    clear *= rng.random(count) < 0.7  # many files draw glass opaque
    gloss = np.clip(row[:, 7:9] + rng.normal(0.0, 0.12, (count, 2)), 0.0, 1.0)
    return compose_color(np.clip(rgb + rng.normal(0.0, 0.02, rgb.shape), 0.0, 1.0), clear, textured, spread), gloss


def convert_hsv(hsv: Array) -> Array:
    """Hue [turns], saturation and value as red, green and blue, [n, 3]."""
    turns = 6.0 * (hsv[:, :1] + np.array([[0.0, 2.0 / 3.0, 1.0 / 3.0]])) % 6.0
    full = np.clip(np.abs(turns - 3.0) - 1.0, 0.0, 1.0)
    return hsv[:, 2:] * (1.0 - hsv[:, 1:2] * (1.0 - full))


@cache
def _kernel_points(materials: tuple[str, ...]) -> Array:
    """Colours of every material, in the space in which they are compared, [k, n, 4]."""
    rng = np.random.default_rng(11)
    return np.stack([_compare_space(draw_looks(material, KERNEL_DRAWS, rng)[0]) for material in materials])


def _compare_space(color: Array) -> Array:
    return np.column_stack([color[:, :3], CLEAR_WEIGHT * color[:, 7]])


def weigh_by_color(color: Array, colored: Mask, materials: tuple[str, ...]) -> Array:
    """How likely each colour [n, 10] is of each material, relative to the mean of all, [n, k]; 1 where none is told."""
    points = _kernel_points(materials)
    seen = _compare_space(color)
    weight = np.empty((len(seen), len(materials)))
    for index, own in enumerate(points):
        squares = ((seen[:, None] - own[None]) ** 2).sum(axis=2)
        weight[:, index] = np.exp(-0.5 * squares / KERNEL_WIDTH**2).mean(axis=1) + 1e-3
    weight /= weight.mean(axis=1, keepdims=True)
    return np.where(colored[:, None], weight, 1.0)
