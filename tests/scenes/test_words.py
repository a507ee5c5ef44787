"""Texts of scenes: what they hold, how it stands, and which are refused."""

import pytest

from neurok.errors import InputError
from neurok.scenes.request import SceneRelation, SceneRequest, ThingRequest, check_request
from neurok.scenes.words import parse_scene

CASES = {
    "a kitchen counter with a kettle, a toaster and an open drawer below": {
        "kettle on kitchen_counter", "toaster on kitchen_counter", "drawer below kitchen_counter",
    },
    "a red kettle left of a toaster on a counter": {
        "kettle left of toaster", "kettle on counter", "toaster on counter",
    },
    "two chairs in front of a table with a pot on it": {
        "chair_1 in front of table", "chair_2 in front of table", "pot on table",
    },
    "a box on a table. A bottle in the box. A lamp next to the box": {
        "box on table", "bottle in box", "lamp beside box",
    },
    "a desk with a monitor, a keyboard in front of the monitor and an office chair facing it": {
        "monitor on desk", "keyboard on desk", "keyboard in front of monitor", "office_chair facing desk",
        "office_chair in front of desk",
    },
    "a pot hanging from a rail": {"pot hanging from rail"},
    "a stapler in the open drawer of a cabinet": {"stapler in the drawer of cabinet"},
    "a bottle on a box on a table": {"bottle on box", "box on table"},
    "a bathroom with a toilet, a washing machine and a bucket on the washing machine": {"bucket on washing_machine"},
    "a kitchen with an oven and a refrigerator": set(),
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_relations_are_those_of_the_text(text):
    assert {relation.describe() for relation in parse_scene(text).relations} == CASES[text]


def test_words_about_a_thing_go_to_its_program():
    text = "a cabinet with two drawers and a glass door, a 60 cm wide microwave and a chest with an open lid"
    found = {thing.name: thing for thing in parse_scene(text).things}
    assert found["cabinet"].source == "a cabinet with two drawers and a glass door"
    assert found["microwave"].source == "a 60 cm wide microwave"
    assert found["chest"].opened == (("lid", 0.8),)


@pytest.mark.parametrize("text", ["", "   ", "!!! ???", "x" * 5000, "a table with a unicorn", "a sofa and a piano",
                                  "900 kettles", "in the room"])  # fmt: skip
def test_what_cannot_be_made_is_refused_in_a_sentence(text):
    with pytest.raises(InputError) as fault:
        check_request(parse_scene(text))
    assert "\n" not in str(fault.value) and fault.value.remedy


def test_a_circle_of_relations_is_named():
    with pytest.raises(InputError, match="circle.*kettle"):
        check_request(parse_scene("a kettle on a toaster, the toaster on the kettle"))


def test_things_come_after_what_they_depend_on():
    things = tuple(ThingRequest(name, "a box") for name in "abc")
    relations = (SceneRelation("on", "a", "b"), SceneRelation("left of", "b", "c"))
    assert [t.name for t in check_request(SceneRequest("", things, relations)).things] == ["c", "b", "a"]


@pytest.mark.parametrize("relation", [("over", "a", "b"), ("on", "a", "d"), ("on", "floor", "a")])
def test_unknown_relations_and_things_are_refused(relation):
    things = tuple(ThingRequest(name, "a box") for name in "abc")
    with pytest.raises(InputError):
        check_request(SceneRequest("", things, (SceneRelation(*relation),)))


def test_nothing_stands_on_two_things():
    things = tuple(ThingRequest(name, "a box") for name in "abc")
    relations = (SceneRelation("on", "a", "b"), SceneRelation("in", "a", "c"))
    with pytest.raises(InputError, match="cannot both be"):
        check_request(SceneRequest("", things, relations))
