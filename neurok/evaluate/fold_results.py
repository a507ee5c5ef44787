"""What is measured of every object by every fold, and the results of it that are kept beside the runs.

The results of methods with weights are kept in the folder of their run, those of all others in the folder of the runs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from neurok.evaluate.fold_runs import FoldOptions, FoldRun
from neurok.evaluate.loop import Progress, measure_each
from neurok.evaluate.measured_file import ALL_ROOMS, GEOMETRIC_ROOMS, MeasuredFile, MeasuredKey, hash_code
from neurok.evaluate.objects import Entry
from neurok.evaluate.results import PairResult, PartResult

One = TypeVar("One", PairResult, PartResult)
Seen = TypeVar("Seen")
GEOMETRIC_METHODS = ("still", "components", "arap", "majority")  # their figures depend on little of the code


@dataclass(frozen=True)
class FoldResult(Generic[One]):
    """One result. fold: whose weights were measured, or which kinds were unseen. group: seen or unseen."""

    fold: int
    group: str
    result: One


@dataclass(frozen=True)
class FoldTask:
    """What is measured of one object by one fold. run: None where no method of the task has weights."""

    fold: int
    run: FoldRun | None
    group: str
    entry: Entry
    methods: tuple[str, ...]


@dataclass(frozen=True)
class ResultKind(Generic[One]):
    """How results of one kind are kept.

    name: of the files. method_field, target_field: the fields of a result that name its method and its target.
    weighted: the methods whose results depend on the weights of a fold.
    """

    name: str
    method_field: str
    target_field: str
    weighted: tuple[str, ...]
    make_result: Callable[..., One]


class KeptResults(Generic[One]):
    """The results of all folds that are kept in files."""

    def __init__(self, folder: str, kind: ResultKind[One], options: FoldOptions, targets: Sequence[str]) -> None:
        self.folder, self.options, self.targets = Path(folder), options, tuple(targets)
        self.kind: ResultKind[One] = kind
        self._files: dict[Path, MeasuredFile] = {}

    def measure_missing(
        self, tasks: Sequence[FoldTask], look: Callable[[FoldTask], Seen], measure: Callable[[Seen], list[One]],
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        """Measure what is not there yet, and keep it object by object."""
        missing = list(self._find_missing(tasks))
        found = measure_each(missing, look, measure, workers=self.options.workers)
        for done, (place, results, fault) in enumerate(found, start=1):
            self._add_results(missing[place], results, fault)
            if progress is not None:
                progress(done / len(missing))

    def find_results(self, tasks: Sequence[FoldTask]) -> list[FoldResult[One]]:
        """All results, in the order of the tasks."""
        return [FoldResult(task.fold, task.group, self.kind.make_result(**plain))
                for task in tasks for method in task.methods for plain in self._find_plain(task, method)]  # fmt: skip

    def find_faults(self, tasks: Sequence[FoldTask]) -> dict[str, str]:
        """The objects that could not be used, and why."""
        faults = {}
        for task in tasks:
            file, key = self._locate(task, task.methods[0])
            if fault := file.find_fault(key):
                faults[task.entry.name] = fault
        return faults

    def _find_missing(self, tasks: Sequence[FoldTask]) -> Iterator[FoldTask]:
        """The tasks with only those methods whose results are not there; a method without weights comes once."""
        taken: set[MeasuredKey] = set()
        for task in tasks:
            missing = []
            for method in task.methods:
                file, key = self._locate(task, method)
                if key not in taken and file.find_results(key, self.targets, self.kind.target_field) is None:
                    missing.append(method)
                    taken.add(key)
            if missing:
                yield replace(task, methods=tuple(missing))

    def _add_results(self, task: FoldTask, results: Sequence[One], fault: str) -> None:
        plain = [asdict(result) for result in results]
        for method in task.methods:
            file, key = self._locate(task, method)
            file.add_results(key, self.targets, [r for r in plain if r[self.kind.method_field] == method], fault)

    def _find_plain(self, task: FoldTask, method: str) -> list[dict[str, Any]]:
        file, key = self._locate(task, method)
        return file.find_results(key, self.targets, self.kind.target_field) or []

    def _locate(self, task: FoldTask, method: str) -> tuple[MeasuredFile, MeasuredKey]:
        """The file of a method's results, and the key under which they stand there."""
        run = task.run if method in self.kind.weighted else None
        path = (run.folder if run is not None else self.folder) / f"measured-{self.kind.name}.jsonl"
        if path not in self._files:
            self._files[path] = MeasuredFile(path)
        code = hash_code(GEOMETRIC_ROOMS if method in GEOMETRIC_METHODS else ALL_ROOMS)
        weights, tag = (run.hash, self.options.tag) if run is not None else ("", "")
        data = str(Path(self.options.data).resolve())
        return self._files[path], MeasuredKey(data, task.entry.name, method, self.options.seed, weights, code, tag)
