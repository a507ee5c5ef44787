"""Rotations: group axioms, round trips at the hard places, derivatives, numpy and torch alike."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

from neurok.geometry import rotation as ro

close = partial(np.testing.assert_allclose, rtol=0.0)
EYE = np.eye(3)
# On both sides of the switch between series and closed form, at zero, at pi and beyond.
ANGLES = [0.0, 1e-200, 1e-12, 1e-8, 1e-4, 0.1, 0.4999999, 0.5000001, 1.0, 3.0, np.pi - 1e-9, np.pi, 4.0, 2 * np.pi, 9.0]

vectors = arrays(np.float64, 3, elements=st.floats(-4.0, 4.0))
quaternions = arrays(np.float64, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 1e-3)


def axes(count, seed=0):
    a = np.random.default_rng(seed).normal(size=(count, 3))
    return a / np.linalg.norm(a, axis=1, keepdims=True)


def unit(q):
    return q / np.linalg.norm(q)


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_is_the_matrix_exponential(angle):
    for axis in axes(5):
        close(ro.rotation(angle * axis), expm(ro.skew(angle * axis)), atol=2e-13)


@given(vectors)
@settings(max_examples=100)
def test_rotations_are_proper_and_keep_their_axis(phi):
    R = ro.rotation(phi)
    close(R @ R.T, EYE, atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)
    close(R @ phi, phi, atol=1e-13)
    close(ro.rotation(-phi), R.T, atol=1e-15)


def test_skew_is_the_cross_product():
    a, b = np.random.default_rng(1).normal(size=(2, 7, 3))
    close((ro.skew(a) @ b[..., None])[..., 0], np.cross(a, b), atol=1e-15)
    close(ro._cross(a, b), np.cross(a, b), atol=1e-15)


@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-12, 1e-8, 1e-5, 0.01, 0.063, 0.064, 1.0, 3.0, 3.1415])
def test_log_undoes_exp_to_round_off_of_the_angle(angle):
    phi = angle * axes(20)
    back = ro.rotation_vector(ro.rotation(phi))
    assert np.max(np.linalg.norm(back - phi, axis=1)) <= 1e-12 * angle


@pytest.mark.parametrize("short", [0.0, 1e-15, 1e-12, 1e-8, 1e-4])
def test_log_near_a_half_turn(short):
    phi = (np.pi - short) * np.concatenate([axes(20), EYE, -EYE, [[0.6, 0.8, 0.0]]])
    back = ro.rotation_vector(ro.rotation(phi))
    close(np.linalg.norm(back, axis=1), np.pi - short, atol=1e-14)
    # A half turn is its own opposite.
    error = np.minimum(np.linalg.norm(back - phi, axis=1), np.linalg.norm(back + phi, axis=1))
    assert error.max() < 1e-13
    if short >= 1e-12:
        close(back, phi, atol=1e-13)


@given(vectors)
@settings(max_examples=100)
def test_log_is_the_shortest_vector(phi):
    back = ro.rotation_vector(ro.rotation(phi))
    assert np.linalg.norm(back) <= np.pi + 1e-14
    close(ro.rotation(back), ro.rotation(phi), atol=1e-14)


# ---------------------------------------------------------------- derivatives


def nested(f, x, v):
    """f, its first and its second derivative at x along v, by nested forward mode."""
    x, v = torch.as_tensor(x), torch.as_tensor(v)

    def first(y):
        return torch.func.jvp(f, (y,), (v,))

    (value, slope), (_, bend) = torch.func.jvp(first, (x,), (v,))
    return value.numpy(), slope.numpy(), bend.numpy()


@pytest.mark.parametrize("angle", ANGLES)
def test_jet_equals_nested_forward_mode(angle):
    rng = np.random.default_rng(2)
    for axis in axes(4):
        psi = rng.normal(size=3)
        expected = nested(ro.rotation, angle * axis, psi)
        for closed, automatic in zip(ro.rotation_jet(angle * axis, psi), expected):
            close(closed, automatic, atol=1e-12)


def test_second_derivative_at_zero_is_the_square():
    psi = np.array([0.3, -1.2, 0.7])
    K = ro.skew(psi)
    for values in (ro.rotation_jet(np.zeros(3), psi), nested(ro.rotation, np.zeros(3), psi)):
        for got, expected in zip(values, (EYE, K, K @ K)):
            close(got, expected, atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 0.3, 0.5, 2.0])
def test_jet_against_central_differences(angle):
    phi, psi, h = angle * axes(1)[0], np.array([0.4, 0.2, -0.9]), 1e-4
    ahead, here, behind = (ro.rotation(phi + s * psi) for s in (h, 0.0, -h))
    R, dR, ddR = ro.rotation_jet(phi, psi)
    close(R, here, atol=1e-15)
    close(dR, (ahead - behind) / (2 * h), atol=1e-8)
    close(ddR, (ahead - 2 * here + behind) / h**2, atol=1e-6)


def test_jet_is_batched_over_directions():
    phi, psi = np.array([0.1, 0.2, 0.3]), np.random.default_rng(3).normal(size=(2, 4, 3))
    together = ro.rotation_jet(phi, psi)
    for index in np.ndindex(2, 4):
        for many, one in zip(together, ro.rotation_jet(phi, psi[index])):
            close(many[index], one, atol=1e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_left_jacobian_gives_the_angular_velocity(angle):
    """omega_world = J_l phi_dot, where [omega] = R_dot R^T."""
    phi, rate = angle * axes(1, seed=4)[0], np.array([-0.5, 0.8, 0.1])
    R, dR, _ = ro.rotation_jet(phi, rate)
    close(dR @ R.T, ro.skew(ro.left_jacobian(phi) @ rate), atol=1e-13)


def test_log_is_differentiable_at_the_identity():
    J = torch.func.jacfwd(lambda x: ro.rotation_vector(ro.rotation(x)))
    for phi in (torch.zeros(3), torch.tensor([0.3, 0.1, -2.0]), torch.tensor([1e-9, 0.0, 0.0])):
        close(J(phi.double()), EYE, atol=1e-12)


def test_reverse_mode_at_zero_is_finite():
    phi = torch.zeros(5, 3, dtype=torch.float64, requires_grad=True)
    ro.rotation(phi)[:, 0, 1].sum().backward()
    close(phi.grad, np.tile([0.0, 0.0, -1.0], (5, 1)), atol=1e-15)


# ---------------------------------------------------------------- quaternions


@given(quaternions, quaternions, quaternions, vectors)
@settings(max_examples=100)
def test_quaternions_are_a_group_of_rotations(p, q, r, x):
    p, q, r = unit(p), unit(q), unit(r)
    one = np.array([1.0, 0.0, 0.0, 0.0])
    times, matrix = ro.quaternion_multiply, ro.quaternion_to_matrix
    close(times(times(p, q), r), times(p, times(q, r)), atol=1e-14)
    close(times(p, one), p)
    close(times(p, ro.quaternion_conjugate(p)), one, atol=1e-15)
    close(matrix(times(p, q)), matrix(p) @ matrix(q), atol=1e-14)
    close(ro.quaternion_rotate(p, x), matrix(p) @ x, atol=1e-13)


@given(quaternions)
@settings(max_examples=200)
def test_matrix_and_back_with_positive_scalar(q):
    q = unit(q)
    back = ro.quaternion_from_matrix(ro.quaternion_to_matrix(q))
    assert back[0] >= 0.0
    close(back * np.sign(back @ q), q, atol=1e-14)
    assert np.linalg.norm(back) == pytest.approx(1.0, abs=1e-15)


def test_the_four_cases_of_the_matrix():
    for axis in EYE:
        for angle in (np.pi, np.pi - 1e-7, 2.5, 1e-9, 0.0):
            q = np.append(np.cos(angle / 2), np.sin(angle / 2) * axis)
            back = ro.quaternion_from_matrix(ro.quaternion_to_matrix(q))
            close(np.abs(back), np.abs(q), atol=1e-15)
    np.testing.assert_array_equal(ro.quaternion_from_matrix(np.diag([-1.0, 1.0, -1.0])), [0, 0, 1, 0])


def test_quaternion_log_is_the_rotation_vector():
    for angle in (1e-200, 1e-9, 0.05, 0.07, 1.0, 3.1):
        phi = angle * axes(5)
        half = np.concatenate([np.full((5, 1), np.cos(angle / 2)), np.sin(angle / 2) * axes(5)], axis=1)
        for sign in (1.0, -1.0):
            close(ro.quaternion_log(sign * half), phi, rtol=1e-13, atol=1e-300)


def test_slerp_runs_the_shorter_arc_at_constant_speed():
    axis = axes(1)[0]

    def turn(angle):
        return np.append(np.cos(angle / 2), np.sin(angle / 2) * axis)

    t = np.linspace(0.0, 1.0, 7)
    for end in (1e-9, 1e-5, 3e-5, 0.5, 3.0):
        path = ro.quaternion_slerp(turn(0.2), -turn(0.2 + end), t)
        expected = np.stack([turn(0.2 + s * end) for s in t])
        close(path, expected, atol=1e-14)
    long_way = ro.quaternion_slerp(turn(0.0), turn(5.0), 0.5)
    close(ro.quaternion_log(long_way), 0.5 * (5.0 - 2 * np.pi) * axis, atol=1e-13)


def test_normalise_keeps_direction_at_every_size():
    q = np.array([1.0, -2.0, 2.0, 4.0])
    for size in (1e-300, 1e-20, 1.0, 1e200):
        close(ro.quaternion_normalise(size * q), q / 5.0, rtol=1e-14)
    np.testing.assert_array_equal(ro.quaternion_normalise(np.zeros((2, 4))), [[1, 0, 0, 0]] * 2)


# ---------------------------------------------------------------- numpy and torch

phi_batch = np.concatenate([np.zeros((1, 3)), 1e-9 * axes(2), 2.0 * axes(3)]).reshape(2, 3, 3)
q_batch = ro.quaternion_from_matrix(ro.rotation(phi_batch))
CALLS = {
    "skew": (phi_batch,),
    "rotation": (phi_batch,),
    "left_jacobian": (phi_batch,),
    "rotation_vector": (ro.rotation(phi_batch),),
    "quaternion_multiply": (q_batch, q_batch[::-1]),
    "quaternion_conjugate": (q_batch,),
    "quaternion_normalise": (3.0 * q_batch,),
    "quaternion_rotate": (q_batch, phi_batch),
    "quaternion_to_matrix": (q_batch,),
    "quaternion_from_matrix": (ro.rotation(phi_batch),),
    "quaternion_log": (q_batch,),
    "quaternion_slerp": (q_batch, q_batch[::-1], np.full((2, 3), 0.3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_torch_agrees_with_numpy_and_batches(name):
    function, arguments = getattr(ro, name), CALLS[name]
    expected = function(*arguments)
    tensors = [torch.from_numpy(a.copy()) for a in arguments]
    close(function(*tensors), expected, atol=1e-14)
    mapped = torch.func.vmap(function)(*tensors)
    close(mapped, expected, atol=1e-14)
    for index in np.ndindex(2, 3):
        close(function(*(a[index] for a in arguments)), expected[index], atol=1e-15)
    single = function(*(t.float() for t in tensors))
    assert single.dtype == torch.float32
    close(single, expected, atol=2e-6)
    assert function(*(a.astype(np.float32) for a in arguments)).dtype == np.float32


def test_lists_and_integers_are_taken_as_floats():
    close(ro.rotation([0, 0, 0]), EYE)
    assert ro.quaternion_normalise(np.array([2, 0, 0, 0])).dtype == np.float64
    assert ro.skew(torch.tensor([1, 2, 3])).dtype == torch.float64
