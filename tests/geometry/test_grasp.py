"""Where a person takes hold of a part: at the far end from what holds it, on its own surface."""

import numpy as np
import pytest

from neurok.errors import OptionError
from neurok.geometry.grasp import END_SHARE, Hinge, find_grasp
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.named_parts import NamedPart, find_named
from neurok.geometry.surface import find_nearest
from tests.boxes import place_box


def two_boxes(*second) -> tuple[Mesh, np.ndarray]:
    """A unit cube about the origin and a second box, z up; the faces of the second."""
    first, other = place_box(1, 1, 1, 0, 0, 0), place_box(*second)
    mesh = merge([first, other])
    return Mesh(mesh.vertices, mesh.faces, up="z"), np.arange(first.face_count, mesh.face_count)


def test_a_door_is_taken_at_its_free_edge():
    mesh, faces = two_boxes(0.8, 0.04, 1, 0, -0.6, 0)
    hinge = Hinge(True, np.array([-0.4, -0.6, 0.0]), np.array([0.0, 0.0, 1.0]))
    (point,) = find_grasp(mesh, faces, hinge).position
    assert point[0] > 0.4 - 1.1 * END_SHARE * 0.8  # the outer tenth
    assert abs(point[2]) < 0.1  # half way up


@pytest.mark.parametrize("sign", [1, -1])
def test_a_drawer_is_taken_at_the_end_to_which_it_slides(sign):
    mesh, faces = two_boxes(0.8, 0.6, 0.2, 0, -0.8, 0)
    hinge = Hinge(False, np.zeros(3), np.array([0.0, sign, 0.0]))
    (point,) = find_grasp(mesh, faces, hinge).position
    # Its front or its back, near the middle: the nearest sample to it lies on a side of the outer tenth at worst.
    assert sign * (point[1] + 0.8) > 0.3 - END_SHARE * 0.6
    assert abs(point[0]) < 0.2


def test_a_wheel_is_taken_at_its_rim_though_the_rim_s_middle_is_its_axle():
    mesh, faces = two_boxes(0.8, 0.1, 0.8, 0, -0.8, 0)
    hinge = Hinge(True, np.array([0.0, -0.8, 0.0]), np.array([0.0, 1.0, 0.0]))
    (point,) = find_grasp(mesh, faces, hinge).position
    assert np.hypot(point[0], point[2]) > 0.9 * 0.4 * np.sqrt(2) - 0.1


def test_a_part_without_a_joint_is_taken_far_from_where_it_touches_the_rest():
    mesh, faces = two_boxes(0.1, 0.1, 1, 0, 0, 1.0)  # a mast on the cube
    (point,) = find_grasp(mesh, faces, None).position
    assert point[2] > 1.5 - 1.2 * END_SHARE


def test_what_carries_the_others_is_taken_far_from_its_foot():
    mesh, faces = two_boxes(0.1, 0.1, 1, 0, 0, 1.0)
    base = np.setdiff1d(np.arange(mesh.face_count), faces)
    (point,) = find_grasp(mesh, base, None, stands=True).position
    assert point[2] > 0.3


def test_the_place_alone_tells_the_part_where_surfaces_touch():
    mesh, faces = two_boxes(1, 0.2, 1, 0, -0.6, 0)  # shut: it touches the cube over a whole side
    hinge = Hinge(False, np.zeros(3), np.array([0.0, 1.0, 0.0]))  # and would be taken there
    grasp = find_grasp(mesh, faces, hinge)
    assert find_nearest(mesh, grasp.position).face[0] in faces


def test_a_part_without_area_is_taken_at_a_corner():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 5], [1, 0, 5], [0, 1, 5]], [[0, 1, 2], [3, 4, 5]])
    (point,) = find_grasp(mesh, np.array([0]), None).position
    assert point[1:] == pytest.approx([0, 0])


def test_the_grasp_follows_a_mesh_of_the_same_faces():
    mesh, faces = two_boxes(0.8, 0.6, 0.2, 0, -0.8, 0)
    part = NamedPart("drawer", mesh, faces)
    moved = mesh.with_vertices(mesh.vertices + [1, 2, 3])
    assert np.subtract(part.place_grasp(moved), part.place_grasp(mesh)) == pytest.approx([1, 2, 3])


def test_unknown_names_are_answered_with_the_nearest():
    mesh, faces = two_boxes(0.8, 0.6, 0.2, 0, -0.8, 0)
    parts = [NamedPart(name, mesh, faces, other_names=(f"link {name}",)) for name in ("drawer_1", "drawer_2", "lid")]
    assert find_named(parts, " drawer_2 ") is parts[1] and find_named(parts, "link lid") is parts[2]
    with pytest.raises(OptionError, match="no part 'Drawr_2'; did you mean 'drawer_2' or 'drawer_1'.* drawer_1, dr"):
        find_named(parts, "Drawr_2")
    with pytest.raises(OptionError, match="no part 'x'; The parts are: drawer_1, drawer_2, lid"):
        find_named(parts, "x")
    with pytest.raises(OptionError, match="give X,Y,Z"):
        find_named([], "x")
