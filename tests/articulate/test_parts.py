"""Parts come from labels where there are any, else from components and grooves, or from a state space."""

import numpy as np
import pytest
import trimesh

from neurok.articulate.grown_pieces import find_grown_units
from neurok.articulate.parts import choose_parts, find_parts, group_by_motion, merge_labels, read_link_parts
from neurok.data import procedural
from neurok.errors import InputError
from neurok.geometry.mesh import Material, Mesh, Part, merge
from neurok.geometry.parts import read_parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.proposals.units import find_units


def _moved(mesh: Mesh, *shift: float) -> Mesh:
    T = np.eye(4)
    T[:3, 3] = shift
    return transform(mesh, T)


def test_named_pieces_are_the_parts():
    mesh = merge([box(), _moved(box(0.2, 0.2, 0.2), 0, 0, 1)], names=["body", "lid"])
    chosen = choose_parts(mesh)
    parts, origin = chosen.parts, chosen.origin
    assert parts.names == ("body", "lid") and "file" in origin
    assert np.bincount(parts.face).tolist() == [12, 12]


def test_pieces_named_after_materials_are_one_part():
    mesh = merge([box(), _moved(box(), 2, 0, 0), _moved(box(), 5, 0, 0)])
    face_part = np.repeat([1, 2, 3], 12)
    parts = (Part("door"), Part("wood", 0), Part("brass", 0), Part("frame"))
    mesh = Mesh(
        mesh.vertices, mesh.faces, parts=parts, face_part=face_part, materials=(Material("wood"), Material("brass"))
    )
    assert read_parts(mesh).names == ("door", "frame")


def test_components_are_found_and_specks_go_with_the_nearest():
    bodies = [box(), _moved(box(), 3, 0, 0), _moved(box(0.02, 0.02, 0.02), 3, 0, 0.6)]
    parts = find_parts(merge(bodies))
    assert parts.count == 2
    assert len(set(parts.face[12:])) == 1  # the speck lies at the second box


def test_a_speck_goes_with_the_large_face_that_it_sits_on():
    lid, base = box(2.0, 2.0, 0.2), _moved(box(0.3, 0.3, 2.0), 0, 0, -1.1)
    screw = _moved(box(0.02, 0.02, 0.02), 0.2, 0.2, 0.11)  # the corners of the lid are farther away than the base's
    mesh = merge([lid, base, screw])
    merged = merge_labels(mesh, np.repeat([0, 1, 2], 12), 24)
    assert np.array_equal(merged, np.repeat([0, 1, 0], 12))


def test_a_handle_that_grows_out_of_a_door_goes_with_it():
    cabinet, door, handle = (trimesh.creation.box(size) for size in ((1, 1, 1), (0.8, 0.1, 0.8), (0.1, 0.2, 0.1)))
    door.apply_translation((0.0, -0.5, 0.0))
    handle.apply_translation((0.2, -0.6, 0.1))
    union = trimesh.boolean.union([cabinet, door, handle], engine="manifold")
    units = find_units(Mesh(*trimesh.remesh.subdivide(union.vertices, union.faces), up="z"))
    nearest = (units.lower[:, 1] - units.place[1, 3]) / units.place[1, 1]  # the front of each unit in y
    knob, front = nearest < -0.6, nearest < -0.52
    assert knob.sum() == 5 and front.sum() == 10
    owner = np.where(front & ~knob, 1, 0)
    assert np.array_equal(find_grown_units(units, owner), front.astype(int))


def test_a_single_convex_component_is_one_part():
    assert find_parts(box(cells=3)).count == 1


def test_a_mesh_without_faces_is_refused():
    with pytest.raises(InputError, match="no faces"):
        find_parts(Mesh(np.zeros((3, 3)), np.zeros((0, 3))))


def test_every_moving_link_is_a_part_with_its_joint():
    thing = procedural.make("drawer_cabinet", 1).articulation
    parts, above = read_link_parts(thing, split_fixed=False)
    assert parts.count == len(thing.links)
    assert sorted(above) == [-1, *range(len(thing.joints))]


def test_handles_that_move_alike_are_one_part():
    from neurok.geometry.motion import rigid_skin
    from neurok.kinematics.twists import Twists

    mesh = merge([box(), _moved(box(), 2, 0, 0), _moved(box(), 4, 0, 0)])
    skin = rigid_skin(np.repeat([0, 1, 2], 8), ("a", "b", "c"), np.full(3, -1), np.tile(np.eye(4), (3, 1, 1)))
    basis = np.zeros((3, 6, 1))
    basis[1:, 5, 0] = 1.0  # the last two rise together
    parts = group_by_motion(Twists(mesh, skin, basis, origin=np.zeros(3)))
    assert parts.count == 2
    assert len(set(parts.face[12:])) == 1 and parts.face[0] != parts.face[-1]
