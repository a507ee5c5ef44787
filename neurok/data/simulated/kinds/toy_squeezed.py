"""A soft toy that is squeezed by two hands from both sides."""

import numpy as np

from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.solid import FLOOR, HARD_CONTACT, SoftSolid, simulate_solid
from neurok.data.simulated.surfaces import make_toy
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(rng: np.random.Generator) -> SimulatedClip:
    mesh = make_toy(rng)
    size = np.ptp(mesh.vertices, axis=0)
    palm = rng.uniform(0.18, 0.25) * size[2]
    geom = f'<geom type="sphere" size="{palm:.6f}" friction="1.5" {HARD_CONTACT}/>'
    solid = SoftSolid(
        mesh, (5, 5, 6), ((2, 0),), density=150.0, young=10 ** rng.uniform(3.8, 4.2), poisson=0.3, hands=(geom, geom)
    )
    heights = rng.uniform(0.35, 0.8, 2) * size[2]
    turn = rng.uniform(-0.5, 0.5)
    way = np.array([np.cos(turn), np.sin(turn), 0.0])
    middles, halves = zip(*(_girth(mesh, height, 0.6 * palm, way) for height in heights))
    left = rng.uniform(0.25, 0.5, 2)  # of the thickness, when squeezed

    def hands(time: float) -> Array:
        i = int(time >= 0.7)  # low first, then high, or the other way round
        squeeze = evaluate_pulse(time - 0.7 * i, 0.7)
        apart = palm + halves[i] * (1.1 - squeeze * (1.1 - left[i]))
        return np.stack([middles[i] - apart * way, middles[i] + apart * way])

    return simulate_solid(solid, 1.6, hands=hands, ground=FLOOR)


def _girth(mesh: Mesh, height: float, reach: float, way: Array) -> tuple[Array, float]:
    """The middle of the toy at a height [m], [3], and half its width there along a direction."""
    near = mesh.vertices[np.abs(mesh.vertices[:, 2] - height) < reach]
    low, high = (near @ way).min(), (near @ way).max()
    middle = near.mean(axis=0)
    return np.array([*middle[:2], height]) + (0.5 * (low + high) - middle @ way) * way, 0.5 * (high - low)
