"""Cross-validation over kinds for the prediction of joints: seen and unseen kinds, by every predictor."""

from collections.abc import Sequence
from functools import partial

from neurok.data.folds import load_folds
from neurok.errors import unknown
from neurok.evaluate.articulation import PART_KINDS, AnnotatedObject, measure_predictors, read_annotated
from neurok.evaluate.fold_results import FoldResult, FoldTask, KeptResults, ResultKind
from neurok.evaluate.fold_runs import ARTICULATION, FoldOptions, find_fold_runs, select_fold_objects
from neurok.evaluate.fold_tables import make_articulation_tables
from neurok.evaluate.folds import check_results, describe_folds, list_tasks
from neurok.evaluate.loop import Measured, Progress
from neurok.evaluate.predictors import PREDICTORS, Predictor, make_network_predictor
from neurok.evaluate.results import PartResult

UNTRAINED_PREDICTORS = ("search", "edge", "majority")
TRAINED_PREDICTORS = ("network", "both")  # with the weights of the fold
PART_RESULTS = ResultKind("articulation", "predictor", "parts", TRAINED_PREDICTORS, PartResult)


def evaluate_articulation_folds(
    runs_folder: str, options: FoldOptions, *, predictors: Sequence[str] = (), parts: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[FoldResult[PartResult]]:  # fmt: skip
    """Measure predictors of joints on the kinds that every fold leaves out, and on the others.

    Where a network is asked for, only the folds are measured of which the folder holds one. Predictors that are not
    trained need none: where no other is asked for, all folds are measured.
    """
    runs = find_fold_runs(runs_folder, ARTICULATION)
    names = tuple(predictors) or UNTRAINED_PREDICTORS + (TRAINED_PREDICTORS if runs else ())
    modes = tuple(parts) or PART_KINDS
    known = (*UNTRAINED_PREDICTORS, *(TRAINED_PREDICTORS if runs else ()))
    for kind, asked, there in (("predictor", names, known), ("kind of parts", modes, PART_KINDS)):
        for name in asked:
            if name not in there:
                raise unknown(kind, name, there)
    folds = tuple(runs) if set(names) & set(TRAINED_PREDICTORS) else load_folds().numbers
    groups = select_fold_objects(options, folds)
    tasks = list_tasks(groups, runs, names)
    kept = KeptResults(runs_folder, PART_RESULTS, options, modes)
    kept.measure_missing(tasks, _read_task, partial(_measure_task, parts=modes), progress)
    results = check_results(kept.find_results(tasks), options)
    settings = describe_folds(runs_folder, groups, options, groups) | {"predictors": list(names), "parts": list(modes)}
    return Measured(results, kept.find_faults(tasks), settings, make_articulation_tables)


def _read_task(task: FoldTask) -> tuple[AnnotatedObject, dict[str, Predictor]]:
    """The object of a task with its joints, and the predictors with the weights of the fold."""
    found = {}
    for name in task.methods:
        if name in TRAINED_PREDICTORS and task.run is not None:
            found[name] = make_network_predictor(name, task.run.weights, f"{name}, trained without fold {task.fold}")
        else:
            found[name] = PREDICTORS[name]
    return read_annotated(task.entry), found


def _measure_task(read: tuple[AnnotatedObject, dict[str, Predictor]], parts: Sequence[str]) -> list[PartResult]:
    known, predictors = read
    return measure_predictors(known, predictors, parts)
