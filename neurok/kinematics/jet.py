"""Derivatives of a map along a line: value, Jacobian, and the nested forward-mode term."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import jacfwd, jvp

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Jet:
    """Y and its derivatives at q along a velocity v; the trailing shape of Y is left open (...).

    value: Y(q), [...]. jacobian: dY/dq_i, [k, ...].
    second: d^2/ds^2 Y(q + s v) at s = 0, [...]: the acceleration of a point whose state moves at constant v.
    rate: d/ds dY/dq_i (q + s v), [k, ...], where asked for.
    """

    value: Array
    jacobian: Array
    second: Array
    rate: Array | None = None


def forward_jet(function: Callable[[Tensor], Tensor], q: Array, velocity: Array, *, rate: bool = False) -> Jet:
    """The jet of any torch function by forward mode.

    second = d/ds (J(q + s v) v): one nested jvp instead of the k^2 second derivatives.
    """
    point = torch.as_tensor(np.asarray(q, dtype=np.float64))
    along = torch.as_tensor(np.asarray(velocity, dtype=np.float64))
    if rate:
        jacobian, moved = jvp(jacfwd(function), (point,), (along,))
        value, second = function(point), torch.tensordot(moved, along, dims=1)
        return Jet(_array(value), _columns(jacobian), _array(second), _columns(moved))

    if not along.any():  # nothing changes along no velocity, and half of the work is saved
        value = function(point)
        return Jet(_array(value), _columns(jacfwd(function)(point)), np.zeros(tuple(value.shape)))

    def velocity_of(state: Tensor) -> tuple[Tensor, Tensor]:
        value, tangent = jvp(function, (state,), (along,))
        return tangent, value

    (_, value), (second, _) = jvp(velocity_of, (point,), (along,))
    return Jet(_array(value), _columns(jacfwd(function)(point)), _array(second))


def _array(value: Tensor) -> Array:
    return value.detach().numpy().astype(np.float64, copy=False)


def _columns(jacobian: Tensor) -> Array:
    """[..., k] as torch gives it to [k, ...]."""
    return np.ascontiguousarray(np.moveaxis(_array(jacobian), -1, 0))
