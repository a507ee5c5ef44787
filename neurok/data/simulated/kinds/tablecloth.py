"""A tablecloth over a table: its hanging sides move in a draught and when a corner is lifted."""

import numpy as np

from neurok.data.procedural.shapes import block, lathe, rod
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.sheet import Sheet, simulate_cloth
from neurok.data.simulated.wind import draw_wind
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(rng: np.random.Generator) -> SimulatedClip:
    width, depth, height = rng.uniform(0.8, 1.3), rng.uniform(0.7, 0.9), rng.uniform(0.6, 0.75)
    hang, cell = rng.uniform(0.2, 0.35), 0.09
    is_round = rng.random() < 0.4
    depth = width if is_round else depth
    columns, rows = (round((side + 2 * hang) / cell) + 1 for side in (width, depth))
    x, y = np.meshgrid(*(np.linspace(-0.5, 0.5, n) * (s + 2 * hang) for n, s in ((columns, width), (rows, depth))))
    on_top = np.hypot(x / width, y / depth) < 0.5 if is_round else (np.abs(x) < 0.5 * width) & (np.abs(y) < 0.5 * depth)
    corner = int(rng.choice([0, columns - 1, (rows - 1) * columns, rows * columns - 1]))
    points = np.stack([x, y, np.full_like(x, height + 0.01)], axis=2)
    sheet = Sheet(
        points, np.flatnonzero(on_top), weight=rng.uniform(0.2, 0.35), young=10 ** rng.uniform(4.8, 5.4), shown=0.008,
        damping=5e-3,
    )  # fmt: skip
    wind = draw_wind(rng, rng.uniform(2.5, 4.5), (*rng.normal(size=2), 0.1), size=0.8, gusts=0.5)
    blow, lift = sheet.make_wind_force(wind), rng.uniform(2.0, 4.0) * sheet.mass / on_top.size * 9.81 * 12
    near = np.exp(-((np.linalg.norm(points - points.reshape(-1, 3)[corner], axis=2).ravel() / 0.12) ** 2))
    share = near[:, None] / near.sum()

    def force(time: float, at: Array, v: Array) -> Array:
        return blow(time, at, v) + evaluate_pulse(time - 0.6, 1.0) * lift * share * (0.0, 0.0, 1.0)

    clip = simulate_cloth(sheet, 1.8, force=force, settle=1.2)
    return clip.with_scenery(*_table(width, depth, height, is_round))


def _table(width: float, depth: float, height: float, is_round: bool) -> list[Mesh]:
    """The top lies below the part of the cloth that rests on it, and ends where that ends."""
    inset, thick = 0.06, 0.03
    if is_round:
        radius = 0.5 * width - inset
        foot = np.array([[0, 0], [0.25, 0], [0.25, 0.02], [0.05, 0.05], [0.04, height - thick], [0, height - thick]])
        top = np.array([[0, height - thick], [radius, height - thick], [radius, height], [0, height]])
        return [lathe(top), lathe(foot)]
    a, b = 0.5 * width - inset, 0.5 * depth - inset
    legs = [rod((s * (a - 0.05), t * (b - 0.05), 0), (s * (a - 0.05), t * (b - 0.05), height - 0.5 * thick), 0.025)
            for s in (-1, 1) for t in (-1, 1)]  # fmt: skip
    return [block((2 * a, 2 * b, thick), (0, 0, height - 0.5 * thick)), *legs]
