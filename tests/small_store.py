"""A small store of our own objects, rigid and soft, for tests of what reads stores."""

import zlib
from pathlib import Path

from neurok.data.procedural.importer import build_sample
from neurok.data.store import Store, write_index, write_shard

# (category, seed, split): hinges, sliders, and a thing that bends
OBJECTS = (
    ("laptop", 0, "train"),
    ("laptop", 1, "dev"),
    ("drawer_cabinet", 0, "train"),
    ("plant", 0, "train"),
    ("chair_cushion", 0, "train"),
)


def make_store(folder: Path) -> Store:
    """The store of the objects above, as `neurok data build tiny` would leave it."""
    folder.mkdir(parents=True)
    for number, (category, seed, split) in enumerate(OBJECTS):
        write_shard(folder, number, [build_sample(f"{category}-{seed}", split, category=category, seed=seed)])
    write_index(folder, {"name": "tiny", "seed": 0})
    return Store(folder)


def view_seed(name: str) -> int:
    """The seed from which the views of an object are drawn."""
    return zlib.crc32(name.encode())
