"""Leeway: a hinge seated wrongly, a slide that leans, and the true ones in the span of what mends them."""

import numpy as np
import pytest

from neurok.kinematics.leeway import AGAIN, LAST, MOST, MOVES, PRICE, leeway
from neurok.kinematics.modes import Modes

CENTRE = np.random.default_rng(0).uniform(-0.4, 0.4, (8, 3))
PART = np.arange(8) < 5
ALONE = np.arange(8)  # every handle a group of its own


def _turn(axis, pivot) -> np.ndarray:
    return np.concatenate([np.cross(pivot, axis), axis])


def _modes(*twists, parts=None) -> tuple[Modes, np.ndarray]:
    """One mode for each twist (v, w), of the handles of PART unless parts are given; and their gates."""
    parts = [PART] * len(twists) if parts is None else parts
    twist = np.stack([np.where(part[:, None], t, 0.0) for t, part in zip(twists, parts)], axis=1)
    gate = np.stack(parts, axis=1).astype(float)
    return Modes(twist, np.ones((len(twists), 2)), np.ones(len(twists))), gate


def _left_over(true, modes, more) -> float:
    """The share of a motion of PART that no state of both takes part in, to first order."""
    A = np.concatenate([modes.twist, more.twist], axis=1).swapaxes(1, 2).reshape(48, -1)
    b = np.where(PART[:, None], true, 0.0).reshape(48)
    return float(np.linalg.norm(A @ np.linalg.lstsq(A, b, rcond=None)[0] - b) / np.linalg.norm(b))


def _first(more, count) -> Modes:
    return Modes(more.twist[:, :count], more.sides[:count], more.support[:count])


@pytest.mark.parametrize("axis", [np.array([0, 0, 1.0]), np.array([0.6, 0, 0.8])])
def test_a_hinge_beside_its_frame_can_be_mended(axis):
    modes, gate = _modes(0.5 * _turn(axis, np.array([0.5, 0.1, 0.0])))
    true = _turn(axis, np.array([-0.3, 0.4, 0.2]))
    more, doubt, mends = leeway(modes, gate, ALONE, CENTRE, 8)
    assert more.count == 5 and mends.tolist() == [0] * 5
    assert doubt.tolist() == [PRICE, AGAIN, LAST, LAST, LAST] and AGAIN < PRICE < LAST
    assert _left_over(true, modes, _first(more, 2)) < 1e-12 < 0.1 < _left_over(true, modes, modes)
    assert np.all(more.twist[~PART] == 0)  # and nothing else moves


@pytest.mark.parametrize("seen", [0.5 * _turn(np.array([0, 0, 1.0]), np.array([0.5, 0.1, 0])), np.eye(6)[0]])
def test_a_hinge_that_leans_or_is_taken_for_a_slide_can_be_mended(seen):
    modes, gate = _modes(seen)
    true = _turn(np.array([0.3, -0.2, 0.9]), np.array([0.4, 0.2, 0.1]))
    more, _, _ = leeway(modes, gate, ALONE, CENTRE, 8)
    assert _left_over(true, modes, more) < 1e-12 < 0.1 < _left_over(true, modes, _first(more, 2))


def test_a_slide_that_leans_can_be_mended():
    modes, gate = _modes(np.array([0.3, 0.05, 0, 0, 0, 0]))
    more, _, _ = leeway(modes, gate, ALONE, CENTRE, 8)
    assert _left_over(np.array([1.0, 0, 0, 0, 0, 0]), modes, more) < 1e-12
    assert np.abs(more.twist[PART][:, :2, :3] @ [0.3, 0.05, 0]).max() < 1e-12


def test_a_part_has_leeway_once_and_what_hardly_moves_has_none():
    turn, slide = _turn(np.array([0, 0, 1.0]), np.zeros(3)), np.array([0, 0, 0.3, 0, 0, 0])
    modes, gate = _modes(turn, slide, 0.01 * MOVES * slide, slide, parts=[PART, PART, ~PART, ~PART])
    more, _, mends = leeway(modes, gate, ALONE, CENTRE, 10)
    assert mends.tolist() == [0, 0, 3, 3, 0, 0, 0, 3, 3, 3]
    first = mends == 0
    for part, own in ((PART, first), (~PART, ~first)):
        assert np.abs(more.twist[part][:, own]).max() > 0 == np.abs(more.twist[part][:, ~own]).max()


@pytest.mark.parametrize("room, expected", [(0, 0), (3, 3), (50, MOST)])
def test_there_is_no_more_of_it_than_room(room, expected):
    slides = [np.array([0.3, 0, 0, 0, 0, 0])] * 8
    modes, gate = _modes(*slides, parts=[np.arange(8) == i for i in range(8)])
    more, doubt, mends = leeway(modes, gate, ALONE, CENTRE, room)
    assert len(mends) == expected
    assert more.twist.shape == (8, expected, 6) and more.sides.shape == (expected, 2) and len(doubt) == expected


def test_handles_of_one_rigid_group_go_together():
    modes, gate = _modes(np.array([0.3, 0, 0, 0, 0, 0]))
    group = np.array([0, 0, 0, 1, 1, 1, 1, 2])  # two of the second group's four follow: a half is not most
    more, _, _ = leeway(modes, gate, group, CENTRE, 8)
    assert np.all((np.abs(more.twist).max(axis=(1, 2)) > 0) == (group == 0))
