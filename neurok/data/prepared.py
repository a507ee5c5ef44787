"""Prepared views of a store: cut, sampled and ready to be read at the speed of memory.

    DIR/views/index.json       which store, which settings, every view: shard, place, checksum, source, split
    DIR/views/shard-00000.bin  the arrays of the views of one shard of the store, one after another

Made once from a store, by as many processes as wanted; a shard depends on its own samples only, is written under a
temporary name and renamed, so what was cut off goes on where it was.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.data.engines import run_tasks
from neurok.data.store import Store
from neurok.data.views import ARRAY_TYPES, VIEW_POINT_COUNT, TrainingView, make_view
from neurok.errors import InputError, OutputError
from neurok.geometry.regions import MAX_REGION_PATCHES

FORMAT = 2
FOLDER = "views"
ENTRY_KEYS = ("name", "source", "category", "split", "shard", "start", "bytes", "crc", "layout", "states")
VIEWS_PER_OBJECT = {"partnet": 4, "animated": 4}  # by source: its rest, and other states as the first frame
DEFAULT_VIEW_COUNT = 2  # of an object of any other source: of these there are many


@dataclass(frozen=True)
class ViewTask:
    """One shard of the store to prepare."""

    store: str
    shard: str
    names: tuple[str, ...]


def prepare(
    store: Store, *, workers: int | None = None, engine: str = "local", progress: Callable[[float], None] | None = None
) -> "Prepared":
    """The store's views, made where they are not there yet."""
    folder = store.folder / FOLDER
    if (folder / "index.json").is_file():
        return Prepared(store.folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as fault:
        raise OutputError(
            f"{folder} cannot be made ({fault.strerror})", "copy the store to where you may write"
        ) from None
    tasks = _list_tasks(store)
    missing = [t for t in tasks if not (folder / f"{Path(t.shard).stem}.json").is_file()]
    done = len(tasks) - len(missing)
    for _ in run_tasks(engine, prepare_shard, missing, workers):
        done += 1
        if progress is not None:
            progress(done / len(tasks))
    entries = [e for t in tasks for e in json.loads((folder / f"{Path(t.shard).stem}.json").read_text())]
    index = {"format": FORMAT, "points": VIEW_POINT_COUNT, "patches": MAX_REGION_PATCHES, "views": entries}
    _write(folder / "index.json", json.dumps(index).encode())
    return Prepared(store.folder)


def _list_tasks(store: Store) -> list[ViewTask]:
    by_shard: dict[str, list[str]] = {}
    for name, entry in store.entries.items():
        by_shard.setdefault(entry["shard"], []).append(name)
    return [ViewTask(str(store.folder), shard, tuple(names)) for shard, names in by_shard.items()]


def prepare_shard(task: ViewTask) -> str:
    """Write the views of one shard's samples: arrays first, their list last."""
    store = Store(task.store)
    folder, stem = store.folder / FOLDER, Path(task.shard).stem
    blocks: list[bytes] = []
    entries: list[dict[str, Any]] = []
    start = 0
    for name in task.names:
        for view in _make_views(store, name):
            block, layout = _pack(view)
            kept = {key: store.entries[name][key] for key in ("name", "source", "category", "split")}
            place = {"shard": f"{stem}.bin", "start": start, "bytes": len(block), "crc": zlib.crc32(block)}
            entries.append(kept | place | {"layout": layout, "states": view.state_count})
            blocks.append(block)
            start += len(block)
    _write(folder / f"{stem}.bin", b"".join(blocks))
    _write(folder / f"{stem}.json", json.dumps(entries).encode())
    return task.shard


def _make_views(store: Store, name: str) -> Iterator[TrainingView]:
    """The object from its rest, and from other states drawn by its name."""
    sample = store.read(name)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    count = VIEWS_PER_OBJECT.get(sample.facts.source, DEFAULT_VIEW_COUNT)
    others = 1 + rng.permutation(sample.state_count - 1)[: count - 1]
    for first in (0, *others.tolist()):
        if sample.state_count > 1:
            yield make_view(sample, first, rng)


def _pack(view: TrainingView) -> tuple[bytes, list[list[int]]]:
    """All arrays of a view in the order of ARRAY_TYPES, and their shapes."""
    arrays = [np.ascontiguousarray(getattr(view, name)) for name in ARRAY_TYPES]
    # Each begins at a multiple of 8 bytes, so that it can be read in place.
    padded = [a.tobytes() + b"\0" * (-a.nbytes % 8) for a in arrays]
    return b"".join(padded), [list(a.shape) for a in arrays]


def _unpack(block: bytes, layout: list[list[int]]) -> TrainingView:
    """What `_pack` gave, back; ValueError where the shapes are not those of the bytes."""
    arrays, at = {}, 0
    for (name, kind), shape in zip(ARRAY_TYPES.items(), layout, strict=True):
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(block, dtype=kind, count=count, offset=at).reshape(shape)
        at += -(-count * np.dtype(kind).itemsize // 8) * 8
    return TrainingView(**arrays)


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror})", "make room and run it again") from fault


class Prepared:
    """The views of a store, read one by one in any order; nothing is kept in memory but the index."""

    def __init__(self, store: str | Path) -> None:
        self.folder = Path(store) / FOLDER
        try:
            index = json.loads((self.folder / "index.json").read_text())
        except (OSError, ValueError) as fault:
            raise InputError(f"the views of {store} cannot be read ({fault})", "prepare the store again") from None
        if not isinstance(index, dict) or index.get("format") != FORMAT:
            raise InputError(f"the views of {store} have another format", f"remove {self.folder} and run it again")
        if index.get("patches") != MAX_REGION_PATCHES:
            raise InputError(f"the views of {store} are cut into at most {index.get('patches')} patches instead of "
                             f"{MAX_REGION_PATCHES}", f"remove {self.folder} and run it again")  # fmt: skip
        self.entries: list[dict[str, Any]] = index.get("views", [])
        if not all(isinstance(entry, dict) and set(ENTRY_KEYS) <= set(entry) for entry in self.entries):
            raise InputError(f"the views of {store} lack entries", f"remove {self.folder} and run it again")

    def __len__(self) -> int:
        return len(self.entries)

    def read(self, number: int) -> TrainingView:
        """One view, its checksum verified."""
        entry = self.entries[number]
        try:
            with open(self.folder / Path(entry["shard"]).name, "rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if entry["start"] + entry["bytes"] <= size:  # a lying index must not ask for all the memory there is
                    stream.seek(entry["start"])
                    block = stream.read(entry["bytes"])
                    if zlib.crc32(block) == entry["crc"]:
                        return _unpack(block, entry["layout"])
        except OSError as fault:
            raise InputError(
                f"{entry['shard']} of the views cannot be read ({fault.strerror})",
                f"remove {self.folder} and run it again",
            ) from None
        except (ValueError, TypeError):
            pass
        raise InputError(f"the views in {entry['shard']} are damaged", f"remove {self.folder} and run it again")
