"""Distances and depths of convex bodies against closed forms; what a cut leaves, by volume."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurok.files.hulls import compute_convex_hull
from neurok.geometry.convex import compute_hull_distance, corners_beyond, depth_along_faces
from neurok.geometry.measure import compute_volume
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.geometry.rigid import exp_twist


def _box(size, at=(0, 0, 0), turn=(0, 0, 0)):
    T = exp_twist(np.array([0.0, 0, 0, *turn]))
    T[:3, 3] = at
    return transform(box(*size), T)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_boxes_side_by_side(scale):
    a = _box((1, 1, 1)).vertices * scale
    for gap in (1e-3, 0.1, 3.0):
        assert compute_hull_distance(a, _box((1, 1, 1), (1 + gap, 0.2, 0)).vertices * scale) == pytest.approx(
            gap * scale, rel=1e-2
        )
    assert compute_hull_distance(a, _box((0.1, 0.1, 0.1), (0.2, 0, 0)).vertices * scale) == pytest.approx(
        0.0, abs=1e-12 * scale
    )


def test_edges_that_cross_are_told_apart():
    """Two square bars, each standing on an edge, crossing at a right angle: no face's normal separates them."""
    one = _box((4, 1, 1), turn=(np.pi / 4, 0, 0))
    other = _box((1, 4, 1), (0, 0, np.sqrt(2) + 0.05), turn=(0, np.pi / 4, 0))
    assert compute_hull_distance(one.vertices, other.vertices) == pytest.approx(0.05, rel=1e-2)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_distance_agrees_with_separating_planes(seed):
    """Zero exactly where no direction separates; never less than any direction's gap."""
    rng = np.random.default_rng(seed)
    a = compute_convex_hull(rng.normal(size=(12, 3)))
    b = compute_convex_hull(rng.normal(size=(9, 3)) + rng.normal(size=3) * 2)
    found = compute_hull_distance(a.vertices, b.vertices)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    gap = ((b.vertices @ directions.T).min(axis=0) - (a.vertices @ directions.T).max(axis=0)).max()
    assert found >= 0.99 * gap
    depth, normal = depth_along_faces(a, b)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    if depth < 0:
        assert found > 0
    if found == 0:
        assert gap <= 1e-9 and depth >= 0
        moved = b.vertices + (depth + 1e-3) * normal
        assert compute_hull_distance(a.vertices, moved) > 0  # the shift takes it out


def test_depth_of_a_peg_in_a_board():
    depth, normal = depth_along_faces(_box((2, 2, 0.2)), _box((0.1, 0.1, 1), (0, 0, 0.55)))
    assert depth == pytest.approx(0.05)
    assert normal == pytest.approx([0, 0, 1])


def test_a_cut_leaves_what_lies_below():
    cube = _box((1, 1, 1))
    normal = np.array([1.0, 1.0, 0]) / np.sqrt(2)
    assert compute_volume(compute_convex_hull(corners_beyond(cube, normal, 0.0))) == pytest.approx(0.5)
    assert len(corners_beyond(cube, normal, 5.0)) == 8
    assert len(corners_beyond(cube, normal, -5.0)) == 0
