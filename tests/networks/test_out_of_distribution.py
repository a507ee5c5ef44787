"""How far a shape is from training shapes: ordered as it should be, stable, refused where it is damaged."""

import numpy as np
import pytest

from neurok.data import procedural
from neurok.errors import InputError
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box, icosphere
from neurok.networks.out_of_distribution import (
    NEIGHBOUR_COUNT,
    TABLE,
    ReferenceShapes,
    describe_mesh,
    descriptor_names,
    score_mesh,
)
from neurok.networks.weights import SHIPPED


def _soup(seed: int = 0, count: int = 400) -> Mesh:
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(count, 1, 3)) + 0.05 * rng.normal(size=(count, 3, 3))
    return Mesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def test_the_shipped_weights_know_our_laptop_and_not_a_soup():
    laptop = procedural.make("laptop", 12345).mesh
    near, far = score_mesh(laptop, SHIPPED), score_mesh(_soup(), SHIPPED)
    assert near.share < 0.9 and near.ratio < 1
    assert far.share > 0.95 and far.distance > 2 * near.distance
    assert "expect" in far.sentence and "%" in near.sentence
    assert (SHIPPED / TABLE).stat().st_size <= 200_000


def test_training_shapes_judge_themselves_evenly():
    rng = np.random.default_rng(0)
    known = ReferenceShapes.of(rng.normal(size=(200, len(descriptor_names()))))
    shares = [known.judge(rng.normal(size=len(descriptor_names()))).share for _ in range(200)]
    assert 0.35 < np.mean(shares) < 0.65  # drawn alike, they are as strange as training shapes on average
    assert known.judge(np.full(len(descriptor_names()), 50.0)).ratio > 5


def test_turning_about_up_scale_and_place_change_little():
    mesh = box(0.3, 0.5, 0.9, cells=6)
    first = describe_mesh(mesh)
    assert len(first) == len(descriptor_names()) and np.isfinite(first).all()
    assert mesh.up == "z"
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = Mesh(7.0 * mesh.vertices @ turn.T + (1.0, 2.0, 3.0), mesh.faces, up="z")
    np.testing.assert_allclose(describe_mesh(turned), first, atol=0.12)
    assert np.abs(describe_mesh(icosphere(1.0, 3)) - first).max() > 0.3


def test_without_a_table_nothing_is_claimed(tmp_path):
    assert score_mesh(box(), tmp_path) is None


def test_a_table_comes_back_as_it_was(tmp_path):
    known = ReferenceShapes.of(np.random.default_rng(0).normal(size=(20, len(descriptor_names()))))
    known.save(tmp_path)
    again, point = ReferenceShapes.load(tmp_path), np.ones(len(descriptor_names()))
    assert again.judge(point).distance == pytest.approx(known.judge(point).distance, rel=1e-5)


def test_damaged_tables_are_refused(tmp_path):
    (tmp_path / TABLE).write_bytes(b"not a table")
    with pytest.raises(InputError, match="cannot be read"):
        ReferenceShapes.load(tmp_path)
    ReferenceShapes.of(np.random.default_rng(0).normal(size=(20, 5))).save(tmp_path)
    with pytest.raises(InputError, match="another version"):
        ReferenceShapes.load(tmp_path)
    with pytest.raises(InputError, match="too few"):
        ReferenceShapes.of(np.zeros((NEIGHBOUR_COUNT, 4)))
