"""A bar of foam fixed at its foot whose top is twisted, bent and pulled."""

import numpy as np

from neurok.data.simulated.clip import Clip
from neurok.data.simulated.paths import press
from neurok.data.simulated.solid import Solid, solid_clip
from neurok.data.simulated.surfaces import on_ground
from neurok.geometry.mesh import Array


def draw(rng: np.random.Generator) -> Clip:
    width, depth, height = rng.uniform(0.08, 0.14), rng.uniform(0.06, 0.12), rng.uniform(0.25, 0.4)
    mesh = _refined_bar(width, depth, height, 0.18 * min(width, depth))
    solid = Solid(mesh, (2, 2, 7), held=((2, 0),), density=200.0, young=10 ** rng.uniform(4.0, 4.5), damping=0.008)
    top = np.isclose(solid.lattice[:, 2], solid.lattice[:, 2].max())
    area, share = width * depth, 1.0 / top.sum()
    twist, bend, pull = rng.uniform(0.07, 0.14), rng.uniform(0.01, 0.04), rng.uniform(-0.15, 0.35)
    twist, turn = twist * rng.choice([-1, 1]), rng.uniform(0, 2 * np.pi)
    stress = solid.young * area

    def force(time: float, x: Array, v: Array) -> Array:
        result = np.zeros_like(x)
        arm = x[top] - x[top].mean(axis=0)
        around = np.cross((0.0, 0.0, 1.0), arm) / np.linalg.norm(arm, axis=1).max()
        sideways = np.array([np.cos(turn), np.sin(turn), 0.0])
        result[top] = stress * share * (
            twist * press(time, 1.0) * around
            + bend * press(time - 0.5, 1.0) * sideways
            + pull * press(time - 0.9, 0.8) * np.array([0.0, 0.0, 1.0])
        )  # fmt: skip
        return result

    return solid_clip(solid, 1.8, force=force)


def _refined_bar(width: float, depth: float, height: float, radius: float):
    """A rounded bar with enough rings along its height to bend."""
    from neurok.data.procedural.shapes import loft, rectangle

    ring = rectangle(width, depth, radius)
    ring = np.concatenate([np.linspace(a, b, 4, endpoint=False) if np.linalg.norm(b - a) > 2 * radius else a[None]
                           for a, b in zip(ring, np.roll(ring, -1, axis=0))])  # fmt: skip
    bevel = 0.5 * radius
    levels = [(1 - 0.6 * bevel / width, 0.0), (1.0, bevel)]
    levels += [(1.0, z) for z in np.linspace(bevel, height - bevel, 26)[1:]] + [(1 - 0.6 * bevel / width, height)]
    return on_ground(loft(np.stack([np.c_[s * ring, np.full(len(ring), z)] for s, z in levels])))
