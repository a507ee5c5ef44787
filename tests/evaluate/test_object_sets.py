import numpy as np
import pytest
from scipy.spatial import cKDTree

from neurok.evaluate.object_sets import (
    PointedObject,
    compare_sets,
    find_nearest_share,
    measure_distances,
    measure_overlap,
    prepare_real,
)
from tests.generate.learned.toy_layouts import make_layout


def _point(offset: float, slide: float = 0.5) -> PointedObject:
    layout = make_layout({}, {"parent": 0, "joint": 2, "axis": (1, 0, 0), "limits": (0, slide)})
    cloud = np.array([[0.0, 0.0, offset], [1.0, 0.0, offset]])
    return PointedObject("", "box", layout, cloud, np.array([0, 1]))


def test_the_distance_is_the_mean_of_chamfer_distances_over_states():
    a, b = [_point(0.0).list_trees()], [_point(0.0, slide=0.1).list_trees()]
    gaps = (0.5 - 0.1) * np.linspace(0, 1, 5)  # of the moving one of two points, there and back
    assert measure_distances(a, b)[0, 0] == pytest.approx(np.mean(gaps**2))
    assert measure_distances(a, a)[0, 0] == 0.0
    direct = cKDTree(_point(3.0).cloud)
    assert measure_distances([[direct]], [[cKDTree(_point(0.0).cloud)]])[0, 0] == pytest.approx(18.0)


def test_a_set_compared_with_itself_and_with_a_far_one():
    real = prepare_real([_point(0.0), _point(1.0), _point(2.0), _point(3.0)])
    near = compare_sets([_point(0.01), _point(1.01), _point(2.01), _point(3.01)], real)
    assert near.cov == 1.0 and near.mmd == pytest.approx(2e-4) and near.nna == 0.0  # below a half: copies
    far = compare_sets([_point(9.0), _point(9.1)], real)
    assert far.cov == 0.25 and far.nna == 1.0 and far.mmd > 10.0


def test_the_nearest_share_counts_both_sets():
    gg, rr = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 5.0], [5.0, 0.0]])
    gr = np.array([[2.0, 3.0], [2.0, 3.0]])
    assert find_nearest_share(gg, gr, rr) == 0.5  # drawn ones lie near each other, real ones near drawn ones


def test_overlap_of_boxes_in_closed_form():
    half = (0.5, 0.5, 0.5)
    pair = make_layout(
        {"half": (2, 2, 2)},
        {"parent": 0, "joint": 2, "half": half, "axis": (1, 0, 0), "limits": (0, 0)},
        {"parent": 0, "joint": 2, "half": half, "centre": (0.5, 0, 0), "axis": (1, 0, 0), "limits": (0, 0)},
    )
    assert measure_overlap(pair, siblings=True) == pytest.approx(1 / 3, abs=0.02)
    inner = 1 / 64
    assert measure_overlap(pair, siblings=False) == pytest.approx((1 / 3 + 2 * inner) / 3, abs=0.02)
    alone = make_layout({}, {"parent": 0, "joint": 2, "axis": (1, 0, 0), "limits": (0, 1)})
    assert measure_overlap(alone, siblings=True) is None
