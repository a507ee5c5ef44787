"""Parts by name on the command line and in Python: the same part moves as by its coordinates."""

import json

import numpy as np
import pytest

import neurok as package
from neurok.errors import OptionError
from neurok.mechanics.conditions import Conditions, Pin, Pull, Push, Start, Velocity

TWO_DRAWERS = """<robot name="chest">
  <link name="link_0"><visual><geometry><box size="1 1 2"/></geometry></visual></link>
  <link name="link_1"><visual><geometry><box size="0.8 0.9 0.5"/></geometry></visual></link>
  <link name="link_2"><visual><geometry><box size="0.8 0.9 0.5"/></geometry></visual></link>
  <joint name="joint_1" type="prismatic"><parent link="link_0"/><child link="link_1"/>
    <origin xyz="0 -0.1 0.5"/><axis xyz="0 -1 0"/><limit lower="0" upper="0.8"/></joint>
  <joint name="joint_2" type="prismatic"><parent link="link_0"/><child link="link_2"/>
    <origin xyz="0 -0.1 -0.5"/><axis xyz="0 -1 0"/><limit lower="0" upper="0.8"/></joint>
</robot>
"""


@pytest.fixture
def speak(neurok):
    """As `neurok`, for a line that ends with a code: what it prints."""

    def run(*words, code=0):
        found, out, err = neurok(*words)
        assert found == code, err
        return err if code else out

    return run


@pytest.fixture
def chest(tmp_path):
    path = tmp_path / "chest.urdf"
    path.write_text(TWO_DRAWERS)
    return path


def test_parts_are_listed_with_joint_size_and_place(speak, chest, tmp_path):
    done = speak("parts", chest, "-o", tmp_path / "chest.png", "--json")
    rows = {row["name"]: row for row in json.loads(done)["parts"]}
    assert set(rows) == {"base", "drawer_1", "drawer_2"}
    upper = rows["drawer_1"]
    assert (upper["motion"], upper["joint"], upper["on"]) == ("slides", "drawer_1_joint", "base")
    assert upper["size"] == pytest.approx([0.8, 0.9, 0.5]) and upper["centre"] == pytest.approx([0, -0.1, 0.5])
    assert upper["other_names"] == ["link_1"]
    assert upper["taken_at"][1] < -0.4
    assert (tmp_path / "chest.png").stat().st_size > 10_000
    assert "drawer_2  slides on base" in speak("parts", chest)


def test_pulling_one_drawer_moves_that_drawer(speak, chest, tmp_path):
    for name in ("drawer_2", "link_2"):  # also as the file calls it
        done = speak(
            "animate", chest, "--pull", f"{name}:0,-0.3,0@0,0.5", "--pin", "base", "--seconds", 0.5, "--json",
            "-o", tmp_path / "a.glb",
        )  # fmt: skip
        moved = {part["name"]: part["largest"] for part in json.loads(done)["moved"]["parts"]}
        assert moved["drawer_2"] == pytest.approx(0.3, abs=0.01)
        assert moved["drawer_1"] == moved["base"] == 0


def test_a_name_and_the_point_it_stands_for_give_the_same_bytes(speak, chest, tmp_path):
    taken = json.loads(speak("parts", chest, "--json"))["parts"]
    place = next(row["taken_at"] for row in taken if row["name"] == "drawer_2")
    for name, point in (("name.glb", "drawer_2"), ("point.glb", ",".join(map(repr, place)))):
        speak("animate", chest, "--start", f"{point}:0,-0.3,0", "--seconds", 0.5, "-o", tmp_path / name)
    assert (tmp_path / "name.glb").read_bytes() == (tmp_path / "point.glb").read_bytes()


def test_names_work_in_fits_conditions_files_and_part_properties(speak, chest, tmp_path):
    done = speak("fit", chest, "--pull", "drawer_1:0,-0.2,0", "-o", tmp_path / "fit.ply", "--json")
    state = json.loads(done)["state"]
    assert state["drawer_1_joint"] == pytest.approx(0.2, abs=0.01) and state["drawer_2_joint"] == 0
    given = tmp_path / "c.json"
    given.write_text(Conditions(pulls=(Pull("drawer_1", by=(0, -0.3, 0)),), seconds=0.5).to_json())
    done = speak(
        "animate", chest, "--conditions", given, "--part", "drawer_1:density=900", "--json", "-o", tmp_path / "b.glb"
    )
    found = {part["name"]: part["largest"] for part in json.loads(done)["moved"]["parts"]}
    assert found["drawer_1"] > 0.2 and found["drawer_2"] == 0


@pytest.mark.parametrize("option", ["--pull", "--push", "--start", "--velocity"])
def test_unknown_names_end_in_a_sentence_with_the_nearest(speak, chest, tmp_path, option):
    done = speak("animate", chest, option, "drawer_3:0,0,1", "-o", tmp_path / "a.glb", code=2)
    assert "no part 'drawer_3'; did you mean 'drawer_" in done and not (tmp_path / "a.glb").exists()
    assert "no part 'till'" in speak("animate", chest, "--pin", "till", "-o", tmp_path / "a.glb", code=2)
    assert "no part 'till'" in speak("fit", chest, "--pull", "till:0,0,1", "-o", tmp_path / "a.ply", code=2)


def test_python_understands_names(chest):
    conditions = Conditions(pulls=(Pull("drawer_2", by=(0, -0.3, 0)),), seconds=0.3)
    for thing in (package.load(chest), package.kinematics(package.load(chest)), chest):
        states = package.animate(thing, conditions).states
        assert states[:, 1].max() > 0.1 and np.all(states[:, 0] == 0)
    assert package.fit(chest, pulls=[("drawer_1", (0, -0.2, 0))]).state == pytest.approx([0.2, 0], abs=0.01)
    assert package.sample(chest, 2).shape == (2, 2)
    assert [part.name for part in package.parts(chest)] == ["base", "drawer_1", "drawer_2"]
    with pytest.raises(OptionError, match="did you mean 'drawer_"):
        package.animate(chest, Conditions(pins=(Pin("drawer"),)))


def test_conditions_keep_names_through_json_and_lose_them_once_located():
    conditions = Conditions(
        pulls=(Pull("a", by=(0, 0, 1)), Pull((1.0, 2.0, 3.0), by=(0, 0, 1))), pushes=(Push("b", (1, 0, 0)),),
        starts=(Start("c", (0, 0, 1)),), velocities=(Velocity("d", (0, 0, 1)),), pins=(Pin("a"),),
    )  # fmt: skip
    assert Conditions.from_json(conditions.to_json()) == conditions
    assert set(conditions.place_names) == {"a", "b", "c", "d"}
    placed = conditions.locate(lambda name: (float(ord(name)), 0.0, 0.0))
    assert placed.place_names == () and placed.pulls[1] == conditions.pulls[1]
    assert placed.pins[0].point == placed.pulls[0].point == (97.0, 0.0, 0.0)
    with pytest.raises(OptionError, match="empty name"):
        Pin(" ")
