"""A rope that hangs slack between two posts and is swung like a skipping rope."""

import numpy as np

from neurok.data.procedural.shapes import ball, rod, tube
from neurok.data.simulated.chain import Chain, simulate_chains
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.sheet import format_numbers
from neurok.geometry.arrays import Array


def draw(rng: np.random.Generator) -> SimulatedClip:
    span, height, sag = rng.uniform(0.9, 1.6), rng.uniform(0.7, 1.0), rng.uniform(0.2, 0.5)
    radius, pieces = rng.uniform(0.012, 0.02), int(rng.integers(20, 27))
    t = np.linspace(0.0, 1.0, pieces + 1)
    path = np.stack([span * t, 0 * t, height - 4 * sag * t * (1 - t)], axis=1)
    fine = np.linspace(0.0, 1.0, 4 * pieces + 1)
    line = np.stack([np.interp(fine, t, path[:, i]) for i in range(3)], axis=1)
    chain = Chain(path, tube(line, radius, sides=10), radius, stiffness=10 ** rng.uniform(-3.0, -2.0), density=700.0)
    tie = f'<connect body1="c0_{pieces - 1}" body2="world" anchor="{format_numbers(path[-1] - path[-2])}"/>'
    strength, rate = float(chain.masses.sum()) * 9.81 * rng.uniform(0.6, 1.2), rng.uniform(1.0, 1.8)
    middle = np.exp(-(((np.arange(pieces) / pieces - rng.uniform(0.35, 0.65)) / 0.2) ** 2))
    share = (middle / middle.sum())[:, None]

    def force(time: float, x: Array, v: Array) -> Array:
        angle = 2 * np.pi * rate * time
        way = np.array([0.0, np.sin(angle), 0.6 * np.cos(angle)])
        return -0.5 * chain.masses[:, None] * v + evaluate_pulse(time, 1.6) * strength * share * way

    clip = simulate_chains([chain], 2.0, force=force, ties=tie)
    thick = rng.uniform(0.02, 0.035)
    posts = [rod((x, 0, 0), (x, 0, height + 0.08), thick) for x in (0.0, span)]
    return clip.with_scenery(*posts, *(ball(1.5 * thick, (x, 0, height + 0.1), 14) for x in (0.0, span)))
