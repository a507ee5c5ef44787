"""A young tree whose trunk, branches and crown sway in the wind."""

import numpy as np

from neurok.data.procedural.shapes import ball, curve, lathe, tube
from neurok.data.simulated.chain import Chain, compute_stiffness, make_wind_force, simulate_chains
from neurok.data.simulated.clip import SimulatedClip
from neurok.data.simulated.wind import draw_wind
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh

PIECES, TWIGS = 9, 5


def draw(rng: np.random.Generator) -> SimulatedClip:
    height, radius, speed = rng.uniform(1.2, 2.0), rng.uniform(0.025, 0.045), rng.uniform(5.0, 9.0)
    lean = rng.normal(0, 0.04, (4, 2)) * height * np.linspace(0, 1, 4)[:, None]
    spine = np.c_[lean, np.linspace(0, height, 4)]
    path, fine = curve(spine, PIECES + 1), curve(spine, 4 * PIECES + 1)
    crown = rng.uniform(0.13, 0.19) * height
    stiffness = compute_stiffness(speed, 1.2 * height * crown, height, bend=rng.uniform(0.25, 0.5))
    taper = np.linspace(1.0, 0.45, PIECES)
    trunk = Chain(
        path, tube(fine, radius * np.linspace(1.0, 0.4, len(fine))), radius * taper,
        stiffness * np.linspace(1.6, 0.6, PIECES), density=500.0, tip=_leaves(rng, path[-1], crown),
    )  # fmt: skip
    chains = [trunk]
    for i in range(int(rng.integers(4, 7))):
        chains.append(_branch(rng, path, radius, crown, height, speed, 2.4 * i + rng.uniform(-0.4, 0.4)))
    wind = draw_wind(rng, speed, (*rng.normal(size=2), 0.0), size=height, gusts=0.5)
    areas = np.concatenate([_areas(chain, crown) for chain in chains])
    clip = simulate_chains(chains, 2.2, force=make_wind_force(chains, wind, areas))
    mound = np.array([[0, -0.05], [0.14, -0.05], [0.13, -0.01], [0.05, 0.02], [0, 0.03]]) * (height, 1.0)
    return clip.with_scenery(lathe(mound, segments=20))


def _branch(
    rng: np.random.Generator, path: Array, radius: float, crown: float, height: float, speed: float, turn: float
) -> Chain:
    j = int(rng.integers(3, PIECES - 1))
    length = rng.uniform(0.2, 0.32) * height * (1.2 - 0.6 * j / PIECES)
    rise = rng.uniform(0.4, 0.9)
    out = np.array([np.cos(turn), np.sin(turn), rise]) / np.hypot(1, rise)
    t = np.linspace(0, 1, 4 * TWIGS + 1)[:, None]
    fine = path[j] + length * (t * out + 0.15 * t**2 * np.array([0, 0, 1.0]))
    size = rng.uniform(0.65, 0.95) * crown
    surface = tube(fine, 0.45 * radius * np.linspace(1.0, 0.5, len(fine)), sides=8)
    stiffness = compute_stiffness(speed, 0.8 * length * size, length, bend=rng.uniform(0.3, 0.6))
    return Chain(
        fine[::4], surface, 0.4 * radius, stiffness, density=500.0, root=(0, j), tip=_leaves(rng, fine[-1], size)
    )


def _leaves(rng: np.random.Generator, at: Array, size: float) -> Mesh:
    """A clump of foliage: a lumpy ball."""
    mesh = ball(1.0, segments=20)
    bumps = rng.normal(size=(7, 3))
    bumps /= np.linalg.norm(bumps, axis=1, keepdims=True)
    lump = 0.85 + 0.25 * np.exp(4.0 * (mesh.vertices @ bumps.T - 1.0)).sum(axis=1)
    return mesh.with_vertices(size * lump[:, None] * mesh.vertices * (1.0, 1.0, 0.85) + at)


def _areas(chain: Chain, crown: float) -> Array:
    """What the wind blows on: bare wood, and a clump of leaves on the last pieces."""
    areas = 2.0 * np.broadcast_to(chain.radius, chain.count) * chain.lengths
    areas[-2:] += 0.6 * crown**2
    return areas
