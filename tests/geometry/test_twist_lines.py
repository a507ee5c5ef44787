"""Many motions along lines of their twists: against the matrices of `twist_jacobian`, one formula against another."""

import numpy as np
import pytest

from neurok.geometry.twist_jacobian import COMPLEX_STEP, cross, twist_motion
from neurok.geometry.twist_lines import SERIES_REACH, follow_twists

SWITCH = np.sqrt(SERIES_REACH)  # the angle at which series end [rad]
ANGLES = np.array([0.0, 1e-9, 1e-4, 0.1, 0.5, 1.0, SWITCH - 1e-9, SWITCH, SWITCH + 1e-9, np.pi, 4.0, 2 * np.pi, 9.0])


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Twists of all angles with an imaginary step along others, [6, n], and P with one along dP, [3, 4, n]."""
    rng = np.random.default_rng(seed)
    xi, eta = rng.normal(size=(2, 6, len(ANGLES)))
    xi[3:] *= ANGLES / np.linalg.norm(xi[3:], axis=0)
    P, dP = rng.normal(size=(2, 3, 4, len(ANGLES)))
    return xi + 1j * COMPLEX_STEP * eta, P + 1j * COMPLEX_STEP * dP


def assert_same(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.real, wanted.real, atol=1e-12)
    np.testing.assert_allclose(found.imag / COMPLEX_STEP, wanted.imag / COMPLEX_STEP, atol=2e-11)


@pytest.mark.parametrize("seed", [0, 1])
def test_motions_and_what_acts_on_them_are_those_of_the_jacobian(seed):
    z, P = draw(seed)
    found, wanted = follow_twists(z), twist_motion(z)
    assert_same(found.X, wanted.X)
    wrench = np.concatenate([P[:, 3], cross(wanted.X, P).sum(axis=1)])
    assert_same(found.pull_back(P), (wanted.J * wrench[:, None]).sum(axis=0))


def test_small_turns_alone_are_as_exact_as_among_great_ones():
    """Fewer terms of the series do for them."""
    z, P = draw(2)
    for count in (1, 3, 6):
        few, all_of_them = follow_twists(z[:, :count]), follow_twists(z)
        assert_same(few.X, all_of_them.X[..., :count])
        assert_same(few.pull_back(P[..., :count]), all_of_them.pull_back(P)[:, :count])
