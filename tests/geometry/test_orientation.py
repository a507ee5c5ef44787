"""Orientation: two-sided meshes become one-sided and look outwards, in whatever order their faces come."""

import numpy as np
import pytest

from neurok.geometry import measure, metrics, orientation, primitives
from neurok.geometry.components import weld
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.orientation import find_back_to_back, make_one_sided, orient_outwards
from neurok.geometry.triangles import face_normals

CUBE = primitives.box(0.1, 0.1, 0.1)
SHAPES = {
    "box": primitives.box(0.5, 0.4, 0.3, 2),
    "ring": primitives.torus(0.3, 0.1),
    "ball and cube": merge([primitives.icosphere(0.2, 2), CUBE.with_vertices(CUBE.vertices + 0.4)]),
}


def spoiled(mesh, seed, *, both_sides):
    """The same surface, its faces shuffled and rotated, each twice or turned at random."""
    rng = np.random.default_rng(seed)
    faces = np.concatenate([mesh.faces, mesh.faces[:, ::-1]]) if both_sides else mesh.faces
    if not both_sides:
        faces = np.where(rng.random(len(faces))[:, None] < 0.5, faces[:, ::-1], faces)
    shift = (np.arange(3) + rng.integers(0, 3, size=(len(faces), 1))) % 3
    return Mesh(mesh.vertices, np.take_along_axis(faces, shift, axis=1)[rng.permutation(len(faces))])


def test_back_to_back_needs_opposite_senses():
    faces = [[0, 1, 2], [2, 1, 0], [0, 1, 3], [1, 3, 0], [0, 2, 3], [1, 1, 3]]
    assert find_back_to_back(Mesh(np.eye(4)[:, :3], faces)).tolist() == [True, True, False, False, False, False]
    assert not find_back_to_back(SHAPES["ring"]).any()
    assert find_back_to_back(spoiled(SHAPES["ring"], 0, both_sides=True)).all()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("both_sides", [True, False])
def test_volume_is_found_again(name, both_sides):
    for seed in range(3):
        mesh = spoiled(SHAPES[name], seed, both_sides=both_sides)
        turned = make_one_sided(mesh) if both_sides else orient_outwards(mesh)
        assert turned.face_count == SHAPES[name].face_count and measure.is_closed(turned)
        assert measure.compute_volume(turned) == pytest.approx(measure.compute_volume(SHAPES[name]), rel=1e-12)


def test_files_that_say_which_way_they_look_are_believed():
    inside_out = Mesh(SHAPES["box"].vertices, SHAPES["box"].faces[:, ::-1])
    doubled = Mesh(inside_out.vertices, np.concatenate([inside_out.faces, inside_out.faces[:, [1, 2, 0]]]))
    for mesh in (inside_out, doubled):
        np.testing.assert_array_equal(make_one_sided(mesh).faces, inside_out.faces)


def test_corner_attributes_turn_with_their_corners():
    mesh = spoiled(SHAPES["box"], 5, both_sides=False)
    marked = Mesh(mesh.vertices, mesh.faces, corner_attributes={"place": mesh.vertices[mesh.faces]})
    turned = orient_outwards(marked)
    np.testing.assert_array_equal(turned.corner_attributes["place"], turned.vertices[turned.faces])


def test_a_flat_patch_looks_along_an_axis_and_nothing_stays_nothing():
    sheet = primitives.grid(1.0, 1.0, 3, 3)
    for seed in range(3):
        turned = orient_outwards(spoiled(sheet, seed, both_sides=False))
        np.testing.assert_allclose(face_normals(turned.vertices, turned.faces), [[0, 0, 1]] * 18, atol=1e-15)
    assert make_one_sided(Mesh(np.zeros((3, 3)), [])).face_count == 0
    assert orient_outwards(Mesh(np.zeros((3, 3)), [[0, 0, 1]])).face_count == 0


def test_volume_iou_does_not_depend_on_the_order_of_two_sided_faces():
    ring = SHAPES["ring"]
    for seed in range(3):
        mesh = spoiled(ring, seed, both_sides=True)
        loose = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * mesh.face_count).reshape(-1, 3))
        assert weld(loose)[0].vertex_count == ring.vertex_count
        for same in (mesh, loose):
            assert metrics.volume_iou(ring, same) == pytest.approx(1.0, abs=1e-3)


def test_many_patches_are_oriented_as_all_at_once(monkeypatch):
    boxes = [primitives.box(0.1, 0.2, 0.3).with_vertices(primitives.box(0.1, 0.2, 0.3).vertices + i)
                  for i in range(40)]  # fmt: skip
    mesh = spoiled(merge(boxes), 3, both_sides=False)
    whole = orient_outwards(mesh)
    monkeypatch.setattr(orientation, "PATCHES_AT_A_TIME", 7)
    some = orient_outwards(mesh)
    assert np.array_equal(whole.faces, some.faces)
    assert measure.compute_volume(some) == pytest.approx(40 * 0.006)
