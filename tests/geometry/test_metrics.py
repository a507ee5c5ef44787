"""The deformation protocol's figures on shapes whose answers are known, and against plain searches."""

import numpy as np
import pytest

from neurok.errors import InputError
from neurok.geometry import metrics, primitives
from neurok.geometry.mesh import Mesh, merge

rng = np.random.default_rng(0)
A, B = rng.normal(size=(70, 3)), rng.normal(size=(50, 3)) + 0.2
DISTANCE = np.linalg.norm(A[:, None] - B, axis=2)


def moved(mesh, shift):
    return mesh.with_vertices(mesh.vertices + shift)


def test_chamfer_against_all_pairs():
    there, back = DISTANCE.min(axis=1), DISTANCE.min(axis=0)
    assert metrics.chamfer_l1(A, B) == pytest.approx(0.5 * (there.mean() + back.mean()), rel=1e-14)
    assert metrics.chamfer_l2(A, B) == pytest.approx(0.5 * (np.sqrt(np.mean(there**2)) + np.sqrt(np.mean(back**2))))


def test_chamfer_laws():
    for chamfer in (metrics.chamfer_l1, metrics.chamfer_l2):
        assert chamfer(A, A) == 0.0
        assert chamfer(A, B) == pytest.approx(chamfer(B, A))
        assert chamfer(3.0 * A, 3.0 * B) == pytest.approx(3.0 * chamfer(A, B))
        assert chamfer([[0, 0, 0]], [[3, 4, 0]]) == pytest.approx(5.0)
    assert metrics.chamfer_l1(A, B) <= metrics.chamfer_l2(A, B)
    # One point of two is 1 away, nobody is away from the other set: (1/2 + 0) / 2 and (sqrt(1/2) + 0) / 2.
    pair, one = [[0, 0, 0], [1, 0, 0]], [[0, 0, 0]]
    assert metrics.chamfer_l1(pair, one) == pytest.approx(0.25)
    assert metrics.chamfer_l2(pair, one) == pytest.approx(np.sqrt(0.5) / 2)


@pytest.mark.parametrize("far", [1.0, 3.0 * metrics.MAX_CELL_COORDINATE])
def test_touched_cells_are_those_of_a_plain_set(far):
    points = np.random.default_rng(0).normal(size=(2000, 3))
    points[0] *= far
    wanted = {tuple(np.floor(p / 0.5)) for p in points}
    found = metrics.touched_cells(points, 0.5)
    assert {tuple(cell) for cell in found} == wanted
    assert (len(found) == len(wanted)) == (far == 1.0)


def test_surface_iou_counts_voxels():
    a = np.array([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [1.5, 0.0, 0.0], [-0.1, 0.0, 0.0]])
    b = np.array([[0.9, 0.9, 0.9], [1.1, 0.5, 0.5], [2.5, 0.0, 0.0]])
    assert metrics.surface_iou(a, b, side=1.0) == pytest.approx(2 / 4)
    assert metrics.surface_iou(a, a) == 1.0
    assert metrics.surface_iou(a, a + 10.0) == 0.0


def test_volume_iou_of_shifted_boxes():
    """Boxes of 32 voxels a side, shifted by half: 16 of 48 layers are shared."""
    box = primitives.box(0.5, 0.5, 0.5)
    assert metrics.volume_iou(box, box) == 1.0
    assert metrics.volume_iou(box, moved(box, [0.25, 0.0, 0.0])) == pytest.approx(1 / 3, abs=1e-12)
    assert metrics.volume_iou(box, moved(box, [0.25, 0.25, 0.0])) == pytest.approx((1 / 4) / (2 - 1 / 4), abs=1e-12)
    assert metrics.volume_iou(box, moved(box, [0.0, 1.0, 0.0])) == 0.0
    assert len(metrics.inside_cells(box, metrics.VOXEL_SIDE)) == 32**3


def test_volume_of_a_ball_is_that_of_its_voxels():
    ball = primitives.icosphere(0.4, 4)
    voxels = len(metrics.inside_cells(ball, metrics.VOXEL_SIDE)) * metrics.VOXEL_SIDE**3
    assert voxels == pytest.approx(4 / 3 * np.pi * 0.4**3, rel=5e-3)
    small = primitives.icosphere(0.2, 4)
    assert metrics.volume_iou(ball, small) == pytest.approx(1 / 8, rel=2e-2)


def test_duplicate_faces_do_not_count_twice_and_open_shapes_have_no_inside():
    box, sheet = primitives.box(0.5, 0.5, 0.5), primitives.grid(1.0, 1.0, 4, 4)
    doubled = Mesh(box.vertices, np.concatenate([box.faces, box.faces[:, [1, 2, 0]]]))
    mirrored = merge([box, Mesh(box.vertices, box.faces[:, ::-1])])  # two-sided, with vertices of its own
    for same in (doubled, mirrored):
        assert metrics.volume_iou(box, same) == 1.0
    assert metrics.volume_iou(box, sheet) is None and metrics.volume_iou(sheet, box) is None
    assert metrics.volume_iou(box, Mesh(np.zeros((1, 3)), [])) is None


def test_a_shape_that_flew_apart_is_told_not_voxelised():
    box = primitives.box(0.5, 0.5, 0.5)
    with pytest.raises(InputError, match="flown apart"):
        metrics.volume_iou(box, primitives.box(100.0, 100.0, 100.0))
    for bad in (np.full((3, 3), np.nan), np.zeros((0, 3))):
        with pytest.raises(InputError, match="empty or not finite"):
            metrics.chamfer_l1(A, bad)


def test_recovered_shares():
    rest, target = np.zeros((10, 3)), np.tile([0.0, 2.0, 0.0], (10, 1))
    for share in (-1.0, 0.0, 0.4, 1.0):
        assert metrics.motion_recovered(rest, target, share * target) == pytest.approx(share)
    assert metrics.motion_recovered(rest, target, 2.5 * target) == pytest.approx(-0.5)
    assert np.isnan(metrics.motion_recovered(rest, rest, target))
    assert metrics.rms([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]) == pytest.approx(np.sqrt(12.5))
    assert metrics.chamfer_recovered(0.01, 0.03, 0.01) == pytest.approx(1.0)
    assert metrics.chamfer_recovered(0.03, 0.03, 0.01) == pytest.approx(0.0)
    assert metrics.chamfer_recovered(0.02, 0.03, 0.01) == pytest.approx(0.5)
    assert np.isnan(metrics.chamfer_recovered(0.02, 0.01, 0.01))


# ---------------------------------------------------------------- the report

LID = primitives.box(1.0, 1.0, 0.2, 4)
REST = merge([primitives.box(1.0, 1.0, 0.5, 4), moved(LID, [0.0, 0.0, 0.4])])
COUNT = REST.vertex_count - LID.vertex_count
TARGET = REST.with_vertices(np.concatenate([REST.vertices[:COUNT], REST.vertices[COUNT:] + [0.0, 0.0, 0.15]]))
HALF = REST.with_vertices(0.5 * (REST.vertices + TARGET.vertices))


def test_report_puts_floor_and_stillness_beside_each_figure():
    perfect, still, half = (metrics.deformation_report(REST, TARGET, p, seed=1) for p in (TARGET, REST, HALF))
    for name, better in (("chamfer_l1", -1), ("chamfer_l2", -1), ("surface_iou", 1), ("volume_iou", 1)):
        assert set(perfect[name]) == {"value", "floor", "still"}
        # Another sampling of the truth scores as the floor does; an unmoved prediction as stillness does.
        assert perfect[name]["value"] == pytest.approx(perfect[name]["floor"], rel=0.05)
        assert still[name]["value"] == pytest.approx(still[name]["still"], rel=0.05)
        assert better * perfect[name]["value"] > better * half[name]["value"] > better * still[name]["value"]
    for report, share in ((perfect, 1.0), (half, 0.5), (still, 0.0)):
        assert report["motion_recovered"] == pytest.approx(share, abs=1e-12)
        assert report["moves"] is True
        for name in ("chamfer_l1_recovered", "chamfer_l2_recovered"):
            assert report[name] == pytest.approx({1.0: 1.0, 0.0: 0.0}.get(share, report[name]), abs=0.05)
    # The lid, 2.8 of 6.8 units of area, moves by 0.15.
    assert perfect["motion"] == pytest.approx(0.15 * np.sqrt(2.8 / 6.8) / REST.diagonal, rel=0.02)
    assert perfect["volume_iou"]["floor"] == 1.0


def test_report_does_not_depend_on_units_or_place():
    def figures(scale, shift):
        meshes = [m.with_vertices(scale * m.vertices + shift) for m in (REST, TARGET, HALF)]
        return metrics.deformation_report(*meshes, seed=2)

    here, there = figures(1.0, 0.0), figures(1000.0, 77.0)
    for name in ("chamfer_l1", "chamfer_l2"):
        assert here[name]["value"] == pytest.approx(there[name]["value"], rel=1e-9)
    assert here["motion_recovered"] == pytest.approx(there["motion_recovered"], rel=1e-9)
    assert figures(1.0, 0.0) == here


def test_report_of_what_does_not_move_or_does_not_correspond():
    still = metrics.deformation_report(REST, REST.with_vertices(REST.vertices * (1 + 1e-5)), HALF)
    assert still["moves"] is False and still["motion_recovered"] is None
    other = metrics.deformation_report(REST, TARGET, primitives.box(1.0, 1.0, 1.5))
    assert other["motion_recovered"] is None and other["moves"] is None
    assert other["chamfer_l1"]["value"] > other["chamfer_l1"]["floor"]
    with pytest.raises(InputError, match="single point"):
        metrics.compute_normalisation(Mesh(np.zeros((3, 3)), [[0, 1, 2]]))
