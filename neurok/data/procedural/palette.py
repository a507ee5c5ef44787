"""Materials to choose from: a family of plausible colours each, drawn with a little variation."""

import colorsys

import numpy as np

from neurok.geometry.mesh import Material

Rng = np.random.Generator

# family -> (hue range [turns], saturation range, value range, metallic, roughness); several rows are alternatives
FAMILIES = {
    "wood": [
        ((0.06, 0.09), (0.35, 0.60), (0.35, 0.75), 0.0, 0.7),
        ((0.03, 0.06), (0.45, 0.65), (0.20, 0.40), 0.0, 0.6),
    ],
    "metal": [((0.55, 0.62), (0.00, 0.08), (0.55, 0.80), 0.9, 0.35)],
    "dark_metal": [((0.55, 0.65), (0.00, 0.12), (0.12, 0.25), 0.7, 0.5)],
    "brass": [((0.11, 0.13), (0.45, 0.60), (0.65, 0.80), 0.9, 0.3)],
    "paint": [
        ((0.00, 1.00), (0.25, 0.75), (0.45, 0.90), 0.0, 0.5),
        ((0.10, 0.14), (0.02, 0.12), (0.80, 0.93), 0.0, 0.5),
    ],
    "white": [((0.10, 0.16), (0.00, 0.06), (0.85, 0.95), 0.0, 0.45)],
    "plastic": [((0.00, 1.00), (0.55, 0.90), (0.50, 0.90), 0.0, 0.4)],
    "black": [((0.60, 0.70), (0.00, 0.15), (0.05, 0.14), 0.0, 0.6)],
    "rubber": [((0.60, 0.70), (0.00, 0.10), (0.07, 0.16), 0.0, 0.95)],
    "fabric": [((0.00, 1.00), (0.20, 0.70), (0.30, 0.80), 0.0, 1.0)],
    "leather": [
        ((0.03, 0.07), (0.45, 0.70), (0.25, 0.50), 0.0, 0.65),
        ((0.60, 0.65), (0.05, 0.2), (0.08, 0.2), 0.0, 0.6),
    ],
    "ceramic": [((0.05, 0.12), (0.05, 0.55), (0.55, 0.92), 0.0, 0.25)],
    "clay": [((0.03, 0.05), (0.50, 0.65), (0.55, 0.72), 0.0, 0.9)],
    "glass": [((0.30, 0.55), (0.10, 0.45), (0.55, 0.85), 0.0, 0.1)],
    "leaf": [((0.24, 0.36), (0.50, 0.75), (0.30, 0.60), 0.0, 0.7)],
    "earth": [((0.05, 0.09), (0.40, 0.55), (0.15, 0.28), 0.0, 1.0)],
    "paper": [((0.10, 0.14), (0.03, 0.15), (0.85, 0.95), 0.0, 0.9)],
    "cardboard": [((0.08, 0.10), (0.35, 0.48), (0.60, 0.75), 0.0, 0.95)],
    "fur": [((0.05, 0.09), (0.35, 0.60), (0.35, 0.70), 0.0, 1.0)],
    "skin": [((0.04, 0.07), (0.30, 0.50), (0.55, 0.85), 0.0, 0.8)],
    "red": [((0.98, 1.01), (0.75, 0.90), (0.65, 0.80), 0.0, 0.45)],
    "yellow": [((0.11, 0.14), (0.80, 0.95), (0.80, 0.95), 0.0, 0.5)],
    "ocean": [((0.54, 0.60), (0.50, 0.75), (0.55, 0.85), 0.0, 0.35)],
    "light": [((0.12, 0.15), (0.10, 0.25), (0.95, 1.00), 0.0, 0.5)],
}


def draw_material(family: str, rng: Rng) -> Material:
    """One material of a family."""
    rows = FAMILIES[family]
    hue, saturation, value, metallic, roughness = rows[rng.integers(len(rows))]
    shown = colorsys.hsv_to_rgb(rng.uniform(*hue) % 1.0, rng.uniform(*saturation), rng.uniform(*value))
    red, green, blue = (c**2.2 for c in shown)  # a material's colour is linear light
    return Material(family, (red, green, blue, 1.0), metallic=metallic, roughness=roughness)
