"""A rubber toy whose feet stick to the ground while it is shaken."""

import numpy as np

from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import make_shaken_gravity
from neurok.data.simulated.solid import FLOOR, SoftSolid, simulate_solid
from neurok.data.simulated.surfaces import make_toy


def draw(rng: np.random.Generator) -> SimulatedClip:
    solid = SoftSolid(
        make_toy(rng), (5, 6, 6), held=((2, 0),), density=300.0, young=10 ** rng.uniform(4.0, 4.5), damping=0.005
    )
    gravity = make_shaken_gravity(rng, rng.uniform(0.6, 1.4), 1.4, rate=(1.0, 3.0))
    return simulate_solid(solid, 1.6, gravity=gravity, ground=FLOOR)
