"""A pleated curtain on a rail that is drawn aside and back."""

import numpy as np

from neurok.data.procedural.shapes import ball, rod
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import ease
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.data.simulated.wind import draw_wind
from neurok.geometry.arrays import Array


def draw(rng: np.random.Generator) -> SimulatedClip:
    width, height, folds = rng.uniform(0.8, 1.3), rng.uniform(1.0, 1.6), int(rng.integers(5, 7))
    columns, rows = 6 * folds + 1, int(rng.integers(10, 14))
    u, v = np.meshgrid(np.linspace(0.0, 1.0, columns), np.linspace(0.0, 1.0, rows))
    deep = rng.uniform(0.25, 0.4) * width / folds
    y = deep * np.cos(2 * np.pi * folds * u) * (0.6 + 0.4 * v)
    points = np.stack([width * u, y, height * (1.0 - v) + 0.1], axis=2)
    hooks = 3 * np.arange(2 * folds + 1)  # where the folds are nearest to and farthest from you
    sheet = Sheet(
        points, hands=hooks, weight=rng.uniform(0.2, 0.35), young=10 ** rng.uniform(4.8, 5.3), shown=0.008,
        damping=5e-3,
    )  # fmt: skip
    share, back, from_left = rng.uniform(0.35, 0.6), rng.uniform(0.4, 1.0), rng.random() < 0.5
    first = points[0, hooks]

    def hands(time: float) -> Array:
        drawn = share * (ease(time, 0.1, 1.1) - back * ease(time, 1.4, 2.2))
        spots = first.copy()
        spots[:, 0] = first[:, 0] * (1 - drawn) if from_left else width - (width - first[:, 0]) * (1 - drawn)
        return spots

    wind = draw_wind(rng, rng.uniform(1.0, 3.0), (0.3, 1.0, 0.0), size=width)
    clip = simulate_cloth(sheet, 2.4, hands=hands, force=sheet.make_wind_force(wind))
    radius, top = rng.uniform(0.01, 0.018), height + 0.1 + 0.02
    ends = [ball(2.0 * radius, (x, 0.0, top), 14) for x in (-0.08, width + 0.08)]
    return clip.with_scenery(rod((-0.08, 0.0, top), (width + 0.08, 0.0, top), radius), *ends)
