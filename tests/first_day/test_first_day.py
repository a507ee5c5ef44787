"""A stranger's first day: the tasks of tasks.txt, run one after another as they are written."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from neurok.commands.main import main
from tests.viewer.conftest import started

REPOSITORY = Path(__file__).resolve().parents[2]
READ_BYTES = 2000  # of the page


@dataclass
class Task:
    """A numbered task and its lines."""

    number: int
    title: str
    lines: list[str] = field(default_factory=list)


def read_tasks() -> list[Task]:
    found: list[Task] = []
    for line in (Path(__file__).parent / "tasks.txt").read_text().splitlines():
        head = re.match(r"(\d+) (.*)", line)
        if head:
            found.append(Task(int(head[1]), head[2]))
        elif line and not line.startswith("#"):
            found[-1].lines.append(line)
    return found


TASKS = read_tasks()


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Path:
    """The folder in which all of it happens."""
    folder = tmp_path_factory.mktemp("first_day")
    (folder / "neurok").symlink_to(REPOSITORY / "neurok")
    return folder


def test_there_are_at_least_forty():
    assert [task.number for task in TASKS] == list(range(1, len(TASKS) + 1)) and len(TASKS) >= 40


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.number}-{task.title.replace(' ', '-')}")
def test_a_task_succeeds_as_it_is_written(task, desk, monkeypatch, capsys):
    monkeypatch.chdir(desk)
    for line in task.lines:
        run_line(line, capsys)


def run_line(line: str, capsys) -> None:
    expected, line = read_expected(line)
    kind, _, rest = line.partition(" ")
    if kind == "python":
        exec(compile(rest, "task", "exec"), {})
        return
    if kind == "view":
        look_at(rest)
        return
    words = shlex.split(rest)
    code = main(words)
    out, err = capsys.readouterr()
    assert code == expected, f"{line}\n{out}{err}"
    assert "Traceback" not in err
    for path in written(words) if code in (0, 3) else ():
        assert path.exists() and (path.is_dir() or path.stat().st_size > 0), path
    if expected == 2:
        assert re.search(r"did you mean|use one of|check|lists|; ", err), err


def read_expected(line: str) -> tuple[int, str]:
    """The exit code that a line ends with, and the line."""
    match = re.match(r"! (?:(\d) )?(.*)", line)
    return (0, line) if match is None else (int(match[1] or 2), match[2])


def written(words: list[str]) -> list[Path]:
    return [Path(after) for word, after in zip(words, words[1:]) if word == "-o"]


def look_at(path: str) -> None:
    import urllib.request

    with started(str(REPOSITORY / path)) as address, urllib.request.urlopen(address, timeout=30) as answer:
        assert b"neurok" in answer.read(READ_BYTES)
