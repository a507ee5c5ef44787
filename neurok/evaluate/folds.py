"""Cross-validation over kinds: the weights of every fold, on kinds that they never saw and on kinds that they saw."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from neurok.data.folds import kinds_left_out
from neurok.errors import InputError
from neurok.evaluate.deformation import measure_object
from neurok.evaluate.fold_results import FoldResult, FoldTask, KeptResults, ResultKind
from neurok.evaluate.fold_runs import (
    RANKER,
    STATE_SPACE,
    FoldOptions,
    FoldRun,
    find_fold_runs,
    find_missing_folds,
    select_fold_objects,
)
from neurok.evaluate.fold_tables import make_deformation_tables
from neurok.evaluate.loop import Measured, Progress
from neurok.evaluate.method import TAKES_WEIGHTS, MethodRow, make_rows
from neurok.evaluate.objects import Entry, read_pairs
from neurok.evaluate.pairs import Pair
from neurok.evaluate.results import PairResult
from neurok.evaluate.targets import check_target_names

METHODS = {
    STATE_SPACE: ("still", "components", "arap", "untrained", "learned", "oracle"),
    RANKER: ("still", "components", "arap", "proposals"),
}  # what is measured of runs of one kind
TARGETS = ("drag1", "drag3", "unordered", "corresponding")
PAIR_RESULTS = ResultKind("deformation", "method", "target", TAKES_WEIGHTS, PairResult)


def evaluate_folds(
    runs_folder: str, options: FoldOptions, *, methods: Sequence[str] = (), targets: Sequence[str] = (),
    what: str = STATE_SPACE, progress: Progress | None = None,
) -> Measured[FoldResult[PairResult]]:  # fmt: skip
    """Measure methods with the weights of every fold that a folder of runs holds.

    Methods without weights are measured once for each object, on the objects of the same folds. what: the runs hold.
    """
    names, kinds = tuple(methods) or METHODS[what], check_target_names(targets, TARGETS)
    rows = make_rows(names)
    runs = find_fold_runs(runs_folder, what)
    if not runs:
        raise InputError(f"{runs_folder} holds no run trained with --fold",
                         "train some with `neurok train ... --fold K --out RUNS/fold-K`")  # fmt: skip
    groups = select_fold_objects(options, runs)
    tasks = list_tasks(groups, runs, tuple(row.name for row in rows))
    kept = KeptResults(runs_folder, PAIR_RESULTS, options, kinds)
    kept.measure_missing(tasks, partial(_read_task, seed=options.seed),
                         partial(_measure_task, targets=kinds, seed=options.seed), progress)  # fmt: skip
    results = check_results(kept.find_results(tasks), options)
    settings = describe_folds(runs_folder, runs, options, groups) | {
        "targets": list(kinds), "methods": {row.name: row.description for row in rows},
    }  # fmt: skip
    return Measured(results, kept.find_faults(tasks), settings, make_deformation_tables)


def list_tasks(
    groups: Mapping[int, Mapping[str, Sequence[Entry]]], runs: Mapping[int, FoldRun], methods: tuple[str, ...]
) -> list[FoldTask]:
    """What is to be measured: every method on every object of both groups of every fold."""
    return [FoldTask(fold, runs.get(fold), group, entry, methods)
            for fold, found in groups.items() for group, entries in found.items() for entry in entries]  # fmt: skip


def check_results(results: list[FoldResult[Any]], options: FoldOptions) -> list[FoldResult[Any]]:
    """The results, of which there must be some."""
    if not results:
        raise InputError(f"none of the objects of {options.data} can be used", "give another folder or split")
    return results


def describe_folds(
    runs_folder: str, folds: Mapping[int, object], options: FoldOptions,
    groups: Mapping[int, Mapping[str, Sequence[Entry]]],
) -> dict[str, Any]:  # fmt: skip
    """How the figures came about, as the page and the JSON say it."""
    return {
        "runs": runs_folder, "data": options.data, "split": options.split, "sources": list(options.sources),
        "per_kind": options.per_kind, "seed": options.seed, "tag": options.tag,
        "folds": sorted(folds), "missing_folds": find_missing_folds(folds),
        "kinds": {str(fold): kinds_left_out(fold) for fold in sorted(folds)},
        "objects": {str(fold): {name: len(some) for name, some in found.items()} for fold, found in groups.items()},
    }  # fmt: skip


def _read_task(task: FoldTask, seed: int) -> tuple[list[Pair], list[MethodRow]]:
    """The pairs of the object of a task, and its methods with the weights of the fold."""
    weights = [str(task.run.weights)] if task.run is not None else []
    return read_pairs(task.entry, seed=seed), make_rows(task.methods, weights)


def _measure_task(read: tuple[list[Pair], list[MethodRow]], targets: Sequence[str], seed: int) -> list[PairResult]:
    pairs, rows = read
    return measure_object(pairs, rows, targets, seed)
