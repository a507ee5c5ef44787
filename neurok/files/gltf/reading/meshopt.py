"""EXT_meshopt_compression: the three byte streams and three filters of its specification.

Streams come from strangers: every read is checked against the end of the data,
and nothing is allocated beyond what the caller has accounted for.
"""

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.reading.fields import damage_error

GROUP_SIZE = 16  # elements that share one width of deltas
MAX_BLOCK_BYTES = 8192  # bytes of decoded elements
MIN_TAIL_BYTES = 32  # bytes at the end of an attribute stream, at least
# byte -> the four 2-bit or two 4-bit numbers in it, the first in the highest bits
TWO_BIT_NUMBERS = [tuple(byte >> shift & 3 for shift in (6, 4, 2, 0)) for byte in range(256)]
FOUR_BIT_NUMBERS = [(byte >> 4, byte & 15) for byte in range(256)]


def decode_stream(data: bytes, mode: str, kind: str, count: int, stride: int) -> bytes:
    """The plain elements of a stream, [count * stride] bytes; mode and kind (the filter) as the file names them."""
    if mode == "ATTRIBUTES":
        if stride % 4 or not 0 < stride <= 256:
            raise damage_error(f"a meshopt stream has elements of {stride} bytes")
        return _apply_filter(decode_attributes(data, count, stride), kind).tobytes()
    if stride not in (2, 4):
        raise damage_error(f"a meshopt stream has indices of {stride} bytes")
    if mode == "TRIANGLES":
        indices = decode_triangles(data, count)
    elif mode == "INDICES":
        indices = decode_indices(data, count)
    else:
        raise damage_error(f"a meshopt stream has the unknown mode {mode[:20]!r}")
    return np.array(indices, dtype=np.int64).astype("<u2" if stride == 2 else "<u4").tobytes()


def decode_attributes(data: bytes, count: int, stride: int) -> NDArray[np.uint8]:
    """Elements of an attribute stream, [count, stride]: each byte as the difference to the element before."""
    tail = max(stride, MIN_TAIL_BYTES)
    if len(data) < 1 + tail or data[0] != 0xA0:
        raise damage_error("a meshopt attribute stream has no valid head")
    result = np.empty((count, stride), dtype=np.uint8)
    previous = np.frombuffer(data, np.uint8, stride, len(data) - stride)
    end = len(data) - tail
    block = min(MAX_BLOCK_BYTES // stride // GROUP_SIZE * GROUP_SIZE, 256)
    place = 1
    for start in range(0, count, block):
        size = min(block, count - start)
        deltas = np.empty((size, stride), dtype=np.uint8)
        for column in range(stride):
            values, place = _read_deltas(data, place, end, size)
            deltas[:, column] = values
        signed = (deltas >> 1) ^ (-(deltas & 1).astype(np.int8)).view(np.uint8)
        np.cumsum(signed, axis=0, dtype=np.uint8, out=signed)
        result[start : start + size] = signed + previous
        previous = result[start + size - 1]
    if place != end:
        raise damage_error("a meshopt attribute stream has bytes left over")
    return result


def _read_deltas(data: bytes, place: int, end: int, size: int) -> tuple[list[int], int]:
    """One byte of each element of a block, and where the stream goes on."""
    groups = -(-size // GROUP_SIZE)
    head, place = place, place + -(-groups // 4)
    values: list[int] = []
    for group in range(groups):
        if place > end:
            raise damage_error("a meshopt attribute stream ends too early")
        width = data[head + group // 4] >> (group % 4 * 2) & 3
        if width == 0:
            values += [0] * GROUP_SIZE
        elif width == 3:
            values += data[place : place + GROUP_SIZE]
            place += GROUP_SIZE
        else:
            table, length, mark = (TWO_BIT_NUMBERS, 4, 3) if width == 1 else (FOUR_BIT_NUMBERS, 8, 15)
            numbers = [number for byte in data[place : place + length] for number in table[byte]]
            place += length
            for number in numbers:
                # The largest number stands for a whole byte that follows the group.
                values.append(number if number != mark else data[min(place, len(data) - 1)])
                place += number == mark
    if place > end:
        raise damage_error("a meshopt attribute stream ends too early")
    return values[:size], place


class _NumberStream:
    """The variable-length numbers of an index stream, read one after the other."""

    def __init__(self, data: bytes, place: int, end: int) -> None:
        self.data, self.place, self.end = data, place, end

    def byte(self) -> int:
        if self.place >= self.end:
            raise damage_error("a meshopt index stream ends too early")
        self.place += 1
        return self.data[self.place - 1]

    def number(self) -> int:
        """Seven bits a byte, the lowest first, at most five bytes."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                break
        return value & 0xFFFFFFFF

    def step(self) -> int:
        """A signed difference: the sign in the lowest bit."""
        value = self.number()
        return value >> 1 ^ -(value & 1)


def decode_indices(data: bytes, count: int) -> list[int]:
    """Indices of an INDICES stream: each a difference to one of two running values."""
    if len(data) < 1 + count + 4 or data[0] & 0xF0 != 0xD0 or data[0] & 15 > 1:
        raise damage_error("a meshopt index stream has no valid head")
    tail = _NumberStream(data, 1, len(data) - 4)
    last = [0, 0]
    indices = []
    for _ in range(count):
        value = tail.number()
        which, value = value & 1, value >> 1
        last[which] = last[which] + (value >> 1 ^ -(value & 1)) & 0xFFFFFFFF
        indices.append(last[which])
    if tail.place != tail.end:
        raise damage_error("a meshopt index stream has bytes left over")
    return indices


def decode_triangles(data: bytes, count: int) -> list[int]:
    """Corners of a TRIANGLES stream: each triangle by an edge and vertices met shortly before."""
    if count % 3 or len(data) < 1 + count // 3 + 16 or data[0] & 0xF0 != 0xE0 or data[0] & 15 > 1:
        raise damage_error("a meshopt triangle stream has no valid head")
    reader = _TriangleStream(data, count)
    corners: list[int] = []
    for code in data[1 : 1 + count // 3]:
        corners += reader.beside_edge(code) if code < 0xF0 else reader.free(code)
    if reader.tail.place != reader.tail.end:
        raise damage_error("a meshopt triangle stream has bytes left over")
    return [corner & 0xFFFFFFFF for corner in corners]


class _TriangleStream:
    """What a triangle stream remembers: the last sixteen edges and vertices, the next new vertex, the last free one."""

    def __init__(self, data: bytes, count: int) -> None:
        self.explicit = 13 if data[0] & 15 else 15  # the first code of the last corner that is no remembered vertex
        self.table = data[-16:]
        self.tail = _NumberStream(data, 1 + count // 3, len(data) - 16)
        self.edges = [(0, 0)] * 16
        self.vertices = [0] * 16
        self.edge_place = self.vertex_place = 0
        self.next = self.last = 0

    def beside_edge(self, code: int) -> tuple[int, int, int]:
        """A triangle that shares a remembered edge."""
        a, b = self.edges[(self.edge_place - 1 - (code >> 4)) & 15]
        third = code & 15
        if third == 0:
            c = self._new()
            self._remember(c)
        elif third < self.explicit:
            c = self.vertices[(self.vertex_place - 1 - third) & 15]
        else:
            # 13 and 14 stand for one below and one above the last free vertex.
            step = self.tail.step() if third == 15 else 2 * third - 27
            c = self.last = self.last + step
            self._remember(c)
        self._edge(c, b)
        self._edge(a, c)
        return a, b, c

    def free(self, code: int) -> tuple[int, int, int]:
        """A triangle of three corners of its own."""
        if code < 0xFE:
            pair, first = self.table[code & 15], 0
        else:
            pair, first = self.tail.byte(), 0 if code == 0xFE else 15
            if pair == 0:
                self.next = 0
        choices = (first, pair >> 4, pair & 15)
        # New and remembered vertices are settled before the free ones are read, and all before any is remembered.
        corners = [self._new() if k == 0 else self.vertices[(self.vertex_place - k) & 15] for k in choices]
        for i, choice in enumerate(choices):
            if choice == 15:
                corners[i] = self.last = self.last + self.tail.step()
        for corner, choice in zip(corners, choices):
            if choice in (0, 15):
                self._remember(corner)
        a, b, c = corners
        self._edge(b, a)
        self._edge(c, b)
        self._edge(a, c)
        return a, b, c

    def _new(self) -> int:
        self.next += 1
        return self.next - 1

    def _remember(self, vertex: int) -> None:
        self.vertices[self.vertex_place & 15] = vertex
        self.vertex_place += 1

    def _edge(self, a: int, b: int) -> None:
        self.edges[self.edge_place & 15] = (a, b)
        self.edge_place += 1


def _apply_filter(elements: NDArray[np.uint8], kind: str) -> NDArray:
    """Elements after the filter that the file names."""
    if kind in ("", "NONE"):
        return elements
    count, stride = elements.shape
    if kind == "OCTAHEDRAL" and stride in (4, 8):
        return _decode_octahedral(elements.view("<i1" if stride == 4 else "<i2").reshape(count, 4))
    if kind == "QUATERNION" and stride == 8:
        return _decode_quaternions(elements.view("<i2").reshape(count, 4))
    if kind == "EXPONENTIAL":
        whole = elements.view("<i4").reshape(count, -1)
        return np.ldexp((whole << 8 >> 8).astype(np.float32), whole >> 24).astype("<f4")
    raise damage_error(f"a meshopt stream of {stride} bytes has the unknown filter {kind[:20]!r}")


def _decode_octahedral(stored: NDArray) -> NDArray:
    """Unit vectors from points on an unfolded octahedron: x, y, the value of one, and a fourth number kept."""
    x, y, one = stored[:, :3].astype(np.float32).T
    z = one - np.abs(x) - np.abs(y)
    fold = np.minimum(z, 0)
    x, y = x + np.where(x >= 0, fold, -fold), y + np.where(y >= 0, fold, -fold)
    direction = np.stack([x, y, z], axis=1)
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    largest = np.float32(np.iinfo(stored.dtype).max)
    result = stored.copy()
    result[:, :3] = np.round(direction * (largest / np.where(length > 0, length, 1)))
    return result


def _decode_quaternions(stored: NDArray) -> NDArray:
    """Unit quaternions from their three smaller components; the fourth number says which is missing, and the scale."""
    missing = stored[:, 3] & 3
    scale = (stored[:, 3] | 3).astype(np.float32)
    small = stored[:, :3] / (np.where(scale == 0, 1, scale)[:, None] * np.sqrt(np.float32(2)))
    large = np.sqrt(np.maximum(0, 1 - np.sum(small**2, axis=1)))
    result = np.empty_like(stored)
    rows = np.arange(len(stored))
    for k in range(3):
        result[rows, (missing + 1 + k) & 3] = np.round(small[:, k] * 32767)
    result[rows, missing] = np.round(large * 32767)
    return result
