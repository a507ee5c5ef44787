"""A scene as its files have it: plain MuJoCo, trimesh and pxr agree on where things are, and nothing moves."""

import json

import numpy as np
import pytest

from neurok.commands.main import main
from neurok.evaluate.scene_files import measure_joint_way, measure_rest, meets_relation, open_scene
from neurok.files.registry import load

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.slow

TEXT = "a kitchen counter with a kettle, a toaster right of the kettle and an open drawer below"


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scene")
    words = [
        "scene",
        TEXT,
        *(x for suffix in ("xml", "usd", "glb", "png") for x in ("-o", str(folder / f"scene.{suffix}"))),
    ]
    assert main(words) == 0
    return folder


def test_the_file_stays_at_rest_in_plain_mujoco(scene):
    drift, penetration = measure_rest(scene / "scene.xml")
    assert drift < 1e-3 and penetration < 0.01


def test_what_was_asked_is_so_in_the_file(scene):
    file = open_scene(scene / "scene.xml")
    rows = [("kettle", "on"), ("toaster", "on"), ("drawer", "below")]
    assert all(meets_relation(file, name, word, "kitchen_counter") for name, word in rows)
    assert meets_relation(file, "toaster", "right of", "kettle")
    assert not meets_relation(file, "kettle", "right of", "toaster") and not meets_relation(
        file, "drawer", "on", "kettle"
    )
    slides = [j for j in range(file.model.njnt) if file.model.joint(j).name.startswith("drawer/drawer")]
    shares = [file.data.qpos[file.model.jnt_qposadr[j]] / file.model.jnt_range[j][1] for j in slides]
    assert max(shares) == pytest.approx(0.8, abs=0.01) and np.isclose(shares, 0.0, atol=0.01).sum() == len(shares) - 1


def _find_boxes(scene):
    file = open_scene(scene / "scene.xml")
    return {str(file.model.body(b).name): np.array(file.data.xpos[b]) for b in range(1, file.model.nbody)}


def test_our_own_readers_trimesh_and_pxr_see_things_in_the_same_places(scene):
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    xml = load(scene / "scene.xml").mesh
    glb, usd = load(scene / "scene.glb").mesh, load(scene / "scene.usd").mesh
    size = xml.diagonal
    x, y, z = glb.vertices.T  # glTF has y up
    assert np.abs(np.stack([x, -z, y], axis=1) - usd.vertices).max() < 1e-5 * size
    # MuJoCo's file has the floor as well; heights agree, and so does the outline.
    assert np.abs(xml.bounds - usd.bounds).max() < 1e-3 * size
    shown = trimesh.load(scene / "scene.glb")
    turned = shown.bounds[:, [0, 2, 1]] * (1, -1, 1)
    assert np.abs(np.sort(turned, axis=0) - np.sort(usd.bounds, axis=0)).max() < 1e-4 * size
    stage = Usd.Stage.Open(str(scene / "scene.usd"))
    box = UsdGeom.BBoxCache(Usd.TimeCode.Default(), [UsdGeom.Tokens.default_]).ComputeWorldBound(stage.GetPseudoRoot())
    found = box.ComputeAlignedRange()
    assert np.allclose([found.GetMin(), found.GetMax()], usd.bounds, atol=1e-4)


def test_free_things_are_free_and_held_ones_fixed_in_usd(scene):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdPhysics

    stage = Usd.Stage.Open(str(scene / "scene.usd"))
    anchors = [
        p.GetName() for p in stage.Traverse() if p.IsA(UsdPhysics.FixedJoint) and p.GetName().startswith("world")
    ]
    assert any("counter" in name for name in anchors) and not any("kettle" in name for name in anchors)


def test_the_scene_opens_as_one_jointed_object_with_every_thing_free_to_go(scene):
    found = load(scene / "scene.xml").articulation
    moving = {joint.name.split(" ")[0] for joint in found.joints if "moves along" in joint.name}
    assert any(name.startswith("kettle") for name in moving) and any(name.startswith("toaster") for name in moving)


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        outputs = ["-o", str(folder / "s.xml"), "-o", str(folder / "s.glb")]
        assert main(["scene", "a table with a bottle", "--seed", "3", *outputs]) == 0
    first = {p.relative_to(tmp_path / "a"): p.read_bytes() for p in (tmp_path / "a").rglob("*") if p.is_file()}
    second = {p.relative_to(tmp_path / "b"): p.read_bytes() for p in (tmp_path / "b").rglob("*") if p.is_file()}
    assert len(first) > 3 and first == second


def test_the_hand_opens_a_drawer_that_is_shut_and_pushes_what_stands_freely(tmp_path, capsys):
    xml, glb = tmp_path / "scene.xml", tmp_path / "scene.glb"
    words = ["scene", "a drawer cabinet with a bottle on it", "-o", str(xml), "-o", str(glb), "--json"]
    assert main([*words, "--do", "open drawer_1", "--do", "push bottle 5 cm"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["done"] for row in facts["actions"]] == [True, True]
    model = open_scene(xml).model
    lower, upper = model.jnt_range[model.joint("drawer_cabinet/drawer_1").id]
    assert lower == pytest.approx(0.0, abs=1e-6)
    assert measure_joint_way(glb, xml, "drawer_cabinet/drawer_1", upper) >= 0.8
    assert measure_joint_way(glb, xml, "drawer_cabinet/drawer_2", upper) < 0.01
