"""The loop of all evaluations: in the order of the objects, refusing what cannot be read, hiding nothing."""

from dataclasses import dataclass

import pytest

from neurok.data import engines
from neurok.errors import InputError
from neurok.evaluate.loop import Measured, measure_all
from neurok.evaluate.objects import Entry

ENTRIES = [Entry("npz", "folder", name, name, "thing", "") for name in ("b", "a", "broken", "c")]


@dataclass(frozen=True)
class Letter:
    name: str
    place: int


def look(entry: Entry) -> str:
    if entry.name == "broken":
        raise InputError("broken is broken", "mend it")
    return entry.name


def measure(name: str) -> list[Letter]:
    return [Letter(name, 0), Letter(name, 1)]


@pytest.fixture
def backwards(monkeypatch):
    """Results come last first, as several processes may give them."""
    monkeypatch.setattr(
        engines, "run_tasks", lambda engine, function, tasks, workers: reversed([*map(function, tasks)])
    )


def test_results_are_in_the_order_of_the_objects(backwards):
    seen = []
    results, left_out = measure_all(ENTRIES, look, measure, progress=seen.append)
    assert [(r.name, r.place) for r in results] == [(n, i) for n in "bac" for i in (0, 1)]
    assert left_out == {"broken": "broken is broken; mend it."} and seen == [0.25, 0.5, 0.75, 1.0]
    plain = Measured(results, left_out, {"seed": 0}, lambda found: {"count": len(found)}).plain()
    assert list(plain) == ["settings", "count", "left_out", "results"]
    assert plain["count"] == 6 and plain["results"][0] == {"name": "b", "place": 0}


def test_a_method_that_fails_is_no_object_left_out():
    def fails(name: str) -> list[Letter]:
        raise InputError(f"{name} has flown apart", "look at it")

    with pytest.raises(InputError, match="b has flown apart"):
        measure_all(ENTRIES, look, fails)


def test_nothing_to_measure_is_a_fault_with_the_first_reason():
    with pytest.raises(InputError, match=r"can be used \(broken is broken; mend it\); give others\."):
        measure_all(ENTRIES[2:3], look, measure, remedy="give others")
    with pytest.raises(InputError, match="there are none"):
        measure_all([], look, measure)
