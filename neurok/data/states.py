"""Random states of an articulated object: rest, single joints, all joints, extremes, mixtures."""

import numpy as np

from neurok.geometry.arrays import Array


def draw_joint_states(lower: Array, upper: Array, count: int, rng: np.random.Generator) -> Array:
    """Rest first, then in turn one joint, all joints, joints at their ends, some joints anywhere, [count, k].

    lower, upper: finite ends of each coordinate, [k]; zero, the rest, lies within.
    """
    k = len(lower)
    states = np.zeros((count, k))
    for row in range(1, count) if k else ():
        kind = row % 4
        anywhere = rng.uniform(lower, upper)
        ends = np.where(rng.random(k) < 0.5, lower, upper)
        some = rng.random(k) < 0.5
        one = np.arange(k) == rng.integers(k)
        value = ends if kind == 3 else anywhere
        chosen = (one, np.ones(k, dtype=bool), one | some, some | one)[kind]
        states[row] = np.where(chosen, value, 0.0)
    return states
