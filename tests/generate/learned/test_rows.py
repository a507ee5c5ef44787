import numpy as np

from neurok.generate.learned.layout import MAX_PARTS, name_kind, order_parts
from neurok.generate.learned.rows import LAYOUT_WIDTH, read_rows, write_rows
from tests.generate.learned.toy_layouts import make_layout

CABINET = make_layout(
    {"half": (0.6, 0.4, 0.7)},
    {"parent": 0, "joint": 1, "centre": (0.3, -0.4, 0), "half": (0.3, 0.02, 0.7), "axis": (0, 0, 1),
     "pivot": (0.6, -0.4, 0), "limits": (0, 1.5)},
    {"parent": 1, "joint": 3, "centre": (0.1, -0.45, 0), "half": (0.03, 0.03, 0.03), "axis": (0, 1, 0),
     "pivot": (0.1, -0.45, 0), "limits": (-np.pi, np.pi)},
)  # fmt: skip


def test_a_layout_comes_back_from_its_rows():
    found = read_rows(write_rows(CABINET), np.zeros((MAX_PARTS, 4)))
    assert found is not None
    np.testing.assert_array_equal(found.parent, CABINET.parent)
    np.testing.assert_array_equal(found.joint, CABINET.joint)
    for name in ("centre", "half", "axis", "pivot", "limits"):
        np.testing.assert_allclose(getattr(found, name), getattr(CABINET, name), atol=1e-12)
    assert found.code.shape == (3, 4)


def test_what_is_drawn_is_a_tree_or_nothing():
    rng = np.random.default_rng(0)
    kept = 0
    for _ in range(200):
        found = read_rows(rng.normal(size=(MAX_PARTS, LAYOUT_WIDTH)), np.zeros((MAX_PARTS, 0)))
        if found is None:
            continue
        kept += 1
        assert found.parent[0] == -1 and np.all(found.parent[1:] < np.arange(1, found.count))
        assert np.all(found.parent[1:] >= 0) and np.all(found.half > 0)
        np.testing.assert_allclose(np.linalg.norm(found.axis[1:], axis=1), 1.0)
        assert np.all(found.limits[:, 0] <= 0) and np.all(found.limits[:, 1] >= 0)
    assert kept > 20


def test_parts_with_children_come_first_in_their_level():
    parent = np.array([-1, 0, 0, 2, 0])
    order = order_parts(parent, np.array([9.0, 5.0, 1.0, 1.0, 6.0]))
    np.testing.assert_array_equal(order, [0, 2, 4, 1, 3])


def test_kinds_of_all_sources_have_one_name():
    assert name_kind("StorageFurniture") == name_kind("door_cabinet") == "cabinet"
    assert name_kind("WashingMachine") == "washing_machine"
