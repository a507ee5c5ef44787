"""Rotations as vectors, matrices and quaternions, for numpy arrays and torch tensors alike.

A rotation vector phi turns by theta = |phi| about phi. With u = theta^2 all maps are
power series in u, so they are smooth at zero and can be differentiated there:

    R   = exp([phi]) = cos(theta) 1 + a [phi] + b phi phi^T,
    J_l = 1 + b [phi] + c [phi]^2,       omega_world = J_l phi_dot,
    a = sin(theta) / theta,  b = (1 - cos(theta)) / u,  c = (1 - a) / u.

Quaternions are (w, x, y, z). Every function is batched over leading dimensions.
"""

import sys
from math import factorial
from typing import Any, TypeAlias

import numpy as np

from neurok.geometry.arrays import Array

# Either numpy.ndarray or torch.Tensor; torch is never imported here.
Tensorlike: TypeAlias = Any

SERIES_BELOW = 0.25  # of u; eight terms then hold values and two derivatives to round-off
SERIES_TERM_COUNT = 8
A_SERIES = [(-1.0) ** k / factorial(2 * k + 1) for k in range(SERIES_TERM_COUNT)]
B_SERIES = [(-1.0) ** k / factorial(2 * k + 2) for k in range(SERIES_TERM_COUNT)]
C_SERIES = [(-1.0) ** k / factorial(2 * k + 3) for k in range(SERIES_TERM_COUNT)]


def array_module(*arrays: Tensorlike) -> Any:
    """The library the arrays belong to: torch if any of them is a tensor, else numpy."""
    torch = sys.modules.get("torch")
    if torch is not None and any(isinstance(array, torch.Tensor) for array in arrays):
        return torch
    return np


def as_floating(array: Tensorlike) -> Tensorlike:
    """The array with a floating type; lists and integers become float64."""
    if array_module(array) is not np:
        return array if array.is_floating_point() else array.double()
    array = np.asarray(array)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)


def evaluate_polynomial(coefficients: list[float], u: Tensorlike) -> Tensorlike:
    """sum_k coefficients[k] u^k."""
    value = coefficients[-1] + 0.0 * u
    for coefficient in reversed(coefficients[:-1]):
        value = value * u + coefficient
    return value


def identity_like(array: Tensorlike, size: int) -> Tensorlike:
    """The identity matrix [size, size] in the array's library, type and device."""
    xp = array_module(array)
    return np.eye(size, dtype=array.dtype) if xp is np else xp.eye(size, dtype=array.dtype, device=array.device)


# ---------------------------------------------------------------- rotation vectors


def skew(w: Tensorlike) -> Tensorlike:
    """[w] with [w] x = w cross x; w [..., 3] -> [..., 3, 3]."""
    w = as_floating(w)
    xp = array_module(w)
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    o = 0.0 * x
    return xp.stack([o, -z, y, z, o, -x, -y, x, o], -1).reshape(w.shape[:-1] + (3, 3))


def series_branches(u: Tensorlike) -> tuple[Any, Tensorlike, Tensorlike, Tensorlike]:
    """Where the series holds, u there (else 0), and u elsewhere (else 1) with its root: no branch meets a pole."""
    xp = array_module(u)
    small = u < SERIES_BELOW
    near = xp.where(small, u, xp.zeros_like(u))
    far = xp.where(small, xp.ones_like(u), u)
    return small, near, far, xp.sqrt(far)


def sine_ratios(u: Tensorlike) -> tuple[Tensorlike, Tensorlike]:
    """a = sin(theta)/theta and b = (1 - cos(theta))/theta^2 as smooth functions of u = theta^2."""
    xp = array_module(u)
    small, near, far, theta = series_branches(u)
    half = xp.sin(0.5 * theta)
    a = xp.where(small, evaluate_polynomial(A_SERIES, near), xp.sin(theta) / theta)
    b = xp.where(small, evaluate_polynomial(B_SERIES, near), 2.0 * half * half / far)
    return a, b


def _c(u: Tensorlike) -> Tensorlike:
    """c = (theta - sin(theta)) / theta^3 as a smooth function of u = theta^2."""
    xp = array_module(u)
    small, near, far, theta = series_branches(u)
    return xp.where(small, evaluate_polynomial(C_SERIES, near), (theta - xp.sin(theta)) / (far * theta))


def rotation(phi: Tensorlike) -> Tensorlike:
    """exp([phi]), the rotation by |phi| [rad] about phi; [..., 3] -> [..., 3, 3]. Smooth at zero."""
    phi = as_floating(phi)
    u = (phi * phi).sum(-1)
    a, b = (s[..., None, None] for s in sine_ratios(u))
    outer = phi[..., :, None] * phi[..., None, :]
    return (1.0 - b * u[..., None, None]) * identity_like(phi, 3) + a * skew(phi) + b * outer


def rotation_vector(R: Tensorlike) -> Tensorlike:
    """The shortest phi with rotation(phi) = R, |phi| <= pi; [..., 3, 3] -> [..., 3]. Safe near 0 and pi."""
    return quaternion_log(quaternion_from_matrix(R))


def left_jacobian(phi: Tensorlike) -> Tensorlike:
    """J_l with omega_world = J_l(phi) phi_dot for R = exp([phi]); [..., 3] -> [..., 3, 3]."""
    phi = as_floating(phi)
    u = (phi * phi).sum(-1)
    K = skew(phi)
    return identity_like(phi, 3) + sine_ratios(u)[1][..., None, None] * K + _c(u)[..., None, None] * (K @ K)


def _differentiate(coefficients: list[float]) -> list[float]:
    return [k * coefficient for k, coefficient in enumerate(coefficients)][1:]


def _ab_jets(u: Tensorlike) -> tuple[list[Tensorlike], list[Tensorlike]]:
    """[a, a', a''] and [b, b', b''] with respect to u.

    Away from zero: a' = (cos - a) / 2u, a'' = -(a/2 + 3a') / 2u, b' = (a/2 - b) / u, b'' = (a'/2 - 2b') / u.
    """
    small, near, far, theta = series_branches(u)
    jets = []
    for series in (A_SERIES, B_SERIES):
        first = _differentiate(series)
        jets.append([evaluate_polynomial(s, near) for s in (series, first, _differentiate(first))])
    a = np.sin(theta) / theta
    da = (np.cos(theta) - a) / (2.0 * far)
    b = 2.0 * np.sin(0.5 * theta) ** 2 / far
    db = (0.5 * a - b) / far
    direct = [[a, da, -(0.5 * a + 3.0 * da) / (2.0 * far)], [b, db, (0.5 * da - 2.0 * db) / far]]
    a_jet, b_jet = ([np.where(small, s, d) for s, d in zip(*pair)] for pair in zip(jets, direct))
    return a_jet, b_jet


def rotation_jet(phi: Array, psi: Array) -> tuple[Array, Array, Array]:
    """R, dR/ds, d^2R/ds^2 of s -> rotation(phi + s psi) at s = 0, in closed form (numpy).

    phi, psi [..., 3], broadcast against each other -> three [..., 3, 3].
    """
    phi, psi = np.broadcast_arrays(as_floating(phi), as_floating(psi))
    u = np.sum(phi * phi, axis=-1)
    du = (2.0 * np.sum(phi * psi, axis=-1))[..., None, None]
    ddu = (2.0 * np.sum(psi * psi, axis=-1))[..., None, None]
    a_jet, b_jet = _ab_jets(u)
    a, da, dda = (s[..., None, None] for s in a_jet)
    b, db, ddb = (s[..., None, None] for s in b_jet)
    K, dK = skew(phi), skew(psi)
    KK, dKK, ddKK = K @ K, K @ dK + dK @ K, 2.0 * dK @ dK
    R = np.eye(3) + a * K + b * KK
    dR = da * du * K + a * dK + db * du * KK + b * dKK
    ddR = (
        (dda * du**2 + da * ddu) * K
        + 2.0 * da * du * dK
        + (ddb * du**2 + db * ddu) * KK
        + 2.0 * db * du * dKK
        + b * ddKK
    )
    return R, dR, ddR


# ---------------------------------------------------------------- quaternions


def quaternion_multiply(p: Tensorlike, q: Tensorlike) -> Tensorlike:
    """p q: first q, then p; [..., 4]."""
    p, q = as_floating(p), as_floating(q)
    xp = array_module(p, q)
    pw, px, py, pz = (p[..., i] for i in range(4))
    qw, qx, qy, qz = (q[..., i] for i in range(4))
    return xp.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        -1,
    )


def quaternion_conjugate(q: Tensorlike) -> Tensorlike:
    """(w, -x, -y, -z), the inverse of a unit quaternion; [..., 4]."""
    q = as_floating(q)
    return array_module(q).concatenate([q[..., :1], -q[..., 1:]], -1)


def quaternion_normalise(q: Tensorlike) -> Tensorlike:
    """q / |q|; a zero quaternion becomes the identity; [..., 4]."""
    q = as_floating(q)
    xp = array_module(q)
    # The greatest component goes first, so that neither tiny nor huge quaternions leave the number range.
    size = xp.abs(q).max(-1)
    size = (size if xp is np else size.values)[..., None]
    identity = identity_like(q, 4)[0]
    q = xp.where(size > 0, q, identity) / xp.where(size > 0, size, xp.ones_like(size))
    return q / xp.sqrt((q * q).sum(-1))[..., None]


def quaternion_rotate(q: Tensorlike, x: Tensorlike) -> Tensorlike:
    """x turned by the unit quaternion q: x + 2 v cross (v cross x + w x); [..., 4], [..., 3] -> [..., 3]."""
    q, x = as_floating(q), as_floating(x)
    w, v = q[..., :1], q[..., 1:]
    return x + 2.0 * _cross(v, _cross(v, x) + w * x)


def quaternion_to_matrix(q: Tensorlike) -> Tensorlike:
    """The rotation matrix of a unit quaternion; [..., 4] -> [..., 3, 3]."""
    q = as_floating(q)
    xp = array_module(q)
    w, x, y, z = (q[..., i] for i in range(4))
    rows = [
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    ]  # fmt: skip
    return xp.stack(rows, -1).reshape(q.shape[:-1] + (3, 3))


def quaternion_from_matrix(R: Tensorlike) -> Tensorlike:
    """The unit quaternion with w >= 0 of a rotation matrix; [..., 3, 3] -> [..., 4].

    Row i of the symmetric matrix 4 q q^T is linear in R and equals 4 q_i q; of the
    four, the one with the greatest q_i^2 (at least 1/4) loses no digits.
    """
    R = as_floating(R)
    xp = array_module(R)
    (a, b, c), (d, e, f), (g, h, i) = (tuple(R[..., j, k] for k in range(3)) for j in range(3))
    wx, wy, wz, xy, xz, yz = h - f, c - g, d - b, b + d, c + g, f + h
    diagonal = xp.stack([1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i], -1)
    ww, xx, yy, zz = (diagonal[..., k] for k in range(4))
    rows = [ww, wx, wy, wz, wx, xx, xy, xz, wy, xy, yy, yz, wz, xz, yz, zz]
    rows = xp.stack(rows, -1).reshape(R.shape[:-2] + (4, 4))
    # Picked by a product with a row of the identity, which torch can batch and differentiate.
    choice = identity_like(R, 4)[diagonal.argmax(-1)]
    q = (choice[..., None] * rows).sum(-2)
    q = q / xp.sqrt((q * q).sum(-1))[..., None]
    return xp.where(q[..., :1] < 0.0, -q, q)


def quaternion_log(q: Tensorlike) -> Tensorlike:
    """The rotation vector of a unit quaternion, |phi| <= pi; [..., 4] -> [..., 3]."""
    q = as_floating(q)
    xp = array_module(q)
    q = xp.where(q[..., :1] < 0.0, -q, q)
    w, v = q[..., 0], q[..., 1:]
    s = (v * v).sum(-1)
    small = s < 1e-3
    root = xp.sqrt(xp.where(small, xp.ones_like(s), s))
    # 2 asin(|v|) / |v| = 2 (1 + s/6 + 3 s^2/40 + 15 s^3/336 + 105 s^4/3456 + ...): smooth at the identity.
    near = evaluate_polynomial([2.0, 1 / 3, 3 / 20, 5 / 56, 35 / 576, 63 / 1408], xp.where(small, s, xp.zeros_like(s)))
    return v * xp.where(small, near, 2.0 * xp.arctan2(root, w) / root)[..., None]


def quaternion_slerp(p: Tensorlike, q: Tensorlike, t: Tensorlike) -> Tensorlike:
    """From p (t = 0) to q (t = 1) along the shorter arc at constant speed; p, q [..., 4], t scalar or [...]."""
    p, q = as_floating(p), as_floating(q)
    xp = array_module(p, q)
    t = t[..., None] if getattr(t, "ndim", 0) else t
    q = xp.where((p * q).sum(-1)[..., None] < 0.0, -q, q)
    chord = ((p - q) ** 2).sum(-1)[..., None]
    small = chord < 1e-10  # there the chord equals the arc to round-off
    omega = 2.0 * xp.arcsin(0.5 * xp.sqrt(xp.where(small, xp.ones_like(chord), chord)))
    sine = xp.sin(omega)
    start = xp.where(small, 1.0 - t + 0.0 * chord, xp.sin((1.0 - t) * omega) / sine)
    end = xp.where(small, t + 0.0 * chord, xp.sin(t * omega) / sine)
    return quaternion_normalise(start * p + end * q)


def _cross(a: Tensorlike, b: Tensorlike) -> Tensorlike:
    xp = array_module(a, b)
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)
