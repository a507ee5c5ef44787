"""A towel that hangs from a rail and is pulled about by a lower corner."""

import numpy as np

from neurok.data.procedural.shapes import ball, rod
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import follow_path
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.geometry.arrays import Array


def draw(rng: np.random.Generator) -> SimulatedClip:
    width, height = rng.uniform(0.4, 0.7), rng.uniform(0.6, 1.0)
    columns, rows = int(rng.integers(14, 19)), int(rng.integers(18, 24))
    x, z = np.meshgrid(np.linspace(-0.5, 0.5, columns) * width, height + 0.2 - np.linspace(0.0, height, rows))
    held = np.arange(columns)
    if rng.random() < 0.4:  # by two loops
        held = np.array([2, 3, columns - 4, columns - 3])
    corner = (rows - 1) * columns + int(rng.integers(2)) * (columns - 1)
    sheet = Sheet(
        np.stack([x, 0.0 * x, z], axis=2), held, np.array([corner]), weight=rng.uniform(0.3, 0.5),
        young=10 ** rng.uniform(5.0, 5.6), shown=rng.uniform(0.006, 0.012), damping=3e-3,
    )  # fmt: skip
    start, root = sheet.points.reshape(-1, 3)[corner], np.array([0.0, 0.0, height + 0.2])
    stops: list[Array] = [start]
    for _ in range(4):  # within reach of the middle of the rail
        way = rng.normal(size=3) * (1.0, 1.0, 0.6) - (0.0, 0.0, 0.5)
        stops.append(root + rng.uniform(0.5, 0.85) * height * way / np.linalg.norm(way))
    route = np.array(stops)
    clip = simulate_cloth(sheet, 2.4, hands=lambda time: follow_path(route, time, 2.4)[None])
    half, radius = 0.5 * width + 0.08, rng.uniform(0.008, 0.014)
    ends = [ball(1.8 * radius, (s * half, 0.0, root[2]), 12) for s in (-1, 1)]
    return clip.with_scenery(rod((-half, 0.0, root[2]), (half, 0.0, root[2]), radius), *ends)
