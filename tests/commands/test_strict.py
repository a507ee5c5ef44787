"""Failure does not look like success: each doubtful result is one warning, and exit code 3 with --strict."""

import json

import numpy as np
import pytest

from neurok.files.registry import load, save
from neurok.geometry.motion import Motion

DOUBTFUL = {
    "a pull of what no joint moves": (["--pull", "frame:0,0.2,0"], "does nothing"),
    "a pull along the axis": (["--pull", "0.9,0,0:0,0,0.3"], "nothing moves"),
    "a pull that goes too far": (["--pull", "0.9,0,0:0,5,0"], "of its way off"),
    "nothing that acts": (["--gravity", "0,0,0", "--start", "0.9,0,0:0,0,0"], "nothing moves"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_motion_that_is_none_is_one_warning(neurok, door, name):
    words, said = DOUBTFUL[name]
    given = ["animate", door, *words, "--seconds", "0.3", "-o", "out.glb"]
    code, _, err = neurok(*given)
    assert code == 0 and err.count("warning:") == 1 and said in err, err
    code, out, err = neurok(*given, "--strict", "--json")
    assert code == 3 and len(json.loads(out)["warnings"]) == 1 and "--strict" in err


def test_what_does_as_it_was_asked_is_no_doubt(neurok, door):
    given = ["animate", door, "--pull", "0.9,0,0:0,0.2,0", "--seconds", "0.6", "-o", "out.glb", "--strict"]
    code, _, err = neurok(*given)
    assert code == 0 and "warning" not in err, err


def test_a_fit_that_stays_far_from_what_was_asked(neurok, door):
    code, _, err = neurok("fit", door, "--pull", "0.9,0,0:0,0,2", "-o", "out.obj", "--strict")
    assert code == 3 and err.count("warning:") == 1 and "pull at" in err
    code, _, err = neurok("fit", door, "--pull", "0.9,0,0:0,0.2,0", "-o", "near.obj", "--strict")
    assert code == 0 and "warning" not in err


@pytest.mark.parametrize(("suffix", "code"), [(".obj", 3), (".ply", 3), (".stl", 3), (".off", 3), (".glb", 0)])
def test_a_conversion_that_leaves_the_up_axis_to_a_comment(neurok, door, suffix, code):
    given, _, err = neurok("convert", door, f"out{suffix}", "--strict")
    assert given == code and ("z is up" in err) is (code == 3)
    assert load(f"out{suffix}").mesh.up == ("z" if code else "y")


def test_a_still_clip_is_a_doubt(neurok, box, tmp_path):
    mesh = load(box).mesh
    still = Motion(mesh, np.arange(3) / 30, positions=np.repeat(mesh.vertices[None], 3, axis=0))
    save(still, tmp_path / "still.npz")
    code, _, err = neurok("convert", "still.npz", "still.glb", "--strict")
    assert code == 3 and "nothing moves" in err
