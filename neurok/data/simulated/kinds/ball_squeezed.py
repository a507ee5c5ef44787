"""A rubber ball, smooth or ribbed, that is squeezed between a board and the ground."""

import numpy as np

from neurok.data.procedural.shapes import ball
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.sheet import format_numbers
from neurok.data.simulated.solid import FLOOR, HARD_CONTACT, SoftSolid, simulate_solid
from neurok.data.simulated.surfaces import put_on_ground
from neurok.geometry.arrays import Array


def draw(rng: np.random.Generator) -> SimulatedClip:
    radius = rng.uniform(0.08, 0.15)
    mesh = put_on_ground(ball(radius * np.array([1.0, 1.0, rng.uniform(0.85, 1.3)]), segments=40))
    ribs = int(rng.choice([0, 0, 6, 8, 10]))
    if ribs:
        x, y, _ = mesh.vertices.T
        swell = 1.0 - rng.uniform(0.04, 0.1) * (1 + np.cos(ribs * np.arctan2(y, x))) * np.hypot(x, y) / radius
        mesh = mesh.with_vertices(mesh.vertices * np.stack([swell, swell, np.ones_like(swell)], axis=1))
    top = float(mesh.vertices[:, 2].max())
    tilt, turn = rng.uniform(0, 12), rng.uniform(0, 360)
    size = format_numbers(np.array([2.0, 2.0, 0.5]) * radius)
    board = f'<geom type="box" size="{size}" euler="{tilt:.3f} 0 {turn:.3f}" {HARD_CONTACT}/>'
    solid = SoftSolid(
        mesh, (4, 4, 4), density=300.0, young=10 ** rng.uniform(3.8, 4.5), poisson=rng.uniform(0.3, 0.4), hands=(board,)
    )
    deep, gap = rng.uniform(0.35, 0.55) * top, 0.02 * radius

    def hands(time: float) -> Array:
        return np.array([[0.0, 0.0, top + 0.5 * radius + gap - evaluate_pulse(time, 1.2) * (deep + gap)]])

    return simulate_solid(solid, 1.4, hands=hands, ground=FLOOR)
