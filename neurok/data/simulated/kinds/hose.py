"""A garden hose that lies in bends on the ground and is dragged by one end."""

import numpy as np

from neurok.data.procedural.shapes import tube
from neurok.data.simulated.chain import Chain, simulate_chains
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import follow_path
from neurok.data.simulated.sheet import format_numbers
from neurok.data.simulated.solid import FLOOR
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import merge


def draw(rng: np.random.Generator) -> SimulatedClip:
    radius, pieces, bends = rng.uniform(0.012, 0.02), int(rng.integers(24, 31)), int(rng.integers(3, 6))
    length, wide = rng.uniform(0.8, 1.2), rng.uniform(0.06, 0.16)
    path, fine = (_bent(np.linspace(0.0, 1.0, n), length, bends, wide, radius) for n in (pieces + 1, 4 * pieces + 1))
    end = (path[0] - path[1]) / np.linalg.norm(path[0] - path[1])
    spine, girth = np.linspace(-0.01, 0.06, 6)[:, None] * end, np.array([1.3, 1.3, 1.15, 0.9, 0.8, 0.8])
    nozzle = tube(path[0] + spine, radius * girth)
    surface = merge([tube(fine, radius, sides=10), nozzle])
    chain = Chain(path, surface, radius, 10 ** rng.uniform(-2.5, -1.5), 500.0, damping=0.2, root="free", collides=True)
    grip = f'<body mocap="true" name="hand" pos="{format_numbers(path[0])}"/>'
    tie = '<connect body1="c0_0" body2="hand" anchor="0 0 0"/>'
    stops: list[Array] = [path[0]]
    for _ in range(3):
        turn = rng.uniform(0.6, 1.4) * np.pi if len(stops) % 2 else rng.uniform(0, 2 * np.pi)
        stops.append(stops[-1] + rng.uniform(0.2, 0.45) * np.array([np.cos(turn), np.sin(turn), 0.0]))
        stops[-1][2] = rng.uniform(radius, 0.35)
    route = np.array(stops)
    return simulate_chains(
        [chain], 2.4, hands=lambda time: follow_path(route, time, 2.2)[None], ties=tie, scenery=grip + FLOOR
    )


def _bent(t: Array, length: float, bends: int, wide: float, radius: float) -> Array:
    """Lying in waves: points on the hose's middle, [len(t), 3]."""
    return np.stack([length * t, wide * np.sin(np.pi * bends * t), np.full_like(t, radius + 0.001)], axis=1)
