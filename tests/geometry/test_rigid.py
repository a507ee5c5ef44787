"""Rigid motions: twists against the matrix exponential, dual quaternions against matrices, fits against optima."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

from neurok.geometry import rigid

close = partial(np.testing.assert_allclose, rtol=0.0)
twists = arrays(np.float64, 6, elements=st.floats(-2.0, 2.0))
ANGLES = [0.0, 1e-12, 1e-6, 0.1, 0.4999999, 0.5000001, 1.5, 3.0, np.pi - 1e-8]


def random_motions(*shape, seed=0):
    return rigid.exp_twist(np.random.default_rng(seed).normal(size=(*shape, 6)))


def hat(xi):
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = rigid.skew(xi[3:]), xi[:3]
    return matrix


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_twist_is_the_matrix_exponential_and_log_undoes_it(angle):
    rng = np.random.default_rng(1)
    for _ in range(5):
        w = rng.normal(size=3)
        xi = np.concatenate([rng.normal(size=3), angle * w / np.linalg.norm(w)])
        T = rigid.exp_twist(xi)
        close(T, expm(hat(xi)), atol=2e-13)
        close(rigid.log_twist(T), xi, atol=2e-13)


@given(twists, twists, twists)
@settings(max_examples=50)
def test_motions_are_a_group(a, b, c):
    A, B, C = (rigid.exp_twist(x) for x in (a, b, c))
    close(rigid.compose(A, B, C), A @ (B @ C), atol=1e-12)
    close(A @ rigid.inverse(A), np.eye(4), atol=1e-14)
    close(rigid.inverse(A @ B), rigid.inverse(B) @ rigid.inverse(A), atol=1e-13)
    close(rigid.exp_twist(-a), rigid.inverse(A), atol=1e-13)


def test_twists_differentiate_twice_at_rest():
    xi = torch.tensor([0.3, -0.4, 1.0, 0.2, 0.9, -0.5], dtype=torch.float64)
    one = torch.ones((), dtype=torch.float64)

    def slope(s):
        return torch.func.jvp(lambda t: rigid.exp_twist(t * xi), (s,), (one,))[1]

    first, second = torch.func.jvp(slope, (0.0 * one,), (one,))
    H = hat(xi.numpy())
    close(first, H, atol=1e-15)
    close(second, H @ H, atol=1e-15)
    J = torch.func.jacfwd(lambda x: rigid.log_twist(rigid.exp_twist(x)))
    close(J(torch.zeros(6, dtype=torch.float64)), np.eye(6), atol=1e-14)
    close(J(xi), np.eye(6), atol=1e-13)


def test_apply_broadcasts():
    T, x = random_motions(3, 1), np.random.default_rng(2).normal(size=(5, 3))
    moved = rigid.apply(T, x)
    assert moved.shape == (3, 5, 3)
    for i in range(3):
        close(rigid.apply(T[i, 0], x), moved[i], atol=1e-15)
        for j in range(5):
            close((T[i, 0] @ np.append(x[j], 1.0))[:3], moved[i, j], atol=1e-14)


def test_from_parts_broadcasts_rotation_and_translation():
    T = rigid.from_parts(np.eye(3), np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(T[:, 3], [[0, 0, 0, 1]] * 2)
    np.testing.assert_array_equal(rigid.apply(T, np.zeros(3)), [[0, 1, 2], [3, 4, 5]])


# ---------------------------------------------------------------- dual quaternions


@given(twists, twists, arrays(np.float64, 3, elements=st.floats(-3.0, 3.0)))
@settings(max_examples=100)
def test_dual_quaternions_are_the_rigid_group(a, b, x):
    A, B = rigid.exp_twist(a), rigid.exp_twist(b)
    p, q = rigid.dual_from_rigid(A), rigid.dual_from_rigid(B)
    assert (
        p[0] >= 0 and np.dot(p[:4], p[:4]) == pytest.approx(1.0) and np.dot(p[:4], p[4:]) == pytest.approx(0, abs=1e-14)
    )
    close(rigid.dual_to_rigid(p), A, atol=1e-13)
    close(rigid.dual_to_rigid(rigid.dual_multiply(p, q)), A @ B, atol=1e-12)
    close(rigid.dual_to_rigid(rigid.dual_conjugate(p)), rigid.inverse(A), atol=1e-13)
    close(rigid.dual_apply(p, x), rigid.apply(A, x), atol=1e-12)
    close(rigid.dual_to_rigid(-p), A, atol=1e-13)


def test_normalise_restores_a_unit_dual_quaternion():
    q = rigid.dual_from_rigid(random_motions(4))
    spoiled = 2.5 * q
    spoiled[:, 4:] += 0.7 * q[:, :4]
    close(rigid.dual_normalise(spoiled), q, atol=1e-14)


def test_blend_ignores_signs_and_keeps_single_motions():
    duals = rigid.dual_from_rigid(random_motions(6, 4, seed=3))
    weights = np.random.default_rng(4).dirichlet(np.ones(4), size=6)
    signs = np.random.default_rng(5).choice([-1.0, 1.0], size=(6, 4, 1))
    plain, flipped = (rigid.dual_to_rigid(rigid.dual_blend(d, weights)) for d in (duals, signs * duals))
    close(plain, flipped, atol=1e-13)
    close(plain[:, :3, :3] @ plain[:, :3, :3].swapaxes(1, 2), np.tile(np.eye(3), (6, 1, 1)), atol=1e-13)
    alone = rigid.dual_blend(duals, np.eye(4)[[2] * 6])
    close(rigid.dual_to_rigid(alone), rigid.dual_to_rigid(duals[:, 2]), atol=1e-13)
    same = np.repeat(duals[:, :1], 4, axis=1)
    close(rigid.dual_blend(same, weights), duals[:, 0], atol=1e-13)


def test_blend_follows_the_leader_where_terms_disagree():
    """Two turns of +170 and -170 degrees are 20 degrees apart: half way between them lies 180, not 0."""
    turns = rigid.exp_twist(np.deg2rad([[0, 0, 0, 0, 0, 170.0], [0, 0, 0, 0, 0, -170.0]]))
    middle = rigid.dual_to_rigid(rigid.dual_blend(rigid.dual_from_rigid(turns), np.array([0.5, 0.5])))
    close(middle, np.diag([-1.0, -1.0, 1.0, 1.0]), atol=1e-14)


def test_blend_of_translations_is_their_mean_and_of_half_a_turn_half_the_screw():
    shifts = np.tile(np.eye(4), (3, 1, 1))
    shifts[:, :3, 3] = np.random.default_rng(6).normal(size=(3, 3))
    weights = np.array([0.2, 0.5, 0.3])
    mean = rigid.dual_to_rigid(rigid.dual_blend(rigid.dual_from_rigid(shifts), weights))
    close(mean[:3, 3], weights @ shifts[:, :3, 3], atol=1e-15)
    screw = np.array([0.4, -0.3, 0.2, 0.1, 1.0, 0.5])
    ends = rigid.dual_from_rigid(np.stack([np.eye(4), rigid.exp_twist(screw)]))
    half = rigid.dual_to_rigid(rigid.dual_blend(ends, np.array([0.5, 0.5])))
    close(half, rigid.exp_twist(0.5 * screw), atol=1e-14)


# ---------------------------------------------------------------- fits


def test_kabsch_recovers_a_motion_and_is_batched():
    T = random_motions(4, seed=7)
    source = np.random.default_rng(8).normal(size=(4, 9, 3))
    target = rigid.apply(T[:, None], source)
    close(rigid.rigid_from_points(source, target), T, atol=1e-13)
    flat = source * [1.0, 1.0, 0.0]  # in a plane a mirror fits as well as a turn: only the turn will do
    found = rigid.rigid_from_points(flat, rigid.apply(T[:, None], flat))
    close(found, T, atol=1e-13)


def test_kabsch_is_proper_on_mirrored_and_degenerate_points():
    source = np.random.default_rng(9).normal(size=(20, 3))
    for points in (source, 0.0 * source, source[:1], source[:, :1] * [[1.0, 2.0, 3.0]]):
        T = rigid.rigid_from_points(points, -points)
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)
        close(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-13)


def test_kabsch_is_the_weighted_optimum():
    rng = np.random.default_rng(10)
    source, target, weights = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)), rng.random(12)

    def misfit(T):
        return np.sum(weights * np.sum((rigid.apply(T, source) - target) ** 2, axis=1))

    T = rigid.rigid_from_points(source, target, weights)
    for xi in 1e-3 * rng.normal(size=(50, 6)):
        assert misfit(rigid.exp_twist(xi) @ T) > misfit(T)
    weights[5:] = 0.0
    close(
        rigid.rigid_from_points(source, target, weights),
        rigid.rigid_from_points(source[:5], target[:5], weights[:5]),
        atol=1e-13,
    )


# ---------------------------------------------------------------- numpy and torch

T_batch = np.concatenate([np.eye(4)[None], random_motions(5, seed=11)]).reshape(2, 3, 4, 4)
dual_batch = rigid.dual_from_rigid(T_batch)
x_batch = np.random.default_rng(12).normal(size=(2, 3, 3))
CALLS = {
    "inverse": (T_batch,),
    "compose": (T_batch, T_batch[::-1], T_batch),
    "apply": (T_batch, x_batch),
    "exp_twist": (rigid.log_twist(T_batch),),
    "log_twist": (T_batch,),
    "dual_from_rigid": (T_batch,),
    "dual_to_rigid": (dual_batch,),
    "dual_multiply": (dual_batch, dual_batch[::-1]),
    "dual_conjugate": (dual_batch,),
    "dual_normalise": (2.0 * dual_batch,),
    "dual_apply": (dual_batch, x_batch),
    "dual_blend": (dual_batch, np.tile([0.2, 0.5, 0.3], (2, 1))),
    "rigid_from_points": (
        np.random.default_rng(13).normal(size=(2, 5, 3)),
        np.random.default_rng(14).normal(size=(2, 5, 3)),
        np.random.default_rng(15).random((2, 5)),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_torch_agrees_with_numpy_and_batches(name):
    function, arguments = getattr(rigid, name), CALLS[name]
    expected = function(*arguments)
    tensors = [torch.from_numpy(a.copy()) for a in arguments]
    close(function(*tensors), expected, atol=1e-13)
    close(torch.func.vmap(function)(*tensors), expected, atol=1e-13)
    for i in range(2):
        close(function(*(a[i] for a in arguments)), expected[i], atol=1e-14)
    assert function(*(t.float() for t in tensors)).dtype == torch.float32
    assert function(*(a.astype(np.float32) for a in arguments)).dtype == np.float32


def test_every_public_name_is_there():
    for name in rigid.__all__:
        assert callable(getattr(rigid, name))
