"""How hands and grounds move: smooth functions of time."""

import numpy as np

from neurok.geometry.arrays import Array

G = np.array([0.0, 0.0, -9.81])  # m/s^2


def eased(time: float, start: float, end: float) -> float:
    """From 0 at the start to 1 at the end, at rest at both."""
    t = float(np.clip((time - start) / (end - start), 0.0, 1.0))
    return t * t * (3.0 - 2.0 * t)


def press(time: float, period: float) -> float:
    """0, once up to 1 and back within a period, then 0."""
    return float(np.sin(np.pi * time / period) ** 2) if 0.0 < time < period else 0.0


def through(points: Array, time: float, duration: float) -> Array:
    """A smooth way through points [p, d], at the first until time 0 and at the last after the duration, [d]."""
    u = float(np.clip(time / duration, 0.0, 1.0)) * (len(points) - 1)
    i = min(int(u), len(points) - 2)
    return points[i] + eased(u - i, 0.0, 1.0) * (points[i + 1] - points[i])


def shaken(rng: np.random.Generator, strength: float, duration: float, *, rate: tuple[float, float] = (1.5, 4.0)):
    """Gravity on a ground that is shaken sideways for the duration [s], by so many g: a function of time."""
    turn, rates = rng.uniform(0, 2 * np.pi, 2), rng.uniform(*rate, 2)
    ways = np.stack([np.cos(turn), np.sin(turn), 0.2 * rng.uniform(-1, 1, 2)], axis=1)

    def gravity(time: float) -> Array:
        if not 0.0 < time < duration:
            return G
        swing = np.sin(2 * np.pi * rates * time) * np.sin(np.pi * time / duration)
        return G + 9.81 * strength * (swing @ ways)

    return gravity
