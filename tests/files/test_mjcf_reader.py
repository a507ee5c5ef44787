"""MJCF as an input, judged by MuJoCo: poses of all bodies in random states, and what they weigh."""

import numpy as np
import pytest

from neurok.assets.laptop import laptop
from neurok.data.procedural import make
from neurok.errors import InputError
from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation

mujoco = pytest.importorskip("mujoco")
from tests.files.mjcf_oracle import compare_poses, compare_weights  # noqa: E402 - it needs mujoco

# Classes in classes, frames in frames, every way to say an orientation, several joints of one body, references.
NASTY = """<mujoco model="nasty">
  <compiler eulerseq="zYx" autolimits="true"/>
  <default>
    <geom density="700" rgba="1 0 0 1"/>
    <joint damping="0.3"/>
    <default class="arm"><geom type="capsule" size="0.05 0.2"/>
      <default class="hand">
        <geom type="ellipsoid" size="0.1 0.2 0.3" mass="2"/><joint type="slide" axis="0 1 1"/>
      </default>
    </default>
    <mesh scale="2 1 0.5"/>
  </default>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  0 3 2  1 2 3"
      refpos="0.1 0.2 0.3" refquat="0.9 0.1 -0.3 0.2"/>
    <material name="blue" rgba="0 0 1 1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <geom type="box" size="0.5 0.5 0.01" pos="0 0 -0.01"/>
    <body name="arm" pos="0.1 0.2 0.3" euler="30 -40 70" childclass="arm">
      <joint name="turn" axis="1 2 3" pos="0.1 0 0.2" range="-50 70" ref="20"/>
      <joint name="slide" type="slide" axis="0 0 -2" range="-0.1 0.4" ref="0.1" class="main"/>
      <geom/>
      <geom fromto="0 0 0 0.3 0.4 0.1" size="0.04"/>
      <geom type="box" fromto="0 0.1 0 0.3 -0.4 0.1" size="0.04 0.1 1"/>
      <frame pos="0.1 0 0" axisangle="1 1 0 33" childclass="hand">
        <geom/>
        <frame quat="2 1 0 0">
          <body name="hand" xyaxes="1 1 0 0 1 1" pos="0 0 0.5">
            <joint name="push" limited="false" range="0 1"/>
            <joint name="wrist" type="ball" range="0 60" pos="0.01 0.02 0.03"/>
            <geom type="mesh" mesh="wedge" material="blue" pos="0.1 0 0" zaxis="1 -1 2"/>
          </body>
        </frame>
      </frame>
      <body name="weighed" pos="0 0.3 0" zaxis="0 0 -1">
        <joint name="follower" axis="0 0 1"/>
        <inertial pos="0.1 0 0" euler="10 20 30" mass="3" diaginertia="0.2 0.3 0.4"/>
        <geom type="cylinder" size="0.1 0.2"/>
      </body>
    </body>
    <body name="loose" pos="1 0 1" euler="0 90 0"><freejoint/><geom size="0.1"/>
      <body pos="0 0 0.2"><joint name="flap"/><geom type="box" size=".1 .2 .3" contype="0" conaffinity="0"/></body>
    </body>
  </worldbody>
  <equality><joint joint1="follower" joint2="turn" polycoef="0.2 -1.5 0 0 0"/></equality>
</mujoco>
"""


def read(tmp_path, text: str, name: str = "model.xml") -> Articulation:
    (tmp_path / name).write_text(text)
    joints = load(tmp_path / name).articulation
    assert joints is not None
    return joints


def test_a_nasty_file_is_where_mujoco_has_it_and_weighs_as_much(tmp_path):
    joints = read(tmp_path, NASTY)
    model = mujoco.MjModel.from_xml_string(NASTY)
    assert compare_poses(model, joints) < 1e-10
    assert compare_weights(model, joints) < 1e-6  # MuJoCo keeps the vertices of meshes in single precision
    by_name = {joint.name: joint for joint in joints.joints}
    assert (by_name["turn"].lower, by_name["turn"].upper) == pytest.approx(np.radians([-70, 50]))
    assert (by_name["slide"].lower, by_name["slide"].upper) == pytest.approx([-0.2, 0.3])
    assert by_name["push"].upper == np.inf and by_name["follower"].mimic.multiplier == -1.5
    assert all(joint.damping == 0.3 for name, joint in by_name.items() if name in ("turn", "push", "wrist x"))


def test_the_oracle_sees_a_wrong_angle_and_a_wrong_mass(tmp_path):
    joints = read(tmp_path, NASTY)
    wrong = NASTY.replace('axisangle="1 1 0 33"', 'axisangle="1 1 0 34"').replace('mass="2"', 'mass="2.1"')
    model = mujoco.MjModel.from_xml_string(wrong)
    assert compare_poses(model, joints) > 1e-3 and compare_weights(model, joints) > 1e-3


def test_vertices_are_where_mujoco_has_its_geoms(tmp_path):
    joints = read(tmp_path, NASTY)
    model = mujoco.MjModel.from_xml_string(NASTY)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = []
    for geom in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH):
        mesh = model.geom_dataid[geom]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        points = model.mesh_vert[start : start + count] @ data.geom_xmat[geom].reshape(3, 3).T
        theirs.append(points + data.geom_xpos[geom])
    hand = [link.name for link in joints.links].index("hand")
    ours = joints.mesh.vertices[joints.vertex_link == hand]
    assert np.sort(ours, axis=0) == pytest.approx(np.sort(np.concatenate(theirs), axis=0), abs=1e-6)


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_angles_follow_the_compiler(tmp_path, angle):
    text = NASTY.replace("<compiler", f'<compiler angle="{angle}"')
    assert compare_poses(mujoco.MjModel.from_xml_string(text), read(tmp_path, text)) < 1e-10


def test_includes_are_put_in_place(tmp_path):
    start, end = NASTY.index("  <asset>"), NASTY.index("  <worldbody>")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "assets.xml").write_text(f"<mujocoinclude>{NASTY[start:end]}</mujocoinclude>")
    text = NASTY[:start] + '<include file="parts/assets.xml"/>' + NASTY[end:]
    assert read(tmp_path, text).joints[0].name == read(tmp_path, NASTY, "whole.xml").joints[0].name
    assert compare_poses(mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml")), read(tmp_path, text)) < 1e-10


@pytest.mark.parametrize("category", ["drawer_cabinet", "laptop"])
def test_our_own_files_come_back(tmp_path, category):
    thing = laptop() if category == "laptop" else make(category, 0).articulation
    save(thing, tmp_path / "thing.xml")
    joints = load(tmp_path / "thing.xml").articulation
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "thing.xml"))
    assert compare_poses(model, joints) < 1e-9 and compare_weights(model, joints) < 1e-6
    assert len(joints.coordinate_names) == len(thing.coordinate_names)
    assert joints.mesh.face_count == thing.mesh.face_count  # its hulls, which nobody shows, are not among them


def test_a_free_body_alone_is_a_floating_base(tmp_path):
    text = '<mujoco><worldbody><body name="ball" pos="0 0 1"><freejoint/><geom size="1"/></body></worldbody></mujoco>'
    joints = read(tmp_path, text)
    assert joints.floating and not joints.joints and joints.links[0].T_world_link[2, 3] == 1


BODY = '<mujoco><worldbody><body name="a">{}</body></worldbody></mujoco>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot/>", "begins with <robot>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><mujoco/>', "document type"),
        ("<mujoco>", "not well-formed"),
        ("<mujoco/>", "shows nothing"),
        (BODY.format('<geom size="nan"/>'), "not|finite"),
        (BODY.format('<geom size="-1"/>'), "above zero"),
        (BODY.format('<geom size="1" quat="0 0 0 0"/>'), "length zero"),
        (BODY.format('<geom size="1"/><joint axis="0 0 0"/>'), "axis of joint"),
        (BODY.format('<geom size="1"/><joint range="2 1"/>'), "range of joint"),
        (BODY.format('<geom size="1"/><joint type="screw"/>'), "type 'screw'"),
        (BODY.format('<geom size="1" class="x"/>'), "class 'x'"),
        (BODY.format('<geom mesh="x"/>'), "mesh 'x'"),
        (BODY.format('<geom type="box" size="1"/>'), "3 numbers"),
        (BODY.format('<geom size="1"/><inertial pos="0 0 0" mass="-1"/>'), "mass of -1"),
        ('<mujoco><include file="/etc/passwd"/></mujoco>', "outside"),
        ('<mujoco><include file="../x.xml"/></mujoco>', "outside"),
        ('<mujoco><include file="model.xml"/></mujoco>', "twice"),
        ('<mujoco><compiler coordinate="global"/></mujoco>', "global"),
        ('<mujoco><compiler eulerseq="xy"/><worldbody/></mujoco>', "eulerseq"),
        (BODY.format("<body>" * 600 + '<geom size="1"/>' + "</body>" * 600), "deep"),
        ('<mujoco><asset><mesh name="m" vertex="0 0"/></asset></mujoco>', "three for each"),
        ('<mujoco><asset><mesh name="m" vertex="0 0 0" face="0 1 2"/></asset></mujoco>', "vertex 2"),
    ],
)
def test_bad_files_end_in_a_sentence(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, text)


def test_couplings_that_go_in_circles_are_left_out(tmp_path):
    pair = '<joint joint1="{}" joint2="{}" polycoef="0 1 0 0 0"/>'
    bodies = "".join(f'<body><joint name="{name}"/><geom size="1"/></body>' for name in "ab")
    equality = f"<equality>{pair.format('a', 'b')}{pair.format('b', 'a')}<weld body1='x'/></equality>"
    joints = read(tmp_path, f"<mujoco><worldbody>{bodies}</worldbody>{equality}</mujoco>")
    assert [joint.mimic is not None for joint in joints.joints] == [True, False]
    assert len([line for line in joints.notes if "left out" in line]) == 2


def test_old_binary_meshes_are_read(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype="<i4")
    data = np.array([4, 0, 0, 4], dtype="<i4").tobytes() + points.tobytes() + faces.tobytes()
    (tmp_path / "m.msh").write_bytes(data)
    text = '<mujoco><asset><mesh file="m.msh"/></asset>' + BODY.format('<geom type="mesh" mesh="m"/>')[8:]
    joints = read(tmp_path, text)
    assert np.array_equal(joints.mesh.faces, faces) and joints.links[0].inertia.mass == pytest.approx(1000 / 6)
    (tmp_path / "m.msh").write_bytes(data[:-3])
    with pytest.raises(InputError, match="damaged"):
        read(tmp_path, text)


def test_a_mesh_that_names_none_is_one_sentence(tmp_path):
    (tmp_path / "a.xml").write_text('<mujoco><worldbody><body><geom type="mesh"/></body></worldbody></mujoco>')
    with pytest.raises(InputError, match="is a mesh and names none"):
        load(tmp_path / "a.xml")


def test_one_mesh_named_very_often_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("neurok.files.urdf.shapes.MAX_CORNER_COUNT", 100)
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    asset, geom = '<asset><mesh name="part" file="part.obj"/></asset>', '<geom type="mesh" mesh="part"/>'
    for count, words in ((3, None), (8, "more geometry")):
        body = f"<worldbody><body>{geom * count}</body></worldbody>"
        (tmp_path / "a.xml").write_text(f"<mujoco>{asset}{body}</mujoco>")
        if words is None:
            assert load(tmp_path / "a.xml").mesh.face_count == 4 * count
            continue
        with pytest.raises(InputError, match=words):
            load(tmp_path / "a.xml")
