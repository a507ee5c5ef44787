"""An asset as plain numbers and text, to pass from one process to another without pickle.

`asset.json` holds the tree of dataclasses, in which arrays and bytes are
numbers of rows in `arrays.npz`; what occurs twice is stored once.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.files.registry import Asset
from neurok.geometry.articulation import Articulation, Inertia, Joint, Link, Mimic
from neurok.geometry.mesh import Material, Mesh, Part, Texture, TextureUse
from neurok.geometry.motion import Motion, Skin

# What may be passed on; the fields of an object become the arguments of its class by name.
PACKED_CLASSES: dict[str, Callable[..., object]] = {
    kind.__name__: kind
    for kind in (
        Asset, Mesh, Material, Texture, TextureUse, Part, Motion, Skin, Articulation, Link, Joint, Mimic, Inertia,
    )
}  # fmt: skip


def pack(thing: object, folder: Path) -> None:
    """Write an asset, named parts of one, or another dataclass of arrays and text, into a folder."""
    packer = _Packer()
    tree = packer.encode(thing)
    np.savez(folder / "arrays.npz", *packer.arrays)  # as arr_0, arr_1, ...
    (folder / "asset.json").write_text(json.dumps({"root": tree, "objects": packer.objects}))


def unpack_asset(folder: Path) -> Asset:
    """The asset that `pack` wrote into a folder."""
    asset = unpack(folder)
    if not isinstance(asset, Asset):
        raise TypeError(f"the folder holds a {type(asset).__name__}, not an asset")
    return asset


def unpack(folder: Path, classes: Iterable[type] = ()) -> Any:
    """What `pack` wrote into a folder; classes: dataclasses that may be part of it, besides those of an asset."""
    document = json.loads((folder / "asset.json").read_text())
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        return _Unpacker(document["objects"], arrays, classes).decode(document["root"])


class _Packer:
    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.objects: list[dict[str, object]] = []
        self.seen: dict[int, dict[str, int]] = {}
        self.kept: list[object] = []  # alive, so that no two things share an id

    def encode(self, value: object) -> object:
        if value is None or isinstance(value, (str, bool, int, float)):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, (tuple, list)):
            return {"tuple" if isinstance(value, tuple) else "list": [self.encode(item) for item in value]}
        if isinstance(value, Mapping):
            return {"map": {str(key): self.encode(item) for key, item in value.items()}}
        if id(value) not in self.seen:
            self.kept.append(value)
            self.seen[id(value)] = self._store(value)
        return self.seen[id(value)]

    def _store(self, value: object) -> dict[str, int]:
        if isinstance(value, (np.ndarray, bytes)):
            row = np.frombuffer(value, dtype=np.uint8) if isinstance(value, bytes) else value
            self.arrays.append(row)
            return {"bytes" if isinstance(value, bytes) else "array": len(self.arrays) - 1}
        if not is_dataclass(value):
            raise TypeError(f"{type(value).__name__} cannot be passed on")
        content = {field.name: self.encode(getattr(value, field.name)) for field in fields(value)}
        self.objects.append({"class": type(value).__name__, "fields": content})
        return {"object": len(self.objects) - 1}


class _Unpacker:
    def __init__(
        self, objects: list[dict[str, Any]], arrays: Mapping[str, np.ndarray], classes: Iterable[type]
    ) -> None:
        self.objects, self.arrays = objects, arrays
        self.classes = PACKED_CLASSES | {kind.__name__: kind for kind in classes}
        self.made: dict[tuple[str, int], object] = {}

    def decode(self, value: object) -> object:
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind in ("tuple", "list"):
            items = [self.decode(item) for item in content]
            return tuple(items) if kind == "tuple" else items
        if kind == "map":
            return {key: self.decode(item) for key, item in content.items()}
        if (kind, content) not in self.made:
            self.made[kind, content] = self._make(kind, content)
        return self.made[kind, content]

    def _make(self, kind: str, row: int) -> object:
        if kind == "object":
            record = self.objects[row]
            content = {key: self.decode(item) for key, item in record["fields"].items()}
            return self.classes[record["class"]](**content)
        array = self.arrays[f"arr_{row}"]
        return array.tobytes() if kind == "bytes" else array
