"""The container: a GLB's chunks or a .gltf's JSON, and the bytes its buffers hold."""

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

from neurok.errors import InputError
from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.fields import Record, damage_error
from neurok.files.source import Source

MAGIC = b"glTF"
CHUNK_JSON = 0x4E4F534A
CHUNK_BINARY = 0x004E4942
MAX_JSON_BYTES = 256 << 20  # bytes; Python needs some twenty times that while parsing
MAX_NOTE_COUNT = 100
# What decoding may take [bytes]: more than any honest file needs, and little for a small file that claims much.
MEMORY_ALLOWANCE, MEMORY_ALLOWANCE_PER_BYTE, MAX_MEMORY_ALLOWANCE = 512 << 20, 64, 8 << 30

# Extensions that change the shape or the motion and are understood, or that change neither.
UNDERSTOOD_EXTENSIONS = {"KHR_draco_mesh_compression", "KHR_mesh_quantization", "EXT_meshopt_compression"}
HARMLESS_PREFIXES = (
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "MSFT_texture_",
    "KHR_xmp",
)


@dataclass
class GltfDocument:
    """A parsed file: the JSON tree, and buffers that are fetched when first used.

    notes: what the reader had to leave out or repair, one sentence each.
    """

    source: Source
    tree: Record
    binary: memoryview | None = None
    notes: list[str] = field(default_factory=list)
    _buffers: dict[int, memoryview] = field(default_factory=dict)
    cache: dict[object, Any] = field(default_factory=dict)  # decoded accessors and images
    _held: int = 0  # bytes in the file and its external buffers
    _spent: int = 0

    def add_note(self, sentence: str) -> None:
        """Add a note for the user; of a file that causes hundreds of notes only the first are kept."""
        if sentence not in self.notes and len(self.notes) < MAX_NOTE_COUNT:
            self.notes.append(sentence)

    def reserve_memory(self, size: int) -> None:
        """Account for memory [bytes] before it is taken."""
        self._spent += size
        if self._spent > min(MEMORY_ALLOWANCE + MEMORY_ALLOWANCE_PER_BYTE * self._held, MAX_MEMORY_ALLOWANCE):
            raise InputError(
                f"the file has {self._held / 1e6:.1f} MB and would need {self._spent / 1e9:.1f} GB when decoded",
                "split it, or remove instances and attributes",
            )

    def items(self, kind: str) -> list[Record]:
        """All objects of a top-level list, such as `meshes`."""
        if ("items", kind) not in self.cache:  # checked once: files have many thousand entries
            self.cache["items", kind] = fields.records(self.tree, kind, "the file")
        return self.cache["items", kind]

    def item(self, kind: str, place: int) -> Record:
        """One object of a top-level list."""
        items = self.items(kind)
        if place >= len(items):
            raise damage_error(f"the file refers to entry {place} of its {kind}, of which it has {len(items)}")
        return items[place]

    def buffer(self, place: int) -> memoryview:
        """The bytes of a buffer, as many as the file states."""
        if place not in self._buffers:
            self._buffers[place] = self._load_buffer(place)
        return self._buffers[place]

    def view(self, place: int) -> memoryview:
        """The bytes of a buffer view."""
        what = f"buffer view {place}"
        item = self.item("bufferViews", place)
        data = self.buffer(fields.index(item, "buffer", what))
        start, length = fields.index(item, "byteOffset", what, 0), fields.index(item, "byteLength", what)
        if start + length > len(data):
            raise damage_error(f"{what} reaches byte {start + length} of a buffer of {len(data)}")
        return data[start : start + length]

    def stride(self, place: int) -> int | None:
        """Bytes from one element of a buffer view to the next, where the file states it."""
        return fields.optional_index(self.item("bufferViews", place), "byteStride", f"buffer view {place}") or None

    def read_resource(self, uri: str) -> bytes:
        """The bytes behind a data URI or the name of a neighbouring file."""
        if uri[:5].lower() == "data:":
            return decode_data_uri(uri)
        try:
            return self.source.neighbour(uri)
        except (OSError, ValueError) as fault:  # names no file system accepts
            raise InputError(f"the file names {uri[:80]!r}, which cannot be opened ({fault})", "rename it") from None

    def _load_buffer(self, place: int) -> memoryview:
        what = f"buffer {place}"
        item = self.item("buffers", place)
        length = fields.index(item, "byteLength", what)
        uri = item.get("uri")
        if isinstance(uri, str):
            data = self._external(uri)
        elif place == 0 and self.binary is not None:
            data = self.binary
        else:
            raise damage_error(f"{what} has no data")
        if length > len(data):
            raise InputError(
                f"{what} should have {length} bytes and has {len(data)}",
                "the file is truncated: copy or export it again",
            )
        return data[:length]

    def _external(self, uri: str) -> memoryview:
        """The bytes of an external buffer, read once however many buffers name it."""
        key = ("buffer", uri)
        if key not in self.cache:
            self.cache[key] = memoryview(self.read_resource(uri))
            self._held += len(self.cache[key])
        return self.cache[key]

    def load_buffers(self) -> None:
        """Fetch all external buffers, so that a missing one is missed at once and their size is known."""
        for place, item in enumerate(self.items("buffers")):
            if isinstance(item.get("uri"), str):
                self.buffer(place)


def open_document(source: Source) -> GltfDocument:
    """Parse the container and fetch its buffers; images are fetched later."""
    data = memoryview(source.data())
    if len(data) == 0:
        raise InputError("the file is empty", "export or copy it again")
    text, binary = _split_chunks(data) if data[:4] == MAGIC else (data, None)
    document = GltfDocument(source, _parse_json(text), binary, _held=len(data))
    _check_version(document)
    _check_extensions(document)
    document.load_buffers()
    return document


def decode_data_uri(uri: str) -> bytes:
    """The bytes of a data URI, base64 or percent-escaped."""
    head, comma, body = uri.partition(",")
    if not comma:
        raise damage_error("a data URI has no comma")
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(body)
    raw = unquote_to_bytes(body) if "%" in body else body.encode("ascii", "replace")
    try:
        return base64.b64decode(raw + b"=" * (-len(raw) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise damage_error("a data URI is not valid base64") from None


def _split_chunks(data: memoryview) -> tuple[memoryview, memoryview | None]:
    """The JSON chunk and the binary chunk of a GLB; other chunks are skipped, as the format asks."""
    truncated = InputError("the file ends in the middle of a chunk", "it is truncated: copy or export it again")
    if len(data) < 20:
        raise truncated
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise InputError(f"the file is binary glTF of version {version}", "export it as glTF 2.0")
    if length > len(data):
        raise InputError(f"the file should have {length} bytes and has {len(data)}", truncated.remedy)
    found: dict[int, memoryview] = {}
    place = 12
    while place + 8 <= length:
        size, kind = struct.unpack_from("<II", data, place)
        place += 8
        if place + size > length:
            raise truncated
        found.setdefault(kind, data[place : place + size])
        if place == 20 and kind != CHUNK_JSON:
            raise damage_error("the first chunk is not JSON")
        place += size + (-size % 4)
    return found[CHUNK_JSON], found.get(CHUNK_BINARY)


def _parse_json(text: memoryview) -> Record:
    if len(text) > MAX_JSON_BYTES:
        raise InputError(f"the JSON has {len(text) / 1e6:.0f} MB", "export it as .glb, which keeps numbers in binary")
    try:
        tree = json.loads(bytes(text).decode("utf-8-sig").rstrip("\0 "), parse_constant=_refuse_constant)
    except RecursionError:
        raise damage_error("the JSON is nested too deeply") from None
    except ValueError as fault:  # not JSON, not UTF-8, or a number of thousands of digits
        raise damage_error(f"the file is not glTF ({str(fault)[:80]})") from None
    if not isinstance(tree, dict):
        raise damage_error("the JSON is not an object")
    return tree


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _check_version(document: GltfDocument) -> None:
    version = fields.text(fields.record(document.tree, "asset", "the file"), "version")
    if not version:
        document.add_note("the file does not say its glTF version; 2.0 is assumed")
    elif version.split(".")[0] != "2":
        raise InputError(f"the file is glTF {version[:10]}", "export it as glTF 2.0")


def _check_extensions(document: GltfDocument) -> None:
    required = document.tree.get("extensionsRequired") or []
    for name in required if isinstance(required, list) else []:
        if isinstance(name, str) and name not in UNDERSTOOD_EXTENSIONS and not name.startswith(HARMLESS_PREFIXES):
            raise InputError(
                f"the file needs the extension {fields.text({'name': name}, 'name')[:60]}, which is not understood",
                "export it without that extension",
            )
