"""Axes and units that a file leaves open: stated by the user, or said to be a guess."""

import json

import numpy as np
import pytest

from neurok.files.registry import load, save
from neurok.geometry.mesh import Mesh
from tests.commands.conftest import BOX

SHORT = ("--seconds", 0.2, "--fps", 20)
PYRAMID = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"  # z is up
OUT = {"animate": "o.npz", "sample": "o.npz", "states": "o.glb", "fit": "o.ply", "articulate": "o.json"}


@pytest.fixture
def large(tmp_path):
    """The box of a metre, counted in millimetres."""
    path = tmp_path / "large.obj"
    path.write_text("\n".join(_scaled(line) for line in BOX.splitlines()))
    return path


def _scaled(line: str) -> str:
    return "v " + " ".join(f"{1000 * float(x):g}" for x in line.split()[1:]) if line.startswith("v ") else line


def words(verb: str, path) -> tuple:
    return (verb, path, *(("--pull", "1,1,1:0,0,0") if verb == "fit" else ()), "-o", OUT[verb])


def test_a_box_in_millimetres_falls_and_weighs_as_one_in_metres(neurok, box, large):
    """0.2 s of fall are 0.196 m whatever the numbers, and a cubic metre weighs 500 kg."""
    found = []
    for path, unit in ((box, ()), (large, ("--unit", 0.001))):
        code, out, err = neurok(
            "animate",
            path,
            "--no-predict",
            "--base",
            "free",
            "--damping",
            0,
            "--up",
            "y",
            *unit,
            *SHORT,
            "-o",
            "o.npz",
            "--json",
        )
        assert code == 0 and "across" not in err
        found.append(json.loads(out))
    for one in found:
        assert "mass 500 kg" in one["status"]
        assert one["moved"]["largest"] * one["metres_per_unit"] == pytest.approx(9.81 * 0.2**2 / 2, rel=0.03)


@pytest.mark.parametrize("verb", ["sample", "states", "animate"])
def test_results_are_written_in_the_unit(neurok, door, verb):
    assert neurok(*words(verb, door)[:2], "--unit", 0.5, "-o", "o.glb", *(SHORT if verb == "animate" else ()))[0] == 0
    height = np.ptp(load("o.glb").mesh.vertices, axis=0).max()  # glTF is in metres
    assert height == pytest.approx(0.5 * np.ptp(load(door).mesh.vertices, axis=0).max(), rel=1e-5)


def test_two_files_of_one_format_have_one_unit(neurok, large, tmp_path):
    """The same box twice, in millimetres that neither glTF states: nothing has to move."""
    for name in ("rest.glb", "target.glb"):
        save(load(large).mesh, tmp_path / name)
    code, out, _ = neurok(
        "fit", "rest.glb", "target.glb", "--kinematics", "body", "--unit", 0.001, "-o", "o.ply", "--json"
    )
    assert code == 0 and json.loads(out)["residual"] < 1e-6


def test_fit_takes_a_target_that_knows_its_unit(neurok, door, tmp_path):
    """The door in units of 10 cm; its own shape in metres is a target ten times smaller, and so no motion at all."""
    rest = load(door).mesh
    save(Mesh(0.1 * rest.vertices, rest.faces, up="z"), tmp_path / "target.usda")
    code, out, _ = neurok("fit", door, "target.usda", "--corresponding", "--unit", 0.1, "-o", "o.ply", "--json")
    assert code == 0 and json.loads(out)["state"]["hinge"] == pytest.approx(0.0, abs=1e-6)
    assert json.loads(out)["residual"] < 1e-3


@pytest.mark.parametrize("verb", OUT)
@pytest.mark.parametrize("unit", ["0", "-1", "nan", "inf", "1e10"])
def test_units_that_are_none_are_refused(neurok, door, verb, unit):
    code, _, err = neurok(*words(verb, door), f"--unit={unit}")
    assert code == 2 and "--unit is" in err and err.count("\n") == 1


def test_every_verb_that_weighs_says_what_inspect_says_of_an_odd_size(neurok, large):
    said = neurok("inspect", large)[1]
    problem = next(line.removeprefix("warning: ") for line in said.splitlines() if " m across: " in line)
    assert "perhaps it is in millimetres, and 1.73 m across" in problem and "--unit 0.001" in said
    for verb in (("animate", large, *SHORT), ("articulate", large, "--parts", "geometry")):
        code, _, err = neurok(*verb, "-o", OUT[verb[0]])
        assert code == 0 and problem in err and "--unit 0.001" in err
        assert "across" not in neurok(*verb, "-o", OUT[verb[0]], "--unit", 0.001)[2]


@pytest.mark.parametrize("verb", OUT)
def test_a_guessed_axis_is_said_once_and_not_on_stdout(neurok, tmp_path, verb):
    (tmp_path / "pyramid.obj").write_text(PYRAMID)
    extra = SHORT if verb == "animate" else ("--parts", "geometry") if verb == "articulate" else ()
    has_json = ("--json",) if verb in ("animate", "fit", "articulate") else ()
    code, out, err = neurok(*words(verb, "pyramid.obj"), *extra, *has_json)
    assert code == 0 and err.count("which way is up") == 1 and "--up z" in err and "span 100%" in err
    assert "which way is up" not in out and (not has_json or json.loads(out))
    assert "which way is up" not in neurok(*words(verb, "pyramid.obj"), *extra, "--up", "z")[2]


def test_a_file_that_knows_its_axis_gets_no_remark(neurok, door):
    assert neurok("animate", door, "--no-predict", *SHORT, "-o", "o.npz")[2] == ""
