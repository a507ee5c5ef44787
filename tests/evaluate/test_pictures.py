"""Figures of pictures on made-up answers whose figures are known."""

import numpy as np
import pytest

from neurok.evaluate import pictures
from neurok.generate.pictures.heads import PictureHeads
from neurok.training.pictures.examples import PictureFacts
from neurok.training.pictures.features import FeatureTable

KINDS = ("fan", "pot", "pen", "door")


def test_calibration_is_the_gap_between_chance_and_hits():
    chance, hit = np.array([0.91, 0.93, 0.55, 0.55]), np.array([True, False, True, True])
    assert pictures.measure_calibration(chance, hit) == pytest.approx((0.84 + 0.90) / 4)
    assert pictures.measure_calibration(np.full(10, 0.7), np.arange(10) < 7) == pytest.approx(0.0)


def test_kinds_are_counted_over_pictures_that_have_a_program():
    heads = PictureHeads({}, KINDS, (), 1.0, 1.0, 0.0)
    names = ("a-0", "b-1", "c-2")
    table = FeatureTable(names, np.eye(3, dtype=np.float16), np.arange(3), np.zeros(3, dtype=np.int64))
    learned = FeatureTable(("fan-0", "pen-1"), np.eye(3, dtype=np.float16)[:2], np.arange(2), np.zeros(2, np.int64))
    right = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=bool)
    chance = np.array([[0.7, 0.1, 0.1, 0.1], [0.4, 0.3, 0.2, 0.1], [0.9, 0.1, 0.0, 0.0]])
    facts = tuple(PictureFacts(name, 0, np.zeros((1, 2)), (), np.ones(3)) for name in names)
    found = pictures.measure_kinds(
        pictures.PictureSet("x", np.zeros((3, 9)), chance, table, facts, right), heads, learned
    )
    assert (found["pictures"], found["without_a_program"]) == (2, 1)
    assert (found["first"], found["among_three"], found["by_chance"]) == (0.5, 1.0, 0.25)
    assert found["nearest_picture"] == 0.5 and found["sure"] == 0.5 and found["sure_right"] == 1.0


def test_the_commonest_answer_is_a_baseline():
    rows = [
        PictureFacts("fan", s, np.zeros((1, 2)), (("blades", "count", n),), np.ones(3)) for s, n in enumerate("334")
    ]
    assert pictures.find_commonest(rows) == {("fan", "blades", "count"): "3"}
