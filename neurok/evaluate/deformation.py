"""The deformation protocol: every method, on every target of every pair of every object, measured the same way."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from neurok.evaluate.loop import Measured, MeasureOptions, Progress, measure_all
from neurok.evaluate.method import Method, MethodRow, make_rows
from neurok.evaluate.objects import Entry, read_pairs
from neurok.evaluate.pairs import Pair, classify_object, unweld_corners
from neurok.evaluate.paper import NOT_MEASURED
from neurok.evaluate.results import PairResult
from neurok.evaluate.tables import compute_margins, list_paper_rows, make_pair_rows
from neurok.evaluate.targets import check_target_names, make_target
from neurok.geometry.arrays import Array
from neurok.geometry.metrics import Yardstick
from neurok.kinematics.kinematics import Kinematics

VOLUME_TARGETS = ("unordered",)  # targets for which volumes are compared too: the paper's setting; a grid costs seconds


def evaluate_deformation(
    options: MeasureOptions, *, method_names: Sequence[str] = (), targets: Sequence[str] = (),
    weights: Sequence[str] = (), progress: Progress | None = None,
) -> Measured[PairResult]:  # fmt: skip
    """Measure methods (all where none is named) on the objects of a split of a data folder.

    weights: as `method.make_rows` takes them.
    """
    chosen = make_rows(method_names, weights)
    found = measure_rows(options.find_entries(), chosen, options, targets=targets, progress=progress)
    return replace(found, settings=options.to_settings() | found.settings)


def measure_rows(
    entries: Sequence[Entry], chosen: Sequence[MethodRow], options: MeasureOptions, *, targets: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[PairResult]:  # fmt: skip
    """Measure rows on objects."""
    kinds = check_target_names(targets)
    records = {row.name: record for row in chosen if (record := row.read_record()) is not None}
    results, left_out = measure_all(
        entries, partial(read_pairs, seed=options.seed),
        partial(measure_object, rows=tuple(chosen), targets=kinds, seed=options.seed), workers=options.workers,
        progress=progress,
    )  # fmt: skip
    settings = {"objects": len(entries), "seed": options.seed, "methods": {row.name: row.description for row in chosen},
                "weights": {name: _describe_weights(record) for name, record in records.items()},
                "targets": list(kinds)}  # fmt: skip
    return Measured(results, left_out, settings, make_tables, tuple(entries), tuple(chosen))


def make_tables(results: Sequence[PairResult]) -> dict[str, Any]:
    """Our rows, how far the learned ones are above others, the paper's, and what none of them says."""
    return {
        "rows": make_pair_rows(results),
        "margins": compute_margins(results),
        "paper": list_paper_rows(),
        "not_measured": NOT_MEASURED,
    }


def _describe_weights(record: dict[str, Any]) -> dict[str, Any]:
    """Of a record beside weights, what a reader of the tables wants to know."""
    return {
        key: record[key] for key in ("recipe", "without", "minutes", "steps", "config", "deformer") if key in record
    }


def measure_object(
    pairs: Sequence[Pair], rows: Sequence[MethodRow], targets: Sequence[str], seed: int
) -> list[PairResult]:
    """All results of one object."""
    kind, made = classify_object(pairs), [row.make_method() for row in rows]
    return [result for pair in pairs for result in measure_pair(pair, kind, made, targets, seed)]


def measure_pair(
    pair: Pair, kind: str, made: Sequence[Method], kinds: Sequence[str], seed: int = 0
) -> Iterator[PairResult]:
    """All methods on all targets of one pair."""
    yardstick = Yardstick(unweld_corners(pair.rest), unweld_corners(pair.target), seed)
    targets = {name: make_target(pair, name, seed) for name in kinds}
    for method in made:
        begin = time.perf_counter()
        space = method.make_space(pair.mesh, pair.truth if method.sees_truth else None)
        making = time.perf_counter() - begin
        if space is None:
            continue
        for name, target in targets.items():
            begin = time.perf_counter()
            found = to_corners(pair, method, method.fit(space, target))
            seconds = making + time.perf_counter() - begin
            figures = yardstick.report(unweld_corners(found), volume=name in VOLUME_TARGETS)
            count = space.size if isinstance(space, Kinematics) else None
            yield PairResult(pair.name, pair.category, kind, pair.index, method.name, name, seconds, figures, count)


def to_corners(pair: Pair, method: Method, found: Array) -> Array:
    """What a method returned, as corners of the faces [m, 3, 3]."""
    found = np.asarray(found, dtype=np.float64)
    if found.shape == pair.mesh.vertices.shape:
        found = found[pair.mesh.faces]
    if found.shape != pair.target.shape or not np.all(np.isfinite(found)):
        raise RuntimeError(f"{method.name} gave an array of shape {found.shape} for {pair.name}, or one not finite")
    return found
