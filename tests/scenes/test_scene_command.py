"""Files of scenes in three languages, and what is wrong with them: one sentence, exit code 2, nothing half-written."""

import json

import pytest

from neurok.commands.main import main
from neurok.errors import InputError, OptionError
from neurok.scenes.actions import parse_action
from neurok.scenes.reading import read_scene
from neurok.scenes.request import ThingRequest
from neurok.scenes.sources import make_thing
from neurok.scenes.thing import PlacedThing

pytest.importorskip("mujoco")

THINGS = [
    {"name": "table", "is": "table"},
    {"name": "pot", "is": "a red pot", "on": "table", "turn": 20, "open": {"lid": 0.5}},
    {"name": "box", "is": "a box", "left of": "pot", "on": "table", "scale": 0.5, "held": False},
]
YAML = """
seed: 4
things:
  - {name: table, is: table}
  - {name: pot, is: a red pot, on: table, turn: 20, open: {lid: 0.5}}
  - {name: box, is: a box, left of: pot, on: table, scale: 0.5, held: false}
do: [open lid]
"""
TOML = """
seed = 4
do = ["open lid"]
[[things]]
name = "table"
is = "table"
[[things]]
name = "pot"
is = "a red pot"
on = "table"
turn = 20
open = {lid = 0.5}
[[things]]
name = "box"
is = "a box"
"left of" = "pot"
on = "table"
scale = 0.5
held = false
"""


def test_the_three_languages_say_the_same(tmp_path):
    pytest.importorskip("yaml")
    texts = {"json": json.dumps({"seed": 4, "things": THINGS, "do": ["open lid"]}), "yaml": YAML, "toml": TOML}
    found = []
    for suffix, text in texts.items():
        path = tmp_path / f"scene.{suffix}"
        path.write_text(text)
        found.append(read_scene(path))
    assert all(set(f.request.things) == set(found[0].request.things) for f in found)
    assert all(set(f.request.relations) == set(found[0].request.relations) for f in found)
    assert all(f.actions == ("open lid",) and f.request.seed == 4 for f in found)


BROKEN = {
    "not yaml": ("scene.yaml", "things: [a, {b"),
    "not json": ("scene.json", "{"),
    "a bomb": ("scene.json", "[" * 100_000),
    "no things": ("scene.yaml", "seed: 3"),
    "no list": ("scene.yaml", "things: 3"),
    "an unknown key": ("scene.json", json.dumps({"things": [{"is": "table", "colour": "red"}]})),
    "an unknown thing": ("scene.json", json.dumps({"things": [{"is": "table", "on": "moon"}]})),
    "a circle": (
        "scene.json",
        json.dumps({"things": [{"name": "a", "is": "a pot", "on": "b"}, {"name": "b", "is": "a pot", "on": "a"}]}),
    ),  # fmt: skip
    "an unknown noun": ("scene.json", json.dumps({"things": [{"is": "a unicorn"}]})),
    "an unknown joint": ("scene.json", json.dumps({"things": [{"is": "a bottle", "open": "drawer_9"}]})),
    "a missing file": ("scene.json", json.dumps({"things": [{"name": "a", "is": "nowhere.glb"}]})),
    "not a number": ("scene.json", '{"things": [{"is": "table", "scale": NaN}]}'),
    "a bad place": ("scene.json", json.dumps({"things": [{"is": "table", "at": [1, "x"]}]})),
    "two of a name": ("scene.json", json.dumps({"things": [{"is": "table"}, {"is": "table"}]})),
    "no room": (
        "scene.json",
        json.dumps({"things": [{"name": "a", "is": "a stapler"}, {"name": "b", "is": "a refrigerator", "on": "a"}]}),
    ),  # fmt: skip
    "too large": ("scene.json", json.dumps({"things": [{"is": "a bottle", "scale": 1e6}]})),
}


@pytest.mark.parametrize("case", BROKEN)
def test_bad_files_are_one_sentence_and_leave_nothing(case, tmp_path, capsys):
    name, text = BROKEN[case]
    path = tmp_path / name
    path.write_text(text)
    assert main(["scene", str(path), "-o", str(tmp_path / "out.xml")]) == 2
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0 and len(said) < 600
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize(
    "words",
    [["scene", ""], ["scene", "a table with a unicorn"], ["scene", "nowhere.yaml"], ["scene", "scene.txt"],
     ["scene", "a table", "-o", "scene.stl"], ["scene", "a bottle", "--do", "dance"],
     ["scene", "a bottle", "--do", "open drawer_7"], ["scene", "a table", "--do", "lift table"],
     ["scene", "a bottle", "--do", "push bottle 90 m"]],
)  # fmt: skip
def test_bad_words_are_one_sentence(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert capsys.readouterr().err.strip().count("\n") == 0 and not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def placed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("things")
    words = {"cabinet": "a drawer cabinet", "pot": "a pot", "kettle": "a kettle"}
    things = [make_thing(ThingRequest(name, said), 3, folder) for name, said in words.items()]
    return [PlacedThing(thing, thing.locate(0.0, (0.0, 0.0, 0.0))) for thing in things]


@pytest.mark.parametrize(
    ("text", "thing", "verb"),
    [("open drawer_1", "cabinet", "open"), ("close the drawer", "cabinet", "close"), ("open lid of pot", "pot", "open"),
     ("open cabinet/drawer_2 to 50%", "cabinet", "open"), ("push the kettle left 10 cm", "kettle", "push"),
     ("pick up pot", "pot", "lift"), ("pull kettle by 0.2 m", "kettle", "pull"), ("shut kettle", "kettle", "close")],
)  # fmt: skip
def test_actions_name_a_thing_and_what_to_do(text, thing, verb, placed):
    found = parse_action(text, placed)
    assert (found.thing, found.verb) == (thing, verb)


def test_half_open_is_half_of_the_range_and_left_is_minus_x(placed):
    found = parse_action("open cabinet/drawer_2 to 50%", placed)
    assert found.goal == pytest.approx(0.5 * placed[0].thing.articulation.joints[found.coordinate].upper)
    assert parse_action("push the kettle left 10 cm", placed).way == pytest.approx((-0.1, 0.0, 0.0))


@pytest.mark.parametrize("text", ["", "x" * 500, "dance", "open", "open window", "open lid", "turn drawer_1 to 300 %"])
def test_actions_that_cannot_be_done_are_refused(text, placed):
    with pytest.raises((InputError, OptionError)):
        parse_action(text, placed)
