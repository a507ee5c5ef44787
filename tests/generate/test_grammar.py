"""What prompts mean, and which are refused in a sentence."""

import pytest

from neurok.errors import InputError
from neurok.generate.grammar import MAX_PROMPT, parse_prompt


def read(text):
    request = parse_prompt(text)
    return request.name, {(a.sort, a.part, a.value) for a in request.attributes if a.sort not in ("present", "option")}


@pytest.mark.parametrize(
    ("text", "name", "asked"),
    [
        ("a wooden cabinet with two drawers and a glass door", "cabinet",
         {("material", "", "wood"), ("count", "drawer", 2), ("material", "door", "glass")}),
        ("a red, plastic bucket without a handle", "bucket",
         {("material", "", "plastic"), ("colour", "", "red"), ("absent", "handle", "")}),
        ("Could you make me a kettle that's 25 cm tall and made of steel?", "kettle",
         {("size", "height", 0.25), ("material", "", "steel")}),
        ("a three-drawer oak dresser, 80 cm wide, with brass knobs", "dresser",
         {("size", "width", 0.8), ("material", "", "oak"), ("count", "drawer", 3), ("material", "knob", "brass")}),
        ("a white lamp with 3 arms and a black shade", "lamp",
         {("colour", "", "white"), ("count", "arm", 3), ("colour", "shade", "black")}),
        ("a cabinet whose doors are made of glass", "cabinet", {("material", "door", "glass")}),
        ("a refrigerator with two doors, the doors are red", "refrigerator",
         {("count", "door", 2), ("colour", "door", "red")}),
        ("a remote with twenty-five buttons", "remote", {("count", "button", 25)}),
        ("a remote with half a dozen buttons", "remote", {("count", "button", 6)}),
        ("a handleless bucket", "bucket", {("absent", "handle", "")}),
    ],
)  # fmt: skip
def test_prompts_mean_what_they_say(text, name, asked):
    assert read(text) == (name, asked)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"), ("   ", "empty"), ("?!", "no words"), ("x " * MAX_PROMPT, "characters"),
        ("a sofa", "no program for 'sofa'"), ("a piano with 88 keys", "piano"), ("something nice", "something"),
        ("a cabinet with -3 drawers", "negative"), ("a cabinet with no legs and four legs", "no leg"),
        ("a cabinet with 5000 drawers", "5000"), ("a cabinet 900 m wide", "900 m"),
        ("a cabinet 40 cm wide and 90 cm wide", "both"), ("red", "names no thing"),
        ("a chair that isn't red", "not red"), ("a lamp with a non-metal base", "not metal"),
        ("a cabinet not made of wood", "not wood"), ("a cabinet without glass doors", "not glass"),
        ("'; rm -rf / #", "no program for 'rf'"), ("{0.__class__}", "class"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused_in_a_sentence(text, said):
    with pytest.raises(InputError, match=said):
        parse_prompt(text)


def test_words_without_a_meaning_are_named():
    assert parse_prompt("a quantum kettle").ignored == ("quantum",)
