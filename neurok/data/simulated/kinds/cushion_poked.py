"""A cushion on the ground that is poked by a fist at several places."""

import numpy as np

from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.solid import FLOOR, HARD_CONTACT, SoftSolid, simulate_solid
from neurok.data.simulated.surfaces import make_pillow
from neurok.geometry.arrays import Array

POKES, PERIOD = 3, 0.5  # s each


def draw(rng: np.random.Generator) -> SimulatedClip:
    mesh = make_pillow(rng)
    width, depth, thick = np.ptp(mesh.vertices, axis=0)
    fist = rng.uniform(0.14, 0.2) * min(width, depth)
    geom = f'<geom type="sphere" size="{fist:.6f}" {HARD_CONTACT}/>'
    solid = SoftSolid(mesh, (7, 7, 2), density=100.0, young=10 ** rng.uniform(3.4, 3.9), poisson=0.2, hands=(geom,))
    spots = rng.uniform(-0.32, 0.32, (POKES, 2)) * (width, depth)
    deep = rng.uniform(0.4, 0.7, POKES) * thick

    def hands(time: float) -> Array:
        i = min(int(time / PERIOD), POKES - 1)
        gap = 0.1 * thick
        return np.array([[*spots[i], thick + fist + gap - evaluate_pulse(time - i * PERIOD, PERIOD) * (deep[i] + gap)]])

    return simulate_solid(solid, POKES * PERIOD + 0.2, hands=hands, ground=FLOOR)
