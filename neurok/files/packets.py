"""Packets: a dataclass with arrays in it as bytes for a page, and what its arrays are called there.

4 bytes   length of the header, a multiple of four, little-endian
header    JSON: `type` and the fields; an array is {"array": [kind, offset, count]}
arrays    one after another, each padded to four bytes; offsets count from the end of the header
"""

import json
from dataclasses import fields, is_dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

# numpy's kind -> the array of a page
PAGE_ARRAYS = {
    "f4": "Float32Array",
    "u4": "Uint32Array",
    "u2": "Uint16Array",
    "i2": "Int16Array",
    "u1": "Uint8Array",
}

Floats = Annotated[NDArray[np.float32], "f4"]
Counts = Annotated[NDArray[np.uint32], "u4"]
Shorts = Annotated[NDArray[np.uint16], "u2"]
Steps = Annotated[NDArray[np.int16], "i2"]
Bytes = Annotated[NDArray[np.uint8], "u1"]


def pack(message: Any, kind: str | None = None) -> bytes:
    """A dataclass as one packet; its type is the class's name unless `kind` is given."""
    blocks: list[bytes] = []
    header = {"type": kind or type(message).__name__} | _to_plain(message, blocks)
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *blocks])


def _to_plain(value: Any, blocks: list[bytes]) -> Any:
    """A value as JSON holds it; arrays go to the blocks, each of a multiple of four bytes."""
    if isinstance(value, np.ndarray):
        kind = value.dtype.str[1:]
        assert kind in PAGE_ARRAYS, f"pages have no array of {value.dtype}"
        data = np.ascontiguousarray(value).astype(f"<{kind}", copy=False).tobytes()
        start = sum(map(len, blocks))
        blocks.append(data + bytes(-len(data) % 4))
        return {"array": [kind, start, value.size]}
    if is_dataclass(value):
        return {item.name: _to_plain(getattr(value, item.name), blocks) for item in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_to_plain(inner, blocks) for inner in value]
    return value.item() if isinstance(value, np.generic) else value


def unpack(data: bytes) -> dict[str, Any]:
    """The fields of a packet, arrays flat: the plain twin of what the page does."""
    length = int.from_bytes(data[:4], "little")

    def revive(value: Any) -> Any:
        if isinstance(value, list):
            return [revive(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"array"}:
            kind, start, count = value["array"]
            return np.frombuffer(data, f"<{kind}", count, 4 + length + start)
        return {name: revive(inner) for name, inner in value.items()}

    return revive(json.loads(data[4 : 4 + length]))
