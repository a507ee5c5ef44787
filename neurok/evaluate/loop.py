"""What every evaluation is: a loop over objects, by any number of processes, and what comes of it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from neurok.errors import InputError, NeurokError
from neurok.evaluate.method import Row
from neurok.evaluate.objects import Entry

Seen = TypeVar("Seen")
One = TypeVar("One")
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Measured(Generic[One]):
    """All results, in the order of the objects; the objects that gave none, with the reason; and what was asked for.

    tables: what the results come to, by name. entries: all objects. rows: the methods, where there are any.
    """

    results: list[One]
    left_out: dict[str, str]
    settings: dict[str, Any]
    tables: Callable[[list[One]], dict[str, Any]]
    entries: tuple[Entry, ...] = ()
    rows: tuple[Row, ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it, with the tables."""
        return {
            "settings": self.settings,
            **self.tables(self.results),
            "left_out": self.left_out,
            "results": [asdict(result) for result in self.results],  # type: ignore[call-overload]
        }


def measure_all(
    entries: Sequence[Entry], look: Callable[[Entry], Seen], measure: Callable[[Seen], list[One]], *,
    workers: int = 1, progress: Progress | None = None, remedy: str = "give another folder or split",
) -> tuple[list[One], dict[str, str]]:  # fmt: skip
    """The results of all objects, in their order, and why some gave none; the same by any number of workers.

    look: reads an object; one that it refuses is left out. measure: what is measured of what was read; a fault there is
    ours and ends the run, or a method could better its figures by failing. Both go to other processes.
    """
    from neurok.data.engines import run_tasks

    found: dict[int, list[One]] = {}
    refused: dict[int, str] = {}
    jobs = list(enumerate(entries))
    for done, (place, results, fault) in enumerate(
        run_tasks("local", partial(_one, look, measure), jobs, workers), start=1
    ):
        found[place] = results
        if fault:
            refused[place] = fault
        if progress is not None:
            progress(done / len(jobs))
    results = [result for place in sorted(found) for result in found[place]]
    left_out = {entries[place].name: refused[place] for place in sorted(refused)}
    if not results:
        reason = next(iter(left_out.values()), "there are none").rstrip(".")
        raise InputError(f"none of the objects can be used ({reason})", remedy)
    return results, left_out


def _one(
    look: Callable[[Entry], Seen], measure: Callable[[Seen], list[One]], job: tuple[int, Entry]
) -> tuple[int, list[One], str]:
    """The place of an object, its results, and why there are none."""
    import torch

    torch.set_num_threads(1)
    place, entry = job
    try:
        seen = look(entry)
    except NeurokError as fault:
        return place, [], str(fault)
    return place, measure(seen), ""
