"""What fills a surface: closed forms, twins, open and thin surfaces, the order of faces."""

import numpy as np
import pytest

from neurok.elastic.filling import fill
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box, cylinder, grid, icosphere, torus


def _fill(mesh, thickness=0.01):
    return fill(mesh, np.zeros(mesh.face_count, dtype=int), np.full(mesh.face_count, thickness))


def _second_moment(filling):
    """int (x - c)(x - c)^T dV, [3, 3]."""
    w = filling.volume
    away = filling.position - (w @ filling.position) / w.sum()
    return (away * w[:, None]).T @ away


def _add_twins(mesh):
    return Mesh(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[:, ::-1]]))


def _swap_faces(mesh):
    order = np.random.default_rng(3).permutation(mesh.face_count)
    return Mesh(mesh.vertices, np.roll(mesh.faces[order], 1, axis=1))


SPHERE = icosphere(0.5, 3)
TORUS = torus(0.4, 0.1, 96, 48)
SOLIDS = [
    (SPHERE, 4 / 3 * np.pi * 0.5**3, 4 / 15 * np.pi * 0.5**5, 4 / 15 * np.pi * 0.5**5),
    (TORUS, 2 * np.pi**2 * 0.4 * 0.1**2, None, None),
    (box(1.0, 0.5, 0.25), 0.125, 0.125 / 12, 0.125 * 0.25**2 / 12),
    (box(1.0, 0.05, 0.05), 0.0025, 0.0025 / 12, 0.0025 * 0.05**2 / 12),
    (box(1.0, 0.01, 0.01), 1e-4, 1e-4 / 12, 1e-4 * 0.01**2 / 12),
    (box(1.0, 1.0, 0.005), 0.005, 0.005 / 12, 0.005 * 0.005**2 / 12),
    (cylinder(0.02, 1.0, 64), np.pi * 0.02**2, None, None),
]


@pytest.mark.parametrize("mesh, volume, longest, shortest", SOLIDS)
def test_volume_and_second_moments_are_those_of_closed_forms(mesh, volume, longest, shortest):
    filling = _fill(mesh)
    assert filling.volume.sum() == pytest.approx(volume, rel=0.01)
    if longest is not None:
        moments = np.linalg.eigvalsh(_second_moment(filling))
        assert moments[-1] == pytest.approx(longest, rel=0.02)
        assert moments[0] == pytest.approx(shortest, rel=0.03)  # on which bending depends


@pytest.mark.parametrize("mesh", [SPHERE, box(1.0, 0.5, 0.25), box(1.0, 0.01, 0.01)])
def test_a_reversed_twin_of_each_face_changes_nothing(mesh):
    assert _fill(_add_twins(mesh)).kinds == _fill(mesh).kinds != {0: "shell"}
    assert _fill(_add_twins(mesh)).volume.sum() == pytest.approx(_fill(mesh).volume.sum(), rel=1e-6)


def test_an_inside_out_surface_is_filled_as_well():
    turned = Mesh(SPHERE.vertices, SPHERE.faces[:, ::-1])
    assert _fill(turned).volume.sum() == pytest.approx(_fill(SPHERE).volume.sum(), rel=1e-6)


@pytest.mark.parametrize("mesh", [SPHERE, box(1.0, 0.5, 0.25), box(1.0, 0.01, 0.01)])
def test_the_order_of_faces_does_not_matter(mesh):
    one, other = _fill(mesh), _fill(_swap_faces(mesh))
    assert one.kinds == other.kinds
    assert other.volume.sum() == pytest.approx(one.volume.sum(), rel=1e-3)
    np.testing.assert_allclose(_second_moment(other), _second_moment(one), rtol=0.01, atol=1e-4 * one.volume.sum())


def test_an_open_box_is_a_shell_of_its_thickness():
    whole = box(1.0, 1.0, 1.0)
    normal = np.cross(*(whole.vertices[whole.faces[:, i]] - whole.vertices[whole.faces[:, 0]] for i in (1, 2)))
    open_box = Mesh(whole.vertices, whole.faces[normal[:, 2] < 0.5])
    filling = _fill(open_box, 0.02)
    assert filling.kinds == {0: "shell"}
    assert filling.volume.sum() == pytest.approx(5 * 0.02, rel=1e-6)


def test_a_sheet_has_the_second_moment_of_its_thickness():
    filling = _fill(grid(1.0, 1.0, 2, 2), 0.01)
    assert np.linalg.eigvalsh(_second_moment(filling))[0] == pytest.approx(0.01 * 0.01**2 / 12, rel=1e-3)


def test_kinds_tell_thick_from_thin():
    assert _fill(SPHERE).kinds == {0: "solid"}
    assert _fill(box(1.0, 0.01, 0.01)).kinds == {0: "rod"}
    assert _fill(box(1.0, 1.0, 0.01)).kinds == {0: "plate"}


def test_parts_are_filled_each_by_itself():
    legs = [box(0.02, 0.02, 1.0), box(1.0, 1.0, 0.2)]
    vertices = np.concatenate([legs[0].vertices, legs[1].vertices + [0.0, 0.0, 0.6]])
    mesh = Mesh(vertices, np.concatenate([legs[0].faces, legs[1].faces + legs[0].vertex_count]))
    label = np.repeat([0, 1], [legs[0].face_count, legs[1].face_count])
    filling = fill(mesh, label, np.full(mesh.face_count, 0.01))
    assert filling.kinds == {0: "rod", 1: "solid"}
    assert filling.volume[filling.label == 0].sum() == pytest.approx(4e-4, rel=0.01)
    assert filling.volume[filling.label == 1].sum() == pytest.approx(0.2, rel=0.01)
