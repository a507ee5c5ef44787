"""GustyWind: a steady stream with travelling gusts, and its forces on triangles and rods."""

from dataclasses import dataclass

import numpy as np

from neurok.data.procedural.placing import Vector
from neurok.geometry.arrays import Array, Indices

AIR_DENSITY = 1.2  # kg/m^3
WAVE_COUNT = 5  # waves whose sum is the gusts
MAX_ACCELERATION = 120.0  # m/s^2, by the force of the wind


@dataclass(frozen=True)
class GustyWind:
    """u(x, t) = speed a(t) (d + sum_i g_i sin(k_i . x - w_i t + p_i)), with a rising from nothing and ebbing away.

    direction: [3]; gusts, waves: [WAVE_COUNT, 3] each; rates, phases: [WAVE_COUNT]; period: of the ebb [s].
    """

    speed: float
    direction: Array
    gusts: Array
    waves: Array
    rates: Array
    phases: Array
    period: float

    def at(self, points: Array, time: float) -> Array:
        """Velocity of the air [m/s] at points [n, 3], [n, 3]."""
        swell = np.clip(time / 0.3, 0.0, 1.0) * (0.65 + 0.35 * np.cos(2 * np.pi * time / self.period))
        wave = np.sin(points @ self.waves.T - self.rates * time + self.phases)
        return self.speed * swell * (self.direction + wave @ self.gusts)


def draw_wind(
    rng: np.random.Generator, speed: float, direction: Vector, *, size: float, gusts: float = 0.3
) -> GustyWind:
    """A wind that changes over lengths near `size` [m], its gusts a share of its speed."""
    way = np.asarray(direction, dtype=np.float64) / np.linalg.norm(direction)
    across = rng.normal(size=(WAVE_COUNT, 3)) * (1.0, 1.0, 0.4)
    waves = way * (2 * np.pi / size) * rng.uniform(0.5, 1.6, (WAVE_COUNT, 1)) + rng.normal(
        0, 1.5 / size, (WAVE_COUNT, 3)
    )
    rates = np.maximum(waves @ way, 0.5) * speed * rng.uniform(0.3, 0.6, WAVE_COUNT)
    return GustyWind(
        speed, way, gusts / np.sqrt(WAVE_COUNT) * across, waves, rates, rng.uniform(0, 2 * np.pi, WAVE_COUNT),
        rng.uniform(1.2, 2.2),
    )  # fmt: skip


def compute_triangle_forces(wind: GustyWind, time: float, x: Array, v: Array, faces: Indices, mass: float) -> Array:
    """Forces [N] at vertices [n, 3]: F = rho A |w . n| (w . n) n / 2 on each face, w the wind relative to it.

    mass: of a vertex [kg]; the force is limited to what carries it along within a few steps, for stability.
    """
    a, b, c = (x[faces[:, i]] for i in range(3))
    normal = 0.5 * np.cross(b - a, c - a)
    area = np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    normal = normal / area
    relative = wind.at((a + b + c) / 3, time) - v[faces].mean(axis=1)
    through = np.einsum("md,md->m", relative, normal)[:, None]
    force = 0.5 * AIR_DENSITY * area * np.abs(through) * through * normal
    total = np.zeros_like(x)
    for i in range(3):
        np.add.at(total, faces[:, i], force / 3)
    return _limit_forces(total, mass)


def compute_rod_forces(wind: GustyWind, time: float, x: Array, v: Array, broad: Array, mass: Array) -> Array:
    """Forces [N] on pieces of rods [n, 3], each with an area [m^2] across the wind [n]: F = rho A |w| w / 2."""
    w = wind.at(x, time) - v
    return _limit_forces(0.5 * AIR_DENSITY * broad[:, None] * np.linalg.norm(w, axis=1, keepdims=True) * w, mass)


def _limit_forces(force: Array, mass: Array | float) -> Array:
    """Forces scaled down so that they accelerate by at most MAX_ACCELERATION."""
    size = np.linalg.norm(force, axis=1, keepdims=True)
    limit = MAX_ACCELERATION * np.broadcast_to(np.asarray(mass, dtype=np.float64).reshape(-1, 1), size.shape)
    return force * np.minimum(1.0, limit / np.maximum(size, 1e-12))
