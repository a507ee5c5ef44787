"""Figures and their bounds, and how times are taken: a table that says of each whether it holds."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured number beside its bound.

    least, most: what it has to reach, or may not exceed; neither where it is told for information only.
    """

    what: str
    value: float
    unit: str = ""
    least: float | None = None
    most: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the value keeps its bound; a value that is not a number keeps none."""
        above = self.least is None or self.value >= self.least
        return above and (self.most is None or self.value <= self.most)

    @property
    def measured(self) -> str:
        """The value, three digits of it."""
        return f"{self.value:.3g}{self.unit}" if abs(self.value) < 1000 else f"{self.value:.0f}{self.unit}"

    @property
    def bound(self) -> str:
        """The bound in words, empty where there is none."""
        if self.least is not None:
            return f">= {self.least:g}{self.unit}"
        return "" if self.most is None else f"<= {self.most:g}{self.unit}"

    @property
    def verdict(self) -> str:
        if not self.bound:
            return "-"
        return "holds" if self.holds else "FAILS"


def table(figures: Sequence[Figure]) -> str:
    """One line a figure: what, value, bound, verdict."""
    rows = [("", "measured", "bound", "")]
    rows += [(f.what, f.measured, f.bound, f.verdict) for f in figures]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:<{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)


def fastest(
    functions: Mapping[str, Callable[[], object]], *, rounds: int, slice_seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:  # fmt: skip
    """The least time of one call of each function [s].

    They are timed in turn, round after round, so that a busy moment of the machine meets all of them; what
    disturbs a timing only ever lengthens it, so the least is the one to compare. Within a round a function is
    called for about `slice_seconds`, so that quick ones are seen often.
    clock: what tells the time [s]; the process's own where long calls on one thread would meet other work.
    """
    least = {name: float("inf") for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            stop = clock() + slice_seconds
            while True:
                start = clock()
                function()
                end = clock()
                least[name] = min(least[name], end - start)
                if end >= stop:
                    break
    return least
