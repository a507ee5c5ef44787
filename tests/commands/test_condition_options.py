"""The texts of the command line, and what they become."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurok.commands import condition_options as options
from neurok.commands.animate import ADDED_FIELDS, SET_FIELDS, Animate
from neurok.commands.main import parse
from neurok.errors import NeurokError, OptionError
from neurok.mechanics.checks import MAX_CONDITION_NUMBER
from neurok.mechanics.conditions import (
    Conditions,
    Obstacle,
    PartProperties,
    Pin,
    Pull,
    Push,
    Start,
    Velocity,
)

finite = st.floats(-MAX_CONDITION_NUMBER, MAX_CONDITION_NUMBER, allow_nan=False, width=64)
vectors = st.tuples(finite, finite, finite)
windows = st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)).map(sorted).map(tuple).filter(lambda w: w[0] < w[1])


def text(numbers) -> str:
    return ",".join(map(repr, numbers))


@given(vectors, vectors, windows)
def test_pulls_and_pushes_keep_every_digit(point, vector, window):
    words = f"{text(point)}:{text(vector)}"
    timed = f"{words}@{text(window)}"
    assert options.parse_pull("--pull", words) == Pull(point, by=vector)
    assert options.parse_pull("--pull", timed) == Pull(point, by=vector, start=window[0], end=window[1])
    assert options.parse_pull_to("--pull-to", timed) == Pull(point, to=vector, start=window[0], end=window[1])
    assert options.parse_push("--push", words) == Push(point, vector, 0.0, 0.2)
    assert options.parse_push("--push", timed) == Push(point, vector, *window)
    assert options.parse_start("--start", words) == Start(point, vector)
    assert options.parse_velocity("--velocity", words) == Velocity(point, vector)
    assert options.parse_pin("--pin", text(point)) == Pin(point)


@given(st.text(max_size=40))
def test_any_text_is_understood_or_refused(words):
    for parse_one in (
        options.parse_pull,
        options.parse_push,
        options.parse_start,
        options.parse_pin,
        options.parse_obstacle,
        options.parse_part,
        options.parse_whole,
    ):
        try:
            parse_one("--option", words)
        except NeurokError as fault:
            assert fault.remedy


@pytest.mark.parametrize(
    "words", ["", "1,2", "1,2,3", "1,2,3:4,5", "1,2,3:4,5,6:7", "a,b,c:d,e,f", "1,2,3:nan,0,0", "1,2,inf:0,0,0"]
)
def test_malformed_pulls_are_named(words):
    with pytest.raises(OptionError, match="--pull has"):
        options.parse_pull("--pull", words)


def test_numbers_out_of_all_proportion_are_refused():
    for build in (
        lambda: options.parse_pull("--pull", "0,0,0:1e300,0,0"),
        lambda: Conditions(gravity=(0, 0, -1e200)),
    ):
        with pytest.raises(OptionError, match=r"holds 1e\+[23]00"):
            build()
    assert options.parse_pull("--pull", "0,0,0:1e6,0,0").by == (1e6, 0, 0)


@pytest.mark.parametrize("times", ["", "1", "0,1,2", "a,b", "2,1", "-1,1", "nan,1"])
def test_malformed_times_are_named(times):
    with pytest.raises(OptionError, match="--push has the times"):
        options.parse_push("--push", f"0,0,0:1,1,1@{times}")


def test_obstacles_and_parts():
    assert options.parse_obstacle("--obstacle", "plane:0,0,0:0,1,0") == Obstacle("plane", (0, 0, 0), normal=(0, 1, 0))
    assert options.parse_obstacle("--obstacle", "sphere:0,-1,0:0.5@0.2") == Obstacle(
        "sphere", (0, -1, 0), radius=0.5, friction=0.2
    )
    assert options.parse_obstacle("--obstacle", "box:0,0,0:1,2,3").size == (1, 2, 3)
    with pytest.raises(OptionError, match="unknown obstacle .cone."):
        options.parse_obstacle("--obstacle", "cone:0,0,0:1")
    assert options.parse_part("--part", "seat:left:density=900,friction=0") == (
        "seat:left",
        PartProperties(density=900, friction=0),
    )
    with pytest.raises(OptionError, match="weight"):
        options.parse_part("--part", "seat:weight=3")


# ---------------------------------------------------------------- the whole command line

OWN_MATERIALS = str(Path(__file__).with_name("own_materials.toml"))
EVERYTHING = (
    "door.urdf -o a.glb -o b.npz --pull -0.1,0.2,0:0,0,-0.3@0,1 --pull 1,2,3:4,5,6 --pull-to 0,0,0:1,1,1 "
    "--push 0,0,1:-5,0,0@0.5,0.7 --start 0,0,0:0,0,1 --velocity 0,0,0:-1,0,0 --pin -1,-2,-3 --gravity -1,0,0 "
    "--wind -2,0,0.5 --ground --ground-height -0.25 --obstacle box:0,0,0:1,1,1 --obstacle plane:0,0,0:0,0,1 "
    "--stiffness 0 --damping 0.25 --friction 0.75 --density 800 --mass 12 --part leaf:density=300 --no-limits "
    "--no-self-contact --no-deform --restitution 0.4 --material balsa --materials OWN_MATERIALS "
    "--seconds 1.5 --fps 24 --dt 0.002 --integrator rk4 --base free --seed 7"
).replace("OWN_MATERIALS", OWN_MATERIALS)
EXPECTED = Conditions(
    pulls=(
        Pull((-0.1, 0.2, 0), by=(0, 0, -0.3), start=0, end=1),
        Pull((1, 2, 3), by=(4, 5, 6)),
        Pull((0, 0, 0), to=(1, 1, 1)),
    ),
    pushes=(Push((0, 0, 1), (-5, 0, 0), 0.5, 0.7),),
    starts=(Start((0, 0, 0), (0, 0, 1)),),
    velocities=(Velocity((0, 0, 0), (-1, 0, 0)),),
    pins=(Pin((-1, -2, -3)),),
    gravity=(-1, 0, 0),
    wind=(-2, 0, 0.5),
    ground=True,
    ground_height=-0.25,
    obstacles=(Obstacle("box", (0, 0, 0), size=(1, 1, 1)), Obstacle("plane", (0, 0, 0), normal=(0, 0, 1))),
    stiffness=0,
    damping=0.25,
    friction=0.75,
    density=800,
    mass=12,
    parts={"leaf": PartProperties(density=300)},
    limits=False,
    self_contact=False,
    deforms=False,
    restitution=0.4,
    material="balsa",
    materials=OWN_MATERIALS,
    seconds=1.5,
    fps=24,
    dt=0.002,
    integrator="rk4",
    base="free",
    seed=7,
)


# A whole state to begin from has too many numbers for a command line: it comes from a file, as the viewer writes it.
FILE_ONLY = ("state", "rates")


def test_every_option_reaches_the_conditions():
    command = parse("animate", EVERYTHING.split())
    assert isinstance(command, Animate)
    assert command.output == ("a.glb", "b.npz")
    assert command.build_conditions() == EXPECTED
    plain = Conditions()
    untouched = [
        field.name for field in fields(Conditions) if getattr(EXPECTED, field.name) == getattr(plain, field.name)
    ]
    assert untouched == [*FILE_ONLY], "the command line above must set every other field"


def test_every_condition_has_an_option():
    reached = {*SET_FIELDS, *ADDED_FIELDS.values(), "parts", "ground", "limits", "self_contact", "deforms", *FILE_ONLY}
    assert reached == {field.name for field in fields(Conditions)}


def test_no_option_means_no_condition():
    assert parse("animate", ["x.urdf"]).build_conditions() == Conditions()
    assert parse("animate", ["x.urdf"]).build_conditions().is_silent


def test_a_file_of_conditions_is_the_same_as_the_options(tmp_path):
    file = tmp_path / "c.json"
    file.write_text(EXPECTED.to_json())
    assert parse("animate", ["x.urdf", "--conditions", str(file)]).build_conditions() == EXPECTED


def test_options_are_added_to_a_file_or_replace_its_values(tmp_path):
    file = tmp_path / "c.json"
    file.write_text(
        json.dumps(
            {
                "pulls": [{"point": [0, 0, 0], "by": [1, 0, 0]}],
                "seconds": 9,
                "fps": 12,
                "parts": {"a": {"density": 1}, "b": {"density": 2}},
            }
        )
    )
    words = f"x.urdf --conditions {file} --seconds 2 --pull 1,1,1:0,0,1 --part b:density=5"
    conditions = parse("animate", words.split()).build_conditions()
    assert [pull.point for pull in conditions.pulls] == [(0, 0, 0), (1, 1, 1)]
    assert (conditions.seconds, conditions.fps) == (2, 12)
    assert {name: part.density for name, part in conditions.parts.items()} == {"a": 1, "b": 5}


@pytest.mark.parametrize(
    "words",
    ["--seconds -1", "--seconds 0", "--fps 0", "--fps nan", "--dt 0", "--dt 1", "--damping -1", "--friction -0.1",
     "--mass 0", "--density -5", "--seconds a", "--seed 1.5", "--integrator leapfrog", "--base loose", "--up w",
     "--gravity 1,2", "--seconds 1e9", "--pull 0,0,0", "--conditions nowhere.json"],
)  # fmt: skip
def test_absurd_values_are_one_sentence(neurok, door, tmp_path, words):
    before = sorted(tmp_path.iterdir())
    code, out, err = neurok("animate", door, *words.split(), "-o", "x.glb")
    assert code == 2 and out == ""
    assert err.startswith("neurok: ") and err.count("\n") == 1 and "; " in err
    assert sorted(tmp_path.iterdir()) == before
