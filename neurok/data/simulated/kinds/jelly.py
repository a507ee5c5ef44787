"""A jelly that wobbles on a plate that is shaken, or is pushed by a spoon."""

import numpy as np

from neurok.data.procedural.shapes import fillet, lathe
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse, make_shaken_gravity
from neurok.data.simulated.solid import HARD_CONTACT, SoftSolid, simulate_solid
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(rng: np.random.Generator) -> SimulatedClip:
    radius, height = rng.uniform(0.05, 0.08), rng.uniform(0.05, 0.1)
    spoon = f'<geom type="sphere" size="{0.4 * radius:.6f}" {HARD_CONTACT}/>'
    solid = SoftSolid(
        _moulded(rng, radius, height), (4, 4, 5), held=((2, 0),), density=800.0, young=10 ** rng.uniform(3.7, 4.1),
        damping=0.004, hands=(spoon,),
    )  # fmt: skip
    turn, deep = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 0.7) * radius
    out = np.array([np.cos(turn), np.sin(turn), 0.0])
    at = out * 2.2 * radius + (0.0, 0.0, rng.uniform(0.6, 0.9) * height)

    def hands(time: float) -> Array:
        return (at - out * evaluate_pulse(time, 0.5) * (0.8 * radius + deep))[None]

    clip = simulate_solid(solid, 1.4, hands=hands, gravity=make_shaken_gravity(rng, rng.uniform(0.4, 0.9), 1.2))
    plate = [[0, -0.012], [1.0, -0.012], [1.7, 0.004], [1.75, 0.008], [1.65, 0.01], [1.1, -0.002], [0, -0.002]]
    return clip.with_scenery(lathe(fillet(np.array(plate) * (radius, 1.0), 0.002, steps=2), segments=32))


def _moulded(rng: np.random.Generator, radius: float, height: float) -> Mesh:
    """A turned shape with flutes around, as out of a mould."""
    flutes, deep, top = int(rng.integers(6, 13)), rng.uniform(0.03, 0.1), rng.uniform(0.6, 0.85)
    tiers = int(rng.integers(1, 4))
    t = np.linspace(0.0, 1.0, 14)
    tier = t + 0.6 * np.sin(2 * np.pi * tiers * t) / (2 * np.pi * tiers)
    side = np.stack([radius * (1.0 - (1.0 - top) * tier), 0.92 * height * t], axis=1)
    over = side[-1, 0] * np.array([0.94, 0.8, 0.55, 0.3])
    profile = np.concatenate([
        [[0.0, 0.0], [0.35 * radius, 0.0], [0.7 * radius, 0.0]], side,
        np.stack([over, height * np.array([0.965, 0.99, 1.0, 1.0])], axis=1), [[0.0, height]],
    ])  # fmt: skip
    mesh = lathe(profile, segments=48)
    angle = np.arctan2(mesh.vertices[:, 1], mesh.vertices[:, 0])
    wave = 1.0 + deep * np.cos(flutes * angle)
    return mesh.with_vertices(mesh.vertices * np.stack([wave, wave, np.ones_like(wave)], axis=1))
