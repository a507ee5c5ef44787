"""A sheet spread between four posts that sags, and billows in wind from below."""

import numpy as np

from neurok.data.procedural.shapes import rod
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.data.simulated.wind import draw_wind


def draw(rng: np.random.Generator) -> SimulatedClip:
    width, depth, height = rng.uniform(0.9, 1.5), rng.uniform(0.8, 1.2), rng.uniform(0.8, 1.2)
    columns, rows = int(rng.integers(17, 22)), int(rng.integers(15, 20))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, columns) * width, np.linspace(-0.5, 0.5, rows) * depth)
    corners = np.array([0, columns - 1, (rows - 1) * columns, rows * columns - 1])
    z = np.full_like(x, height) + rng.uniform(0.0, 0.25) * y / depth  # some slope
    held = corners
    if rng.random() < 0.3:  # two sides sewn to bars
        held = np.concatenate([np.arange(rows) * columns, np.arange(rows) * columns + columns - 1])
    sheet = Sheet(
        np.stack([x, y, z], axis=2), held, weight=rng.uniform(0.2, 0.5), young=10 ** rng.uniform(4.6, 5.3), damping=2e-3
    )
    wind = draw_wind(
        rng, rng.uniform(4.0, 8.0), (*rng.normal(0, 0.5, 2), rng.uniform(0.5, 1.0)), size=0.7 * width, gusts=0.5
    )
    clip = simulate_cloth(sheet, 2.0, force=sheet.make_wind_force(wind))
    radius = rng.uniform(0.015, 0.025)
    spots = sheet.points.reshape(-1, 3)[corners]
    posts = [rod((*p[:2], 0.0), p + (0, 0, radius), radius) for p in spots]
    if len(held) > 4:
        posts += [rod(spots[i], spots[i + 2], 0.7 * radius) for i in (0, 1)]
    return clip.with_scenery(*posts)
