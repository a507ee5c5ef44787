"""What a data folder holds: objects in the SAPIEN layout, a built store, animated files, .npz motions, or all data.

Splits are those of an index.json in the folder or beside it, or of the store; `all` is always there. In a folder
that holds both partnet_mobility/ and animated/, `dev` means the former, and `animated-dev` the latter.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurok.errors import InputError, OptionError, unknown
from neurok.evaluate import jointed, sampled
from neurok.evaluate.pairs import Pair

ALL = "all"
ANIMATED_PREFIX = "animated-"
ARTICULATED = "articulated"  # a folder of objects in the SAPIEN layout that has an index of its own


@dataclass(frozen=True)
class Entry:
    """One object: source is sapien, store, animated or npz; file is its name in the folder.

    made_by: of a store, the source that gave it the object, else "".
    """

    source: str
    folder: str
    file: str
    name: str
    category: str
    split: str
    made_by: str = ""


def find_objects(data: str, split: str, sources: Sequence[str] = (), limit: int | None = None) -> list[Entry]:
    """The objects of a split of a folder, in the folder's order, at most `limit` of them.

    sources: of a store, only what these gave it.
    """
    if limit is not None and limit < 1:
        raise OptionError(f"a limit of {limit}", "give a whole number from one on")
    return _select_split(data, split, sources)[:limit]


def _select_split(data: str, split: str, sources: Sequence[str]) -> list[Entry]:
    folder = Path(data)
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", "give the folder of the objects with --data")
    entries = _list_entries(folder)
    for source in sources:
        if source not in {entry.made_by for entry in entries}:
            raise unknown("source", source, {entry.made_by for entry in entries} - {""})
    entries = [entry for entry in entries if not sources or entry.made_by in sources]
    splits = {entry.split for entry in entries} - {""}
    known = {ALL, *splits} | ({ANIMATED_PREFIX + ALL} if any(s.startswith(ANIMATED_PREFIX) for s in splits) else set())
    if split not in known:
        if known == {ALL}:
            raise InputError(f"{folder} names no splits, and '{split}' was asked for", "use --split all")
        raise unknown("split", split, known)
    if split in (ALL, ANIMATED_PREFIX + ALL):
        both = ANIMATED_PREFIX + ALL in known
        return [e for e in entries if not both or e.split.startswith(ANIMATED_PREFIX) == (split != ALL)]
    return [entry for entry in entries if entry.split == split]


def read_pairs(entry: Entry, *, seed: int = 0) -> list[Pair]:
    """The pairs of one object."""
    return SOURCES[entry.source](entry, seed)


def _list_entries(folder: Path) -> list[Entry]:
    if (folder / jointed.URDF).is_file():
        return [Entry("sapien", str(folder.parent), folder.name, folder.name, _read_category(folder), "")]
    if _is_store(folder):
        return _list_store(folder)
    whole = [name for name in ("partnet_mobility", "animated") if (folder / name).is_dir()]
    if whole:
        found = _list_sapien(folder / "partnet_mobility") if "partnet_mobility" in whole else []
        prefix = ANIMATED_PREFIX if len(whole) == 2 else ""
        return found + (_list_animated(folder / "animated", prefix) if "animated" in whole else [])
    if any(folder.glob("*/" + jointed.URDF)):
        return _list_sapien(folder)
    motions = sorted(path.name for path in folder.glob("*.npz"))
    if motions:
        return [Entry("npz", str(folder), name, Path(name).stem, "motion", "") for name in motions]
    if any(path.suffix.lower() in (".glb", ".gltf") for path in folder.rglob("*")):
        return _list_animated(folder, "")
    remedy = "give a folder of ID/mobility.urdf, of .npz motions, of animated .glb files, or a store"
    raise InputError(f"{folder} holds nothing to measure on", remedy)


def _is_store(folder: Path) -> bool:
    return (folder / "index.json").is_file() and any(folder.glob("shard-*.tar"))


def _list_store(folder: Path) -> list[Entry]:
    from neurok.data.store import Store

    rows = Store(folder).entries.values()
    return [Entry("store", str(folder), r["name"], r["name"], r["category"], r["split"], r["source"]) for r in rows]


def _list_sapien(folder: Path) -> list[Entry]:
    from neurok.data.partnet import list_objects

    key, file = "partnet_mobility", "index.json"
    if folder.name == ARTICULATED:
        key, file = ARTICULATED, f"index_{ARTICULATED}.json"
    known = {row["id"]: (split, row) for split, row in _read_index(folder, key, "id", file)}
    found = []
    for name in list_objects(folder):
        split, row = known.get(name, ("", {}))
        category = str(row.get("category") or _read_category(folder / name))
        found.append(Entry("sapien", str(folder), name, name, category, split))
    return found


def _list_animated(folder: Path, prefix: str) -> list[Entry]:
    from neurok.data.animated import list_files

    known = {row["file"]: (split, row) for split, row in _read_index(folder, "animated", "file")}
    found = []
    for name in list_files(folder):
        split, row = known.get(name, ("", {}))
        label = name.rsplit(".", 1)[0]
        category = str(row.get("class", "unknown"))
        found.append(
            Entry("animated", str(folder), name, label, category, prefix + (split or ("train" if prefix else "")))
        )
    return found


def _read_index(folder: Path, key: str, name: str, file: str = "index.json") -> list[tuple[str, dict[str, Any]]]:
    """(split, row) of an index in the folder or beside it, where there is one that has the key."""
    for path in (folder / file, folder.parent / file):
        if path.is_file():
            try:
                splits = json.loads(path.read_text(encoding="utf-8"))[key]
                return [(str(split), dict(row) | {name: row[name]}) for split, rows in splits.items() for row in rows]
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
                raise InputError(f"{path} cannot be used ({fault!r})", "repair it or move it away") from None
    return []


def _read_category(folder: Path) -> str:
    try:
        return str(json.loads((folder / "meta.json").read_text(encoding="utf-8"))["model_cat"])
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"  # many objects carry no meta.json


# ---------------------------------------------------------------- sources


def _read_sapien_pairs(entry: Entry, seed: int) -> list[Pair]:
    return jointed.make_jointed_pairs(Path(entry.folder), entry.file, entry.category, seed=seed)


def _read_store_pairs(entry: Entry, seed: int) -> list[Pair]:
    from neurok.data.store import Store

    return sampled.make_sampled_pairs(Store(entry.folder).read(entry.file), entry.name, entry.category, seed=seed)


def _read_animated_pairs(entry: Entry, seed: int) -> list[Pair]:
    from neurok.data.animated import build_sample

    found = build_sample(Path(entry.folder), entry.file, "dev", licence="", category=entry.category, rig=None)
    return _make_usable_pairs(found, entry, seed)


def _read_npz_pairs(entry: Entry, seed: int) -> list[Pair]:
    from neurok.data.animated import sample_from_clips
    from neurok.data.sample import Facts
    from neurok.files.registry import load

    clips = [m for m in load(Path(entry.folder) / entry.file).motions if m.frame_count > 1]
    facts = Facts(entry.name, "npz", "", entry.category, entry.name)
    return _make_usable_pairs(sample_from_clips(facts, clips), entry, seed)


def _make_usable_pairs(found: Any, entry: Entry, seed: int) -> list[Pair]:
    from neurok.data.store import Rejected

    if isinstance(found, Rejected):
        raise InputError(f"{entry.file}: {found.reason}", "leave it out")
    return sampled.make_sampled_pairs(found, entry.name, entry.category, seed=seed)


SOURCES = {
    "sapien": _read_sapien_pairs,
    "store": _read_store_pairs,
    "animated": _read_animated_pairs,
    "npz": _read_npz_pairs,
}
