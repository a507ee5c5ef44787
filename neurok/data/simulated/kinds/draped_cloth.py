"""A cloth that falls over a ball on a stand and drapes around it."""

import numpy as np

from neurok.data.procedural.shapes import ball, lathe
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.sheet import Sheet, format_numbers, simulate_cloth
from neurok.data.simulated.wind import draw_wind


def draw(rng: np.random.Generator) -> SimulatedClip:
    side, radius = rng.uniform(0.8, 1.1), rng.uniform(0.16, 0.26)
    count, height = int(rng.integers(18, 22)), rng.uniform(0.6, 0.8)
    x, y = np.meshgrid(*(np.linspace(-0.5, 0.5, count) * side,) * 2)
    if rng.random() < 0.3:
        x, y = x * np.sqrt(1 - 2 * (y / side) ** 2), y * np.sqrt(1 - 2 * (x / side) ** 2)  # round
    shown = 0.008
    centre = np.array([rng.uniform(-0.08, 0.08), rng.uniform(-0.08, 0.08), height - radius - shown])
    sheet = Sheet(
        np.stack([x, y, np.full_like(x, height)], axis=2), weight=rng.uniform(0.15, 0.3),
        young=10 ** rng.uniform(4.6, 5.2), shown=shown, damping=4e-3,
    )  # fmt: skip
    solid = f'<geom type="sphere" size="{radius:.6f}" pos="{format_numbers(centre)}" friction="1.5"/>'
    wind = draw_wind(rng, rng.uniform(0.5, 2.0), (*rng.normal(size=2), 0.0), size=side)
    clip = simulate_cloth(sheet, 1.6, force=sheet.make_wind_force(wind), obstacles=solid)
    profile = np.array([[0, 0], [0.7, 0], [0.7, 0.04], [0.2, 0.1], [0.16, 1.0], [0, 1.0]])
    stand = lathe(profile * (radius, centre[2] - 0.8 * radius), (*centre[:2], 0.0), segments=20)
    return clip.with_scenery(ball(radius, centre, 24), stand)
