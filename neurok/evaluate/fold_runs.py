"""The runs of a folder that were trained with a fold left out, and the objects that each of them is measured on."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neurok.data.folds import find_kind, is_kind_among, kinds_left_out, load_folds, normalise_name
from neurok.errors import InputError, OptionError
from neurok.evaluate.loop import MeasureOptions
from neurok.evaluate.objects import ALL, ANIMATED_PREFIX, Entry, find_objects
from neurok.networks.weights import CONFIG, read_weights

SEEN, UNSEEN = "seen", "unseen"
GROUPS = (SEEN, UNSEEN)
PER_KIND = 6  # objects of one kind and source, so that large categories do not dominate
STATE_SPACE, ARTICULATION, RANKER = "config", "networks", "ranker"  # what a record says that its weights are of
SET_ASIDE_SHARES = 5  # a ranker does not learn from one in so many objects of the kinds that it may see


@dataclass(frozen=True)
class FoldRun:
    """A run that learned nothing from a fold. folder: of the run; weights: their folder; hash: of the weights."""

    fold: int
    folder: Path
    weights: Path
    hash: str


@dataclass(frozen=True)
class FoldOptions(MeasureOptions):
    """Which objects the weights of a fold are measured on.

    The split is of the kinds that were seen; of unseen kinds all splits are taken. per_kind: at most so many objects of
    a kind and source, in either group. The limit is of either group of a fold. tag: see MeasuredKey.
    set_aside: whether seen objects are those that the ranker of a fold set aside, of kinds that it learned from.
    """

    per_kind: int | None = PER_KIND
    tag: str = ""
    set_aside: bool = False

    def __post_init__(self) -> None:
        for name, value in (("--per-kind", self.per_kind), ("--limit", self.limit)):
            if value is not None and value < 1:
                raise OptionError(f"{name} is {value}", "give a whole number from one on")


def find_fold_runs(folder: str, what: str = STATE_SPACE) -> dict[int, FoldRun]:
    """The runs in a folder whose weights say which fold they left out, by its number.

    what: weights of the state space, of the articulation network or of the ranker of proposals.
    """
    if not Path(folder).is_dir():
        raise InputError(f"there is no folder {folder}", "name the folder of runs trained with --fold")
    found: dict[int, FoldRun] = {}
    for run in sorted(path for path in Path(folder).iterdir() if path.is_dir()):
        weights = next((place for place in (run / "weights", run) if (place / CONFIG).is_file()), None)
        record = read_weights(weights)[1] if weights is not None else {}
        fold = record.get("fold")
        if weights is None or not isinstance(fold, int) or what not in record:
            continue
        _check_record(record.get("without"), fold, weights)
        if fold in found:
            raise InputError(f"{found[fold].folder} and {run} both left out fold {fold}", "move one of them away")
        found[fold] = FoldRun(fold, run, weights, str(record["sha256"]))
    return dict(sorted(found.items()))


def find_missing_folds(runs: Mapping[int, object]) -> list[int]:
    """The folds of which there is no run."""
    return [number for number in load_folds().numbers if number not in runs]


def _check_record(without: object, fold: int, weights: Path) -> None:
    """The kinds of a fold may have changed since the weights were trained: then they may have seen what they should
    not have."""
    kinds = [str(kind) for kind in without] if isinstance(without, list) else []
    seen = [kind for kind in kinds_left_out(fold) if not is_kind_among("", kind, kinds)]
    if seen:
        raise InputError(f"the weights in {weights} left out another fold {fold}: they have seen {', '.join(seen)}",
                         "train them anew")  # fmt: skip


def select_groups(options: FoldOptions, kinds: Sequence[str]) -> dict[str, list[Entry]]:
    """Objects of kinds that were left out, and objects of a split of all others, drawn by the hash of their names."""
    groups = split_by_kind(options, kinds)
    return {name: draw_objects(group, options.per_kind, options.limit) for name, group in groups.items()}


def select_fold_objects(options: FoldOptions, folds: Iterable[int]) -> dict[int, dict[str, list[Entry]]]:
    """The objects of both groups of these folds.

    An object that several folds have seen is measured by one of them, drawn by a hash: more would cost time and hardly
    narrow an interval over objects. Another fold takes away some of the objects of each, and changes nothing else.
    """
    groups = {fold: _select_groups_of_fold(options, fold) for fold in folds}
    best: dict[str, tuple[str, int]] = {}
    for fold, found in groups.items():
        for entry in found[SEEN]:
            best[entry.name] = max(best.get(entry.name, ("", 0)), (_hash_text(f"{fold} {entry.name}"), fold))
    return {
        fold: found | {SEEN: [entry for entry in found[SEEN] if best[entry.name][1] == fold]}
        for fold, found in groups.items()
    }


def _select_groups_of_fold(options: FoldOptions, fold: int) -> dict[str, list[Entry]]:
    # Where seen objects are those set aside, unseen ones are of the same split: others stay for a last look.
    groups = split_by_kind(options, kinds_left_out(fold), options.split if options.set_aside else None)
    if options.set_aside:
        groups[SEEN] = [entry for entry in groups[SEEN] if is_set_aside(entry.name, fold)]
    return {name: draw_objects(group, options.per_kind, options.limit) for name, group in groups.items()}


def is_set_aside(name: str, fold: int) -> bool:
    """Whether the ranker of a fold does not learn from an object though it may see its kind: in one fold of all."""
    return int(_hash_text(name)[:8], 16) % SET_ASIDE_SHARES + 1 == fold


def split_by_kind(
    options: MeasureOptions, kinds: Sequence[str], unseen_split: str | None = None
) -> dict[str, list[Entry]]:
    """All objects of kinds that were left out, of one split or whatever their split, and those of a split of all
    others."""
    every = ANIMATED_PREFIX + ALL if options.split.startswith(ANIMATED_PREFIX) else ALL
    unseen = [
        entry for entry in find_objects(options.data, unseen_split or every, options.sources) if _is_among(entry, kinds)
    ]
    seen = [entry for entry in find_objects(options.data, options.split, options.sources)
            if not _is_among(entry, kinds)]  # fmt: skip
    return {SEEN: seen, UNSEEN: unseen}


def draw_objects(entries: Sequence[Entry], per_kind: int | None, limit: int | None = None) -> list[Entry]:
    """At most so many objects of every kind and source, and so many in all; always the same, in the given order."""
    counts: dict[tuple[str, str], int] = {}
    drawn: list[str] = []
    for entry in sorted(entries, key=lambda entry: _hash_text(entry.name)):
        kind = (entry.made_by or entry.source, normalise_name(find_kind(entry.name, entry.category)))
        counts[kind] = counts.get(kind, 0) + 1
        if per_kind is None or counts[kind] <= per_kind:
            drawn.append(entry.name)
    kept = set(drawn[:limit])
    return [entry for entry in entries if entry.name in kept]


def _is_among(entry: Entry, kinds: Sequence[str]) -> bool:
    return is_kind_among(entry.name, entry.category, kinds)


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
