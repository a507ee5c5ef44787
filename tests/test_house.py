"""The house in numbers, and the bounds that were reached: they are only ever tightened."""

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import house

MAX_NUMBERS = {"articulate": 48, "elastic": 42, "kinematics": 25, "materials": 16, "proposals": 50}
MAX_MEDIAN_LINES = 110


@pytest.fixture(scope="module")
def found():
    return house.measure_house()


@pytest.mark.parametrize("room", MAX_NUMBERS)
def test_rooms_have_no_more_named_numbers_than_before(found, room):
    assert 0 < found["rooms"][room]["numbers"] <= MAX_NUMBERS[room]


def test_a_class_name_means_one_thing(found):
    assert found["duplicate_classes"] == {}


def test_nobody_asks_what_kind_of_base_a_space_has(found):
    assert found["isinstance_floating_base"] == 0


def test_no_check_of_types_is_off(found):
    assert found["disabled_mypy_codes"] == found["simple_namespaces"] == 0
    assert found["type_ignores"] <= 5


def test_files_stay_short(found):
    assert found["median_lines"] <= MAX_MEDIAN_LINES


def test_the_counts_see_what_they_count():
    module = ast.parse(
        "A, B = 1, 2.0\nNAME = 'x'\nON = True\nlower = 3\nC: int = 4\n"
        "class SomeOptions:\n    x: float = 0.5\n    y: bool = True\n    z: str = 'a'\n"
        "isinstance(space, (FloatingBase, int))\n"
    )
    assert house.named_numbers(module) == ["A", "B", "C", "SomeOptions.x"]
    assert house.count_base_questions(module) == 1
