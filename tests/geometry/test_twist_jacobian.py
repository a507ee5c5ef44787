"""Motions of twists, their left Jacobians and the rates of these: against exponentials of larger matrices."""

import numpy as np
import pytest
from scipy.linalg import expm, expm_frechet

from neurok.geometry.rotation import SERIES_BELOW, skew
from neurok.geometry.twist_jacobian import COMPLEX_STEP, TwistMotion, twist_motion

SWITCH = np.sqrt(SERIES_BELOW)  # the angle at which series end [rad]
ANGLES = [0.0, 1e-9, 1e-4, 0.1, SWITCH - 1e-9, SWITCH, SWITCH + 1e-9, 1.5, np.pi - 1e-7, np.pi, 4.0, 2 * np.pi, 9.0]


def drawn(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """A twist (v, w) of this angle [rad], and one along which it changes."""
    v, w, *along = np.random.default_rng(3).normal(size=(4, 3))
    return np.concatenate([v, angle * w / np.linalg.norm(w)]), np.concatenate(along)


def motion_of(xi: np.ndarray) -> TwistMotion:
    """The motion of one twist [6], without the axis of many."""
    found = twist_motion(xi[:, None])
    return TwistMotion(found.X[..., 0], found.J[..., 0])


def rates(xi: np.ndarray, eta: np.ndarray) -> TwistMotion:
    """X and J and how they change along eta, as an imaginary step tells it."""
    found = motion_of(xi + 1j * COMPLEX_STEP * eta)
    return TwistMotion(found.X.imag / COMPLEX_STEP, found.J.imag / COMPLEX_STEP)


def matrix(xi: np.ndarray) -> np.ndarray:
    """[xi], [4, 4]."""
    hat = np.zeros((4, 4))
    hat[:3, :3], hat[:3, 3] = skew(xi[3:]), xi[:3]
    return hat


def adjoint(xi: np.ndarray) -> np.ndarray:
    """How twists change along the motion of xi, [6, 6]."""
    return np.block([[skew(xi[3:]), skew(xi[:3])], [np.zeros((3, 3)), skew(xi[3:])]])


def augmented(xi: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """[[A, corner], [0, 0]]: with the identity as its corner, the exponential holds sum_n A^n / (n + 1)! there."""
    return np.block([[adjoint(xi), corner], [np.zeros((6, 12))]])


@pytest.mark.parametrize("angle", ANGLES)
def test_motion_is_the_matrix_exponential(angle):
    xi, _ = drawn(angle)
    np.testing.assert_allclose(motion_of(xi).X, expm(matrix(xi))[:3], atol=1e-13)


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobian_is_the_derivative_of_the_exponential(angle):
    xi, eta = drawn(angle)
    rate = expm_frechet(matrix(xi), matrix(eta))[1]  # dX = [J d_xi] X
    np.testing.assert_allclose(matrix(motion_of(xi).J @ eta) @ expm(matrix(xi)), rate, atol=1e-12)
    np.testing.assert_allclose(rates(xi, eta).X, rate[:3], atol=1e-12)


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobian_and_its_rate_are_those_of_its_series(angle):
    xi, eta = drawn(angle)
    J, dJ = expm_frechet(augmented(xi, np.eye(6)), augmented(eta, np.zeros((6, 6))))
    np.testing.assert_allclose(motion_of(xi).J, J[:6, 6:], atol=1e-12)
    np.testing.assert_allclose(rates(xi, eta).J, dJ[:6, 6:], atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, SWITCH, 3.0, 7.0])
def test_rate_equals_differences_of_the_jacobian(angle):
    xi, eta = drawn(angle)
    s = 1e-5
    slope = (motion_of(xi + s * eta).J - motion_of(xi - s * eta).J) / (2 * s)
    np.testing.assert_allclose(rates(xi, eta).J, slope, atol=1e-8)


def test_a_complex_twist_moves_as_a_real_one():
    for angle in ANGLES:
        xi, eta = drawn(angle)
        real, beside = motion_of(xi), motion_of(xi + 1j * COMPLEX_STEP * eta)
        np.testing.assert_allclose(beside.X.real, real.X, atol=1e-14)
        np.testing.assert_allclose(beside.J.real, real.J, atol=1e-14)


def test_many_twists_at_once_are_each_alone():
    xi, eta = np.array([drawn(angle) for angle in ANGLES]).transpose(1, 2, 0)  # small and large ones mixed
    xi = xi + 1j * COMPLEX_STEP * eta
    together = twist_motion(xi)
    assert together.X.shape == (3, 4, len(ANGLES)) and together.J.shape == (6, 6, len(ANGLES))
    for index in range(len(ANGLES)):
        alone = motion_of(xi[:, index])
        for name in ("X", "J"):
            mine, its = getattr(together, name)[..., index], getattr(alone, name)
            np.testing.assert_allclose(mine.real, its.real, atol=1e-14, err_msg=name)
            np.testing.assert_allclose(mine.imag / COMPLEX_STEP, its.imag / COMPLEX_STEP, atol=1e-13, err_msg=name)
