"""URDF in and out: what the standard says, what real files do, and what a round trip keeps."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from neurok.errors import InputError
from neurok.files.registry import load, save
from neurok.files.urdf.writing import compute_roll_pitch_yaw
from neurok.geometry.articulation import Articulation, Joint
from neurok.geometry.measure import compute_volume, is_closed
from neurok.geometry.mesh import Mesh, Part
from tests.files.machines import assemble, every_kind, link_motions, picture, place, textured, unit

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
BOX = '<visual><geometry><box size="1 2 3"/></geometry></visual>'


def robot(tmp_path, body, **files):
    """Load a URDF whose inside is `body`, with files (name with _ for .) beside it."""
    for name, content in files.items():
        (tmp_path / name.replace("__", ".")).write_bytes(content if isinstance(content, bytes) else content.encode())
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{body}</robot>', encoding="utf-8")
    return load(path)


def joint(kind, inside="", *, parent="a", child="b", name="j"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def two_links(kind, inside="", extra=""):
    return f'<link name="a">{BOX}</link><link name="b">{BOX}</link>{joint(kind, inside)}{extra}'


# ---------------------------------------------------------------- shapes


def test_primitives_have_their_size_and_volume(tmp_path):
    shapes = {
        "box size='1 2 3'": 6.0,
        "cylinder radius='2' length='3'": 12 * np.pi,
        "sphere radius='2'": 32 / 3 * np.pi,
    }
    for shape, expected in shapes.items():
        mesh = robot(tmp_path, f"<link name='a'><visual><geometry><{shape}/></geometry></visual></link>").mesh
        assert is_closed(mesh) and compute_volume(mesh) == pytest.approx(expected, rel=0.03)
        lower, upper = mesh.bounds
        np.testing.assert_allclose(lower, -upper, atol=1e-12)
    np.testing.assert_allclose(upper, (2, 2, 2), atol=0.02)


def test_origins_scale_and_several_visuals(tmp_path):
    visual = (
        '<visual name="first"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><mesh filename="t.obj" scale="2 3 4"/>'
        '</geometry></visual><visual><geometry><mesh filename="t.obj"/></geometry></visual>'
    )
    asset = robot(tmp_path, f'<link name="a">{visual}</link>', t__obj=TRIANGLE)
    R = Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix()  # fixed axes: first x, then y, then z
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(asset.mesh.vertices[:3], (triangle * (2, 3, 4)) @ R.T + (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(asset.mesh.vertices[3:], triangle, atol=1e-12)
    assert [part.name for part in asset.mesh.parts] == ["a", "first"] and asset.mesh.parts[1].parent == 0
    assert asset.mesh.face_part.tolist() == [1, 0]
    assert asset.mesh.up == "z" and asset.mesh.unit == 1.0


def test_a_mirroring_scale_keeps_the_outside_outside(tmp_path):
    made = robot(tmp_path, f"<link name='a'>{BOX}</link>").mesh
    save(made, tmp_path / "box.obj")
    shape = '<visual><geometry><mesh filename="box.obj" scale="1 -1 1"/></geometry></visual>'
    mirrored = robot(tmp_path, f"<link name='a'>{shape}</link>").mesh
    assert compute_volume(made) == pytest.approx(6.0) and compute_volume(mirrored) == pytest.approx(6.0)


def test_collision_shapes_stand_in_only_where_there_is_no_visual(tmp_path):
    collision = BOX.replace("visual", "collision")
    sphere = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    asset = robot(tmp_path, f"<link name='a'>{BOX}{sphere}</link><link name='b'>{collision}</link>{joint('fixed')}")
    assert asset.mesh.vertex_count == 16
    assert any("collision" in note and "'b'" in note for note in asset.notes)
    assert asset.articulation.vertex_link.tolist() == [0] * 8 + [1] * 8


def test_materials_are_global_and_textured(tmp_path):
    body = (
        '<material name="sky"><color rgba="0 0.5 1 0.25"/></material>'
        '<link name="a"><visual><geometry><box size="1 1 1"/></geometry><material name="wood"/></visual>'
        '<visual><geometry><mesh filename="t.obj"/></geometry><material name="sky"/></visual>'
        '<visual><geometry><box size="1 1 1"/></geometry><material name="nowhere"/></visual></link>'
        '<link name="b"><visual><geometry><box size="1 1 1"/></geometry>'
        '<material name="wood"><color rgba="1 1 0 1"/><texture filename="wood.png"/></material></visual></link>'
    )
    asset = robot(tmp_path, body + joint("fixed"), t__obj=TRIANGLE, wood__png=picture())
    wood, sky = asset.mesh.materials
    assert wood.base_color == (1, 1, 0, 1) and wood.textures["base_color"].texture.image == picture()
    assert sky.base_color == (0, 0.5, 1, 0.25) and sky.alpha_mode == "BLEND"
    assert asset.mesh.face_material.tolist() == [0] * 12 + [1] + [-1] * 12 + [0] * 12
    assert any("'nowhere'" in note for note in asset.notes)


def test_package_names_are_looked_for_beside_the_file(tmp_path):
    shape = '<visual><geometry><mesh filename="package://arm/meshes/t.obj"/></geometry></visual>'
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "t.obj").write_text(TRIANGLE)
    assert robot(tmp_path, f'<link name="a">{shape}</link>').mesh.vertex_count == 3
    inner = tmp_path / "arm" / "urdf"
    inner.mkdir()
    with pytest.raises(InputError, match="missing"):
        robot(inner, f'<link name="a">{shape}</link>')
    assert load(inner / "robot.urdf", allow_outside=True).mesh.vertex_count == 3


def test_missing_meshes_are_noted_and_none_at_all_is_an_error(tmp_path):
    gone = '<visual><geometry><mesh filename="gone.obj"/></geometry></visual>'
    asset = robot(tmp_path, f"<link name='a'>{BOX}{gone}</link>")
    assert asset.mesh.vertex_count == 8 and any("gone.obj" in note for note in asset.notes)
    with pytest.raises(InputError, match="missing"):
        robot(tmp_path, f"<link name='a'>{gone}</link>")
    with pytest.raises(InputError, match="shows nothing"):
        robot(tmp_path, "<link name='a'/>")


def test_meshes_of_a_format_that_is_not_read_are_noted(tmp_path):
    shape = '<visual><geometry><mesh filename="a.dae"/></geometry></visual>'
    asset = robot(tmp_path, f"<link name='a'>{shape}{BOX}</link>", a__dae="<COLLADA/>")
    assert any(".dae" in note for note in asset.notes)


# ---------------------------------------------------------------- joints


def test_frames_and_axes_follow_the_standard(tmp_path):
    inside = '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><axis xyz="0 3 0"/><limit lower="-1" upper="2"/>'
    asset = robot(tmp_path, two_links("revolute", inside))
    made = asset.articulation
    # The joint's y axis points along the world's -x, through (1, 0, 0).
    screw = made.freedoms[0].screw
    np.testing.assert_allclose(screw, [0, 0, 0, -1, 0, 0], atol=1e-12)
    assert (made.freedoms[0].lower, made.freedoms[0].upper) == (-1, 2)
    assert any("length 3" in note for note in asset.notes)
    np.testing.assert_allclose(made.links[1].T_world_link, place((1, 0, 0), (0, 0, np.pi / 2)), atol=1e-12)


@pytest.mark.parametrize(
    "limit, expected, noted",
    [
        ("", (-np.inf, np.inf), False),
        ("<limit effort='1' velocity='2'/>", (-np.inf, np.inf), False),
        ("<limit lower='-1' upper='2'/>", (-1, 2), False),
        ("<limit lower='2' upper='-1'/>", (-1, 2), True),
        ("<limit upper='2'/>", (0, 2), False),
        ("<limit lower='-inf' upper='1'/>", (-np.inf, 1), False),
        ("<limit lower='0.5' upper='0.5'/>", (0.5, 0.5), False),
    ],
)
def test_limits(limit, expected, noted, tmp_path):
    asset = robot(tmp_path, two_links("prismatic", limit))
    found = asset.articulation.joints[0]
    assert (found.lower, found.upper) == expected
    assert any("swapped" in note for note in asset.notes) == noted


def test_kinds_mimic_and_dynamics(tmp_path):
    body = "".join(f'<link name="{n}">{BOX}</link>' for n in "abcdef")
    body += joint(
        "continuous", "<dynamics damping='0.5' friction='0.25'/><limit effort='3' velocity='4'/>", name="turn"
    )
    body += joint("revolute", "<mimic joint='turn' multiplier='-2' offset='0.5'/>", child="c", name="follow")
    body += joint("floating", parent="a", child="d", name="float") + joint("planar", child="e", name="plane")
    body += joint("fixed", child="f", name="weld")
    asset = robot(tmp_path, body)
    made = asset.articulation
    assert [j.kind for j in made.joints] == ["continuous", "revolute", "fixed", "fixed", "fixed"]
    turn, follow = made.joints[:2]
    assert (turn.damping, turn.friction, turn.effort, turn.velocity) == (0.5, 0.25, 3.0, 4.0)
    assert (follow.mimic.joint, follow.mimic.multiplier, follow.mimic.offset) == (0, -2.0, 0.5)
    np.testing.assert_allclose(made.coupling[0], [[1], [-2]])
    assert sum("held fixed" in note for note in asset.notes) == 2


def test_inertials_come_in_link_axes(tmp_path):
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="4"/>'
        '<inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    body = f'<link name="a">{BOX}{inertial}</link><link name="b">{BOX}<inertial><mass value="0"/></inertial></link>'
    asset = robot(tmp_path, body + joint("fixed"))
    found = asset.articulation.links[0].inertia
    assert found.mass == 4
    np.testing.assert_allclose(found.centre, (1, 2, 3))
    np.testing.assert_allclose(found.tensor, np.diag([2.0, 1.0, 3.0]), atol=1e-12)
    assert asset.articulation.links[1].inertia is None and any("mass" in note for note in asset.notes)


def pair(slide_inside, turn_inside, *, turn="continuous", helper="", slide_axis="0 0 1", turn_axis="0 0 1", swap=False):
    names = ("slide", "turn")
    kinds = ("prismatic", turn)
    insides = (f'<axis xyz="{slide_axis}"/>{slide_inside}', f'<axis xyz="{turn_axis}"/>{turn_inside}')
    order = (1, 0) if swap else (0, 1)
    body = f'<link name="a">{BOX}</link><link name="h">{helper}</link><link name="b">{BOX}</link>'
    for (parent, child), i in zip((("a", "h"), ("h", "b")), order):
        body += joint(kinds[i], insides[i], parent=parent, child=child, name=names[i])
    return body


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_coupled_pair_is_a_screw_and_moves_as_the_pair_did(swap, sign, tmp_path):
    mimic = "<origin xyz='0 0 1'/><mimic joint='turn' multiplier='0.25'/>"
    body = pair(mimic, "", slide_axis=f"0 0 {sign}", swap=swap)
    made = robot(tmp_path, body).articulation
    assert [j.kind for j in made.joints] == ["screw"] and len(made.links) == 2
    assert made.joints[0].name == "turn"
    # The plain pair, by hand: slide s = 0.25 angle along its own axis, turn about z.
    expected = place((0, 0, sign * 0.25 * 0.7), (0, 0, 0.7))
    np.testing.assert_allclose(link_motions(made, [0.7])[1], expected, atol=1e-12)


def test_the_other_way_of_coupling_and_limits_of_both(tmp_path):
    body = pair("<limit lower='-0.5' upper='1'/>", "<mimic joint='slide' multiplier='4'/><limit lower='-9' upper='3'/>",
                turn="revolute")  # fmt: skip
    made = robot(tmp_path, body).articulation.joints[0]
    assert (
        made.kind == "screw" and made.pitch == 0.25 and (made.lower, made.upper) == (-2.0, 3.0) and made.mimic is None
    )


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_uncoupled_pair_is_cylindrical_and_moves_as_the_pair_did(swap, sign, tmp_path):
    asset = robot(tmp_path, pair("<limit lower='-0.1' upper='0.4'/>", "", slide_axis=f"0 0 {sign}", swap=swap))
    made = asset.articulation
    assert made.joints[0].kind == "cylindrical" and made.coordinate_names == ["turn", "turn slide"]
    assert made.joints[0].slide == ((-0.1, 0.4) if sign > 0 else (-0.4, 0.1))
    np.testing.assert_allclose(link_motions(made, [0.7, 0.3])[1], place((0, 0, 0.3), (0, 0, 0.7)), atol=1e-12)
    assert any("one cylindrical joint" in note for note in asset.notes)


@pytest.mark.parametrize(
    "body",
    [
        pair("", "", turn_axis="0 0.01 1"),
        pair("", "", helper=BOX),
        pair("", "", helper="<collision><geometry><box size='1 1 1'/></geometry></collision>"),
        pair("<dynamics damping='1'/>", ""),
        pair("<mimic joint='turn' multiplier='2' offset='1'/>", ""),
        pair("", "<origin xyz='1 0 0'/>").replace('type="prismatic"', 'type="revolute"'),
        pair("<origin xyz='1 0 0'/>", "", swap=True),
        pair("", "") + f'<link name="c">{BOX}</link>' + joint("fixed", parent="h", child="c", name="k"),
        pair("", "") + f'<link name="c">{BOX}</link>'
        + joint("revolute", "<mimic joint='slide'/>", parent="a", child="c", name="k"),
    ],
)  # fmt: skip
def test_pairs_that_are_not_one_joint_stay_two(body, tmp_path):
    made = robot(tmp_path, body).articulation
    assert {"slide", "turn"} <= {j.name for j in made.joints}
    assert all(j.kind not in ("screw", "cylindrical") for j in made.joints)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "body, words",
    [
        (two_links("revolute") + joint("fixed", parent="b", child="a", name="k"), "cycle"),
        (
            "<link name='c'>" + BOX + "</link>" + two_links("fixed") + joint("fixed", parent="c", child="c", name="k"),
            "cycle",
        ),
        (two_links("fixed") + joint("fixed", name="k"), "two parents"),
        (two_links("fixed").replace('<parent link="a"/>', '<parent link="x"/>'), "'x', which is no link"),
        (two_links("fixed").replace('<child link="b"/>', '<child link="x"/>'), "'x', which is no link"),
        (two_links("fixed").replace('<child link="b"/>', ""), "has no child"),
        (two_links("fixed") + "<link name='c'/>", "without a parent"),
        (two_links("fixed") + "<link name='a'/>", "two links called 'a'"),
        (two_links("fixed") + joint("fixed", parent="b", child="a"), "two joints called 'j'"),
        (two_links("revolute", "<axis xyz='0 0 0'/>"), "axis .* zero"),
        (two_links("revolute", "<axis xyz='0 nan 0'/>"), "nan"),
        (two_links("revolute", "<origin xyz='0 0 1e300'/>"), "1e300"),
        (two_links("revolute", "<origin xyz='0 0'/>"), "2 numbers"),
        (two_links("revolute", "<limit lower='x'/>"), "not a number"),
        (two_links("revolute", "<limit lower='nan' upper='1'/>"), "nan"),
        (two_links("revolute", "<mimic joint='k'/>"), "no joint"),
        (two_links("revolute", "<mimic joint='j'/>"), "leads nowhere"),
        (two_links("revolute", "<dynamics damping='-1'/>"), "damping"),
        (two_links("ball"), "unknown type 'ball'"),
        (two_links("fixed").replace("1 2 3", "1 -2 3"), "not positive"),
        (two_links("fixed").replace("box size", "torus size"), "torus"),
        ("<link/>", "no name"),
        ("", "no links"),
    ],
)
def test_faulty_trees_and_numbers_are_one_sentence(body, words, tmp_path):
    with pytest.raises(InputError, match=words) as caught:
        robot(tmp_path, body)
    assert caught.value.remedy and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "well-formed"),
        ("<robot>", "well-formed"),
        ("<sdf/>", "<sdf>"),
        ("<?xml version='1.0' encoding='nonsense'?><robot/>", "well-formed"),
        ("<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='&a;'/>", "document type"),
        ("<!DOCTYPE robot SYSTEM 'file:///etc/passwd'><robot/>", "document type"),
        ("<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:include filename='x'/></robot>", "xacro"),
    ],
)
def test_what_is_not_a_urdf_is_refused(text, words, tmp_path):
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "robot.urdf").write_bytes(text.encode(encoding))
        with pytest.raises(InputError, match=words):
            load(tmp_path / "robot.urdf")
        if "encoding" in text:
            break


def test_an_entity_bomb_is_refused_at_once(tmp_path):
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))
    (tmp_path / "robot.urdf").write_text(f"<!DOCTYPE robot [{entities}]><robot name='&e11;'/>")
    with pytest.raises(InputError, match="document type"):
        load(tmp_path / "robot.urdf")


OUTSIDE = ["../secret.obj", "/etc/secret.obj", "a/../../secret.obj", "..\\secret.obj", "file:///etc/secret.obj",
           "package://x/../../secret.obj", "%2e%2e/secret.obj"]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_outside_are_refused(name, tmp_path):
    (tmp_path / "secret.obj").write_text(TRIANGLE)
    folder = tmp_path / "folder"
    folder.mkdir()
    body = f'<link name="a"><visual><geometry><mesh filename="{name}"/></geometry></visual>{BOX}</link>'
    with pytest.raises(InputError, match="outside"):
        robot(folder, body)
    if name == "../secret.obj":
        assert load(folder / "robot.urdf", allow_outside=True).mesh.vertex_count == 11


def test_a_link_that_leads_outside_is_refused(tmp_path):
    (tmp_path / "secret.obj").write_text(TRIANGLE)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "inside.obj").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(InputError, match="outside"):
        robot(folder, '<link name="a"><visual><geometry><mesh filename="inside.obj"/></geometry></visual></link>')


def test_names_that_no_file_can_have_are_missing_files(tmp_path):
    (tmp_path / "loop.obj").symlink_to(tmp_path / "pool.obj")
    (tmp_path / "pool.obj").symlink_to(tmp_path / "loop.obj")
    for name in ("9" * 400, "a/" * 3000, ".", "robot.urdf/x.obj"):
        body = f'<link name="a"><visual><geometry><mesh filename="{name}"/></geometry></visual>{BOX}</link>'
        assert any("missing" in note for note in robot(tmp_path, body).notes)
    for name in ("loop.obj", "%00"):
        body = f'<link name="a"><visual><geometry><mesh filename="{name}"/></geometry></visual>{BOX}</link>'
        with pytest.raises(InputError, match="not a file"):
            robot(tmp_path, body)


def test_names_are_one_line(tmp_path):
    body = two_links("fixed").replace('"b"', '"b&#10;c"')
    assert robot(tmp_path, body).articulation.links[1].name == "b c"


def test_a_urdf_does_not_name_urdfs(tmp_path):
    with pytest.raises(InputError, match="shows nothing"):
        robot(tmp_path, '<link name="a"><visual><geometry><mesh filename="robot.urdf"/></geometry></visual></link>')


# ---------------------------------------------------------------- zip


def test_a_zip_is_read_as_its_folder(tmp_path):
    shape = '<visual><geometry><mesh filename="meshes/t.obj"/></geometry></visual>'
    with zipfile.ZipFile(tmp_path / "robot.zip", "w") as archive:
        archive.writestr("arm/mobility.urdf", f'<robot name="r"><link name="a">{shape}</link></robot>')
        archive.writestr("arm/meshes/t.obj", TRIANGLE)
    assert load(tmp_path / "robot.zip").mesh.vertex_count == 3


def test_a_zip_cannot_lead_outside(tmp_path):
    (tmp_path / "secret.obj").write_text(TRIANGLE)
    shape = '<visual><geometry><mesh filename="../../secret.obj"/></geometry></visual>'
    with zipfile.ZipFile(tmp_path / "robot.zip", "w") as archive:
        archive.writestr("arm/mobility.urdf", f'<robot name="r"><link name="a">{shape}</link></robot>')
        archive.writestr("../../secret.obj", TRIANGLE)
    with pytest.raises(InputError, match="outside"):
        load(tmp_path / "robot.zip")


# ---------------------------------------------------------------- round trips


def assert_same(again: Articulation, made: Articulation, tolerance=1e-9):
    assert [link.name for link in again.links] == [link.name for link in made.links]
    assert [(j.name, j.kind, j.parent, j.child, j.mimic) for j in again.joints] == [
        (j.name, j.kind, j.parent, j.child, j.mimic) for j in made.joints
    ]
    for new, old in zip(again.joints, made.joints):
        for field in ("origin", "axis", "lower", "upper", "pitch", "slide", "damping", "friction"):
            if new.kind != "fixed" or field == "origin":
                np.testing.assert_allclose(getattr(new, field), getattr(old, field), atol=tolerance, err_msg=field)
        assert (new.effort, new.velocity) == (old.effort, old.velocity)
    for new, old in zip(again.freedoms, made.freedoms):
        np.testing.assert_allclose(new.screw, old.screw, atol=tolerance)
    np.testing.assert_allclose(again.mesh.vertices, made.mesh.vertices, atol=tolerance)
    np.testing.assert_array_equal(again.mesh.faces, made.mesh.faces)
    np.testing.assert_array_equal(again.vertex_link, made.vertex_link)


def test_every_kind_survives_a_round_trip(tmp_path):
    made = every_kind()
    again = load(save(made, tmp_path / "machine.urdf")).articulation
    assert_same(again, made)
    assert again.name == "every kind"
    stated = again.links[2].inertia
    assert stated.mass == 3.0
    np.testing.assert_allclose(stated.tensor, made.links[2].inertia.tensor, atol=1e-12)
    shown = [again.mesh.materials[i].base_color for i in again.mesh.face_material]
    assert shown == [made.mesh.materials[i].base_color for i in made.mesh.face_material]
    once_more = load(save(again, tmp_path / "again.urdf")).articulation
    assert_same(once_more, again)
    assert once_more.mesh.parts == again.mesh.parts


def test_textures_and_parts_survive_a_round_trip(tmp_path):
    made = textured()
    lid = np.flatnonzero(made.mesh.face_part == 1)
    face_part = made.mesh.face_part.copy()
    face_part[lid[:6]] = 2
    parts = (*made.mesh.parts, Part("handle", 1))
    made = replace(made, mesh=replace(made.mesh, parts=parts, face_part=face_part))
    again = load(save(made, tmp_path / "box.urdf")).articulation
    np.testing.assert_allclose(again.mesh.corner_attributes["uv0"], made.mesh.corner_attributes["uv0"], atol=1e-12)
    assert [m.textures["base_color"].texture.image for m in again.mesh.materials] == [picture()]
    assert_same(again, made)  # the handle shares vertices with its lid, so the two stay one visual

    vertices = made.mesh.vertices[made.mesh.faces].reshape(-1, 3)
    faces = np.arange(len(vertices)).reshape(-1, 3)
    apart = Mesh(vertices, faces, parts=parts, face_part=face_part, up="z")
    apart = replace(made, mesh=apart, vertex_link=made.vertex_link[made.mesh.faces].reshape(-1))
    again = load(save(apart, tmp_path / "box.urdf")).articulation
    assert_same(again, apart)
    assert again.mesh.parts == (Part("base"), Part("lid"), Part("handle", 1))
    np.testing.assert_array_equal(again.mesh.face_part, face_part)


def test_several_roots_are_hung_on_one(tmp_path):
    lone = assemble(("p", "q", "r"), (Joint("j", "revolute", 0, 1, place(), unit(1, 0, 0)),
                                      Joint("k", "fixed", 0, 2, place((2, 0, 0)), unit(1, 0, 0))),
                    [(1, 1, 1)] * 3, T_root=place((1, 2, 3), (0.1, 0.2, 0.3)))  # fmt: skip
    lone = replace(lone, joints=lone.joints[:1])
    again = load(save(lone, tmp_path / "roots.urdf")).articulation
    assert [link.name for link in again.links] == ["base", "p", "q", "r"]
    np.testing.assert_allclose(again.mesh.vertices, lone.mesh.vertices, atol=1e-12)
    assert [j.kind for j in again.joints] == ["fixed", "fixed", "revolute"]


def test_a_face_between_two_links_goes_with_its_majority(tmp_path):
    made = every_kind()
    bridge = np.concatenate([made.mesh.faces, [[0, 1, 8]]])
    mesh = Mesh(made.mesh.vertices, bridge, up="z")
    again = load(save(replace(made, mesh=mesh), tmp_path / "bridge.urdf")).articulation
    assert again.mesh.vertex_count == made.mesh.vertex_count + 1 and again.mesh.face_count == len(bridge)
    assert all(len(set(again.vertex_link[face])) == 1 for face in again.mesh.faces)


@pytest.mark.parametrize("pitch", [0.0, 0.7, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 + 1e-5, 3.0])
def test_roll_pitch_yaw_is_exact_at_the_poles_too(pitch):
    R = Rotation.from_euler("xyz", (0.4, pitch, -2.0)).as_matrix()
    np.testing.assert_allclose(Rotation.from_euler("xyz", compute_roll_pitch_yaw(R)).as_matrix(), R, atol=1e-14)


# ---------------------------------------------------------------- real objects


@pytest.mark.slow
def test_all_real_objects_load(shared_data):
    index = json.loads((shared_data / "index.json").read_text())["partnet_mobility"]
    known = [entry["id"] for rows in index.values() for entry in rows]
    assert len(known) == 362  # further folders may lie beside them, of no split
    folders = sorted(shared_data / "partnet_mobility" / name for name in known)
    cylindrical = 0
    for folder in folders:
        made = load(folder).articulation
        assert made.mesh.vertex_count > 0 and made.mesh.up == "z"
        assert np.isfinite(made.mesh.vertices).all()
        assert made.freedoms, folder.name
        assert all(made.links[i].name == part.name for i, part in enumerate(made.mesh.parts[: len(made.links)]))
        cylindrical += sum(j.kind == "cylindrical" for j in made.joints)
    assert cylindrical == 24  # 21 bottles and 3 chairs


def test_real_objects_stand_where_an_independent_reader_puts_them(shared_data):
    """Each visual's own OBJ vertices, moved down the tree by hand from the XML."""
    import xml.etree.ElementTree as ET

    for identity in ("8893", "3933", "45213"):
        folder = shared_data / "partnet_mobility" / identity
        robot = ET.parse(folder / "mobility.urdf").getroot()

        def origin(element):
            child = element.find("origin")
            given = {} if child is None else child.attrib
            xyz, rpy = ([float(x) for x in given.get(key, "0 0 0").split()] for key in ("xyz", "rpy"))
            return place(xyz, rpy)

        above = {j.find("child").get("link"): (j.find("parent").get("link"), origin(j)) for j in robot.iter("joint")}
        expected = []
        for link in robot.iter("link"):
            T, name = np.eye(4), link.get("name")
            while name in above:
                T, name = above[name][1] @ T, above[name][0]
            for visual in link.iter("visual"):
                file = folder / visual.find("geometry/mesh").get("filename")
                rows = [line.split()[1:4] for line in file.read_text().splitlines() if line.startswith("v ")]
                points = np.array(rows, dtype=float)
                M = T @ origin(visual)
                expected.append(points @ M[:3, :3].T + M[:3, 3])
        np.testing.assert_allclose(load(folder).mesh.vertices, np.concatenate(expected), atol=1e-9)


def test_real_objects_survive_a_round_trip(shared_data, tmp_path):
    for identity in ("3933", "8893", "102301", "7265"):
        made = load(shared_data / "partnet_mobility" / identity).articulation
        again = load(save(made, tmp_path / "object.urdf")).articulation
        assert_same(again, made, tolerance=1e-6)
        assert len({m.name for m in made.mesh.materials} - {m.name for m in again.mesh.materials}) == 0


def test_objects_of_hundreds_of_files_load_quickly(shared_data):
    import time

    start = time.perf_counter()
    load(shared_data / "partnet_mobility" / "7292")  # 487 OBJ files
    assert time.perf_counter() - start < 5.0  # a fifth of that on a quiet machine
