"""Axis correction: a hinge seated wrongly, a slide that leans, and the true ones in the span of the corrections."""

import numpy as np
import pytest

from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.learned.axis_correction import CORRECTIONS, correct_axes, correction_penalties
from neurok.kinematics.learned.modes import Modes
from neurok.kinematics.learned.options import LearnedOptions

CENTRE = np.random.default_rng(0).uniform(-0.4, 0.4, (8, 3))
PART = np.arange(8) < 5
ALONE = np.arange(8)  # every handle a part of its own
OPTIONS = LearnedOptions()
METRIC = HandleMetric(np.full(8, 1 / 8), CENTRE, np.tile(1e-3 * np.eye(3), (8, 1, 1)))


def _turn(axis, pivot) -> np.ndarray:
    return np.concatenate([np.cross(pivot, axis), axis])


def _modes(*twists, parts=None) -> Modes:
    """One mode for each twist (v, w), of the handles of PART unless parts are given."""
    parts = [PART] * len(twists) if parts is None else parts
    twist = np.stack([np.where(part[:, None], t, 0.0) for t, part in zip(twists, parts)], axis=1)
    follows, count = np.stack(parts, axis=1).astype(float), len(twists)
    return Modes(twist, np.ones((count, 2)), np.ones(count), follows, np.full(count, -1))


def _correct(modes: Modes, room: int, group=ALONE) -> Modes:
    return correct_axes(METRIC, modes, group, room, OPTIONS)


def _left_over(true, modes, more) -> float:
    """The share of a motion of PART that no state of both takes part in, to first order."""
    A = np.concatenate([modes.twist, more.twist], axis=1).swapaxes(1, 2).reshape(48, -1)
    b = np.where(PART[:, None], true, 0.0).reshape(48)
    return float(np.linalg.norm(A @ np.linalg.lstsq(A, b, rcond=None)[0] - b) / np.linalg.norm(b))


def _first(more, count) -> Modes:
    return more.take(slice(count))


@pytest.mark.parametrize("axis", [np.array([0, 0, 1.0]), np.array([0.6, 0, 0.8])])
def test_a_hinge_beside_its_frame_can_be_corrected(axis):
    modes = _modes(0.5 * _turn(axis, np.array([0.5, 0.1, 0.0])))
    true = _turn(axis, np.array([-0.3, 0.4, 0.2]))
    more = _correct(modes, 8)
    assert more.count == 5 and more.corrects.tolist() == [0] * 5
    unlikely = OPTIONS.unlikely_penalty
    assert correction_penalties(more.corrects, OPTIONS).tolist() == [*CORRECTIONS.shift_penalty, *[unlikely] * 3]
    assert CORRECTIONS.shift_penalty[1] < CORRECTIONS.shift_penalty[0] < unlikely
    assert _left_over(true, modes, _first(more, 2)) < 1e-12 < 0.1 < _left_over(true, modes, modes)
    assert np.all(more.twist[~PART] == 0)  # and nothing else moves


@pytest.mark.parametrize("seen", [0.5 * _turn(np.array([0, 0, 1.0]), np.array([0.5, 0.1, 0])), np.eye(6)[0]])
def test_a_hinge_that_leans_or_is_taken_for_a_slide_can_be_corrected(seen):
    modes = _modes(seen)
    true = _turn(np.array([0.3, -0.2, 0.9]), np.array([0.4, 0.2, 0.1]))
    more = _correct(modes, 8)
    assert _left_over(true, modes, more) < 1e-12 < 0.1 < _left_over(true, modes, _first(more, 2))


def test_a_slide_that_leans_can_be_corrected():
    modes = _modes(np.array([0.3, 0.05, 0, 0, 0, 0]))
    more = _correct(modes, 8)
    assert _left_over(np.array([1.0, 0, 0, 0, 0, 0]), modes, more) < 1e-12
    assert np.abs(more.twist[PART][:, :2, :3] @ [0.3, 0.05, 0]).max() < 1e-12


def test_a_part_is_corrected_once_and_what_hardly_moves_has_none():
    turn, slide = _turn(np.array([0, 0, 1.0]), np.zeros(3)), np.array([0, 0, 0.3, 0, 0, 0])
    modes = _modes(turn, slide, 0.01 * OPTIONS.min_motion * slide, slide, parts=[PART, PART, ~PART, ~PART])
    more = _correct(modes, 10)
    mends = more.corrects
    assert mends.tolist() == [0, 0, 3, 3, 0, 0, 0, 3, 3, 3]
    first = mends == 0
    for part, own in ((PART, first), (~PART, ~first)):
        assert np.abs(more.twist[part][:, own]).max() > 0 == np.abs(more.twist[part][:, ~own]).max()


@pytest.mark.parametrize("room, expected", [(0, 0), (3, 3), (50, CORRECTIONS.count)])
def test_there_is_no_more_of_it_than_room(room, expected):
    slides = [np.array([0.3, 0, 0, 0, 0, 0])] * 8
    modes = _modes(*slides, parts=[np.arange(8) == i for i in range(8)])
    more = _correct(modes, room)
    assert more.count == expected
    assert more.twist.shape == (8, expected, 6) and more.extent.shape == (expected, 2)


def test_handles_of_one_rigid_part_go_together():
    modes = _modes(np.array([0.3, 0, 0, 0, 0, 0]))
    group = np.array([0, 0, 0, 1, 1, 1, 1, 2])  # two of the second group's four follow: a half is not most
    more = _correct(modes, 8, group)
    assert np.all((np.abs(more.twist).max(axis=(1, 2)) > 0) == (group == 0))
