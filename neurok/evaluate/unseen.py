"""Categories that were never seen: a model trained without them, measured on them beside those it has seen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from neurok.data.folds import find_kind, is_kind_among, normalise_name, related_kinds
from neurok.data.store import Store
from neurok.errors import InputError, OptionError, unknown
from neurok.evaluate.deformation import measure_rows
from neurok.evaluate.fold_runs import GROUPS, SEEN, UNSEEN, split_by_kind
from neurok.evaluate.loop import Measured, MeasureOptions, Progress
from neurok.evaluate.method import make_rows
from neurok.evaluate.objects import Entry
from neurok.evaluate.results import PairResult
from neurok.evaluate.tables import summarise_pairs
from neurok.networks.weights import CONFIG, read_weights

METHODS = ("still", "components", "arap", "untrained", "learned", "oracle")
TARGETS = ("unordered", "corresponding", "drag3")


def find_categories(wanted: Sequence[str], known: Iterable[str]) -> list[str]:
    """The kinds of a store that are meant: however they are spelt, and the related kinds of other sources."""
    known = sorted(set(known))
    if not wanted:
        raise OptionError("there is no category to leave out", "name some with --categories A,B")
    found: set[str] = set()
    for name in wanted:
        names = {normalise_name(kind) for kind in related_kinds(name)}
        mine = {category for category in known if normalise_name(category) in names}
        if not mine:
            raise unknown("category", name, known)
        found |= mine
    return sorted(found)


def train_without(
    data: str, out: str, categories: Sequence[str], *, minutes: float | None, steps: int | None = None,
    config: dict[str, Any] | None = None, threads: int | None = None, resume: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> str:  # fmt: skip
    """Train on a store without its objects of some categories; the folder of the weights."""
    from neurok.training.runs import TrainingOptions, train_model

    store = Store(data)
    entries = store.entries.values()
    left = find_categories(categories, (find_kind(entry["name"], entry["category"]) for entry in entries))
    count = sum(entry["split"] == "train" and is_kind_among(entry["name"], entry["category"], left)
                for entry in entries)  # fmt: skip
    say(f"left out of training: {', '.join(left)} ({count} objects)")
    wanted = TrainingOptions(store.index["recipe"]["name"], data, out, minutes=minutes, steps=steps, resume=resume,
                    threads=threads, config=config or {}, without=tuple(left))  # fmt: skip
    return str(train_model(wanted, say)["weights"])


def read_left_out(weights: str) -> list[str]:
    """The categories that weights were trained without, as they were written down."""
    record = read_weights(weights)[1]
    without = record.get("without")
    if not isinstance(without, list) or not without:
        raise InputError(f"{Path(weights) / CONFIG} names no categories that the weights were trained without",
                         "train them with `neurok evaluate unseen --minutes M`")  # fmt: skip
    return [str(name) for name in without]


def evaluate_unseen(
    options: MeasureOptions, weights: str, *, methods: Sequence[str] = (), targets: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[PairResult]:  # fmt: skip
    """Measure weights on all objects of the categories they never saw, and on those of a split of the others.

    The limit of the options is of either group.
    """
    chosen = make_rows(methods or METHODS, [weights])
    groups = group_objects(options, read_left_out(weights))
    entries = [entry for group in GROUPS for entry in groups[group][: options.limit]]
    found = measure_rows(entries, chosen, options, targets=targets or TARGETS, progress=progress)
    settings = options.to_settings() | {
        "unseen": sorted({entry.category for entry in groups[UNSEEN]}), **found.settings,
        **{f"objects_{name}": len(group[: options.limit]) for name, group in groups.items()},
    }  # fmt: skip
    return replace(found, settings=settings, tables=partial(make_tables, unseen={e.name for e in groups[UNSEEN]}))


def group_objects(options: MeasureOptions, without: Sequence[str]) -> dict[str, list[Entry]]:
    """All objects of categories that were left out and of kinds related to them, whatever their split, and those of a
    split of all others."""
    kinds = sorted({kind for name in without for kind in related_kinds(name)})
    groups = split_by_kind(options, kinds)
    if not groups[UNSEEN] or not groups[SEEN]:
        missing = "of the categories left out" if not groups[UNSEEN] else "of other categories"
        raise InputError(f"{options.data} has no objects {missing}", "give another folder, or other weights")
    return groups


def make_tables(results: Sequence[PairResult], unseen: set[str]) -> dict[str, Any]:
    """A row for each target, method and group; unseen: the names of the objects of categories that were not seen."""
    rows = []
    for target, method in dict.fromkeys((r.target, r.method) for r in results):
        for group in GROUPS:
            mine = [r for r in results if (r.target, r.method) == (target, method)
                    and (r.object in unseen) == (group == UNSEEN)]  # fmt: skip
            if mine:
                rows.append({"group": group, "target": target, "method": method} | summarise_pairs(mine))
    return {"rows": rows}
