"""Store: samples in numbered tar shards with an index; written whole or not at all.

    DIR/index.json          every sample: shard, place, size, checksum, split, category, ...
    DIR/shard-00000.tar     members NAME.json, NAME.vertices.npy, ... (readable by any WebDataset reader)
    DIR/shard-00000.json    what the shard holds and what was rejected, with reasons
    DIR/README.md           the card: counts, licences, hashes

A build fills DIR.building and renames it at the end. A shard is finished once its tar has its name, so a build
that was killed goes on with the missing ones; each shard depends on its own items only, hence the same bytes.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurok.data.sample import MotionSample, decode_sample, encode_sample
from neurok.errors import InputError, OutputError

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Rejected:
    """An object that was left out of a store, and the reason."""

    name: str
    source: str
    reason: str


def write_shard(folder: Path, number: int, results: Iterable[MotionSample | Rejected]) -> None:
    """Write one shard and its list under temporary names, then rename: list first, tar last."""
    stem = f"shard-{number:05d}"
    entries: list[dict[str, Any]] = []
    rejected: list[dict[str, str]] = []
    try:
        with open(folder / f".{stem}.tar.part", "wb") as stream, tarfile.open(fileobj=stream, mode="w") as tar:
            for result in results:
                if isinstance(result, Rejected):
                    rejected.append(vars(result))
                else:
                    entries.append(_add_sample(tar, result))
            tar.close()
            stream.flush()
            os.fsync(stream.fileno())
        _add_checksums(folder / f".{stem}.tar.part", entries)
        listing = {"format": FORMAT_VERSION, "samples": entries, "rejected": rejected}
        (folder / f".{stem}.json.part").write_text(json.dumps(listing, indent=1, sort_keys=True))
        os.replace(folder / f".{stem}.json.part", folder / f"{stem}.json")
        os.replace(folder / f".{stem}.tar.part", folder / f"{stem}.tar")
    except OSError as fault:
        raise OutputError(
            f"{stem} cannot be written to {folder} ({fault.strerror})", "make room and run the same command again"
        ) from fault


def _add_sample(tar: tarfile.TarFile, sample: MotionSample) -> dict[str, Any]:
    """Put a sample into the tar; returns its entry for the index."""
    start = tar.offset
    for suffix, data in encode_sample(sample).items():
        member = tarfile.TarInfo(f"{sample.facts.name.replace('/', '__')}.{suffix}")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
    kept = ("name", "source", "licence", "category", "group", "split")
    entry = {key: getattr(sample.facts, key) for key in kept}
    counts = {"vertices": len(sample.vertices), "faces": len(sample.faces), "states": sample.state_count}
    return entry | counts | {"start": start, "bytes": tar.offset - start}


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The bytes of a member of the tar, which must be a file."""
    stream = tar.extractfile(member)
    if stream is None:
        raise InputError(f"'{member.name}' in a shard is not a file", "build the store again")
    return stream.read()


def _add_checksums(path: Path, entries: list[dict[str, Any]]) -> None:
    """Add the checksum of the bytes of each sample in the tar to its entry."""
    with open(path, "rb") as stream:
        for entry in entries:
            stream.seek(entry["start"])
            entry["sha256"] = hashlib.sha256(stream.read(entry["bytes"])).hexdigest()


def is_finished(folder: Path, number: int) -> bool:
    """Whether a shard of a build is complete."""
    return (folder / f"shard-{number:05d}.tar").is_file() and (folder / f"shard-{number:05d}.json").is_file()


def write_index(folder: Path, recipe: dict[str, Any]) -> dict[str, Any]:
    """Write the index from the lists of the shards."""
    samples, rejected, shards = [], [], []
    for listing in sorted(folder.glob("shard-*.json")):
        content = json.loads(listing.read_text())
        tar = listing.with_suffix(".tar")
        shards.append({"name": tar.name, "sha256": hashlib.sha256(tar.read_bytes()).hexdigest()})
        samples += [entry | {"shard": tar.name} for entry in content["samples"]]
        rejected += content["rejected"]
    index = {"format": FORMAT_VERSION, "recipe": recipe, "shards": shards, "samples": samples, "rejected": rejected}
    (folder / ".index.json.part").write_text(json.dumps(index, indent=1, sort_keys=True))
    os.replace(folder / ".index.json.part", folder / "index.json")
    return index


class Store:
    """A finished store, read sample by sample in any order."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.index = json.loads((self.folder / "index.json").read_text())
        except FileNotFoundError:
            raise InputError(f"{folder} is not a data store", "make one with: neurok data build") from None
        except (OSError, ValueError) as fault:
            raise InputError(f"the index of {folder} cannot be read ({fault})", "build the store again") from None
        if not isinstance(self.index, dict) or self.index.get("format") != FORMAT_VERSION:
            raise InputError(f"{folder} has an index of another format", "build the store again with this version")
        try:
            self.entries = {entry["name"]: entry for entry in self.index["samples"]}
        except (KeyError, TypeError):
            raise InputError(f"the index of {folder} lists no samples", "build the store again") from None

    def names(self, split: str | None = None) -> list[str]:
        """The samples' names, all or of one split, in the order of the shards."""
        return [n for n, entry in self.entries.items() if split is None or entry["split"] == split]

    def read(self, name: str) -> MotionSample:
        """One sample, its checksum verified."""
        if name not in self.entries:
            near = ", ".join(sorted(self.entries)[:8])
            raise InputError(f"the store {self.folder} has no '{name}'", f"it has, for instance: {near}")
        entry = self.entries[name]
        try:
            with open(self.folder / entry["shard"], "rb") as stream:
                stream.seek(entry["start"])
                block = stream.read(entry["bytes"])
        except FileNotFoundError:
            raise InputError(f"{entry['shard']} is missing from {self.folder}", "copy the store anew") from None
        except OSError as fault:
            raise InputError(f"{entry['shard']} cannot be read ({fault.strerror})", "copy the store anew") from None
        if hashlib.sha256(block).hexdigest() != entry["sha256"]:
            raise InputError(f"'{name}' in {entry['shard']} is damaged", "build the store again, or copy it anew")
        with tarfile.open(fileobj=io.BytesIO(block), mode="r:") as tar:
            return decode_sample({m.name.split(".", 1)[1]: _extract(tar, m) for m in tar.getmembers()})

    def __iter__(self) -> Iterator[MotionSample]:
        return (self.read(name) for name in self.entries)

    def __len__(self) -> int:
        return len(self.entries)
