"""What of an object can be named: the file's names, plain ones for the rest, the same as articulation gives."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.articulate.part_list import adopt_joints, label_faces, list_parts, match_piece
from neurok.articulate.predict import predict_articulation
from neurok.assets.laptop import laptop
from neurok.data.procedural import make
from neurok.geometry.mesh import Material, Mesh, Part
from neurok.geometry.parts import read_parts
from tests.boxes import join_parts, make_open_case, place_box


@pytest.fixture(scope="module")
def drawer():
    """A case with a drawer, z up, without names; and the parts of its faces."""
    return join_parts(make_open_case(), place_box(0.9, 0.9, 0.3, 0, -0.02, 0))


def named(thing: Mesh, face: np.ndarray, *names: str) -> Mesh:
    return replace(thing, parts=tuple(map(Part, names)), face_part=face)


def test_the_links_of_a_file_and_the_pieces_below_them_are_named():
    thing = laptop()
    found = list_parts(thing.mesh, thing)
    by_name = {part.name: part for part in found.parts}
    assert {"base", "lid", "screen", "keyboard"} <= set(by_name)
    lid, base, screen = (by_name[name] for name in ("lid", "base", "screen"))
    assert (lid.motion, lid.joint, lid.carrier, lid.source) == ("turns", "hinge", "base", "file")
    assert (base.motion, base.stands, base.hinge) == ("fixed", True, None)
    assert screen.motion == "turns" and set(screen.faces) < set(lid.faces)
    # The edge that is farthest from the hinge: the laptop is shut, its front at y = -0.11.
    assert lid.place_grasp(thing.mesh)[1] < -0.085


def test_nameless_links_get_plain_names_and_keep_the_file_s_as_other_ones():
    thing = laptop()
    bare = replace(thing, links=tuple(replace(link, name=f"link_{i}") for i, link in enumerate(thing.links)))
    parts = {part.name: part for part in list_parts(bare.mesh, bare).parts}
    assert parts["lid"].source == "found" and parts["lid"].other_names == ("link_1",)
    assert [part.name for part in list_parts(bare.mesh, bare).parts][-2:] == ["base", "lid"]  # the file's come first


def test_the_parts_of_a_plain_mesh_are_called_as_articulation_calls_them(drawer):
    mesh, parts = drawer
    mesh = named(mesh, parts.face, "part_1", "part_2")
    found = list_parts(mesh)
    links = predict_articulation(mesh, read_parts(mesh)).links
    assert [link.name for link in links] == [part.name for part in found.parts]
    moving = [part for part in found.parts if part.hinge is not None]
    assert [part.motion for part in moving] == ["slides"]
    assert moving[0].source == "found"
    assert moving[0].place_grasp(mesh)[1] < -0.4  # by its front


def test_names_of_the_file_stay(drawer):
    mesh, parts = drawer
    found = list_parts(named(mesh, parts.face, "shell", "till"))
    assert {part.name: part.source for part in found.parts} == {"shell": "file", "till": "file"}


def test_a_group_of_pieces_can_be_named(drawer):
    mesh, parts = drawer
    tree = (Part("shell"), Part("till"), Part("box", parent=1))
    found = {part.name: part for part in list_parts(replace(mesh, parts=tree, face_part=2 * parts.face)).parts}
    assert set(found["till"].faces) == set(found["box"].faces) == set(np.flatnonzero(parts.face))


def test_found_joints_serve_only_parts_that_move_by_them(drawer):
    mesh, parts = drawer
    mesh = named(mesh, parts.face, "shell", "till")
    found = list_parts(mesh)
    assert adopt_joints(mesh, found, ["shell"]) is mesh
    assert adopt_joints(mesh, found, ["shell", "till"]).joints == found.joints.joints


def test_pieces_are_labelled_where_a_file_has_none():
    safe = make("safe", 0).mesh
    mesh = Mesh(safe.vertices, safe.faces, up=safe.up)
    found = list_parts(mesh)
    labelled = label_faces(mesh, found)
    moving = [part for part in found.parts if part.hinge is not None]
    assert moving
    for part in moving:
        assert match_piece(labelled, found, part.name) == part.name
        index = [piece.name for piece in labelled.parts].index(part.name)
        assert set(np.flatnonzero(labelled.face_part == index)) == set(part.faces)


def test_the_coats_of_a_piece_are_no_parts(drawer):
    mesh, parts = drawer
    tree = (Part("shell"), Part("till"), Part("varnish", parent=1))
    painted = replace(
        mesh, parts=tree, face_part=2 * parts.face, materials=(Material("varnish"),), face_material=parts.face - 1
    )
    assert {part.name for part in list_parts(painted).parts} == {"shell", "till"}
