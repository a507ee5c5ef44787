"""A short run of `make fuzz`: no traceback, no hang, no waste of memory; and the judge sees each of them."""

import numpy as np
import pytest

from benchmarks.fuzz import child, run
from benchmarks.fuzz.cases import CLASSES, ORDER, list_seeds, name_class, write_damaged
from benchmarks.fuzz.mutations import mutate_json
from neurok.errors import InputError


def test_a_hundred_cases_end_well():
    verdicts = run.try_cases(0, 0, 5 * len(ORDER))
    assert {name_class(number) for number in verdicts} == set(CLASSES)
    assert {number: verdict for number, verdict in verdicts.items() if verdict != "fine"} == {}
    assert len(verdicts) == 5 * len(ORDER)


def test_the_same_number_is_the_same_case(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        write_damaged(tmp_path / name, np.random.default_rng([3, 7]))
    one, other = (sorted(p for p in (tmp_path / n).rglob("*") if p.is_file()) for n in ("one", "other"))
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in other]


def test_every_format_that_is_read_is_damaged():
    assert {".obj", ".ply", ".stl", ".off", ".npz", ".glb", ".gltf", ".urdf", ".xml", ".zip"} <= {
        name[1:] for name in list_seeds()
    }


def test_json_is_changed_in_a_copy():
    value = {"a": [1, 2, {"b": 3.0}]}
    changed = [mutate_json(value, np.random.default_rng(i)) for i in range(50)]
    assert value == {"a": [1, 2, {"b": 3.0}]} and any(each != value for each in changed)


def _raise(fault):
    raise fault


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        (lambda: 2, "fine"),
        (lambda: _raise(InputError("a", "b")), "fine"),
        (lambda: _raise(ValueError("x")), "traceback ValueError"),
        (lambda: _raise(SystemExit(1)), "traceback SystemExit"),
        (lambda: 70, "traceback exit code 70"),
        (lambda: _raise(MemoryError()), "memory"),
        (lambda: _raise(child.TookTooLong()), "hang"),
        (lambda: _raise(InputError("it needs more memory than there is", "b")), "memory"),
    ],
)
def test_the_judge_tells_what_went_wrong(monkeypatch, case, verdict):
    monkeypatch.setattr(child, "run_case", lambda *_: case())
    assert child.judge_case(0, 0).startswith(verdict)


def test_a_process_that_dies_takes_one_case_with_it(monkeypatch):
    """A child that ends in the middle of its second case."""
    program = "import sys; a = int(sys.argv[2]); print('begin', a); print('end', a, 'fine'); print('begin', a + 1)"
    popen = run.subprocess.Popen
    monkeypatch.setattr(
        run.subprocess, "Popen", lambda words, **rest: popen([words[0], "-c", program, *words[3:]], **rest)
    )
    found = run.try_cases(0, 0, 4)
    assert found == {0: "fine", 1: "crash with code 0", 2: "fine", 3: "crash with code 0"}
