"""The deformation protocol: every method, on every target of every pair of every object, measured the same way."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from neurok.evaluate.loop import Measured, Progress, measure_all
from neurok.evaluate.method import Method, Row, table
from neurok.evaluate.objects import Entry, find, pairs_of
from neurok.evaluate.pairs import Pair, kind_of, torn
from neurok.evaluate.paper import NOT_MEASURED
from neurok.evaluate.results import Result
from neurok.evaluate.tables import margins, paper_rows, rows
from neurok.evaluate.targets import kinds_of, target_of
from neurok.geometry.arrays import Array
from neurok.geometry.metrics import Yardstick
from neurok.kinematics.kinematics import Kinematics

VOLUME = ("unordered",)  # targets for which volumes are compared too: the paper's setting; a grid costs seconds


def evaluate(
    data: str, split: str, *, method_names: Sequence[str] = (), targets: Sequence[str] = (), limit: int | None = None,
    seed: int = 0, workers: int = 1, weights: Sequence[str] = (), sources: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[Result]:  # fmt: skip
    """Measure methods (all where none is named) on the objects of a split of a data folder.

    weights: as `method.table` takes them. sources: of a store, only objects of these.
    """
    chosen = table(method_names, weights)
    entries = find(data, split, sources, limit)
    found = measure(entries, chosen, targets, seed=seed, workers=workers, progress=progress)
    return replace(found, settings={"data": data, "split": split, **found.settings})


def measure(
    entries: Sequence[Entry], chosen: Sequence[Row], targets: Sequence[str] = (), *, seed: int = 0, workers: int = 1,
    progress: Progress | None = None,
) -> Measured[Result]:  # fmt: skip
    """Measure rows on objects."""
    kinds = kinds_of(targets)
    records = {row.name: record for row in chosen if (record := row.record()) is not None}
    results, left_out = measure_all(
        entries, partial(pairs_of, seed=seed), partial(measure_object, rows=tuple(chosen), targets=kinds, seed=seed),
        workers=workers, progress=progress,
    )  # fmt: skip
    settings = {"objects": len(entries), "seed": seed, "methods": {row.name: row.text for row in chosen},
                "weights": {name: _told(record) for name, record in records.items()},
                "targets": list(kinds)}  # fmt: skip
    return Measured(results, left_out, settings, tables, tuple(entries), tuple(chosen))


def tables(results: Sequence[Result]) -> dict[str, Any]:
    """Our rows, how far the learned ones are above others, the paper's, and what none of them says."""
    return {"rows": rows(results), "margins": margins(results), "paper": paper_rows(), "not_measured": NOT_MEASURED}


def _told(record: dict[str, Any]) -> dict[str, Any]:
    """Of a record beside weights, what a reader of the tables wants to know."""
    return {
        key: record[key] for key in ("recipe", "without", "minutes", "steps", "config", "deformer") if key in record
    }


def measure_object(pairs: Sequence[Pair], rows: Sequence[Row], targets: Sequence[str], seed: int) -> list[Result]:
    """All results of one object."""
    kind, made = kind_of(pairs), [row.make() for row in rows]
    return [result for pair in pairs for result in measure_pair(pair, kind, made, targets, seed)]


def measure_pair(
    pair: Pair, kind: str, made: Sequence[Method], kinds: Sequence[str], seed: int = 0
) -> Iterator[Result]:
    """All methods on all targets of one pair."""
    yardstick = Yardstick(torn(pair.rest), torn(pair.target), seed)
    targets = {name: target_of(pair, name, seed) for name in kinds}
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
