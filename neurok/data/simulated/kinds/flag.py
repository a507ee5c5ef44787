"""A flag that flies from a pole in gusty wind."""

import numpy as np

from neurok.data.procedural.shapes import ball, rod
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.data.simulated.wind import draw_wind


def draw(rng: np.random.Generator) -> SimulatedClip:
    width, height, pole = rng.uniform(0.8, 1.5), rng.uniform(0.5, 0.9), rng.uniform(1.4, 2.4)
    columns, rows = int(rng.integers(18, 25)), int(rng.integers(12, 17))
    x, z = np.meshgrid(np.linspace(0.0, width, columns), pole - np.linspace(0.0, height, rows))
    if rng.random() < 0.25:  # a pennant
        z = pole - 0.5 * height + (z - pole + 0.5 * height) * (1.0 - 0.8 * x / width)
    held = np.arange(rows) * columns
    if rng.random() < 0.3:
        held = held[[0, 1, -2, -1]]  # only by its corners
    sheet = Sheet(
        np.stack([x, 0.0 * x, z], axis=2), held, weight=rng.uniform(0.1, 0.25), young=10 ** rng.uniform(4.8, 5.6)
    )
    wind = draw_wind(rng, rng.uniform(5.0, 12.0), (1.0, rng.uniform(-0.5, 0.5), 0.0), size=width, gusts=0.5)
    clip = simulate_cloth(sheet, 2.2, force=sheet.make_wind_force(wind))
    radius = rng.uniform(0.015, 0.03)
    # The cloth is sewn to a sleeve: its edge lies on the pole's axis, where the pole hides it.
    return clip.with_scenery(
        rod((0, 0, 0), (0, 0, pole + 0.05), radius, sides=12),
        ball(1.8 * radius, (0, 0, pole + 0.05 + radius), 12),
    )
