"""Reeds with thick heads that bend in the wind over a tuft."""

import numpy as np

from neurok.data.procedural.shapes import ball, tube
from neurok.data.simulated.chain import Chain, compute_stiffness, make_wind_force, simulate_chains
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.wind import draw_wind
from neurok.geometry.mesh import merge

PIECES = 10


def draw(rng: np.random.Generator) -> SimulatedClip:
    height, spread, speed = rng.uniform(0.7, 1.2), rng.uniform(0.08, 0.18), rng.uniform(4.0, 8.0)
    stalks = [_stalk(rng, height, spread, speed) for _ in range(int(rng.integers(5, 10)))]
    wind = draw_wind(rng, speed, (*rng.normal(size=2), 0.0), size=height, gusts=0.5)
    areas = np.concatenate([4.0 * stalk.radius * stalk.lengths for stalk in stalks])
    clip = simulate_chains(stalks, 2.0, force=make_wind_force(stalks, wind, areas))
    return clip.with_scenery(ball((1.5 * spread, 1.5 * spread, 0.06), (0, 0, 0), 24))


def _stalk(rng: np.random.Generator, height: float, spread: float, speed: float) -> Chain:
    length, radius = height * rng.uniform(0.7, 1.0), rng.uniform(0.006, 0.01)
    foot = np.array([*rng.normal(0, 0.5 * spread, 2), 0.0])
    away = np.array([*(foot[:2] / spread * 0.2 + rng.normal(0, 0.06, 2)), 0.0])
    t = np.linspace(0.0, 1.0, 4 * PIECES + 1)[:, None]
    fine = foot + length * (t * (0.0, 0.0, 1.0) + t**2 * away)
    thick = radius * np.linspace(1.0, 0.6, len(fine))
    pieces = [tube(fine, thick, sides=7)]
    if rng.random() < 0.8:
        first = int(0.78 * len(fine))
        swell = np.sin(np.linspace(0.12, 0.88, len(fine) - first - 2) * np.pi) ** 0.35
        pieces.append(tube(fine[first:-2], 2.6 * radius * swell, sides=10))
    stiffness = compute_stiffness(speed, 4 * radius * length, length, bend=rng.uniform(0.4, 0.9))
    return Chain(fine[::4], merge(pieces), radius, stiffness * np.linspace(1.4, 0.6, PIECES), density=300.0)
