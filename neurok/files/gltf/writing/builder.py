"""A glTF document while it is being built: its JSON tables, its buffer, and how both reach the disk."""

import json
import struct
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.geometry.arrays import Array

FLOAT, U8, U16, U32 = 5126, 5121, 5123, 5125
COMPONENT_TYPES = {np.dtype("<f4"): FLOAT, np.dtype("u1"): U8, np.dtype("<u2"): U16, np.dtype("<u4"): U32}
ACCESSOR_TYPES = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}
VERTEX_TARGET, INDEX_TARGET = 34962, 34963  # bufferView targets: what a view is bound as
MAX_GLB_BYTES = (1 << 32) - 1  # bytes: a GLB states its lengths in 32 bits
TABLE_NAMES = (
    "scenes",
    "nodes",
    "meshes",
    "accessors",
    "bufferViews",
    "buffers",
    "materials",
    "textures",
    "images",
    "samplers",
    "skins",
    "animations",
)


JsonObject = dict[str, Any]  # an object of the JSON, with whatever glTF puts into it


class GltfBuilder:
    """JSON tables that refer to each other by number, and one buffer made of aligned pieces.

    Arrays are kept as they are given and written one after another, so that a large
    motion is never copied into one string of bytes.
    """

    def __init__(self) -> None:
        self.tables: dict[str, list[JsonObject]] = {name: [] for name in TABLE_NAMES}
        self.extras: dict[str, object] = {}  # said in `asset`
        self.scene_extras: dict[str, object] = {}  # said in the scene
        self.notes: list[str] = []  # what could not be written as it was, said there too
        self.extensions_used: set[str] = set()
        self.extensions_required: set[str] = set()
        self.images: list[tuple[bytes, str]] = []  # (encoded image, file suffix) in the order of `images`
        self.place: Array | None = None  # from where positions are counted, [3]; the origin where None
        self.roots: list[int] = []
        self.node_part: dict[int, int] = {}  # node -> the part (or -1) whose faces it shows
        self._pieces: list[NDArray | bytes] = []
        self._length = 0

    def add(self, table: str, entry: JsonObject) -> int:
        """Append an entry to a table and return its number."""
        self.tables[table].append(entry)
        return len(self.tables[table]) - 1

    def view(self, data: NDArray | bytes, *, target: int | None = None) -> int:
        """A bufferView of its own for some bytes, begun at a multiple of four as every component type asks."""
        size = data.nbytes if isinstance(data, np.ndarray) else len(data)
        entry = {"buffer": 0, "byteOffset": self._length, "byteLength": size}
        if target is not None:
            entry["target"] = target
        padding = -size % 4
        self._pieces.append(data)
        if padding:
            self._pieces.append(bytes(padding))
        self._length += size + padding
        return self.add("bufferViews", entry)

    def accessor(
        self, values: NDArray, *, target: int | None = None, bounds: bool = False, normalized: bool = False
    ) -> int:
        """An accessor for an array [count, ...] of float32, uint8, uint16 or uint32; bounds adds min and max."""
        values = np.ascontiguousarray(values)
        entry: JsonObject = {
            "bufferView": self.view(values, target=target),
            "componentType": COMPONENT_TYPES[values.dtype],
            "count": len(values),
            "type": ACCESSOR_TYPES[values.shape[1:]],
        }
        if normalized:
            entry["normalized"] = True
        if bounds:
            columns = values.reshape(len(values), -1).T  # one by one: a reduction along the first axis is far slower
            entry["min"] = [float(column.min()) for column in columns]
            entry["max"] = [float(column.max()) for column in columns]
        return self.add("accessors", entry)

    def node(self, name: str = "", *, parent: int | None = None, **entry: object) -> int:
        """A node below another, or in the scene where there is no parent."""
        index = self.add("nodes", ({"name": name} if name else {}) | entry)
        if parent is None:
            self.roots.append(index)
        else:
            self.tables["nodes"][parent].setdefault("children", []).append(index)
        return index

    def save(self, folder: Path, name: str) -> None:
        """Write name into folder: one .glb, or .gltf with its .bin and image files beside it."""
        path = folder / name
        if path.suffix.lower() == ".glb":
            self._save_binary(path)
        else:
            self._save_separate(path)

    def _save_binary(self, path: Path) -> None:
        for entry, (data, _) in zip(self.tables["images"], self.images):
            entry["bufferView"] = self.view(data)
        header = self._json(None)
        header += b" " * (-len(header) % 4)
        total = 12 + 8 + len(header) + (8 + self._length if self._length else 0)
        if total > MAX_GLB_BYTES:
            raise OutputError(
                f"{path.name} would have {total / 1e9:.1f} GB, and a .glb holds at most 4.3 GB",
                "write fewer frames, or use .usdc",
            )
        with open(path, "wb") as stream:
            stream.write(struct.pack("<4sII", b"glTF", 2, total))
            stream.write(struct.pack("<I4s", len(header), b"JSON") + header)
            if self._length:
                stream.write(struct.pack("<I4s", self._length, b"BIN\0"))
                self._write_buffer(stream)

    def _save_separate(self, path: Path) -> None:
        for index, (entry, (data, suffix)) in enumerate(zip(self.tables["images"], self.images)):
            beside = f"{path.stem}_texture{index}{suffix}"
            (path.parent / beside).write_bytes(data)
            entry["uri"] = quote(beside)
            del entry["mimeType"]  # the suffix says it, and the format wants it only beside a bufferView
        beside = f"{path.stem}.bin"
        if self._length:
            with open(path.parent / beside, "wb") as stream:
                self._write_buffer(stream)
        path.write_bytes(self._json(quote(beside)))

    def _write_buffer(self, stream: BinaryIO) -> None:
        for piece in self._pieces:
            if len(piece):
                view = piece.data if isinstance(piece, np.ndarray) else memoryview(piece)
                stream.write(view.cast("B"))

    def _json(self, buffer_uri: str | None) -> bytes:
        asset: dict[str, object] = {"version": "2.0", "generator": "neurok"}
        extras = self.extras | ({"notes": self.notes} if self.notes else {})
        if extras:
            asset["extras"] = extras
        document: dict[str, object] = {"asset": asset}
        for key, names in (
            ("extensionsUsed", self.extensions_used | self.extensions_required),
            ("extensionsRequired", self.extensions_required),
        ):
            if names:
                document[key] = sorted(names)
        tables = dict(self.tables)
        if self._length:
            tables["buffers"] = [({"uri": buffer_uri} if buffer_uri else {}) | {"byteLength": self._length}]
        if self.roots:
            document["scene"] = 0
            tables["scenes"] = [{"nodes": self.roots} | ({"extras": self.scene_extras} if self.scene_extras else {})]
        document |= {name: table for name, table in tables.items() if table}  # the format allows no empty table
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", errors="replace")


def to_json_value(value: object) -> object:
    """A value as JSON can hold it: arrays become lists, numbers that are not finite become null, other kinds are left
    out."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): to_json_value(v) for k, v in value.items() if is_json_value(v)}
    if isinstance(value, (list, tuple)):
        return [to_json_value(v) for v in value if is_json_value(v)]
    raise TypeError(f"JSON has no word for a {type(value).__name__}")


def is_json_value(value: object) -> bool:
    """Whether `to_json_value` knows the kind of a value."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufU"
    return value is None or isinstance(value, (bool, int, float, str, dict, list, tuple, np.bool_, np.number, np.str_))
