"""Derivatives of a map along a line: value, Jacobian, and the nested forward-mode term."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import jacfwd, jvp, vjp

from neurok.geometry.arrays import Array


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


@dataclass(frozen=True)
class Line:
    """What Y does as the state runs along q + s v, and what acts on Y felt by the state; no Jacobian is told.

    value, first: Y and dY/ds, [...]; second: gives d^2Y/ds^2, [...].
    to_coordinates: P, dP [...] -> J^T P and d/ds (J^T P), [k] each, where dP = dP/ds: from momenta of what moves to
        those of the coordinates, and their rates.
    """

    value: Array
    first: Array
    second: Callable[[], Array]
    to_coordinates: Callable[[Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Lines:
    """n lines at once; letters as in `Line`.

    value: gives Y, [..., n]; first: dY/ds, [..., n].
    to_coordinates: P, dP [..., n] -> J^T P and d/ds (J^T P), [n, k] each.
    """

    value: Callable[[], Array]
    first: Array
    to_coordinates: Callable[[Array, Array], tuple[Array, Array]]


def stack_lines(lines: Sequence[Line]) -> Lines:
    """Lines one by one, as many at once."""

    def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
        found = [line.to_coordinates(P[..., i], dP[..., i]) for i, line in enumerate(lines)]
        p, dp = (np.array(column) for column in zip(*found))
        return p, dp

    first = np.stack([line.first for line in lines], axis=-1)
    return Lines(lambda: np.stack([line.value for line in lines], axis=-1), first, to_coordinates)


def line_of(jet: Jet, velocity: Array) -> Line:
    """The line of which a jet is known; without the jet's rate, nothing can be pull_back."""
    shape = (len(velocity), jet.value.size)
    J = jet.jacobian.reshape(shape)

    def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
        assert jet.rate is not None
        return J @ P.ravel(), jet.rate.reshape(shape) @ P.ravel() + J @ dP.ravel()

    return Line(jet.value, (velocity @ J).reshape(jet.value.shape), lambda: jet.second, to_coordinates)


def forward_line(function: Callable[[Tensor], Tensor], q: Array, velocity: Array) -> Line:
    """The line of any torch function: nested forward mode, and forward over reverse mode where something is pull_back.

    That costs a few evaluations of the function, however many coordinates there are.
    """
    point = torch.as_tensor(np.asarray(q, dtype=np.float64))
    along = torch.as_tensor(np.asarray(velocity, dtype=np.float64))
    value, first, second = (_array(Y) for Y in _derivatives(function, point, along))

    def pull_back(state: Tensor, P: Tensor) -> Tensor:
        return vjp(function, state)[1](P)[0]

    def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
        momenta = tuple(torch.as_tensor(np.ascontiguousarray(rows)) for rows in (P, dP))
        p, dp = _jvp(pull_back, (point, momenta[0]), (along, momenta[1]))
        return _array(p), _array(dp)

    return Line(value, first, lambda: second, to_coordinates)


def forward_jet(function: Callable[[Tensor], Tensor], q: Array, velocity: Array, *, rate: bool = False) -> Jet:
    """The jet of any torch function by forward mode.

    second = d/ds (J(q + s v) v): one nested jvp instead of the k^2 second derivatives.
    """
    point = torch.as_tensor(np.asarray(q, dtype=np.float64))
    along = torch.as_tensor(np.asarray(velocity, dtype=np.float64))
    if rate:
        jacobian, moved = _jvp(jacfwd(function), (point,), (along,))
        value, second = function(point), torch.tensordot(moved, along, dims=1)
        return Jet(_array(value), _columns(jacobian), _array(second), _columns(moved))

    if not along.any():  # nothing changes along no velocity, and half of the work is saved
        value = function(point)
        return Jet(_array(value), _columns(jacfwd(function)(point)), np.zeros(tuple(value.shape)))

    value, _, second = _derivatives(function, point, along)
    return Jet(_array(value), _columns(jacfwd(function)(point)), _array(second))


def _derivatives(function: Callable[[Tensor], Tensor], point: Tensor, along: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Y and its first and second derivative along a line."""

    def velocity_of(state: Tensor) -> tuple[Tensor, Tensor]:
        value, tangent = _jvp(function, (state,), (along,))
        return tangent, value

    (first, value), (second, _) = _jvp(velocity_of, (point,), (along,))
    return value, first, second


def _jvp(function: Callable[..., Any], point: tuple[Tensor, ...], along: tuple[Tensor, ...]) -> tuple[Any, Any]:
    """The value of a function and its derivative along a line; torch's stubs also allow for a third result."""
    value, tangent, *_ = jvp(function, point, along)
    return value, tangent


def _array(value: Tensor) -> Array:
    return value.detach().numpy().astype(np.float64, copy=False)


def _columns(jacobian: Tensor) -> Array:
    """[..., k] as torch gives it to [k, ...]."""
    return np.ascontiguousarray(np.moveaxis(_array(jacobian), -1, 0))
