"""Categories that were never seen: a model trained without them, measured on them beside those it has seen."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from neurok.data.store import Store
from neurok.errors import InputError, OptionError, unknown
from neurok.evaluate.deformation import measure
from neurok.evaluate.loop import Measured, Progress
from neurok.evaluate.method import table
from neurok.evaluate.objects import Entry, find
from neurok.evaluate.results import Result
from neurok.evaluate.tables import row
from neurok.networks.weights import CONFIG, read_weights

SEEN, UNSEEN = "seen", "unseen"
METHODS = ("still", "components", "arap", "untrained", "learned", "oracle")
TARGETS = ("unordered", "corresponding", "drag3")

# The same kind of thing under the names of different sources: none may teach what another is tested on.
# Assemblies have drawers, flaps and dials, but are no particular thing, and kin of nothing.
KIN = (
    ("StorageFurniture", "Table", "drawer_cabinet", "door_cabinet", "trolley"),
    ("Box", "chest", "Suitcase"),
    ("Door", "gate", "garage_door"),
    ("Cart", "plant_cart", "wheelbarrow", "trolley"),
    ("KitchenPot", "pot"),
    ("Kettle", "pot"),
    ("Chair", "FoldingChair", "office_chair", "chair_cushion"),
    ("Switch", "wall_switch"),
    ("Phone", "flip_phone", "remote"),
    ("Keyboard", "remote"),
    ("Mouse", "remote"),
    ("Bottle", "dispenser"),
    ("Scissors", "pliers"),
    ("USB", "usb_stick"),
    ("Bag", "bag_flap"),
    ("Umbrella", "umbrella_cloth"),
    ("Plant", "potted_plant", "tree", "reeds", "cactus"),
    ("Cushion", "cushion_dropped", "cushion_poked"),
)


def resolve(wanted: Sequence[str], known: Iterable[str]) -> list[str]:
    """The categories of a store that are meant: however they are spelt, and their kin from other sources."""
    known = sorted(set(known))
    if not wanted:
        raise OptionError("there is no category to leave out", "name some with --categories A,B")
    found: set[str] = set()
    for name in wanted:
        names = {_bare(name)} | {_bare(kin) for group in KIN if _bare(name) in map(_bare, group) for kin in group}
        mine = {category for category in known if _bare(category) in names}
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
    left = resolve(categories, (entry["category"] for entry in store.entries.values()))
    count = sum(entry["category"] in left and entry["split"] == "train" for entry in store.entries.values())
    say(f"left out of training: {', '.join(left)} ({count} objects)")
    wanted = TrainingOptions(store.index["recipe"]["name"], data, out, minutes=minutes, steps=steps, resume=resume,
                    threads=threads, config=config or {}, without=tuple(left))  # fmt: skip
    return str(train_model(wanted, say)["weights"])


def left_out_of(weights: str) -> list[str]:
    """The categories that weights were trained without, as they were written down."""
    record = read_weights(weights)[1]
    without = record.get("without")
    if not isinstance(without, list) or not without:
        raise InputError(f"{Path(weights) / CONFIG} names no categories that the weights were trained without",
                         "train them with `neurok evaluate unseen --minutes M`")  # fmt: skip
    return [str(name) for name in without]


def evaluate_unseen(
    data: str, weights: str, *, split: str = "dev", methods: Sequence[str] = (), targets: Sequence[str] = (),
    sources: Sequence[str] = (), limit: int | None = None, seed: int = 0, workers: int = 1,
    progress: Progress | None = None,
) -> Measured[Result]:  # fmt: skip
    """Measure weights on all objects of the categories they never saw, and on those of a split of the others.

    limit: at most so many of either.
    """
    chosen = table(methods or METHODS, [weights])
    groups = grouped(data, left_out_of(weights), split, sources)
    entries = [entry for group in (SEEN, UNSEEN) for entry in groups[group][:limit]]
    found = measure(entries, chosen, targets or TARGETS, seed=seed, workers=workers, progress=progress)
    strange = sorted({entry.category for entry in groups[UNSEEN]})
    settings = {"data": data, "split": split, "unseen": strange, **found.settings,
                **{f"objects_{name}": len(group[:limit]) for name, group in groups.items()}}  # fmt: skip
    return replace(found, settings=settings, tables=partial(tables, strange=strange))


def grouped(data: str, without: Sequence[str], split: str, sources: Sequence[str] = ()) -> dict[str, list[Entry]]:
    """Objects of categories that were left out, whatever their split, and those of a split of all others."""
    names = {_bare(name) for name in without}
    names |= {_bare(kin) for group in KIN if names & set(map(_bare, group)) for kin in group}
    every = find(data, "all", sources)
    unseen = [entry for entry in every if _bare(entry.category) in names]
    seen = [entry for entry in find(data, split, sources) if _bare(entry.category) not in names]
    if not unseen or not seen:
        missing = "of the categories left out" if not unseen else "of other categories"
        raise InputError(f"{data} has no objects {missing}", "give another folder, or other weights")
    return {SEEN: seen, UNSEEN: unseen}


def tables(results: Sequence[Result], strange: Sequence[str]) -> dict[str, Any]:
    """A row for each target, method and group; strange: the categories that were not seen."""
    rows = []
    for target, method in dict.fromkeys((r.target, r.method) for r in results):
        for group in (SEEN, UNSEEN):
            mine = [r for r in results if (r.target, r.method) == (target, method)
                    and (r.category in strange) == (group == UNSEEN)]  # fmt: skip
            if mine:
                rows.append({"group": group, "target": target, "method": method} | row(mine))
    return {"rows": rows}


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
