"""The deformation protocol: every method, on every target of every pair of every object, measured the same way."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from neurok.errors import InputError, NeurokError, OptionError, unknown
from neurok.evaluate.method import METHODS, Method, methods
from neurok.evaluate.objects import Entry, find, pairs_of
from neurok.evaluate.pairs import Pair, kind_of, torn
from neurok.evaluate.results import Result
from neurok.evaluate.tables import paper_rows, rows
from neurok.evaluate.targets import KINDS, target_of
from neurok.geometry.mesh import Array
from neurok.geometry.metrics import Yardstick

VOLUME = ("unordered",)  # targets for which volumes are compared too: the paper's setting; a grid costs seconds


@dataclass(frozen=True)
class Task:
    """One object, and what is to be measured on it."""

    entry: Entry
    methods: tuple[str, ...]
    targets: tuple[str, ...]
    seed: int
    weights: str | None = None


@dataclass(frozen=True)
class Evaluation:
    """All results, and the objects that gave none, with the reason."""

    results: list[Result]
    left_out: dict[str, str]
    settings: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it, with the tables."""
        return {
            "settings": self.settings,
            "rows": rows(self.results),
            "paper": paper_rows(),
            "left_out": self.left_out,
            "results": [asdict(result) for result in self.results],
        }


def evaluate(
    data: str, split: str, *, method_names: Sequence[str] = (), targets: Sequence[str] = (), limit: int | None = None,
    seed: int = 0, workers: int = 1, weights: str | None = None, progress: Callable[[float], None] | None = None,
) -> Evaluation:  # fmt: skip
    """Measure methods (all where none is named) on the objects of a split of a data folder.

    weights: a folder of them for the learned methods, those that came with neurok where none is named.
    """
    names, kinds = tuple(method_names) or tuple(METHODS), tuple(targets) or tuple(KINDS)
    methods(names, weights)
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("target", kind, KINDS)
    if limit is not None and limit < 1:
        raise OptionError(f"a limit of {limit}", "give a whole number from one on")
    entries = find(data, split)[:limit]
    from neurok.data.engines import run

    tasks = [Task(entry, names, kinds, seed, weights) for entry in entries]
    results: list[Result] = []
    left_out: dict[str, str] = {}
    for done, (found, name, fault) in enumerate(run("local", measure_object, tasks, workers), start=1):
        results += found
        if fault:
            left_out[name] = fault
        if progress is not None:
            progress(done / len(tasks))
    if not results:
        raise InputError(f"none of the objects of {data} can be used ({next(iter(left_out.values()))})",
                         "give another folder or split")  # fmt: skip
    order = {entry.name: place for place, entry in enumerate(entries)}
    results.sort(key=lambda r: (order[r.object], r.pair, names.index(r.method), kinds.index(r.target)))
    settings = {"data": data, "split": split, "objects": len(entries), "seed": seed, "weights": weights,
                "methods": list(names), "targets": list(kinds)}  # fmt: skip
    return Evaluation(results, left_out, settings)


def measure_object(task: Task) -> tuple[list[Result], str, str]:
    """All results of one object, its name, and why there are none."""
    import torch

    torch.set_num_threads(1)
    try:
        pairs = pairs_of(task.entry, seed=task.seed)
    except NeurokError as fault:
        return [], task.entry.name, str(fault)
    kind = kind_of(pairs)
    made = methods(task.methods, task.weights)
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
            yield Result(pair.name, pair.category, kind, pair.index, method.name, name, seconds, figures)


def corners_of(pair: Pair, method: Method, found: Array) -> Array:
    """What a method returned, as corners of the faces [m, 3, 3]."""
    found = np.asarray(found, dtype=np.float64)
    if found.shape == pair.mesh.vertices.shape:
        found = found[pair.mesh.faces]
    if found.shape != pair.target.shape or not np.all(np.isfinite(found)):
        raise RuntimeError(f"{method.name} gave an array of shape {found.shape} for {pair.name}, or one not finite")
    return found
