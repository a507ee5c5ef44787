"""What a stranger trips over: slips in conditions and names, and what is said about them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from neurok.files.registry import load
from neurok.geometry.mesh import Mesh

SHORT = ("--seconds", 0.2, "--fps", 20, "-o", "m.npz")


@pytest.mark.parametrize("verb", ["animate", "fit"])
@pytest.mark.parametrize("seed", ["-1", str(2**63), "1.5"])
def test_seeds_that_no_generator_takes_are_refused(neurok, door, verb, seed):
    code, _, err = neurok(verb, door, "--seed", seed, "-o", "m.glb")
    assert code == 2 and "whole number" in err and err.count("\n") == 1


def test_a_condition_that_comes_too_late_is_told(neurok, door):
    code, out, err = neurok("animate", door, "--pull", "0.95,0,0:0,0.4,0@5,9", "--push", "0.95,0,0:0,1,0@0,1", *SHORT)
    assert code == 0 and "nothing moved" not in out
    assert err.count("is over and does nothing") == 1 and "pull from 5 s" in err


def test_a_point_on_a_part_without_joints_is_told(neurok, door):
    code, out, err = neurok("animate", door, "--pull", "0,0,9:0,0.4,0", *SHORT)
    assert code == 0 and "nothing moved" in out
    assert "8 away from the object: its nearest point, 0,0,1, is meant" in err  # the frame ends at z = 1
    assert "lies on 'frame', which no joint moves" in err


def test_good_conditions_get_no_remark(neurok, door):
    assert (
        neurok("animate", door, "--pull", "0.95,0,0:0,0.4,0", "--push", "0.9,0,0:0,1,0", "--no-predict", *SHORT)[2]
        == ""
    )


def test_only_suffixes_that_would_do_are_offered(neurok, door):
    code, _, err = neurok("animate", door, "-o", "m.fbx")
    assert code == 2 and ".glb" in err and ".obj" not in err and ".urdf" not in err


def test_a_folder_as_output_is_called_a_folder(neurok, door):
    code, _, err = neurok("animate", door, "-o", ".")
    assert code == 2 and "is a folder" in err


def test_a_missing_file_without_suffix_is_missing(neurok):
    code, _, err = neurok("inspect", "nowhere")
    assert code == 2 and "there is no file nowhere" in err


def test_fit_tells_units_and_outputs(neurok, door):
    words = ("fit", door, "--pull", "0.95,0,0:0,0.4,0", "-o", "f.ply")
    code, out, _ = neurok(*words)
    assert code == 0 and "degrees" in out and "e-1" not in out
    found = json.loads(neurok(*words, "--json")[1])
    assert found["units"] == {"hinge": "rad"} and [o["path"] for o in found["outputs"]] == ["f.ply"]


def test_lengths_and_zeros_of_coordinates_are_readable():
    from neurok.commands.movement import format_figure

    assert (
        format_figure(-1e-9, "rad") == "0.0"
        and format_figure(-0.0, "unit") == "0"
        and format_figure(1e-12, "unit", 1.0) == "0"
    )
    assert format_figure(0.5235987755982988, "rad") == "30.0" and format_figure(0.03033, "unit") == "0.03033"


def test_convert_tells_what_the_new_format_cannot(neurok, tmp_path):
    from neurok.files.registry import save

    save(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], up="z", unit=0.01), tmp_path / "sheet.usda")
    code, _, err = neurok("convert", "sheet.usda", "sheet.stl")
    assert code == 0 and "z is up and a unit is 0.01 m" in err
    assert "is up" not in neurok("convert", "sheet.usda", "sheet.glb")[2]


def weights(neurok, path) -> tuple[float, float]:
    """Of the object as a URDF states it, and of the object that moves [kg], where no material is predicted."""
    neurok("convert", path, "out.urdf")
    stated = sum(float(mass.get("value")) for mass in ElementTree.parse("out.urdf").iter("mass"))
    return stated, float(neurok("animate", path, "--no-predict", *SHORT)[1].split("mass ")[1].split(" kg")[0])


def test_an_exported_object_weighs_what_the_moving_one_does(neurok, door):
    stated, moving = weights(neurok, door)
    assert stated == pytest.approx(500 * (0.1 * 0.1 * 2 + 0.9 * 0.05 * 1.9))
    assert moving == pytest.approx(stated, rel=5e-3)


def test_so_do_sheets_with_a_front_and_a_back(neurok, shared_data):
    stated, moving = weights(neurok, shared_data / "partnet_mobility" / "100129")  # a box of cardboard
    assert moving == pytest.approx(stated, rel=5e-3)


def test_a_missing_package_is_told_before_the_work(neurok, door, monkeypatch):
    monkeypatch.setattr("neurok.files.registry.find_spec", lambda name: None)
    code, out, err = neurok("animate", door, "-o", "m.usdc", "--seconds", 3600, "--fps", 1)
    assert code == 2 and out == "" and "a USD file needs the 'usd' extra" in err


def test_names_with_percent_signs_find_their_materials(neurok, box, tmp_path):
    lines = box.read_text().replace("f 1 4", "usemtl red\nf 1 4")
    for stem in ("a%20b", "100% ü", "a#1 %zz"):
        (tmp_path / f"{stem}.mtl").write_text("newmtl red\nKd 0.8 0.1 0.1\n")
        (tmp_path / f"{stem}.obj").write_text(f"mtllib {stem}.mtl\n{lines}")
        asset = load(tmp_path / f"{stem}.obj")
        assert not asset.notes and asset.mesh.materials[0].base_color[:3] == pytest.approx((0.8, 0.1, 0.1))


def test_pipes_and_devices_are_not_read(process, tmp_path):
    os.mkfifo(tmp_path / "pipe.obj")
    (tmp_path / "zero.obj").symlink_to("/dev/zero")
    for name in ("pipe.obj", "zero.obj"):
        done = process("inspect", name)
        assert done.returncode == 2 and "pipe or a device" in done.stderr


def test_a_stopped_film_leaves_nothing_and_complains_once(door, tmp_path):
    pytest.importorskip("moderngl")
    words = ["animate", str(door), "--no-predict", "-o", "m.mp4", "--seconds", "60", "--fps", "60", "--dt", "0.05"]
    command = [sys.executable, "-m", "neurok.commands.main", *words]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if any(tmp_path.glob(".m.*/m.mp4")) or running.poll() is not None:
            break
        time.sleep(0.1)
    assert running.poll() is None, running.stderr.read()
    running.send_signal(signal.SIGTERM)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 143 and said == ""
    assert [path.name for path in tmp_path.iterdir()] == ["door.urdf"]


@pytest.mark.parametrize("verb", ["animate", "sample", "states", "render", "articulate"])
def test_numbers_too_large_to_reckon_with_are_refused(neurok, tmp_path, verb):
    (tmp_path / "huge.obj").write_text("v 0 0 0\nv 1e160 0 0\nv 0 1e160 0\nf 1 2 3\n")
    out = "a.json" if verb == "articulate" else "a.png"
    code, _, err = neurok(verb, tmp_path / "huge.obj", "-o", out)
    assert code == 2 and "coordinates above 1e+30" in err and "scale" in err and not Path(out).exists()


@pytest.mark.parametrize("size", [0, -5, 15, 2001])
def test_a_picture_of_no_size_is_refused(neurok, box, size):
    code, out, err = neurok("render", box, "--size", size, "-o", "a.png")
    assert code == 2 and f"--size is {size}" in err and "16 to 2000" in err and len(err.splitlines()) == 1
    assert out == "" and not Path("a.png").exists()


def test_what_is_left_of_rounding_is_no_motion(neurok, door):
    code, out, _ = neurok("animate", door, "--push", "0,0,0:0,0,0", "--seconds", 0.1, "-o", "a.npz")
    assert code == 0 and "nothing moved" in out and "moved:" not in out.replace("nothing moved:", "")


def test_a_target_that_is_rest_leaves_nothing_to_recover(neurok, door, tmp_path):
    assert neurok("convert", door, "same.ply")[0] == 0
    code, out, _ = neurok("fit", door, "same.ply", "-o", "a.ply")
    assert code == 0 and "recovered" not in out and "1 coordinate to" in out


def test_a_push_too_strong_to_follow_moves_all_the_same_and_says_so(neurok, door):
    code, out, _ = neurok("animate", door, "--push", "0.95,0,0:0,1e11,0", *SHORT)
    assert code == 0 and "nothing moved" not in out and "moved: leaf" in out
    assert "went as fast as it may" in out


def test_a_fit_to_another_thing_is_told_apart_from_a_fit_to_a_state(neurok, tmp_path):
    """A state of a made laptop is one of what was learned; a ball is none of a chair's."""
    import numpy as np

    from neurok.data import procedural
    from neurok.files.registry import save
    from neurok.geometry.primitives import sphere
    from tests.files.test_standing import chair

    laptop = procedural.make("laptop", 3)
    state = laptop.motion(laptop.states(3, np.random.default_rng(0))).frame(1)
    save(Mesh(laptop.mesh.vertices, laptop.mesh.faces), tmp_path / "laptop.ply")
    save(Mesh(state, laptop.mesh.faces), tmp_path / "opened.ply")
    code, out, err = neurok("fit", "laptop.ply", "opened.ply", "--up", "z", "-o", "f.ply", "--json")
    assert code == 0 and "hardly a state" not in err and json.loads(out)["beyond_learned"] < 0.1
    save(chair(), tmp_path / "chair.ply")
    save(sphere(), tmp_path / "ball.ply")
    code, out, err = neurok("fit", "chair.ply", "ball.ply", "--up", "z", "-o", "f.ply", "--json")
    assert code == 0 and "hardly a state of it" in err
    left = float(err.split("% of the distance to the target is left")[0].rsplit(" ", 1)[1])
    assert 15 < left <= 100
