"""The kinds of objects that a training run learns nothing from, written down beside its checkpoint."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from neurok.data.folds import is_kind_among, kinds_left_out, load_folds
from neurok.data.prepared import Prepared
from neurok.errors import InputError, OptionError

FILE_NAME = "left_out.json"
LEFT_OUT_SPLIT = "left out"  # the split of such objects, from which nothing is drawn


@dataclass(frozen=True)
class LeftOut:
    """kinds: of all sources, however spelt. fold: the number of the fold of kinds.toml, or None for other kinds."""

    kinds: tuple[str, ...] = ()
    fold: int | None = None

    def to_record(self) -> dict[str, object]:
        """What the weights say of it."""
        fold: dict[str, object] = {} if self.fold is None else {"fold": self.fold}
        return fold | ({"without": sorted(self.kinds)} if self.kinds else {})


def choose_left_out(folder: Path, *, fold: int | None, kinds: tuple[str, ...], resume: bool) -> LeftOut:
    """What a run leaves out: what was asked for, or, where it is resumed, what it left out from its beginning."""
    asked = LeftOut(kinds, fold) if fold is None else LeftOut(tuple(kinds_left_out(fold)), fold)
    path = folder / FILE_NAME
    if not resume:
        return asked
    begun = _read_left_out(path) if path.is_file() else LeftOut()  # a run without the file has seen every kind
    if asked.kinds and set(asked.kinds) != set(begun.kinds):
        raise OptionError(f"the run in {folder} was begun with other kinds left out",
                          "resume it as it was begun, or name another folder")  # fmt: skip
    return begun


def write_left_out(folder: Path, left_out: LeftOut) -> None:
    """Write down what a run leaves out, for when it is resumed."""
    (folder / FILE_NAME).write_text(json.dumps(asdict(left_out), indent=1) + "\n", encoding="utf-8")


def check_begun_weights(record: Mapping[str, object], left_out: LeftOut, folder: str) -> None:
    """Refuse to begin from weights that have learned from a kind that is to be left out."""
    without = record.get("without")
    known = [str(kind) for kind in without] if isinstance(without, list) else []
    learned = [kind for kind in left_out.kinds if not is_kind_among("", kind, known)]
    if learned:
        raise OptionError(f"the weights in {folder} have learned from kinds that are to be left out",
                          "begin from others, or without --from")  # fmt: skip


def hide_left_out(data: Prepared, left_out: LeftOut) -> int:
    """Take the objects of these kinds out of the training split; how many there were."""
    hidden = [
        entry
        for entry in data.entries
        if entry["split"] == "train" and is_kind_among(entry["name"], entry["category"], left_out.kinds)
    ]
    for entry in hidden:
        entry["split"] = LEFT_OUT_SPLIT
    return len({entry["name"] for entry in hidden})  # an object has several views


def find_unknown_kinds(data: Prepared) -> list[str]:
    """The kinds of a store about which kinds.toml says nothing: every fold learns from them."""
    return sorted({entry["category"] for entry in data.entries if not load_folds().is_known(entry["category"])})


def _read_left_out(path: Path) -> LeftOut:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return LeftOut(tuple(content["kinds"]), content["fold"])
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(f"{path} cannot be read ({fault})", "begin the run anew") from None
