"""neurok render: a row for each joint, what moves in a motion, turntables; what cannot be drawn is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROW, CAPTION = 100, 14  # pixels


def two_doors(door: Path, count: int = 2) -> Path:
    """The door, with so many leaves, all on the same frame."""
    text = door.read_text()
    link, joint = text[text.index('  <link name="leaf"') : text.index("  <joint")], text[text.index("  <joint") :]
    more = [link.replace("leaf", f"leaf{i}") + joint.replace("leaf", f"leaf{i}").replace("hinge", f"hinge{i}")
            .replace("</robot>\n", "") for i in range(1, count)]  # fmt: skip
    door.write_text(text.replace("</robot>", "".join(more) + "</robot>"))
    return door


@pytest.mark.parametrize(("count", "rows"), [(1, 1), (2, 2), (10, 8)])
def test_an_object_with_joints_gets_a_row_for_each_up_to_eight(neurok, door, count, rows):
    code, out, err = neurok("render", two_doors(door, count), "--size", ROW, "-o", "a.png")
    assert code == 0 and err == ""
    assert Image.open("a.png").size == (5 * ROW, rows * (ROW + CAPTION))
    assert ("not hinge8, hinge9" in out) == (count == 10)


def test_rows_are_the_same_from_any_format_that_holds_the_joints(neurok, door):
    pictures = []
    for name, source in (("a.xml", door), ("a.urdf", "a.xml"), ("a.usda", "a.xml")):
        assert neurok("convert", source, name)[0] == 0
        code, out, _ = neurok("render", name, "--size", ROW, "-o", "a.png")
        assert code == 0 and "1 joint from lower to upper limit" in out
        pictures.append(np.asarray(Image.open("a.png")).astype(int))
    for picture in pictures[1:]:
        assert np.mean(np.abs(picture - pictures[0]).max(axis=2) > 30) < 0.01


def test_joints_of_a_json_file_are_drawn_with_the_mesh_they_were_written_for(neurok, door):
    assert neurok("convert", door, "door.glb")[0] == 0
    links = [{"name": name, "parts": [name]} for name in ("frame", "leaf")]
    joint = {"name": "hinge", "type": "revolute", "parent": "frame", "child": "leaf", "axis": [0, 1, 0],
             "pivot": [0, 0, 0], "limits": [-86, 86]}  # fmt: skip
    Path("a.json").write_text(json.dumps({"links": links, "joints": [joint]}))
    code, out, _ = neurok("render", "door.glb", "--edit", "a.json", "--size", ROW, "-o", "a.png")
    assert code == 0 and "1 joint from lower to upper limit" in out
    assert Image.open("a.png").size == (5 * ROW, ROW + CAPTION)


def test_the_clips_that_articulate_writes_are_rows_and_show_moving_needs_no_joints(neurok, door):
    assert neurok("states", two_doors(door), "--kinematics", "joints", "-o", "a.glb")[0] == 0
    code, out, _ = neurok("render", "a.glb", "--size", ROW, "-o", "a.png")
    assert code == 0 and "2 joints" in out and Image.open("a.png").size[1] == 2 * (ROW + CAPTION)
    assert neurok("render", "a.glb", "--clip", 0, "--size", ROW, "-o", "plain.png")[0] == 0
    assert neurok("render", "a.glb", "--clip", 0, "--size", ROW, "--show-moving", "-o", "shown.png")[0] == 0
    assert neurok("render", "a.glb", "--clip", 0, "--size", ROW, "--show-moving", "-o", "again.png")[0] == 0
    plain, shown = (np.asarray(Image.open(f"{name}.png")).astype(int) for name in ("plain", "shown"))
    assert plain.shape == shown.shape and np.mean(np.abs(plain - shown).max(axis=2) > 40) > 0.02
    assert Path("again.png").read_bytes() == Path("shown.png").read_bytes()


@pytest.mark.parametrize("name", ["a.gif", "a.png"])
def test_a_turntable_turns_what_stands_still(neurok, box, name):
    assert neurok("render", box, "--turntable", "--frames", 3, "--size", 32, "-o", name)[0] == 0
    picture = Image.open(name)
    assert (getattr(picture, "n_frames", 1), picture.size) == ((80, (32, 32)) if name == "a.gif" else (1, (96, 32)))


def test_at_rest_draws_one_picture_of_an_object_with_joints(neurok, door):
    assert neurok("render", door, "--at-rest", "--size", ROW, "-o", "a.png")[0] == 0
    assert Image.open("a.png").size == (ROW, ROW)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("door.urdf", "-o", "a.mp4"), "output suffix"),
        (("door.urdf", "--turntable", "-o", "a.jpg"), "output suffix"),
        (("found.json", "-o", "a.png"), "--edit found.json"),
        (("door.urdf", "--turntable", "--show-moving", "-o", "a.png"), "exclude each other"),
        (("door.urdf", "--at-rest", "--edit", "a.json", "-o", "a.png"), "exclude each other"),
        (("door.urdf", "--edit", "none.json", "-o", "a.png"), "none.json"),
        (("box.obj", "--show-moving", "-o", "a.png"), "nothing that moves"),
        (("door.urdf", "--turntable", "--clip", "2", "-o", "a.png"), "no clips"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(neurok, box, door, tmp_path, words, said):
    before = sorted(tmp_path.iterdir())
    code, out, err = neurok("render", *words)
    assert code == 2 and out == "" and said in err and "Traceback" not in err
    assert err.splitlines()[-1].startswith("neurok: ") and sorted(tmp_path.iterdir()) == before
