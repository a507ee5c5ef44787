"""Drawn states in which parts would go through each other are drawn again."""

import numpy as np
import pytest

from neurok.articulate.valid_states import StateTrial, draw_valid_states
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import merge
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.sampling import draw_states
from tests.boxes import place_box


@pytest.fixture(scope="module")
def blocks() -> Articulated:
    """Two blocks of side 1 on one rail, at x = -2 and 2, that may each slide by 4 towards the other and beyond."""
    mesh = merge(
        [place_box(8.0, 1.0, 0.2, 0, 0, -0.7), place_box(1.0, 1.0, 1.0, -2, 0, 0), place_box(1.0, 1.0, 1.0, 2, 0, 0)]
    )
    link = np.repeat([0, 1, 2], 8)
    joints = tuple(
        Joint(f"slide_{child}", "prismatic", 0, child, np.eye(4), np.array([1.0, 0.0, 0.0]), *limits)
        for child, limits in ((1, (0.0, 4.0)), (2, (-4.0, 0.0)))
    )
    links = tuple(Link(name, np.eye(4)) for name in ("rail", "left", "right"))
    return Articulated(Articulation(mesh, link, links, joints))


def test_blocks_that_would_pass_each_other_are_told_from_those_that_do_not(blocks):
    trial = StateTrial(blocks)
    assert trial.is_clear(np.array([1.0, -1.0])) and trial.is_clear(np.array([0.0, -2.9]))
    assert not trial.is_clear(np.array([1.5, -2.0])) and not trial.is_clear(np.array([1.2, -2.3]))


def test_a_joint_goes_as_far_as_those_before_it_let_it(blocks):
    trial, state = StateTrial(blocks), np.array([2.0, -4.0])
    left, right = trial.approach(state, np.array([0, 1]))
    assert left == 2.0 and right == pytest.approx(-1.0, abs=0.02 * blocks.mesh.diagonal)
    left, right = trial.approach(state, np.array([1, 0]))
    assert right == pytest.approx(-3.0, abs=0.02 * blocks.mesh.diagonal) and left < 0.02 * blocks.mesh.diagonal
    free = np.array([1.0, -1.5])
    assert np.array_equal(trial.approach(free, np.array([1, 0])), free)


def test_draws_keep_the_blocks_apart_and_repeat(blocks):
    states = draw_valid_states(blocks, 12, seed=3)
    gap = (2 + states[:, 1]) - (-2 + states[:, 0]) - 1.0  # between the faces that look at each other
    plain = draw_states(blocks, 12, seed=3)
    assert np.any((2 + plain[:, 1]) - (-2 + plain[:, 0]) - 1.0 < -0.1)  # else nothing is tested
    assert np.all(gap > -0.01 * blocks.mesh.diagonal)
    assert np.array_equal(states, draw_valid_states(blocks, 12, seed=3))
