"""Sampling: a few plausible states, far from each other."""

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics

CHOICE_COUNT = 6
DRAW_COUNT = 48  # samples of which the choices are taken


def sample_choices(space: Kinematics, seed: int) -> list[Array]:
    """CHOICE_COUNT states of a space, [k] each."""
    drawn = space.prior.sample(DRAW_COUNT, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    return pick_distant(drawn / space.prior.deviation, drawn, CHOICE_COUNT)


def pick_distant(scaled: Array, states: Array, count: int) -> list[Array]:
    """So many of the states [s, k], each as far as possible from those before it in scaled coordinates [s, k]."""
    chosen = [0]
    distance = np.full(len(states), np.inf)
    while len(chosen) < min(count, len(states)):
        distance = np.minimum(distance, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
        chosen.append(int(distance.argmax()))
    return [states[index] for index in chosen]
