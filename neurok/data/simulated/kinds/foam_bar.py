"""A bar of foam fixed at its foot whose top is twisted, bent and pulled."""

import numpy as np

from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.paths import evaluate_pulse
from neurok.data.simulated.solid import SoftSolid, simulate_solid
from neurok.data.simulated.surfaces import put_on_ground
from neurok.geometry.arrays import Array


def draw(rng: np.random.Generator) -> SimulatedClip:
    width, depth, height = rng.uniform(0.08, 0.14), rng.uniform(0.07, 0.12), rng.uniform(0.2, 0.32)
    mesh = _refined_bar(width, depth, height, 0.18 * min(width, depth))
    solid = SoftSolid(mesh, (2, 2, 7), held=((2, 0),), density=200.0, young=10 ** rng.uniform(4.6, 5.0), damping=0.008)
    top = np.isclose(solid.lattice[:, 2], solid.lattice[:, 2].max())
    area, least = width * depth, min(width, depth)
    share = np.outer((1, 2, 1), (1, 2, 1)).reshape(-1, 1) / 16.0  # nodes at edges and corners stand for less of the top
    # Loads for a wanted strain, angle and sag, as a slender rod would take them: E A e, G J a / l and 3 E I s / l^2.
    pull = solid.young * area * rng.uniform(-0.06, 0.3)
    angle, sag = rng.uniform(0.6, 1.6) * rng.choice([-1, 1]), rng.uniform(0.2, 0.5)
    twist = solid.young / 2.7 * 0.28 * area * least**2 * angle / height / (0.5 * np.hypot(width, depth))
    bend = 3 * solid.young * area * least**2 / 12 * sag / height**2
    turn = rng.uniform(0, 2 * np.pi)

    def force(time: float, x: Array, v: Array) -> Array:
        result = np.zeros_like(x)
        arm = x[top] - x[top].mean(axis=0)
        around = np.cross((0.0, 0.0, 1.0), arm) / np.linalg.norm(arm, axis=1).max()
        sideways = np.array([np.cos(turn), np.sin(turn), 0.0])
        result[top] = share * (
            twist * evaluate_pulse(time, 1.0) * around
            + bend * evaluate_pulse(time - 0.5, 1.0) * sideways
            + pull * evaluate_pulse(time - 0.9, 0.8) * np.array([0.0, 0.0, 1.0])
        )  # fmt: skip
        return result

    return simulate_solid(solid, 1.8, force=force)


def _refined_bar(width: float, depth: float, height: float, radius: float):
    """A rounded bar with enough rings along its height to bend."""
    from neurok.data.procedural.shapes import loft, rectangle

    ring = rectangle(width, depth, radius)
    ring = np.concatenate([np.linspace(a, b, 4, endpoint=False) if np.linalg.norm(b - a) > 2 * radius else a[None]
                           for a, b in zip(ring, np.roll(ring, -1, axis=0))])  # fmt: skip
    bevel = 0.5 * radius
    levels = [(1 - 0.6 * bevel / width, 0.0), (1.0, bevel)]
    levels += [(1.0, z) for z in np.linspace(bevel, height - bevel, 26)[1:]] + [(1 - 0.6 * bevel / width, height)]
    return put_on_ground(loft(np.stack([np.c_[s * ring, np.full(len(ring), z)] for s, z in levels])))
