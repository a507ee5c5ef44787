"""What of the Blender add-on can be tried without Blender: the zip, the manifest, files, command lines and answers."""

import importlib
import json
import math
import re
import sys
import tomllib
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import neurok
from neurok.commands.main import main, parse

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = REPOSITORY / "integrations" / "blender"
sys.path.insert(0, str(REPOSITORY / "scripts"))

import blender_addon  # noqa: E402

PACKAGE = "neurok_blender_sources"


@pytest.fixture(scope="module")
def part():
    """`part(name)`: a module of the add-on; its package, which needs Blender, is stood in for."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(SOURCE)]
    sys.modules[PACKAGE] = package
    yield lambda name: importlib.import_module(f"{PACKAGE}.{name}")
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


# ---------------------------------------------------------------- the zip


def test_the_zip_holds_every_module_and_is_always_the_same(tmp_path):
    one, other = (blender_addon.build_addon(tmp_path / name) for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    with zipfile.ZipFile(one) as archive:
        names = set(archive.namelist())
        assert names == {path.name for path in SOURCE.iterdir() if path.is_file()} | {"LICENSE"}
        imported = {
            name for file in names if file.endswith(".py")
            for name in re.findall(r"^from \.(\w+) import", archive.read(file).decode(), re.MULTILINE)
        }  # fmt: skip
        assert {f"{name}.py" for name in imported} <= names


def test_the_manifest_says_what_blender_demands():
    manifest = tomllib.loads((SOURCE / "blender_manifest.toml").read_text())
    assert manifest["schema_version"] == "1.0.0" and manifest["type"] == "add-on"
    assert manifest["version"] == neurok.__version__
    assert tuple(map(int, manifest["blender_version_min"].split("."))) >= (4, 2, 0)
    assert re.fullmatch(r"[a-z][a-z0-9_]*", manifest["id"])
    assert 0 < len(manifest["tagline"]) <= 64 and not manifest["tagline"].endswith(".")
    assert manifest["license"] == ["SPDX:Apache-2.0"] and manifest["maintainer"] and manifest["name"]
    assert all(len(words) <= 64 and not words.endswith(".") for words in manifest["permissions"].values())


# ---------------------------------------------------------------- files


def test_a_mesh_arrives_in_its_order(part, tmp_path):
    """Vertices, triangles, materials and names as neurok reads them, far from the origin too."""
    glb = part("glb")
    generator = np.random.default_rng(0)
    pieces, count = [], 12
    for name, shift in (("lid", 0.0), ("box", 5000.0)):
        vertices = generator.normal(size=(count, 3)) + shift
        triangles = np.array([generator.permutation(count)[:3] for _ in range(20)])
        pieces.append(glb.Piece(name, vertices, ((1, triangles[:7]), (-1, triangles[7:9]), (0, triangles[9:]))))
    materials = [glb.Material("oak", (0.5, 0.3, 0.1, 1.0)), glb.Material("brass", (0.8, 0.6, 0.2, 1.0))]
    glb.write_glb(tmp_path / "mesh.glb", pieces, materials)
    mesh = neurok.load_mesh(tmp_path / "mesh.glb")
    np.testing.assert_allclose(mesh.vertices, np.concatenate([p.vertices for p in pieces]), rtol=0, atol=1e-6)
    expected = np.concatenate([rows + count * i for i, p in enumerate(pieces) for _, rows in p.triangles])
    np.testing.assert_array_equal(mesh.faces, expected)
    assert [part.name for part in mesh.parts] == ["lid", "box"] and mesh.up == "y"
    np.testing.assert_array_equal(mesh.face_part, np.repeat([0, 1], 20))
    named = [mesh.materials[m].name if m >= 0 else "" for m in mesh.face_material[[0, 7, 9]]]
    assert named[0] == "brass" and named[1] not in ("oak", "brass") and named[2] == "oak"


def test_axes_there_and_back(part):
    axes_of = part("axes").Axes
    frame = np.eye(4)
    frame[:3, :3] = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix() * 2.0
    frame[:3, 3] = (1.0, 2.0, 3.0)
    axes = axes_of(frame, metres=0.01)
    local = np.random.default_rng(1).normal(size=(5, 3))
    world = local @ frame[:3, :3].T + frame[:3, 3]
    written = axes.write_points(world)
    np.testing.assert_allclose(written, 0.01 * local[:, [0, 2, 1]] * (1, 1, -1), atol=1e-12)
    np.testing.assert_allclose(axes.read_points(written), local, atol=1e-12)
    shift = axes.write_vectors(world[1] - world[0], are_lengths=True)
    np.testing.assert_allclose(shift, written[1] - written[0], atol=1e-12)
    down = axes_of(np.eye(4), metres=0.01).write_vectors(np.array([0, 0, -9.81]), are_lengths=False)
    np.testing.assert_allclose(down, (0, -9.81, 0), atol=1e-12)
    turned = axes.write_vectors(np.array([0, 0, -9.81]), are_lengths=False)
    assert np.linalg.norm(turned) == pytest.approx(9.81), "a scaled armature falls no faster"
    np.testing.assert_allclose(axes.read_directions(np.array([0.0, 1.0, 0.0])), (0, 0, 1))


# ---------------------------------------------------------------- command lines


def test_command_lines_are_those_that_neurok_knows(part):
    lines = part("command_lines")
    demand = lines.Demand(
        1.5, 24.0, (0, -9.81, 0), True, pulls=(((-1e-7, 2, 3), (0, 0.1, -0.2)),), pushes=(((1, 2, 3), (4, 5, 6)),),
        material="oak",
    )  # fmt: skip
    for line in (
        lines.build_find("neurok"),
        lines.build_simulate("neurok", demand, with_joints=True),
        lines.build_simulate("neurok", lines.Demand(1, 30), with_joints=False),
        lines.build_drag("neurok", demand.pulls, with_joints=True),
        lines.build_drag("neurok", demand.pulls, with_joints=False),
    ):
        command = parse(line[1], line[2:])
        assert command is not None and lines.MESH in (getattr(command, "input", ""), getattr(command, "rest", ""))
    conditions = parse("animate", lines.build_simulate("neurok", demand, with_joints=True)[2:]).build_conditions()
    assert conditions.gravity == (0, -9.81, 0) and conditions.ground and conditions.material == "oak"
    assert conditions.pulls[0].point == (-1e-7, 2, 3) and conditions.pulls[0].by == (0, 0.1, -0.2)
    assert conditions.pushes[0].force == (4, 5, 6) and (conditions.seconds, conditions.fps) == (1.5, 24)


def test_the_command_is_found_or_its_lack_is_one_sentence(part, tmp_path, monkeypatch):
    process = part("process")
    tool = tmp_path / "neurok"
    with pytest.raises(process.Fault, match="is no program that can be run; set the path"):
        process.find_command(str(tool))
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert process.find_command(str(tool)) == str(tool)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert process.find_command("") == str(tool)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(process.Fault, match="there is no neurok command on the PATH"):
        process.find_command("")


def test_a_process_is_watched_heard_and_stopped(part, tmp_path, monkeypatch):
    process = part("process")
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    code = "import sys; sys.stderr.write('neurok: note: a note\\nneurok: it is odd; mend it.\\n'); sys.exit(2)"
    answer = process.Process([sys.executable, "-c", code], str(tmp_path)).wait()
    assert answer == process.Answer(2, ("a note",), (), "it is odd; mend it.")
    slow = process.Process([sys.executable, "-c", "import time; time.sleep(600)"], str(tmp_path))
    assert slow.poll() is None
    slow.stop()
    assert slow.poll().code != 0
    with pytest.raises(process.Fault, match="cannot be run"):
        process.Process([str(tmp_path / "absent")], str(tmp_path))


def test_complaints_are_told_apart(part):
    read = part("process").read_complaints
    text = "neurok: note: n\nneurok: warning: w\nsome library's noise\nneurok: no; do.\n"
    assert read(text, 3) == part("process").Answer(3, ("n",), ("w",), "no; do.")
    assert read(text, 0).fault == ""
    assert read("Traceback\n  File\nKeyError: 'x'\n", 1).fault == "neurok ended with code 1: KeyError: 'x'"
    assert read("", -9).fault == "neurok ended with code -9: it said nothing"


# ---------------------------------------------------------------- answers


@pytest.fixture(scope="module")
def chest(part, tmp_path_factory) -> Path:
    """A folder with a box whose lid is a hinge, as the add-on writes them."""
    folder, glb, answers = tmp_path_factory.mktemp("chest"), part("glb"), part("answers")
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    lid = corners * (1.0, 0.05, 0.8) + (0.0, 0.53, 0.0)
    pieces = [
        glb.Piece("base", corners * (1.0, 1.0, 0.8), ((-1, triangles),)),
        glb.Piece("part_2", lid, ((-1, triangles),)),
    ]
    glb.write_glb(folder / "mesh.glb", pieces)
    hinge = answers.FoundJoint(
        "part_2_bone", "revolute", "base", "part_2", (1.0, 0.0, 0.0), (0.0, 0.505, -0.4), (-2.0, 0.1)
    )
    answers.write_links(folder / "joints.json", ("base", "part_2"), (hinge,))
    return folder


def test_joints_are_obeyed_and_states_come_back(part, chest, monkeypatch):
    """Given joints move the mesh: `animate --joints --states`, `fit --joints` and their answers, by closed forms."""
    lines, answers = part("command_lines"), part("answers")
    monkeypatch.chdir(chest)
    demand = lines.Demand(0.2, 20.0)
    (chest / "conditions.json").write_text(json.dumps({"state": [-0.5], "gravity": [0, 0, 0], "damping": 0}))
    line = [*lines.build_simulate("neurok", demand, with_joints=True), "--conditions=conditions.json", "--stiffness=0"]
    assert main([*line[1:], "--no-predict"]) == 0
    found = answers.read_states(chest / lines.STATES)
    assert (found.names, found.units, found.states.shape) == (("part_2_bone",), ("rad",), (5, 1))
    np.testing.assert_allclose(found.time, np.arange(5) / 20.0, atol=1e-12)
    np.testing.assert_allclose(found.states, -0.5, atol=1e-9)
    # The front edge of the lid goes round the hinge by a known angle.
    front, pivot = np.array([0.0, 0.505, 0.4]), np.array([0.0, 0.505, -0.4])
    by = Rotation.from_rotvec([-0.7, 0, 0]).apply(front - pivot) + pivot - front
    assert main(lines.build_drag("neurok", [(front, by)], with_joints=True)[1:]) == 0
    fitted = answers.read_fitted(chest / lines.REPORT)
    assert fitted.names == found.names and fitted.units == ("rad",)
    np.testing.assert_allclose(fitted.states, [[-0.7]], atol=1e-3)


def test_faces_of_links_are_listed(part, chest, monkeypatch):
    """`articulate --faces`: the triangles that were written come back by link, and joints in radians and metres."""
    lines, answers = part("command_lines"), part("answers")
    monkeypatch.chdir(chest)
    assert main(["articulate", "mesh.glb", "--edit", "joints.json", "-o", lines.LINKS, "--faces", "--no-predict"]) == 0
    found = answers.read_links(chest / lines.LINKS)
    assert found.names == ("base", "part_2")
    np.testing.assert_array_equal(found.label_triangles(24), np.repeat([0, 1], 12))
    (joint,) = found.joints
    assert joint.kind == "revolute" and joint.turns and joint.follow is None
    np.testing.assert_allclose(joint.limits, (-2.0, 0.1), atol=1e-12)
    with pytest.raises(part("process").Fault, match="says of some triangles no link"):
        found.label_triangles(25)


def test_joints_survive_writing_and_reading(part, tmp_path):
    answers = part("answers")
    endless = (-math.inf, math.inf)
    screw = answers.FoundJoint("s", "screw", "a", "b", (0, 0, 1), (1, 2, 3), (-1.0, 20.0), 0.01)
    slide = answers.FoundJoint("t", "prismatic", "a", "c", (0, 1, 0), (0, 0, 0), (-0.1, math.inf))
    gear = answers.FoundJoint(
        "g", "continuous", "a", "d", (1, 0, 0), (0, 0, 0), endless, 0.0, answers.Follow("t", 3, 0.2)
    )
    rack = answers.FoundJoint(
        "r", "prismatic", "a", "e", (1, 0, 0), (0, 0, 0), (0, 1), 0.0, answers.Follow("s", 0.5, 0.0)
    )
    answers.write_links(tmp_path / "x.json", ("a", "b", "c", "d", "e"), (screw, slide, gear, rack))
    entry = json.loads((tmp_path / "x.json").read_text())
    for link in entry["links"]:
        link["faces"] = []
    (tmp_path / "x.json").write_text(json.dumps(entry))
    for was, now in zip((screw, slide, gear, rack), answers.read_links(tmp_path / "x.json").joints):
        assert now.limits == pytest.approx(was.limits) and now.pitch == was.pitch and now.kind == was.kind
        assert (now.follow is None) == (was.follow is None)
        if was.follow is not None:
            assert now.follow.joint == was.follow.joint
            assert (now.follow.multiplier, now.follow.offset) == pytest.approx(
                (was.follow.multiplier, was.follow.offset)
            )


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"links": 3, "joints": []}', '{"links": [{"name": 1}], "joints": []}']
)
def test_an_answer_that_is_none_is_one_sentence(part, tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    for read in (part("answers").read_links, part("answers").read_states, part("answers").read_fitted):
        with pytest.raises(part("process").Fault, match="is not understood"):
            read(tmp_path / "x.json")
    with pytest.raises(part("process").Fault, match="left no answer"):
        part("answers").read_states(tmp_path / "absent.json")
