"""How a rigid motion changes when its twist does: the exponential and its left Jacobian (numpy).

With X = exp([xi]) for a twist xi = (v, w), and J_l the left Jacobian of rotations,

    X = [[R, J_l v], [0, 1]],    dX = [J d_xi] X,    J = [[J_l, Q], [0, J_l]],    Q = d/ds J_l(w + s v) at s = 0.

With u = |w|^2 and a = sin theta / theta,  b = (1 - cos theta) / u,  c = (theta - sin theta) / theta^3,

    R = (1 - b u) 1 + a [w] + b w w^T,    J_l = a 1 + b [w] + c w w^T,    a = 1 - c u,

so R, J_l and Q are all of the form x 1 + [k] + w p^T + p w^T, where x, k and p follow by the chain rule; primes are
with respect to u. Twists of many bodies are held as columns, [6, b], where numpy is quickest.

All is analytic in xi, and holds for complex twists too. A tiny imaginary step h = COMPLEX_STEP therefore gives rates
along eta to rounding, without cancellation: f(xi + i h eta) = f(xi) + i h f'(xi) eta (Squire and Trapp, 1998).
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array
from neurok.geometry.rotation import B_SERIES, C_SERIES, SERIES_BELOW

Complex = NDArray[np.complex128]
Numbers = TypeVar("Numbers", Array, Complex)

COMPLEX_STEP = 1e-20  # its square vanishes beside one in double precision

# Rows: b, b', c, c' in powers of u.
_SERIES: Array = np.array(
    [
        [np.prod(np.arange(n + 1, n + d + 1)) * series[n + d] for n in range(len(series) - 1)]
        for series in (B_SERIES, C_SERIES)
        for d in range(2)
    ]
)
_POWERS = np.arange(_SERIES.shape[1])[:, None]
_NEXT = np.array([0, 1, 2, 0, 1])
_PLUS, _MINUS = np.array([7, 2, 3]), np.array([5, 6, 1])  # where x, y, z stand in [k], read row by row


@dataclass(frozen=True)
class TwistMotion:
    """X = exp([xi]), its upper rows [3, 4, b]; J [6, 6, b]."""

    X: Array
    J: Array


def twist_motion(xi: Array) -> TwistMotion:
    """The motions of twists (v, w), real or complex, [6, b], and their Jacobians. Smooth at zero."""
    v, w = xi[:3], xi[3:]
    s, u = (w * xi.reshape(2, 3, -1)).sum(axis=1)
    b, db, c, dc = _compute_ratios(u)
    a = 1.0 - c * u
    blocks = _build_blocks(
        np.array([1.0 - b * u, a, -2.0 * s * (c + u * dc)]),
        np.array([a * w, b * w, b * v + (2.0 * s * db) * w]),
        np.array([(0.5 * b) * w, (0.5 * c) * w, c * v + (s * dc) * w]),
        w,
    )
    X = np.empty((3, 4, xi.shape[1]), dtype=xi.dtype)
    X[:, :3], X[:, 3] = blocks[0], (blocks[1] * v).sum(axis=1)
    J = np.zeros((6, 6, xi.shape[1]), dtype=xi.dtype)
    J[:3, :3] = J[3:, 3:] = blocks[1]
    J[:3, 3:] = blocks[2]
    return TwistMotion(X, J)


def cross(x: Numbers, y: Numbers) -> Numbers:
    """x cross y along the first axis, [3, ...]."""
    x, y = x[_NEXT], y[_NEXT]
    return x[1:4] * y[2:] - x[2:] * y[1:4]


def _build_blocks(x: Array, k: Array, p: Array, w: Array) -> Array:
    """x 1 + [k] + w p^T + p w^T for each of n blocks; x [n, b], k and p [n, 3, b], w [3, b] -> [n, 3, 3, b]."""
    half = w[:, None] * p[:, None]
    blocks = half + half.swapaxes(1, 2)
    flat = blocks.reshape(len(x), 9, -1)
    flat[:, ::4] += x[:, None]
    flat[:, _PLUS] += k
    flat[:, _MINUS] -= k
    return blocks


def _compute_ratios(u: Array) -> Array:
    """b, b', c, c' at u [b], [4, b].

    Away from zero: a' = (cos - a) / 2u, b' = (a/2 - b) / u, c' = -(a' + c) / u.
    """
    is_small = u.real < SERIES_BELOW
    if is_small.all():
        return _SERIES @ u**_POWERS
    ratios = _SERIES @ np.where(is_small, u, 0.0) ** _POWERS
    large = ~is_small
    far = u[large]
    theta = np.sqrt(far)
    sine, half = np.sin(theta), np.sin(0.5 * theta)
    a = sine / theta
    b = 2.0 * half * half / far
    c = (theta - sine) / (far * theta)
    ratios[:, large] = b, (0.5 * a - b) / far, c, -((np.cos(theta) - a) / (2.0 * far) + c) / far
    return ratios
