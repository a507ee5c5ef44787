"""The ball about zero that holds 99 % of a standard normal prior: the admissible states of coordinates that mix."""

import numpy as np
from scipy.special import gammaincinv
from torch import Tensor, ones_like, where

INSIDE = 0.99  # of the prior's mass is admissible


def ball_radius(count: int) -> float:
    """The radius of the ball that holds 99 % of N(0, 1) in so many dimensions."""
    return float(np.sqrt(2.0 * gammaincinv(count / 2.0, INSIDE))) if count else 0.0


def within(q: Tensor, radius: float) -> Tensor:
    """The nearest state in a ball about zero; compared in squares, so that zero has a derivative."""
    square = (q * q).sum()
    limit = radius**2
    return q * where(square > limit, (limit / square.clamp(min=limit)).sqrt(), ones_like(square))
