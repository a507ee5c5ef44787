"""How long a step is.

The solver is stable at any length, but a step h takes energy out of a vibration of rate w, by a loss factor of w h, as
backward Euler does, which may be as much as the material itself takes; and nothing may cross half a cell in one step
where it can touch. Grains lose all by friction, and do not count.

The slowest vibration of a body of length L and thickness t goes at about (c / L) min(pi, 6.5 t / L), as a free bar in
compression or in bending, with c = sqrt(E / rho) of its softest material.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.mechanics.mpm.particles import Particles

LOSS_OF_STEP = 0.1  # that a step may take from the slowest vibration of what loses nothing itself
MAX_STEP, MIN_STEP = 1 / 240, 1 / 480  # s; shorter ones only where --dt asks for them: each takes some hundredths
BENDING = 6.5  # 22.4 / sqrt(12), of a free beam
CELL_SHARE = 0.5  # of a cell, crossed in a step


@dataclass(frozen=True)
class Stepping:
    """step: h [s]; per_frame: steps of a frame; rate: of the slowest vibration [rad/s]."""

    step: float
    per_frame: int
    rate: float

    @property
    def loss(self) -> float:
        """The loss factor that the steps add to the slowest vibration."""
        return self.rate * self.step


def choose_stepping(particles: Particles, speed: float, interval: float, most: float) -> Stepping:
    """The steps between frames an interval [s] apart; speed [m/s]: the greatest to be expected; most: as asked [s]."""
    rate = find_rate(particles)
    loss = max(LOSS_OF_STEP, float(particles.read("loss")[_find_vibrating(particles)].min(initial=np.inf)))
    wanted = min(loss / max(rate, 1e-9), CELL_SHARE * 2 * particles.spacing / max(speed, 1e-9))
    step = min(float(np.clip(wanted, MIN_STEP, MAX_STEP)), most)
    per_frame = max(int(np.ceil(interval / step - 1e-9)), 1)
    return Stepping(interval / per_frame, per_frame, rate)


def find_rate(particles: Particles) -> float:
    """About the rate of the slowest vibration [rad/s]; zero where all is grains."""
    if not _find_vibrating(particles).any():
        return 0.0
    length = float(np.ptp(particles.position, axis=0).max()) + particles.spacing
    celerity = float(np.sqrt(particles.read("young") / particles.read("density"))[_find_vibrating(particles)].min())
    return celerity / length * min(np.pi, BENDING * particles.thinnest / length)


def _find_vibrating(particles: Particles) -> Mask:
    """Which particles are of one body, and not of grains, [p]."""
    return np.asarray(particles.read("holds_tension") > 0)


def relax_times(particles: Particles, stepping: Stepping) -> Array:
    """The relaxation times [s] that give each particle what its loss factor has beyond that of the steps, [p]."""
    extra = np.maximum(particles.read("loss") - stepping.loss, 0.0)
    return np.asarray(extra / max(stepping.rate, 1e-9) * _find_vibrating(particles))
