"""A rope that hangs from a hook and is swung at its end."""

import numpy as np

from neurok.data.procedural.shapes import ball, hoop, tube
from neurok.data.simulated.chain import Chain, simulate_chains
from neurok.data.simulated.clip import SimulatedClip
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import merge


def draw(rng: np.random.Generator) -> SimulatedClip:
    length, radius, pieces = rng.uniform(0.8, 1.6), rng.uniform(0.012, 0.022), int(rng.integers(18, 26))
    height = length + 0.15
    path = np.linspace((0.0, 0.0, height), (0.0, 0.0, height - length), pieces + 1)
    fine = np.linspace(path[0], path[-1], 4 * pieces + 1)
    knot = ball(rng.uniform(1.6, 2.4) * radius, path[-1], 16)
    chain = Chain(
        path,
        merge([tube(fine, radius, sides=10), knot]),
        radius,
        10 ** rng.uniform(-3.0, -2.0),
        density=700.0,
        damping=0.3,
    )
    # Two pulls at different places and in different directions, then it swings out.
    pulls = []
    for start in (0.0, rng.uniform(0.5, 0.9)):
        turn = rng.uniform(0, 2 * np.pi)
        where = np.exp(-(((np.arange(pieces) / pieces - rng.uniform(0.4, 1.0)) / 0.12) ** 2))
        pulls.append((start, rng.uniform(0.3, 0.5), np.outer(where / where.sum(), (np.cos(turn), np.sin(turn), 0.15))))
    strength = float(chain.masses.sum()) * 9.81 * rng.uniform(0.5, 1.1)

    def force(time: float, x: Array, v: Array) -> Array:
        result = -0.5 * chain.masses[:, None] * v
        for start, length, pull in pulls:
            if start <= time < start + length:
                result += strength * np.sin(np.pi * (time - start) / length) * pull
        return result

    clip = simulate_chains([chain], 2.0, force=force)
    return clip.with_scenery(hoop(1.6 * radius, 0.5 * radius, (0.0, 0.0, height + radius), "x"))
