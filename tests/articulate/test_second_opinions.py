"""Exports judged by others (MuJoCo, pxr, PyBullet, trimesh), and the judges themselves, on files made wrong.

The whole sweep over all dev objects and 200 made ones is `make check-articulation`; here a few of each.
"""

import json
import re
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks import check_articulation
from benchmarks.check_articulation import Candidate, Verdict, judge, made_objects, real_objects, table
from benchmarks.second_opinions import mass_opinion, pybullet_opinion, usd_against_mjcf
from neurok.articulate.colliders import add_colliders
from neurok.articulate.physics import add_physics
from neurok.files.registry import save
from neurok.geometry.articulation import Articulation, Joint, Link
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.geometry.rigid import exp_twist
from tests.files.machines import every_kind

pytest.importorskip("mujoco")
pytest.importorskip("pxr")
REAL = ("7179", "44781", "100367", "12249")
bullet = pytest.mark.skipif(
    find_spec("pybullet") is None, reason="PYBULLET ABSENT: the second opinion on URDF files is not heard"
)


def _judged(candidate: Candidate) -> Verdict:
    verdict = judge(candidate)
    if find_spec("pybullet") is None:
        verdict.faults["bullet"].clear()
    return verdict


@pytest.mark.parametrize("identity", REAL)
def test_real_objects_pass_every_judge(identity, shared_data):
    for candidate in real_objects(shared_data, "dev"):
        if candidate.name == identity:
            verdict = _judged(candidate)
            assert not verdict.sentences
            assert verdict.penetration < 0.01 and verdict.drift < 1e-3


def test_made_objects_pass_every_judge():
    names = ("drawer_cabinet", "bottle", "pliers", "office_chair")
    found = list(made_objects(4, 7, names))
    assert {candidate.category for candidate in found} == set(names)
    for candidate in found:
        assert not _judged(candidate).sentences


def test_every_dev_object_is_in_the_sweep(shared_data):
    dev = {row["id"] for row in json.loads((shared_data / "index.json").read_text())["partnet_mobility"]["dev"]}
    swept = [(candidate.name, candidate.joints) for candidate in real_objects(shared_data, "dev")]
    assert len(dev) == 46
    assert set(swept) == {(name, joints) for name in dev for joints in ("found", "given")}


def test_a_fault_is_told_and_counted(monkeypatch, capsys, tmp_path):
    bad = Verdict("made", "pen", "pen 1", "found")
    bad.faults["usd"].append("it squeaks")
    monkeypatch.setattr(check_articulation, "judge", lambda candidate, predictor: bad)
    assert check_articulation.main(["--made", "1", "--only", "pen", "-o", str(tmp_path / "t.txt")]) == 1
    assert "1 objects, 1 at fault" in capsys.readouterr().out
    assert "it squeaks" in (tmp_path / "t.txt").read_text()
    assert "0 of 1" in table([bad])[2]


# ---------------------------------------------------------------- every kind of joint, and wrong files


@pytest.fixture
def files(tmp_path):
    thing = add_physics(every_kind())
    return {suffix: save(thing, tmp_path / f"every.{suffix}") for suffix in ("usda", "xml", "urdf")}


def test_every_kind_of_joint_is_the_same_in_usd_and_mjcf(files):
    assert usd_against_mjcf(files["usda"], files["xml"]) == []


@pytest.mark.parametrize(
    ("pattern", "instead", "words"),
    [
        (r"float physics:mass = [^\n]+", "float physics:mass = 123", "weighs"),
        (r"float physics:upperLimit = [^\n]+", "float physics:upperLimit = 7.5", "goes from"),
        (r"point3f physics:centerOfMass = [^\n]+", "point3f physics:centerOfMass = (9, 9, 9)", "centre"),
        (r"float3 physics:diagonalInertia = [^\n]+", "float3 physics:diagonalInertia = (9, 9, 9)", "inertia"),
        (r"uniform token physics:axis = \"X\"", 'uniform token physics:axis = "Y"', "axis"),
        (r"point3f physics:localPos0 = [^\n]+", "point3f physics:localPos0 = (5, 6, 7)", "turns elsewhere"),
        (r"def PhysicsPrismaticJoint", "def Scope", "other joints"),
    ],
)
def test_a_usd_made_wrong_is_found_out(files, pattern, instead, words):
    text = files["usda"].read_text()
    changed = re.sub(pattern, instead, text)
    assert changed != text
    files["usda"].write_text(changed)
    assert any(words in fault for fault in usd_against_mjcf(files["usda"], files["xml"]))


@bullet
def test_pybullet_agrees_about_every_kind_of_joint(files):
    assert pybullet_opinion(files["urdf"], files["xml"]) == []


@bullet
@pytest.mark.parametrize(
    ("pattern", "instead", "words"),
    [
        (r'<mass value="[^"]+"', '<mass value="77"', "weighs"),
        (r' upper="[^"]+"', ' upper="2.75"', "limits"),
        (r'<axis xyz="[^"]+"', '<axis xyz="0.6 0 0.8"', "elsewhere"),
    ],
)
def test_pybullet_notices_a_urdf_made_wrong(files, pattern, instead, words):
    files["urdf"].write_text(re.sub(pattern, instead, files["urdf"].read_text()))
    assert any(words in fault for fault in pybullet_opinion(files["urdf"], files["xml"]))


# ---------------------------------------------------------------- inertia


def _turned_box() -> tuple[Articulation, np.ndarray]:
    """A box that stands askew on a base, in centimetres with y up; and its rotation."""
    T = exp_twist(np.array([0.0, 0, 0, 0.4, -0.7, 0.3]))
    T[:3, 3] = (10.0, 90.0, -20.0)
    meshes = [box(100, 20, 100), transform(box(30, 50, 70), T)]
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    faces = np.concatenate([meshes[0].faces, meshes[1].faces + meshes[0].vertex_count])
    origin = np.eye(4)
    origin[:3, 3] = (0, 30, 0)
    joint = Joint("turn", "revolute", 0, 1, origin, np.array([0, 1.0, 0]), -1.0, 1.0)
    mesh = Mesh(vertices, faces, up="y", unit=0.01)
    return Articulation(mesh, np.repeat([0, 1], 8), (Link("base", np.eye(4)), Link("box", np.eye(4))), (joint,)), T


def test_full_inertia_of_a_box_askew_reaches_every_engine(tmp_path):
    """R diag(m (b^2 + c^2) / 12, ...) R^T about its middle, in metres with z up; density times volume."""
    import mujoco

    thing, T = _turned_box()
    thing = add_physics(thing, density=800.0)
    files = {suffix: save(thing, tmp_path / f"askew.{suffix}") for suffix in ("xml", "urdf", "usda")}
    w, d, h = 0.3, 0.5, 0.7
    mass = 800.0 * w * d * h
    up = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    R = up @ T[:3, :3]
    expected = R * (mass / 12 * np.array([d * d + h * h, w * w + h * h, w * w + d * d])) @ R.T
    for suffix in ("xml", "urdf"):
        model = mujoco.MjModel.from_xml_path(str(files[suffix]))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        body = model.body("box").id
        axes = data.ximat[body].reshape(3, 3)
        np.testing.assert_allclose(model.body_mass[body], mass, rtol=1e-9)
        np.testing.assert_allclose(data.xipos[body], up @ T[:3, 3] * 0.01, atol=1e-9)
        np.testing.assert_allclose(axes * model.body_inertia[body] @ axes.T, expected, atol=1e-6 * mass)
    assert usd_against_mjcf(files["usda"], files["xml"]) == []


def test_trimesh_weighs_the_same_and_notices_a_wrong_mass():
    thing, _ = _turned_box()
    thing = add_physics(thing)
    masses = [link.inertia.mass for link in thing.links]
    assert mass_opinion(thing, masses, 500.0, 1e-9) == []
    assert len(mass_opinion(thing, [masses[0], 1.02 * masses[1]], 500.0, 1e-9)) == 1


def test_a_free_base_is_free_in_usd_and_mjcf(tmp_path):
    for floating in (False, True):
        thing = replace(add_colliders(add_physics(_turned_box()[0]))[0], floating=floating)
        a, b = save(thing, tmp_path / "x.usda"), save(thing, tmp_path / "x.xml")
        assert usd_against_mjcf(a, b) == []
        assert ("freejoint" in b.read_text()) == floating
