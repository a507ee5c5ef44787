"""A first state and its rates from eight points, where joints say what they are."""

import numpy as np
import pytest

from neurok.evaluate.boundary import choose_informative_points, measure_boundary
from neurok.files.registry import load
from neurok.opening import kinematics


def test_joints_are_found_again(cupboards):
    found = measure_boundary(kinematics(load(cupboards / "1")), motions=3)
    assert found["points"] == 8
    assert max(found[name] for name in ("state", "shape", "rates", "speed")) < 1e-3


def test_the_points_that_tell_most_see_every_coordinate():
    """Ten points that see the first coordinate and one that sees the second: that one is among the first two."""
    J = np.zeros((11, 3, 2))
    J[:10, 0, 0] = np.linspace(0.5, 1.0, 10)
    J[10, 1, 1] = 0.1
    chosen = choose_informative_points(J, 2)
    assert set(chosen) == {9, 10} and len(set(choose_informative_points(J, 11).tolist())) == 11


@pytest.mark.parametrize("count", [1, 20])
def test_no_more_points_than_there_are(count):
    assert len(choose_informative_points(np.ones((5, 3, 1)), count)) == min(count, 5)
