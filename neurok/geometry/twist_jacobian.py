"""The left Jacobian of SE(3): how a rigid motion changes when its twist does (numpy).

With X = exp([xi]) for a twist xi = (v, w), and A = [[ [w], [v] ], [0, [w]]] its adjoint,

    dX = [J d_xi] X,    J = sum_n A^n / (n + 1)!.

A^5 = -2 u A^3 - u^2 A with u = |w|^2 closes the series to four powers:

    J = 1 + (b - u b') A + (c - u c') A^2 - b' A^3 - c' A^4,
    b = (1 - cos theta) / u,  c = (theta - sin theta) / theta^3,  primes with respect to u.
"""

import numpy as np

from neurok.geometry.rotation import B_SERIES, C_SERIES, polynomial, series_branches, skew

Array = np.ndarray


def twist_jacobian(xi: Array) -> Array:
    """J at twists (v, w), [..., 6] -> [..., 6, 6]; rows and columns in the same order. Smooth at zero."""
    A, u, powers = _powers(xi)
    return np.eye(6) + _sum(_coefficients(u)[0], [A, *powers])


def twist_jacobian_jet(xi: Array, eta: Array) -> tuple[Array, Array]:
    """J and d/ds J(xi + s eta) at s = 0; [..., 6] twice -> two [..., 6, 6]."""
    A, u, (A2, A3, A4) = _powers(xi)
    dA = _adjoint(eta)
    dA2 = dA @ A + A @ dA
    dA3 = dA2 @ A + A2 @ dA
    dA4 = dA3 @ A + A3 @ dA
    du = 2.0 * np.sum(xi[..., 3:] * eta[..., 3:], axis=-1)
    value, slope = _coefficients(u)
    J = np.eye(6) + _sum(value, [A, A2, A3, A4])
    dJ = _sum(value, [dA, dA2, dA3, dA4]) + _sum([s * du for s in slope], [A, A2, A3, A4])
    return J, dJ


def _adjoint(xi: Array) -> Array:
    A = np.zeros(xi.shape[:-1] + (6, 6))
    A[..., :3, :3] = A[..., 3:, 3:] = skew(xi[..., 3:])
    A[..., :3, 3:] = skew(xi[..., :3])
    return A


def _powers(xi: Array) -> tuple[Array, Array, list[Array]]:
    A = _adjoint(xi)
    A2 = A @ A
    return A, np.sum(xi[..., 3:] ** 2, axis=-1), [A2, A2 @ A, A2 @ A2]


def _sum(factors: list[Array], matrices: list[Array]) -> Array:
    return sum(f[..., None, None] * M for f, M in zip(factors, matrices))


def _coefficients(u: Array) -> tuple[list[Array], list[Array]]:
    """What A, A^2, A^3, A^4 are multiplied with in J, and the derivatives of that with respect to u."""
    (b, db, ddb), (c, dc, ddc) = _jets(u)
    return [b - u * db, c - u * dc, -db, -dc], [-u * ddb, -u * ddc, -ddb, -ddc]


def _jets(u: Array) -> tuple[list[Array], list[Array]]:
    """[b, b', b''] and [c, c', c''].

    Away from zero: a' = (cos - a) / 2u, a'' = -(a/2 + 3a') / 2u, b' = (a/2 - b) / u, b'' = (a'/2 - 2b') / u,
    c' = -(a' + c) / u, c'' = -(a'' + 2c') / u.
    """
    small, near, far, theta = series_branches(u)
    sine, half = np.sin(theta), np.sin(0.5 * theta)
    a = sine / theta
    da = (np.cos(theta) - a) / (2.0 * far)
    dda = -(0.5 * a + 3.0 * da) / (2.0 * far)
    b = 2.0 * half * half / far
    db = (0.5 * a - b) / far
    c = (theta - sine) / (far * theta)
    dc = -(da + c) / far
    direct = [[b, db, (0.5 * da - 2.0 * db) / far], [c, dc, -(dda + 2.0 * dc) / far]]
    jets = []
    for series, values in zip((B_SERIES, C_SERIES), direct):
        jet = []
        for value in values:
            jet.append(np.where(small, polynomial(series, near), value))
            series = [k * coefficient for k, coefficient in enumerate(series)][1:]
        jets.append(jet)
    return jets[0], jets[1]
