"""How the verbs speak: results on stdout, notes and progress on stderr."""

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

PATIENCE_SECONDS = 5.0  # after which it is said how long something takes, where no bar shows it


def note(text: str) -> None:
    """One remark on stderr."""
    print(f"neurok: note: {make_printable(' '.join(text.split()))}", file=sys.stderr)


def warn(text: str) -> None:
    """One line on stderr about a result that is hardly what was wanted."""
    print(f"neurok: warning: {make_printable(' '.join(text.split()))}", file=sys.stderr)


def say(text: str = "") -> None:
    """One line of the result."""
    print(make_printable(text))


def make_printable(text: str) -> str:
    """Names from files may hold anything: control characters are shown, not obeyed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def say_json(data: object) -> None:
    """One JSON object."""
    print(as_json(data))


def as_json(data: object) -> str:
    """JSON text; numbers that JSON has no word for become null."""
    return json.dumps(to_json_values(data), indent=2)


def to_json_values(value: Any) -> Any:
    """Arrays, numpy numbers, paths and infinities as what JSON can hold."""
    if isinstance(value, dict):
        return {str(k): to_json_values(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json_values(v) for v in value]
    if isinstance(value, np.ndarray):
        return to_json_values(value.tolist())
    if isinstance(value, np.generic):
        return to_json_values(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    return value


class LongRun:
    """Says once, after some seconds, how many more something will take; clock: tells the time [s]."""

    def __init__(self, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.label, self.clock = label, clock
        self.start, self.is_told = clock(), False

    def report(self, fraction: float) -> None:
        spent = self.clock() - self.start
        if self.is_told or spent < PATIENCE_SECONDS or not 0.0 < fraction < 1.0:
            return
        left = spent * (1.0 - fraction) / fraction
        if left > PATIENCE_SECONDS:
            self.is_told = True
            note(f"{self.label} will take about {left:.0f} s more ({fraction:.0%} is done)")


@contextmanager
def progress(label: str) -> Iterator[Callable[[float], None]]:
    """`report(fraction)` moves a bar on stderr, where that is a terminal; elsewhere it says once if it takes long.

    Until the first report the bar only shows that something goes on.
    """
    if not sys.stderr.isatty():
        yield LongRun(label).report
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda fraction: bar.update(task, total=1.0, completed=min(max(float(fraction), 0.0), 1.0))


def counted(count: int, noun: str, plural: str = "") -> str:
    """'1 face', '12,000 faces'."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def format_size(byte_count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if byte_count < 1000:
            return f"{byte_count:.0f} {unit}" if unit == "B" else f"{byte_count:.1f} {unit}"
        byte_count /= 1000
    return f"{byte_count:.1f} GB"


def written_lines(paths: Sequence[Path]) -> list[str]:
    """'wrote chair.glb (12.3 kB)', one line a file or folder."""
    return [f"wrote {path}{'/' if path.is_dir() else ''} ({format_size(count_bytes(path))})" for path in paths]


def say_results(why: str, lines: Iterable[str], written: Sequence[Path]) -> None:
    """What a verb that moves an object found: by which state space, its own lines, and the files it wrote."""
    for line in (f"kinematics: {why}", *lines, *written_lines(written)):
        say(line)


def written_facts(paths: Sequence[Path]) -> list[dict[str, object]]:
    return [{"path": str(path), "bytes": count_bytes(path)} for path in paths]


def count_bytes(path: Path) -> int:
    """Size of a file, or of all files in a folder."""
    files = [inner for inner in path.rglob("*") if inner.is_file()] if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)
