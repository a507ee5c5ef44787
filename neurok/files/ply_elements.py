"""The elements of a PLY file as tables of columns, whatever their names are."""

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.rows import decode_name, parse_numbers, split_rows

NUMPY_CODES = {
    **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
    **{"float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2"},
    **{"int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8", "float32": "f4", "float64": "f8"},
}
BYTE_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
MAX_HEADER_BYTES = 1 << 20  # bytes
MAX_ROW_VALUES = 1 << 20  # values of a list; numpy's row types have a limit
GET_AGAIN = "the file is cut off or damaged: get it again"


@dataclass(frozen=True)
class PlyList:
    """A list property: how many values each row has, [n], and all values in a row, [sum(counts)]."""

    counts: NDArray[np.int64]
    values: NDArray


PlyTable = dict[str, NDArray | PlyList]


@dataclass(frozen=True)
class PlyProperty:
    name: str
    type: str  # numpy code without byte order
    count_type: str = ""  # of a list's length; empty for a single number


@dataclass
class PlyElement:
    name: str
    count: int
    properties: list[PlyProperty] = field(default_factory=list)

    @property
    def has_lists(self) -> bool:
        return any(p.count_type for p in self.properties)


@dataclass
class PlyHeader:
    order: str  # '' for text, else numpy's '<' or '>'
    elements: list[PlyElement]
    texture: str | None
    length: int  # bytes up to the data


def read_header(data: bytes) -> PlyHeader:
    """The header: the byte order, and the elements and properties that the file announces."""
    match = re.search(rb"(?:\n|\r)end_header[ \t]*(\r\n|\n|\r|$)", data[:MAX_HEADER_BYTES])
    if not re.match(rb"ply[ \t]*[\r\n]", data) or match is None:
        raise InputError("it does not start with a PLY header", "check that it is a PLY file")
    length = match.end()
    if match.group(1) == b"\r\n" and data[3:5] != b"\r\n" and b"\r\n" not in data[: match.start()]:
        length -= 1  # lines end in a bare carriage return, and the data starts with a line feed
    header = PlyHeader("?", [], None, length)
    try:
        for line in re.split(rb"[\r\n]+", data[: match.start()])[1:]:
            _parse_header_line(header, decode_name(line))
    except (KeyError, IndexError, ValueError):
        raise InputError("the header is not understood", GET_AGAIN) from None
    if header.order == "?":
        raise InputError("the header names no format", GET_AGAIN)
    return header


def _parse_header_line(header: PlyHeader, line: str) -> None:
    words = line.split()
    if not words or words[0] in ("obj_info",):
        return
    if words[0] == "comment":
        if len(words) > 2 and words[1].lower() == "texturefile":
            header.texture = header.texture or line.split(None, 2)[2].strip()
    elif words[0] == "format":
        header.order = BYTE_ORDERS[words[1]]
    elif words[0] == "element":
        count = int(words[2])
        if count < 0:
            raise ValueError("negative count")
        header.elements.append(PlyElement(words[1], count))
    elif words[0] == "property" and words[1] == "list":
        header.elements[-1].properties.append(PlyProperty(words[4], NUMPY_CODES[words[3]], NUMPY_CODES[words[2]]))
        if NUMPY_CODES[words[2]][0] == "f":
            raise ValueError("a list's length is a fraction")
    elif words[0] == "property":
        header.elements[-1].properties.append(PlyProperty(words[2], NUMPY_CODES[words[1]]))
    else:
        raise ValueError("unknown keyword")


def read_elements(data: bytes, header: PlyHeader) -> tuple[dict[str, PlyTable], list[str]]:
    """Vertices and faces as columns; notes name what was passed over."""
    text = header.order == ""
    stream = _TextStream(data[header.length :]) if text else _BinaryStream(data, header.length, header.order)
    tables: dict[str, PlyTable] = {}
    notes = []
    wanted = {"vertex", "face"} & {e.name for e in header.elements if e.count}
    for element in header.elements:
        if not wanted:
            break
        if element.count and element.properties:
            if element.count > stream.left:
                raise InputError(f"it announces {element.count} of '{element.name}' and holds fewer", GET_AGAIN)
            tables[element.name] = stream.take(element)
        wanted.discard(element.name)
    other = [e.name for e in header.elements if e.name not in ("vertex", "face") and e.count]
    if other:
        notes.append(f"elements passed over: {', '.join(other[:5])}")
    return tables, notes


class _BinaryStream:
    """Rows of packed numbers."""

    def __init__(self, data: bytes, start: int, order: str) -> None:
        self.data, self.place, self.order = data, start, order

    @property
    def left(self) -> int:
        """Bytes not yet read: no element can have more rows."""
        return len(self.data) - self.place

    def take(self, element: PlyElement) -> PlyTable:
        lengths = self._first_lengths(element)
        if max(lengths.values(), default=0) > MAX_ROW_VALUES:
            return self._irregular(element)
        dtype = self._row_type(element, lengths)
        if dtype.itemsize * element.count <= self.left:
            rows = np.frombuffer(self.data, dtype, element.count, self.place)
            if all(np.all(rows[f"count{i}"] == n) for i, n in lengths.items()):
                self.place += dtype.itemsize * element.count
                return _split_columns(element, rows, lengths)
        if not element.has_lists:
            raise InputError(f"it announces {element.count} of '{element.name}' and holds fewer", GET_AGAIN)
        return self._irregular(element)

    def _row_type(self, element: PlyElement, lengths: dict[int, int]) -> np.dtype:
        """One row, if every list is as long as the first row's; fields are numbered, names may repeat."""
        fields: list[tuple] = []
        for i, prop in enumerate(element.properties):
            if prop.count_type:
                fields.append((f"count{i}", self.order + prop.count_type))
                fields.append((f"value{i}", self.order + prop.type, (lengths[i],)))
            else:
                fields.append((f"value{i}", self.order + prop.type))
        return np.dtype(fields)

    def _first_lengths(self, element: PlyElement) -> dict[int, int]:
        lengths, place = {}, self.place
        for i, prop in enumerate(element.properties):
            if prop.count_type:
                lengths[i] = self._length(place, prop)
                place += np.dtype(prop.count_type).itemsize + lengths[i] * np.dtype(prop.type).itemsize
            else:
                place += np.dtype(prop.type).itemsize
        return lengths

    def _length(self, place: int, prop: PlyProperty) -> int:
        size = np.dtype(prop.count_type).itemsize
        raw = self.data[place : place + size]
        length = int.from_bytes(raw, "little" if self.order == "<" else "big", signed=prop.count_type[0] == "i")
        if len(raw) < size or not 0 <= length * np.dtype(prop.type).itemsize <= len(self.data) - place - size:
            raise InputError(f"a list '{prop.name}' is longer than the file", GET_AGAIN)
        return length

    def _irregular(self, element: PlyElement) -> PlyTable:
        """Rows whose lists differ in length: walk them once for the offsets, then gather."""
        sizes = [np.dtype(p.type).itemsize for p in element.properties]
        heads = [np.dtype(p.count_type).itemsize if p.count_type else 0 for p in element.properties]
        offsets: list[list[int]] = [[] for _ in element.properties]
        counts: list[list[int]] = [[] for _ in element.properties]
        place = self.place
        for _ in range(element.count):
            for i, prop in enumerate(element.properties):
                length = self._length(place, prop) if heads[i] else 1
                offsets[i].append(place + heads[i])
                counts[i].append(length)
                place += heads[i] + length * sizes[i]
            if place > len(self.data):
                raise InputError(f"it announces {element.count} of '{element.name}' and holds fewer", GET_AGAIN)
        self.place = place
        return {
            prop.name: self._gather(prop, np.array(offsets[i]), np.array(counts[i]))
            for i, prop in enumerate(element.properties)
        }

    def _gather(self, prop: PlyProperty, offsets: NDArray, counts: NDArray) -> NDArray | PlyList:
        size = np.dtype(prop.type).itemsize
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = np.repeat(offsets, counts) + within * size
        raw = np.frombuffer(self.data, dtype=np.uint8)[starts[:, None] + np.arange(size)]
        values = np.ascontiguousarray(raw).view(self.order + prop.type).reshape(-1)
        return PlyList(counts, values) if prop.count_type else values


def _split_columns(element: PlyElement, rows: NDArray, lengths: dict[int, int]) -> PlyTable:
    table: PlyTable = {}
    for i, prop in enumerate(element.properties):
        values = rows[f"value{i}"]
        if i in lengths:
            table[prop.name] = PlyList(np.full(len(rows), lengths[i]), values.reshape(-1))
        else:
            table[prop.name] = values
    return table


class _TextStream:
    """Rows of written numbers."""

    def __init__(self, text: bytes) -> None:
        count = len(split_rows(text).starts)
        self.numbers = parse_numbers(text, count, "the values")
        self.place = 0

    @property
    def left(self) -> int:
        return len(self.numbers) - self.place

    def take(self, element: PlyElement) -> PlyTable:
        if not element.has_lists:
            width = len(element.properties)
            self._need(element.count * width, element)
            block = self.numbers[self.place : self.place + element.count * width].reshape(-1, width)
            self.place += element.count * width
            return {p.name: _check_type(block[:, i], p) for i, p in enumerate(element.properties)}
        return self._walk(element)

    def _need(self, count: int, element: PlyElement) -> None:
        if count > self.left:
            raise InputError(f"it announces {element.count} of '{element.name}' and holds fewer", GET_AGAIN)

    def _walk(self, element: PlyElement) -> PlyTable:
        numbers = self.numbers[self.place :].tolist()
        starts: list[list[int]] = [[] for _ in element.properties]
        counts: list[list[int]] = [[] for _ in element.properties]
        place = 0
        for _ in range(element.count):
            for i, prop in enumerate(element.properties):
                length = 1
                if prop.count_type:
                    if place >= len(numbers) or not 0 <= numbers[place] <= len(numbers):
                        raise InputError(f"a list '{prop.name}' is longer than the file", GET_AGAIN)
                    length = int(numbers[place])
                    place += 1
                starts[i].append(place)
                counts[i].append(length)
                place += length
            if place > len(numbers):
                self._need(len(numbers) + 1, element)
        block = self.numbers[self.place :]
        self.place += place
        return {
            p.name: _gather_values(block, p, np.array(starts[i]), np.array(counts[i]))
            for i, p in enumerate(element.properties)
        }


def _gather_values(block: NDArray, prop: PlyProperty, starts: NDArray, counts: NDArray) -> NDArray | PlyList:
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    values = _check_type(block[np.repeat(starts, counts) + within], prop)
    return PlyList(counts, values) if prop.count_type else values


def _check_type(values: NDArray, prop: PlyProperty) -> NDArray:
    """Text has no types, but the header's tell how colours count; values beyond the type are damaged."""
    if prop.type[0] == "f":
        return values
    limits = np.iinfo(prop.type)
    if values.size and not (limits.min <= values.min() and values.max() <= limits.max):
        raise InputError(f"'{prop.name}' has values beyond its type", GET_AGAIN)
    if not np.array_equal(values, np.floor(values)):
        raise InputError(f"'{prop.name}' has values that are not whole numbers", GET_AGAIN)
    return values.astype(prop.type)
