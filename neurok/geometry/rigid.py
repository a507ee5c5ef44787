"""Rigid motions as twists, 4x4 matrices and dual quaternions, for numpy arrays and torch tensors alike.

A twist is xi = (v, w): exp_twist(xi) = [[exp([w]), J_l(w) v], [0, 1]]. A dual
quaternion is (r, d), eight numbers, r the unit quaternion of the rotation and
d = t r / 2 for the translation t. Rotations themselves are in `rotation` and
can be taken from here too. Every function is batched over leading dimensions.
"""

import numpy as np

from neurok.geometry.rotation import (
    Tensorlike,
    array_module,
    as_floating,
    evaluate_polynomial,
    identity_like,
    left_jacobian,
    quaternion_conjugate,
    quaternion_from_matrix,
    quaternion_log,
    quaternion_multiply,
    quaternion_normalise,
    quaternion_rotate,
    quaternion_slerp,
    quaternion_to_matrix,
    rotation,
    rotation_jet,
    rotation_vector,
    series_branches,
    sine_ratios,
    skew,
)

__all__ = [
    "apply",
    "array_module",
    "compose",
    "dual_apply",
    "dual_blend",
    "dual_conjugate",
    "dual_from_rigid",
    "dual_multiply",
    "dual_normalise",
    "dual_to_rigid",
    "exp_twist",
    "from_parts",
    "inverse",
    "left_jacobian",
    "log_twist",
    "quaternion_conjugate",
    "quaternion_from_matrix",
    "quaternion_log",
    "quaternion_multiply",
    "quaternion_normalise",
    "quaternion_rotate",
    "quaternion_slerp",
    "quaternion_to_matrix",
    "rigid_from_points",
    "rotation",
    "rotation_jet",
    "rotation_vector",
    "skew",
]

# (1 - (theta/2) cot(theta/2)) / theta^2 in powers of u: |B_2n| / (2n)!
E_SERIES = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]


def from_parts(R: Tensorlike, t: Tensorlike) -> Tensorlike:
    """The rigid motion x -> R x + t; [..., 3, 3], [..., 3] -> [..., 4, 4]."""
    R, t = as_floating(R), as_floating(t)
    xp = array_module(R, t)
    lead = np.broadcast_shapes(tuple(R.shape[:-2]), tuple(t.shape[:-1]))
    top = xp.concatenate([xp.broadcast_to(R, lead + (3, 3)), xp.broadcast_to(t, lead + (3,))[..., None]], -1)
    return xp.concatenate([top, xp.broadcast_to(identity_like(R, 4)[3:], lead + (1, 4))], -2)


def inverse(T: Tensorlike) -> Tensorlike:
    """The inverse of a rigid motion, [..., 4, 4]."""
    T = as_floating(T)
    Rt = T[..., :3, :3].swapaxes(-1, -2)
    return from_parts(Rt, -(Rt @ T[..., :3, 3:])[..., 0])


def compose(*motions: Tensorlike) -> Tensorlike:
    """The product of motions [..., 4, 4], the last one acting first."""
    result = as_floating(motions[0])
    for motion in motions[1:]:
        result = result @ as_floating(motion)
    return result


def apply(T: Tensorlike, x: Tensorlike) -> Tensorlike:
    """Points carried by motions: T [4, 4] carries all of x [..., 3]; T [..., 4, 4] broadcasts against x."""
    T, x = as_floating(T), as_floating(x)
    if T.ndim == 2:
        return x @ T[:3, :3].swapaxes(0, 1) + T[:3, 3]
    return (T[..., :3, :3] @ x[..., None])[..., 0] + T[..., :3, 3]


def exp_twist(xi: Tensorlike) -> Tensorlike:
    """The rigid motion of a twist (v, w), [..., 6] -> [..., 4, 4]. Smooth at zero."""
    xi = as_floating(xi)
    v, w = xi[..., :3], xi[..., 3:]
    return from_parts(rotation(w), (left_jacobian(w) @ v[..., None])[..., 0])


def log_twist(T: Tensorlike) -> Tensorlike:
    """The twist (v, w) with exp_twist = T and |w| <= pi; [..., 4, 4] -> [..., 6].

    v = (1 - [w]/2 + e [w]^2) t,  e = (1 - a / 2b) / u.
    """
    T = as_floating(T)
    xp = array_module(T)
    w = rotation_vector(T[..., :3, :3])
    u = (w * w).sum(-1)
    small, near, far, _ = series_branches(u)
    a, b = sine_ratios(far)
    e = xp.where(small, evaluate_polynomial(E_SERIES, near), (1.0 - a / (2.0 * b)) / far)[..., None, None]
    K = skew(w)
    v = (identity_like(T, 3) - 0.5 * K + e * (K @ K)) @ T[..., :3, 3:]
    return xp.concatenate([v[..., 0], w], -1)


# ---------------------------------------------------------------- dual quaternions


def dual_from_rigid(T: Tensorlike) -> Tensorlike:
    """The dual quaternion of a rigid motion, scalar of the real part >= 0; [..., 4, 4] -> [..., 8]."""
    T = as_floating(T)
    xp = array_module(T)
    real = quaternion_from_matrix(T[..., :3, :3])
    t = xp.concatenate([xp.zeros_like(real[..., :1]), T[..., :3, 3]], -1)
    return xp.concatenate([real, 0.5 * quaternion_multiply(t, real)], -1)


def _dual_translation(dual: Tensorlike) -> Tensorlike:
    return 2.0 * quaternion_multiply(dual[..., 4:], quaternion_conjugate(dual[..., :4]))[..., 1:]


def dual_to_rigid(dual: Tensorlike) -> Tensorlike:
    """The rigid motion of a unit dual quaternion; [..., 8] -> [..., 4, 4]."""
    dual = as_floating(dual)
    return from_parts(quaternion_to_matrix(dual[..., :4]), _dual_translation(dual))


def dual_multiply(p: Tensorlike, q: Tensorlike) -> Tensorlike:
    """p q: first q, then p; [..., 8]."""
    p, q = as_floating(p), as_floating(q)
    real = quaternion_multiply(p[..., :4], q[..., :4])
    dual = quaternion_multiply(p[..., :4], q[..., 4:]) + quaternion_multiply(p[..., 4:], q[..., :4])
    return array_module(p, q).concatenate([real, dual], -1)


def dual_conjugate(dual: Tensorlike) -> Tensorlike:
    """Both quaternions conjugated: the inverse of a unit dual quaternion; [..., 8]."""
    dual = as_floating(dual)
    halves = [quaternion_conjugate(dual[..., :4]), quaternion_conjugate(dual[..., 4:])]
    return array_module(dual).concatenate(halves, -1)


def dual_normalise(dual: Tensorlike) -> Tensorlike:
    """Real part of unit norm, dual part orthogonal to it; [..., 8]."""
    dual = as_floating(dual)
    xp = array_module(dual)
    real, rest = dual[..., :4], dual[..., 4:]
    size = xp.sqrt((real * real).sum(-1))[..., None]
    real, rest = real / size, rest / size
    return xp.concatenate([real, rest - real * (real * rest).sum(-1)[..., None]], -1)


def dual_apply(dual: Tensorlike, x: Tensorlike) -> Tensorlike:
    """Points carried by unit dual quaternions; [..., 8], [..., 3] -> [..., 3]."""
    dual = as_floating(dual)
    return quaternion_rotate(dual[..., :4], x) + _dual_translation(dual)


def dual_blend(duals: Tensorlike, weights: Tensorlike) -> Tensorlike:
    """The normalised sum of weighted dual quaternions; [..., k, 8], [..., k] -> [..., 8].

    q and -q are the same motion, so each term is first flipped to agree with the one of greatest weight.
    """
    duals, weights = as_floating(duals), as_floating(weights)
    xp = array_module(duals, weights)
    leader = identity_like(weights, weights.shape[-1])[weights.argmax(-1)]
    lead = (leader[..., None] * duals[..., :4]).sum(-2)[..., None, :]
    agree = (duals[..., :4] * lead).sum(-1) >= 0.0
    signed = xp.where(agree, weights, -weights)
    return dual_normalise((signed[..., None] * duals).sum(-2))


# ---------------------------------------------------------------- fitting


def rigid_from_points(source: Tensorlike, target: Tensorlike, weights: Tensorlike | None = None) -> Tensorlike:
    """The rigid motion T that minimises sum_i w_i |T source_i - target_i|^2; [..., m, 3] twice -> [..., 4, 4].

    weights: [..., m], not negative, not all zero. The rotation is proper even for
    mirrored or flat sets (Kabsch).
    """
    source, target = as_floating(source), as_floating(target)
    xp = array_module(source, target)
    weights = xp.ones_like(source[..., 0]) if weights is None else as_floating(weights)
    w = (weights / weights.sum(-1)[..., None])[..., None]
    from_centre, to_centre = (w * source).sum(-2), (w * target).sum(-2)
    covariance = (w * (target - to_centre[..., None, :])).swapaxes(-1, -2) @ (source - from_centre[..., None, :])
    U, _, Vt = xp.linalg.svd(covariance)
    proper = xp.sign(xp.linalg.det(U @ Vt))[..., None]
    U = xp.concatenate([U[..., :2], U[..., 2:] * proper[..., None]], -1)
    R = U @ Vt
    return from_parts(R, to_centre - (R @ from_centre[..., None])[..., 0])
