"""Grids, room for what moves, and ranges, on boxes with known answers."""

import numpy as np
import pytest

from neurok.generate.learned.boxes import find_colliders, find_full, pack_boxes
from neurok.generate.learned.carving import Shaped, carve_parts, find_relative, join_parts
from neurok.generate.learned.fields import mesh_grid, thin_mesh
from neurok.generate.learned.trimming import make_body, pin_hinges, shape_parts, trim_ranges
from neurok.geometry.measure import compute_volume, is_closed
from tests.generate.learned.toy_layouts import fill_boxes, make_layout

# A drawer that fills the upper half of a solid body, and comes out of its front.
DRAWER = make_layout(
    {"half": (0.5, 0.4, 0.5)},
    {"parent": 0, "joint": 2, "centre": (0, -0.05, 0.2), "half": (0.3, 0.35, 0.15), "axis": (0, -1, 0),
     "limits": (0, 0.5)},
)  # fmt: skip
# A lid on a hinge at the back, and a wall behind it that stops it at 90 degrees.
LID = make_layout(
    {"half": (0.5, 0.5, 0.3), "centre": (0, 0, -0.3)},
    {"parent": 0, "joint": 1, "centre": (0, 0, 0.02), "half": (0.5, 0.5, 0.02), "axis": (-1, 0, 0),
     "pivot": (0, 0.5, 0.0), "limits": (0, 3.0)},
    {"parent": 0, "joint": 2, "centre": (0, 0.6, 0.1), "half": (0.5, 0.05, 0.6), "axis": (0, 0, 1),
     "limits": (0, 0.05)},
)  # fmt: skip


def test_the_surface_of_a_grid_is_closed_and_has_the_volume_of_its_box():
    mesh = mesh_grid(fill_boxes(DRAWER)[0])
    assert is_closed(mesh)
    assert compute_volume(mesh) == pytest.approx(1.0 * 0.8 * 1.0, rel=0.03)
    np.testing.assert_allclose(mesh.bounds, [[-0.5, -0.4, -0.5], [0.5, 0.4, 0.5]], atol=0.01)
    assert compute_volume(thin_mesh(mesh, 300)) == pytest.approx(0.8, rel=0.05)


def test_a_body_is_hollowed_where_its_drawer_goes():
    layout, grids = DRAWER, fill_boxes(DRAWER)
    assert make_body(mesh_grid(grids[0])).measure_depths(np.array([[0.0, 0.0, 0.2]]))[0] > 0.1
    shaped = carve_parts(join_parts(layout, grids))
    body = make_body(mesh_grid(shaped.grids[0]))
    drawer = mesh_grid(shaped.grids[1]).vertices
    for T in find_relative(layout, 0, 1):
        depth = body.measure_depths(drawer @ T[:3, :3].T + T[:3, 3])
        assert depth.max() < 0.01  # half a percent of the diagonal of two units, as the check allows
    assert body.mesh.bounds[1, 2] == pytest.approx(0.5, abs=0.01)  # the rest of the body stays


def test_a_part_that_floats_is_moved_to_its_parent():
    far = make_layout(
        {},
        {"parent": 0, "joint": 2, "centre": (0, -0.7, 0), "half": (0.1, 0.1, 0.1), "axis": (0, -1, 0),
         "limits": (0, 0.01)},
    )  # fmt: skip
    joined = join_parts(far, fill_boxes(far))
    assert joined.layout.centre[1, 1] == pytest.approx(-0.6, abs=0.02)
    lost = make_layout({}, {"parent": 0, "joint": 2, "centre": (0, -2.0, 0), "axis": (0, -1, 0), "limits": (0, 1)})
    assert join_parts(lost, fill_boxes(lost)) is None


def test_a_range_ends_where_the_part_meets_another():
    grids = fill_boxes(LID)
    meshes = pin_hinges(LID, [mesh_grid(grid) for grid in grids])
    found = trim_ranges(Shaped(LID, tuple(grids)), meshes)
    assert found is not None
    step = 3.0 / 8
    assert np.pi / 2 - 2.1 * step < found.layout.limits[1, 1] <= np.pi / 2 + 0.05


def test_shaped_parts_keep_their_number():
    found = shape_parts(DRAWER, fill_boxes(DRAWER))
    assert found is not None and len(found.meshes) == 2 and found.layout.joint[1] == 2
    assert 0.2 < found.layout.limits[1, 1] <= 0.5


def test_boxes_cover_full_cells_once():
    full = np.zeros((6, 5, 4), dtype=bool)
    full[:, :2], full[:2] = True, True
    count = np.zeros(full.shape, dtype=int)
    for lower, upper in pack_boxes(full):
        count[tuple(slice(a, b) for a, b in zip(lower, upper))] += 1
    np.testing.assert_array_equal(count, full)


def test_colliders_of_a_hollow_part_leave_it_hollow():
    shaped = carve_parts(join_parts(DRAWER, fill_boxes(DRAWER)))
    assert find_full(shaped.grids[0].values).any()
    pieces = find_colliders(mesh_grid(shaped.grids[0]), shaped.grids[0])
    inside = [np.all((piece.bounds[0] < (0, 0, 0.2)) & (piece.bounds[1] > (0, 0, 0.2))) for piece in pieces]
    assert pieces and not any(inside)
