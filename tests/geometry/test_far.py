"""When single floats blur an object, and objects moved as a whole."""

import numpy as np
import pytest

from neurok.geometry.far import MAX_ROUNDING, choose_frame_dtype, find_far_centre, translate_mesh
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box
from tests.files import gltf_cases as cases
from tests.files.far_things import far


@pytest.mark.parametrize("size", [1e-3, 1.0, 37.0])
def test_it_is_far_where_single_floats_say_so(size):
    """Rounding of the vertices, measured: a place is given wherever it exceeds the bound, and never well below it."""
    bar = box(size, 0.3 * size, 0.2 * size, cells=4)
    for out in np.geomspace(0.1, 1e8, 28) * size:
        mesh = bar.with_vertices(bar.vertices + [out, 0.3 * out, 0.0])
        rounding = np.abs(mesh.vertices.astype(np.float32) - mesh.vertices).max() / mesh.diagonal
        place = find_far_centre(mesh)
        assert place is not None or rounding <= MAX_ROUNDING
        assert place is None or np.abs(mesh.vertices).max() * 2.0**-24 > MAX_ROUNDING * mesh.diagonal
        assert choose_frame_dtype(mesh) is (np.float32 if place is None else np.float64)
        if place is not None:
            near = mesh.vertices - place
            np.testing.assert_array_equal(near + place, mesh.vertices)  # nothing is lost on the way
            assert np.abs(near).max() < mesh.diagonal


def test_what_has_no_size_is_nowhere_far():
    assert find_far_centre(Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))) is None
    assert find_far_centre(Mesh([[1e6, 0.0, 0.0]], np.zeros((0, 3), dtype=int))) is None
    assert find_far_centre(Mesh([[np.nan, 0.0, 0.0], [1e6, 0.0, 0.0]], np.zeros((0, 3), dtype=int))) is None


def test_things_are_moved_as_a_whole():
    by = np.array([3.0, -2.0, 0.5])
    for motion in (cases.rigid(), cases.skinned(), cases.dense()):
        moved = translate_mesh(motion, by)
        for index in (0, 7, 30):
            np.testing.assert_allclose(moved.frame(index), motion.frame(index) + by, atol=1e-6)
    machine = cases.articulation()
    moved, plain = translate_mesh(machine, by), far(machine, by)
    for ours, theirs in zip(moved.freedoms, plain.freedoms):
        np.testing.assert_allclose(ours.screw, theirs.screw, atol=1e-12)
    np.testing.assert_array_equal(moved.mesh.vertices, machine.mesh.vertices + by)


def test_a_move_leaves_normals_and_tangents():
    """Unlike another shape, for which they no longer hold."""
    mesh = cases.bumpy()
    moved = translate_mesh(mesh, np.ones(3))
    assert {"normal", "tangent"} <= set(mesh.attributes)
    assert set(moved.attributes) == set(mesh.attributes)
    for key, value in mesh.attributes.items():
        np.testing.assert_array_equal(moved.attributes[key], value)
