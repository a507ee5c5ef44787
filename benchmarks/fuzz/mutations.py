"""Mutations: small damage to bytes, to text and to JSON, drawn with a generator of random numbers."""

import json
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

HOSTILE_NUMBERS = (
    "0", "-1", "1", "-0.0", "1e-320", "1e308", "1e999", "-1e999", "nan", "999999999999", "4294967295", "2147483648",
    "18446744073709551616", "0x10", "1,5", "",
)  # fmt: skip
HOSTILE_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**63, 10**400, 1e308, -1e308, 1e-320, float("nan"), float("inf"), "", "x", "../x",
    "/etc/passwd", "\0", "\ud800", "a" * 5000, [], {}, [[]], [0, 0, 0], [1e308] * 3, [0.0] * 16, {"x": {}}, [None],
)  # fmt: skip
WORDS = (b"\n", b" ", b"/", b"//", b"\\\n", b"#", b"\0", b"\xff\xff\xff\xff", b"<", b">", b'"', b"{", b"]", b"\x80\0")
MAX_GROWN_BYTES = 1 << 20  # a file that is made to repeat itself
NESTING = 100_000


def mutate_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    """One to six changes."""
    for _ in range(int(rng.integers(1, 7))):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        data = change(data, int(rng.integers(0, max(len(data), 1))), rng)
    return data


def _overwrite(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    piece = rng.bytes(int(rng.integers(1, 7)))
    return data[:place] + piece + data[place + len(piece) :]


def _insert_word(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    return data[:place] + WORDS[int(rng.integers(len(WORDS)))] + data[place:]


def _delete_some(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    return data[:place] + data[place + int(rng.integers(1, 200)) :]


def _cut_end(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    return data[:place]


def _set_count(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    number = int(rng.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FFFFFF]))
    return data[:place] + struct.pack("<I", number) + data[place + 4 :]


def _set_number(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    """A number that is written in digits becomes a hostile one."""
    found = re.search(rb"-?\d+(\.\d+)?", data[place : place + 4000])
    if found is None:
        return data
    number = HOSTILE_NUMBERS[int(rng.integers(len(HOSTILE_NUMBERS)))].encode()
    return data[: place + found.start()] + number + data[place + found.end() :]


def _repeat_some(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    piece = data[place : place + int(rng.integers(1, 400))]
    return data[:place] + piece * int(rng.integers(2, 50)) + data[place:]


def _repeat_line(data: bytes, place: int, rng: np.random.Generator) -> bytes:
    """A line very often: thousands of faces, links or attributes."""
    start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place) + 1
    line = data[start:end]
    if not line or len(line) > 10_000:
        return data
    return data[:start] + line * (MAX_GROWN_BYTES // len(line)) + data[start:]


CHANGES: tuple[Callable[[bytes, int, np.random.Generator], bytes], ...] = (
    _overwrite, _overwrite, _insert_word, _delete_some, _cut_end, _set_count, _set_number, _set_number, _repeat_some,
    _repeat_line,
)  # fmt: skip


def mutate_json(value: Any, rng: np.random.Generator) -> Any:
    """A copy of plain JSON with one to four of its values changed."""
    value = json.loads(json.dumps(value))
    for _ in range(int(rng.integers(1, 5))):
        places = _list_places(value)
        if not places:
            break
        owner, key = places[int(rng.integers(len(places)))]
        _change_value(owner, key, rng)
    return value


def _list_places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a tree of JSON as its owner and its key."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        owner = stack.pop()
        keys = list(owner) if isinstance(owner, dict) else range(len(owner)) if isinstance(owner, list) else ()
        found += [(owner, key) for key in keys]
        stack += [owner[key] for key in keys]
    return found


def _change_value(owner: Any, key: Any, rng: np.random.Generator) -> None:
    kind = int(rng.integers(5))
    if kind == 0 and isinstance(owner, dict):
        del owner[key]
    elif kind == 1 and isinstance(owner, list):
        size = len(json.dumps(owner[key]))
        owner.extend([owner[key]] * min(int(rng.integers(1, 5000)), MAX_GROWN_BYTES // size))
    elif kind == 2 and isinstance(owner[key], (int, float)) and abs(owner[key]) < 1e300:
        owner[key] = owner[key] * float(rng.choice([-1, 0.5, 2, 1e6, 1e-9])) if rng.random() < 0.5 else -owner[key]
    elif kind == 3 and isinstance(owner[key], int):
        owner[key] = int(rng.integers(0, 40))
    else:
        owner[key] = HOSTILE_VALUES[int(rng.integers(len(HOSTILE_VALUES)))]


def write_json(value: Any, rng: np.random.Generator) -> bytes:
    """JSON text, now and then nested deeper than any parser follows."""
    if rng.random() < 0.01:
        return b"[" * NESTING + b"]" * NESTING
    return json.dumps(value).encode("utf-8", "surrogatepass")
