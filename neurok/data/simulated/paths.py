"""Motions of hands and grounds: smooth functions of time."""

from collections.abc import Callable

import numpy as np

from neurok.geometry.arrays import Array

GRAVITY: Array = np.array([0.0, 0.0, -9.81])  # m/s^2


def ease(time: float, start: float, end: float) -> float:
    """A smooth step from 0 at the start to 1 at the end, with zero slope at both."""
    t = float(np.clip((time - start) / (end - start), 0.0, 1.0))
    return t * t * (3.0 - 2.0 * t)


def evaluate_pulse(time: float, period: float) -> float:
    """A smooth pulse that rises from 0 to 1 and falls back within a period; 0 before and after."""
    return float(np.sin(np.pi * time / period) ** 2) if 0.0 < time < period else 0.0


def follow_path(points: Array, time: float, duration: float) -> Array:
    """The place on a smooth path through points [p, d], from the first at time 0 to the last at the duration, [d]."""
    u = float(np.clip(time / duration, 0.0, 1.0)) * (len(points) - 1)
    i = min(int(u), len(points) - 2)
    return points[i] + ease(u - i, 0.0, 1.0) * (points[i + 1] - points[i])


def make_shaken_gravity(
    rng: np.random.Generator, strength: float, duration: float, *, rate: tuple[float, float] = (1.5, 4.0)
) -> Callable[[float], Array]:
    """The gravity [m/s^2], a function of time, on a ground that is shaken sideways for the duration [s].

    strength: acceleration of the ground [g]. rate: range of the frequencies [Hz].
    """
    turn, rates = rng.uniform(0, 2 * np.pi, 2), rng.uniform(*rate, 2)
    ways = np.stack([np.cos(turn), np.sin(turn), 0.2 * rng.uniform(-1, 1, 2)], axis=1)

    def gravity(time: float) -> Array:
        if not 0.0 < time < duration:
            return GRAVITY
        swing = np.sin(2 * np.pi * rates * time) * np.sin(np.pi * time / duration)
        return GRAVITY + 9.81 * strength * (swing @ ways)

    return gravity
