"""Primitives: closed, outward, and converging to the closed forms of their ideal shapes."""

import numpy as np
import pytest

from neurok.errors import OptionError
from neurok.geometry import measure, primitives
from neurok.geometry.components import degenerate_faces, duplicate_faces, face_components, find_edges, unused_vertices
from neurok.geometry.mesh import split_corners
from neurok.geometry.triangles import face_normals

# name -> (mesh at a fineness, ideal)
ROUND = {
    "cylinder": (lambda n: primitives.cylinder(0.5, 2.0, 8 * n), primitives.ideal_cylinder(0.5, 2.0)),
    "cone": (lambda n: primitives.cone(0.5, 2.0, 8 * n), primitives.ideal_cone(0.5, 2.0)),
    "sphere": (lambda n: primitives.sphere(0.7, 8 * n, 4 * n), primitives.ideal_sphere(0.7)),
    "icosphere": (lambda n: primitives.icosphere(0.7, int(np.log2(n)) + 1), primitives.ideal_sphere(0.7)),
    "capsule": (lambda n: primitives.capsule(0.3, 0.8, 8 * n, 2 * n), primitives.ideal_capsule(0.3, 0.8)),
    "torus": (lambda n: primitives.torus(0.5, 0.2, 8 * n, 4 * n), primitives.ideal_torus(0.5, 0.2)),
}
SOLIDS = {name: make(2) for name, (make, _) in ROUND.items()}
SOLIDS |= {"box": primitives.box(1.0, 2.0, 3.0, 3), "rounded box": primitives.rounded_box(1.0, 2.0, 3.0, 0.2, 3)}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_clean_and_look_outwards(name):
    mesh = SOLIDS[name]
    assert measure.is_closed(mesh) and measure.compute_volume(mesh) > 0
    assert np.all(find_edges(mesh).face_count == 2)
    assert not degenerate_faces(mesh).any() and not duplicate_faces(mesh).any() and not unused_vertices(mesh).any()
    assert face_components(mesh)[0] == 1
    np.testing.assert_allclose(measure.solid_inertia(mesh).centre, 0.0, atol=1e-12)
    if name != "torus":  # convex: every face looks away from the centre
        middles = mesh.vertices[mesh.faces].mean(axis=1)
        assert np.min(np.sum(face_normals(mesh.vertices, mesh.faces) * middles, axis=1)) > 0


@pytest.mark.parametrize("name", ROUND)
def test_volume_area_and_inertia_converge_at_second_order(name):
    make, ideal = ROUND[name]

    def errors(n):
        body = measure.solid_inertia(make(n))
        return np.array([
            body.mass / ideal.volume - 1.0,
            measure.compute_area(make(n)) / ideal.area - 1.0,
            *(np.diag(body.tensor) / body.mass / ideal.inertia - 1.0),
        ])  # fmt: skip

    coarse, fine = errors(8), errors(16)
    assert np.max(np.abs(fine)) < 2.5e-3
    np.testing.assert_allclose(coarse / fine, 4.0, rtol=0.05)


def test_round_vertices_lie_on_their_surfaces():
    for ball in (primitives.sphere(0.7), primitives.icosphere(0.7, 3)):
        np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 0.7, rtol=1e-14)
    ring = primitives.torus(0.5, 0.2).vertices
    np.testing.assert_allclose(np.hypot(np.hypot(ring[:, 0], ring[:, 1]) - 0.5, ring[:, 2]), 0.2, rtol=1e-13)
    pill = primitives.capsule(0.3, 0.8).vertices
    beyond = np.maximum(np.abs(pill[:, 2]) - 0.4, 0.0)
    np.testing.assert_allclose(np.hypot(np.hypot(pill[:, 0], pill[:, 1]), beyond), 0.3, rtol=1e-13)


def test_rounded_box_obeys_steiner_and_keeps_its_size():
    mesh = primitives.rounded_box(1.0, 2.0, 3.0, 0.3, 16)
    volume, area = primitives.ideal_rounded_box(1.0, 2.0, 3.0, 0.3)
    assert measure.compute_volume(mesh) == pytest.approx(volume, rel=3e-4)
    assert measure.compute_area(mesh) == pytest.approx(area, rel=3e-4)
    np.testing.assert_allclose(mesh.bounds, [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]], atol=1e-15)
    beyond = np.maximum(np.abs(mesh.vertices) - [0.2, 0.7, 1.2], 0.0)
    np.testing.assert_allclose(np.linalg.norm(beyond, axis=1), 0.3, rtol=1e-12)


def test_icosahedron():
    mesh = primitives.icosphere(1.0, 0)
    assert (mesh.vertex_count, find_edges(mesh).count, mesh.face_count) == (12, 30, 20)
    sides = np.linalg.norm(np.diff(mesh.vertices[find_edges(mesh).vertices], axis=1)[:, 0], axis=1)
    np.testing.assert_allclose(sides, 1.0 / np.sin(2 * np.pi / 5), rtol=1e-14)
    assert measure.compute_volume(mesh) == pytest.approx(5 / 12 * (3 + np.sqrt(5)) * sides[0] ** 3)


def test_grid_is_a_flat_sheet_with_its_picture_upright():
    sheet = primitives.grid(2.0, 1.0, 5, 3)
    assert sheet.vertex_count == 24 and sheet.face_count == 30
    assert measure.compute_area(sheet) == pytest.approx(2.0)
    np.testing.assert_allclose(face_normals(sheet.vertices, sheet.faces), [[0, 0, 1]] * 30, atol=1e-15)
    uv = sheet.attributes["uv0"]
    np.testing.assert_allclose(uv[:, 0], sheet.vertices[:, 0] / 2.0 + 0.5)
    np.testing.assert_allclose(uv[:, 1], 0.5 - sheet.vertices[:, 1])  # the origin of uv is at the top left


@pytest.mark.parametrize("name", sorted(set(SOLIDS) - {"icosphere"}))
def test_uv_stays_in_the_picture_and_splits_into_vertices(name):
    uv = SOLIDS[name].corner_attributes["uv0"]
    assert uv.shape == (SOLIDS[name].face_count, 3, 2)
    assert uv.min() >= 0.0 and uv.max() <= 1.0
    if name in ROUND:  # no face is smeared over the seam
        assert np.ptp(uv[..., 0], axis=1).max() < 0.5
    split, _ = split_corners(SOLIDS[name])
    assert measure.is_closed(split)


@pytest.mark.parametrize(
    "make",
    [
        lambda: primitives.box(0.0),
        lambda: primitives.box(np.nan),
        lambda: primitives.cylinder(-1.0),
        lambda: primitives.cylinder(segments=2),
        lambda: primitives.sphere(rings=1),
        lambda: primitives.torus(0.1, 0.2),
        lambda: primitives.rounded_box(1.0, 1.0, 1.0, 0.5),
        lambda: primitives.icosphere(1.0, 99),
        lambda: primitives.grid(1.0, np.inf),
    ],
)
def test_impossible_shapes_are_refused(make):
    with pytest.raises(OptionError):
        make()
