"""The deformation protocol: every method, on every target of every pair of every object, measured the same way."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from neurok.errors import InputError, NeurokError, OptionError, unknown
from neurok.evaluate.method import Method, Row, table
from neurok.evaluate.objects import Entry, find, pairs_of
from neurok.evaluate.pairs import Pair, kind_of, torn
from neurok.evaluate.paper import NOT_MEASURED
from neurok.evaluate.results import Result
from neurok.evaluate.tables import margins, paper_rows, rows
from neurok.evaluate.targets import KINDS, target_of
from neurok.geometry.mesh import Array
from neurok.geometry.metrics import Yardstick
from neurok.kinematics.kinematics import Kinematics

VOLUME = ("unordered",)  # targets for which volumes are compared too: the paper's setting; a grid costs seconds


@dataclass(frozen=True)
class Task:
    """One object, and what is to be measured on it."""

    entry: Entry
    rows: tuple[Row, ...]
    targets: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class Evaluation:
    """All results, and the objects that gave none, with the reason."""

    results: list[Result]
    left_out: dict[str, str]
    settings: dict[str, Any]
    entries: tuple[Entry, ...] = ()
    rows: tuple[Row, ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it, with the tables."""
        return {
            "settings": self.settings,
            "rows": rows(self.results),
            "margins": margins(self.results),
            "paper": paper_rows(),
            "not_measured": NOT_MEASURED,
            "left_out": self.left_out,
            "results": [asdict(result) for result in self.results],
        }


def evaluate(
    data: str, split: str, *, method_names: Sequence[str] = (), targets: Sequence[str] = (), limit: int | None = None,
    seed: int = 0, workers: int = 1, weights: Sequence[str] = (), sources: Sequence[str] = (),
    progress: Callable[[float], None] | None = None,
) -> Evaluation:  # fmt: skip
    """Measure methods (all where none is named) on the objects of a split of a data folder.

    weights: as `method.table` takes them. sources: of a store, only objects of these.
    """
    if limit is not None and limit < 1:
        raise OptionError(f"a limit of {limit}", "give a whole number from one on")
    chosen = table(method_names, weights)
    found = measure(find(data, split, sources)[:limit], chosen, targets, seed=seed, workers=workers, progress=progress)
    return replace(found, settings={"data": data, "split": split, **found.settings})


def measure(
    entries: Sequence[Entry], chosen: Sequence[Row], targets: Sequence[str] = (), *, seed: int = 0, workers: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Evaluation:  # fmt: skip
    """Measure rows on objects; the same figures by any number of workers."""
    kinds = tuple(targets) or tuple(KINDS)
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("target", kind, KINDS)
    records = {row.name: row.record() for row in chosen}
    from neurok.data.engines import run

    tasks = [Task(entry, tuple(chosen), kinds, seed) for entry in entries]
    results: list[Result] = []
    left_out: dict[str, str] = {}
    for done, (found, name, fault) in enumerate(run("local", measure_object, tasks, workers), start=1):
        results += found
        if fault:
            left_out[name] = fault
        if progress is not None:
            progress(done / len(tasks))
    if not results:
        reason = next(iter(left_out.values()), "there are none")
        raise InputError(f"none of the objects can be used ({reason})", "give another folder or split")
    order = {entry.name: place for place, entry in enumerate(entries)}
    names = [row.name for row in chosen]
    results.sort(key=lambda r: (order[r.object], r.pair, names.index(r.method), kinds.index(r.target)))
    settings = {"objects": len(entries), "seed": seed, "methods": {row.name: row.text for row in chosen},
                "weights": {row.name: _told(records[row.name]) for row in chosen if records[row.name] is not None},
                "targets": list(kinds)}  # fmt: skip
    return Evaluation(results, left_out, settings, tuple(entries), tuple(chosen))


def _told(record: dict[str, Any]) -> dict[str, Any]:
    """Of a record beside weights, what a reader of the tables wants to know."""
    return {
        key: record[key] for key in ("recipe", "without", "minutes", "steps", "config", "deformer") if key in record
    }


def measure_object(task: Task) -> tuple[list[Result], str, str]:
    """All results of one object, its name, and why there are none."""
    import torch

    torch.set_num_threads(1)
    try:
        pairs = pairs_of(task.entry, seed=task.seed)
    except NeurokError as fault:
        return [], task.entry.name, str(fault)
    kind = kind_of(pairs)
    made = [row.make() for row in task.rows]
    return [r for pair in pairs for r in measure_pair(pair, kind, task, made)], task.entry.name, ""


def measure_pair(pair: Pair, kind: str, task: Task, made: Sequence[Method]) -> Iterator[Result]:
    """All methods on all targets of one pair."""
    yardstick = Yardstick(torn(pair.rest), torn(pair.target), task.seed)
    targets = {name: target_of(pair, name, task.seed) for name in task.targets}
    for method in made:
        begin = time.perf_counter()
        space = method.space(pair.mesh, pair.truth if method.sees_truth else None)
        making = time.perf_counter() - begin
        if space is None:
            continue
        for name, target in targets.items():
            begin = time.perf_counter()
            found = corners_of(pair, method, method.fit(space, target))
            seconds = making + time.perf_counter() - begin
            figures = yardstick.report(torn(found), volume=name in VOLUME)
            count = space.size if isinstance(space, Kinematics) else None
            yield Result(pair.name, pair.category, kind, pair.index, method.name, name, seconds, figures, count)


def corners_of(pair: Pair, method: Method, found: Array) -> Array:
    """What a method returned, as corners of the faces [m, 3, 3]."""
    found = np.asarray(found, dtype=np.float64)
    if found.shape == pair.mesh.vertices.shape:
        found = found[pair.mesh.faces]
    if found.shape != pair.target.shape or not np.all(np.isfinite(found)):
        raise RuntimeError(f"{method.name} gave an array of shape {found.shape} for {pair.name}, or one not finite")
    return found
