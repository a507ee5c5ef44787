"""Many rigid motions along straight lines of their twists: values, rates, and what acts on them felt by the twists.

With X = exp([xi]) for a twist xi = (v, w), whose upper rows are (R, t), and P = (S, p) of the same shape, all that a
force or a momentum P says of a twist follows from one number (letters as in `twist_jacobian`, u = |w|^2),

    <X, P> = tr S + a A + b B + c C,      A = w . k + v . p,      C = (w . v) (w . p),
    B = w . S w - u tr S + w . (v x p),   k = (S_32 - S_23, S_13 - S_31, S_21 - S_12),

namely its gradient, which is J^T P without J:

    d/dv = a p + b p x w + c (w . p) w,
    d/dw = a k + b ((S + S^T) w - 2 tr S w + v x p) + c ((w . p) v + (w . v) p) + 2 (a' A + b' B + c' C) w.

Its rate along eta comes by an imaginary step. One motion is a column, so that a call serves thousands.
"""

from dataclasses import dataclass
from math import factorial

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.twist_jacobian import Complex, cross

SERIES_REACH = 4.0  # of u: beyond it the closed forms lose no digits that matter
TERM_COUNT = 20


def _list_derivatives(offset: int) -> list[list[float]]:
    """sum_n (-u)^n / (2 n + offset)! and its two derivatives, in powers of u, [3, TERM_COUNT]."""
    series = [(-1.0) ** n / factorial(2 * n + offset) for n in range(TERM_COUNT + 2)]
    return [[float(np.prod(range(n + 1, n + d + 1))) * series[n + d] for n in range(TERM_COUNT)] for d in range(3)]


_TABLE: Array = np.array([_list_derivatives(offset) for offset in (1, 2, 3)]).swapaxes(0, 1).reshape(9, TERM_COUNT)
# How great u may be for so many terms, [TERM_COUNT]: what is left out stays below rounding.
_REACH: Array = np.array([(1e-17 * factorial(2 * n + 1)) ** (1.0 / n) for n in range(1, TERM_COUNT + 1)])


@dataclass(frozen=True)
class TwistLines:
    """Motions X = exp([xi]) as twists run along xi + s eta; z = xi + i COMPLEX_STEP eta, [6, n].

    ratios: a, b, c, a', b', c', with the same imaginary step, [6, n]. X: the upper rows, [3, 4, n].
    """

    z: Complex
    ratios: Complex
    X: Complex

    def pull_back(self, P: Complex) -> Complex:
        """J^T P and its rate, [6, n], where P, [3, 4, n], changes at its imaginary part over COMPLEX_STEP."""
        v, w = self.z[:3], self.z[3:]
        a, b, c, da, db, dc = self.ratios
        S, p = P[:, :3], P[:, 3]
        trace = S[0, 0] + S[1, 1] + S[2, 2]
        k = (S - S.swapaxes(0, 1))[[2, 0, 1], [1, 2, 0]]
        bent = ((S + S.swapaxes(0, 1)) * w).sum(axis=1)
        arm, (along, turned) = cross(v, p), (w * np.array([v, p])).sum(axis=1)
        A = (w * k + v * p).sum(axis=0)
        B = (w * (0.5 * bent + arm)).sum(axis=0) - (w * w).sum(axis=0) * trace
        found = np.empty_like(self.z)
        found[:3] = a * p + b * cross(p, w) + (c * turned) * w
        slope = 2.0 * (da * A + db * B + dc * (along * turned) - b * trace)
        found[3:] = a * k + b * (bent + arm) + (c * turned) * v + (c * along) * p + slope * w
        return found


def follow_twists(z: Complex) -> TwistLines:
    """The lines of twists xi (v, w) at rates eta, told as xi + i COMPLEX_STEP eta, [6, n]."""
    v, w = z[:3], z[3:]
    ratios = _compute_ratios(w.real, w.imag)
    a, b, c = ratios[:3]
    aw, bw = ratios[:2, None] * w
    X = np.empty((3, 4, z.shape[1]), dtype=np.complex128)
    np.multiply(bw[:, None], w, out=X[:, :3])
    X[[0, 1, 2], [0, 1, 2]] += 1.0 - (bw * w).sum(axis=0)
    X[[2, 0, 1], [1, 2, 0]] += aw
    X[[1, 2, 0], [2, 0, 1]] -= aw
    X[:, 3] = a * v + cross(bw, v) + (c * (w * v).sum(axis=0)) * w
    return TwistLines(z, ratios, X)


def _compute_ratios(w: Array, dw: Array) -> Complex:
    """a, b, c and their derivatives by u as complex numbers; w, dw: its real and imaginary part, [3, n]."""
    u = (w * w).sum(axis=0)
    is_far = u > SERIES_REACH
    near = np.where(is_far, 0.0, u) if is_far.any() else u
    count = min(int(np.searchsorted(_REACH, near.max(initial=0.0))) + 1, TERM_COUNT)
    powers = np.ones((count, len(u)))
    for n in range(1, count):
        np.multiply(powers[n - 1], near, out=powers[n])
    found = (_TABLE[:, :count] @ powers).reshape(3, 3, -1)
    if is_far.any():
        found[:, :, is_far] = _compute_far_ratios(u[is_far])
    ratios = np.empty((2, 3, len(u)), dtype=np.complex128)
    ratios.real = found[:2]
    np.multiply(found[1:], 2.0 * (w * dw).sum(axis=0), out=ratios.imag)
    return ratios.reshape(6, -1)


def _compute_far_ratios(u: Array) -> Array:
    """a, b, c and two derivatives by u, [3, 3, n], away from zero.

    2 u a' = cos - a,  u b' = a/2 - b,  u c' = -a' - c;  and these differentiated once more.
    """
    theta = np.sqrt(u)
    a, cosine = np.sin(theta) / theta, np.cos(theta)
    b, c = (1.0 - cosine) / u, (1.0 - a) / u
    da = (cosine - a) / (2.0 * u)
    db, dc = (0.5 * a - b) / u, -(da + c) / u
    dda = -(0.5 * a + 3.0 * da) / (2.0 * u)
    return np.array([[a, b, c], [da, db, dc], [dda, (0.5 * da - 2.0 * db) / u, -(dda + 2.0 * dc) / u]])
