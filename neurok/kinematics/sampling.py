"""Plausible states of an object, drawn from the prior of its state space."""

import numpy as np
import torch

from neurok.errors import InputError, OptionError
from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics


def draw_states(space: Kinematics, count: int, *, seed: int = 0) -> Array:
    """Plausible states of an object, drawn from its prior, [count, k]; the same for the same seed."""
    if count < 1:
        raise OptionError(f"{count} samples were asked for", "ask for at least one")
    if space.size == 0:
        raise InputError("the object has one state only", "give one that can move")
    return space.prior.sample(count, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
