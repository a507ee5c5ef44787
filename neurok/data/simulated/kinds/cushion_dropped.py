"""A cushion that is thrown to the ground edge or corner first, and comes to lie.

The cushion keeps its own axes: it is the ground, and gravity with it, that is tilted.
"""

import numpy as np

from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.solid import SoftSolid, format_slope, simulate_solid
from neurok.data.simulated.surfaces import make_pillow


def draw(rng: np.random.Generator) -> SimulatedClip:
    mesh = make_pillow(rng)
    solid = SoftSolid(mesh, (6, 6, 2), density=80.0, young=10 ** rng.uniform(3.1, 3.5), poisson=0.2, damping=0.03)
    turn, tilt = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(30, 80))
    normal = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    lowest = mesh.vertices[np.argmin(mesh.vertices @ normal)]
    pull = -9.81 * rng.uniform(4.0, 7.0) * normal  # thrown, not let go
    return simulate_solid(
        solid, 0.9, ground=format_slope(normal, lowest - rng.uniform(0.05, 0.15) * normal), gravity=lambda time: pull
    )
