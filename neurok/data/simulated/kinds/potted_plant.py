"""A potted plant whose leaves bend in the wind."""

import numpy as np

from neurok.data.procedural.shapes import ball, fillet, lathe, ribbon
from neurok.data.simulated.chain import Chain, compute_stiffness, make_wind_force, simulate_chains
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.wind import draw_wind
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

PIECES = 8


def draw(rng: np.random.Generator) -> SimulatedClip:
    radius, height = rng.uniform(0.07, 0.12), rng.uniform(0.12, 0.2)
    length, broad, droop = rng.uniform(0.25, 0.5), rng.uniform(0.03, 0.06), rng.uniform(0.2, 0.8)
    count, speed = int(rng.integers(6, 12)), rng.uniform(4.0, 7.0)
    leaves = []
    for i in range(count):
        turn = 2 * np.pi * 0.382 * i + rng.uniform(-0.2, 0.2)
        share = 1.0 - 0.5 * i / count  # outer leaves are long and lie low, inner ones stand
        leaves.append(_leaf(rng, length * share, broad, droop * share, turn, 0.9 * height, speed))
    wind = draw_wind(rng, speed, (*rng.normal(size=2), 0.0), size=2 * length, gusts=0.6)
    areas = np.concatenate([0.7 * broad * leaf.lengths for leaf in leaves])
    clip = simulate_chains(leaves, 2.0, force=make_wind_force(leaves, wind, areas))
    return clip.with_scenery(*_pot(rng, radius, height))


def _leaf(
    rng: np.random.Generator, length: float, broad: float, droop: float, turn: float, height: float, speed: float
) -> Chain:
    lean = np.radians(10 + 50 * droop)
    t = np.linspace(0.0, 1.0, 3 * PIECES + 1)
    angle = lean + t * np.radians(20 + 70 * droop)  # from upright
    steps = np.stack([np.sin(angle), np.cos(angle)], axis=1)[:-1] * length / (3 * PIECES)
    out, up = np.concatenate([[[0.0, 0.0]], np.cumsum(steps, axis=0)]).T
    outward = np.array([np.cos(turn), np.sin(turn), 0.0])
    fine = (0.015 + out)[:, None] * outward + np.stack([0 * up, 0 * up, height + up], axis=1)
    widths = broad * (0.15 + 1.6 * t**0.8 * (1 - t) ** 0.6) * (1 - 0.9 * t**6)
    surface = ribbon(fine, widths, 0.005, np.cross((0.0, 0.0, 1.0), outward))
    stiffness = compute_stiffness(speed, 0.7 * broad * length, length, bend=rng.uniform(0.4, 0.9))
    taper = np.linspace(1.3, 0.5, PIECES)
    return Chain(fine[::3], surface, 0.004, stiffness * taper, density=400.0)


def _pot(rng: np.random.Generator, radius: float, height: float) -> list[Mesh]:
    foot, wall = rng.uniform(0.6, 0.85), 0.1
    profile: Array = np.array([
        [0, 0], [foot, 0], [1.0, 0.85], [1.08, 0.86], [1.08, 1.0], [1 - wall, 1.0], [1 - 1.2 * wall, 0.88], [0, 0.86],
    ]) * (radius, height)  # fmt: skip
    soil = ball((0.9 * radius, 0.9 * radius, 0.1 * height), (0, 0, 0.85 * height), 16)
    return [lathe(fillet(profile, 0.03 * radius, steps=2), segments=28), soil]
