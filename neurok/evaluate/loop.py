"""What every evaluation is: a loop over objects, by any number of processes, and what comes of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, asdict, dataclass
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from neurok.errors import InputError, NeurokError
from neurok.evaluate.method import MethodRow
from neurok.evaluate.objects import Entry, find_objects


class DataclassInstance(Protocol):
    """What `dataclasses.asdict` takes."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Job = TypeVar("Job")
Seen = TypeVar("Seen")
One = TypeVar("One", bound=DataclassInstance)
Progress = Callable[[float], None]


@dataclass(frozen=True)
class MeasureOptions:
    """Which objects are measured, and how.

    data: a folder as `objects.find_objects` takes it, of which a split is measured. sources: of a store, only what
    these gave it. limit: at most so many objects. seed: of states and points. workers: processes.
    """

    data: str
    split: str = "dev"
    sources: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    workers: int = 1

    def find_entries(self) -> list[Entry]:
        """The objects."""
        return find_objects(self.data, self.split, self.sources, self.limit)

    def to_settings(self) -> dict[str, Any]:
        """Where the objects come from, as the reports say it."""
        return {"data": self.data, "split": self.split}


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
    rows: tuple[MethodRow, ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it, with the tables."""
        return {
            "settings": self.settings,
            **self.tables(self.results),
            "left_out": self.left_out,
            "results": [asdict(result) for result in self.results],
        }


def measure_all(
    entries: Sequence[Entry], look: Callable[[Entry], Seen], measure: Callable[[Seen], list[One]], *,
    workers: int = 1, progress: Progress | None = None, remedy: str = "give another folder or split",
) -> tuple[list[One], dict[str, str]]:  # fmt: skip
    """The results of all objects, in their order, and why some gave none; the same by any number of workers.

    look, measure: as `measure_each` takes them.
    """
    found: dict[int, list[One]] = {}
    refused: dict[int, str] = {}
    for done, (place, results, fault) in enumerate(measure_each(entries, look, measure, workers=workers), start=1):
        found[place] = results
        if fault:
            refused[place] = fault
        if progress is not None:
            progress(done / len(entries))
    results = [result for place in sorted(found) for result in found[place]]
    left_out = {entries[place].name: refused[place] for place in sorted(refused)}
    if not results:
        reason = next(iter(left_out.values()), "there are none").rstrip(".")
        raise InputError(f"none of the objects can be used ({reason})", remedy)
    return results, left_out


def measure_each(
    jobs: Sequence[Job], look: Callable[[Job], Seen], measure: Callable[[Seen], list[One]], *, workers: int = 1
) -> Iterator[tuple[int, list[One], str]]:
    """The place of each job, its results, and why there are none; as they come.

    look: reads the object of a job; one that it refuses is left out. measure: what is measured of what was read; a
    fault there is ours and ends the run, or a method could better its figures by failing. Both go to other processes.
    """
    from neurok.data.engines import run_tasks

    yield from run_tasks("local", partial(_measure_one, look, measure), list(enumerate(jobs)), workers)


def _measure_one(
    look: Callable[[Job], Seen], measure: Callable[[Seen], list[One]], numbered: tuple[int, Job]
) -> tuple[int, list[One], str]:
    """The place of a job, its results, and why there are none."""
    import torch

    torch.set_num_threads(1)
    place, job = numbered
    try:
        seen = look(job)
    except NeurokError as fault:
        return place, [], str(fault)
    return place, measure(seen), ""
