"""Accessors: typed arrays in buffers, decoded with every count checked against the bytes that are there."""

import math

import numpy as np
from numpy.typing import NDArray

from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.compression import decompress_view
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record, damage_error

COMPONENT_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
# type -> (columns, rows); a vector is a matrix of one column
ELEMENT_SHAPES = {
    "SCALAR": (1, 1), "VEC2": (1, 2), "VEC3": (1, 3), "VEC4": (1, 4), "MAT2": (2, 2), "MAT3": (3, 3), "MAT4": (4, 4),
}  # fmt: skip


def read_accessor_count(document: GltfDocument, place: int) -> int:
    """How many elements an accessor claims to have."""
    return fields.index(document.item("accessors", place), "count", f"accessor {place}")


def read_accessor_width(document: GltfDocument, place: int) -> int:
    """Numbers per element: 3 for VEC3, 16 for MAT4."""
    return math.prod(_read_shape(document.item("accessors", place), f"accessor {place}"))


def decode_accessor(document: GltfDocument, place: int, *, width: int | None = None) -> NDArray:
    """Elements of an accessor, [count, width]: integers as stored, normalised ones as float32 in -1..1 or 0..1.

    width: the width to insist on. The array is shared between callers and read-only.
    """
    key = ("accessor", place)
    if key not in document.cache:
        array = _decode_accessor(document, place)
        array.flags.writeable = False
        document.cache[key] = array
    array = document.cache[key]
    if width is not None and array.shape[1] != width:
        raise damage_error(f"accessor {place} has {array.shape[1]} numbers per element where {width} are needed")
    return array


def decode_finite(document: GltfDocument, place: int, *, width: int | None = None) -> NDArray:
    """Elements of an accessor as numbers that are all finite, [count, width]."""
    array = decode_accessor(document, place, width=width)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise damage_error(f"accessor {place} holds numbers that are not finite")
    return array


def decode_indices(document: GltfDocument, place: int) -> NDArray[np.int64]:
    """Vertex indices, [count]."""
    array = decode_accessor(document, place, width=1)
    if array.dtype.kind != "u":
        raise damage_error(f"accessor {place} is used for indices and does not hold unsigned integers")
    return array[:, 0].astype(np.int64)


def denormalise(array: NDArray) -> NDArray[np.float32]:
    """Stored integers to floats: c / max, and at least -1 for signed ones."""
    if array.dtype.kind == "f":
        return array.astype(np.float32)
    scaled = array.astype(np.float32) / np.float32(np.iinfo(array.dtype).max)
    return np.maximum(scaled, np.float32(-1)) if array.dtype.kind == "i" else scaled


def _decode_accessor(document: GltfDocument, place: int) -> NDArray:
    what = f"accessor {place}"
    item = document.item("accessors", place)
    count = fields.index(item, "count", what)
    shape, dtype = _read_shape(item, what), _read_dtype(item, what)
    view = fields.optional_index(item, "bufferView", what)
    if view is None:
        # All zeros, however many it claims: the one count that no bytes stand for.
        document.reserve_memory(count * math.prod(shape) * dtype.itemsize)
        array = np.zeros((count, math.prod(shape)), dtype)
    else:
        array = _read_elements(document, view, fields.index(item, "byteOffset", what, 0), count, shape, dtype, what)
    if item.get("sparse") is not None:
        array = _substitute_sparse(document, array, fields.record(item, "sparse", what), shape, what)
    if item.get("normalized") is not True:
        return array
    document.reserve_memory(array.size * 4)
    return denormalise(array)


def _substitute_sparse(
    document: GltfDocument, array: NDArray, sparse: Record, shape: tuple[int, int], what: str
) -> NDArray:
    """The array with the elements that a sparse accessor names replaced."""
    count = fields.index(sparse, "count", what)
    if count > len(array):
        raise damage_error(f"{what} replaces {count} of {len(array)} elements")
    places, values = fields.record(sparse, "indices", what), fields.record(sparse, "values", what)
    where = _read_elements(
        document, fields.index(places, "bufferView", what), fields.index(places, "byteOffset", what, 0),
        count, (1, 1), _read_dtype(places, what), what,
    )  # fmt: skip
    if where.dtype.kind != "u" or (count and where.max() >= len(array)):
        raise damage_error(f"{what} replaces elements that it does not have")
    new = _read_elements(
        document, fields.index(values, "bufferView", what), fields.index(values, "byteOffset", what, 0),
        count, shape, array.dtype, what,
    )  # fmt: skip
    document.reserve_memory(array.nbytes)
    result = array.copy()
    result[where[:, 0]] = new
    return result


def _read_elements(
    document: GltfDocument, view: int, offset: int, count: int, shape: tuple[int, int], dtype: np.dtype, what: str
) -> NDArray:
    """Elements in a buffer view, packed or interleaved, [count, columns * rows]."""
    data = decompress_view(document, view)
    columns, rows = shape
    # Columns of matrices begin at multiples of four bytes.
    column = rows * dtype.itemsize if columns == 1 else -(-rows * dtype.itemsize // 4) * 4
    size = columns * column
    stride = document.stride(view) or size
    if stride < size:
        raise damage_error(f"{what} has elements of {size} bytes only {stride} bytes apart")
    # The last element of a matrix may end before its padding does.
    end = offset + (count - 1) * stride + (columns - 1) * column + rows * dtype.itemsize if count else 0
    if end > len(data):
        raise damage_error(f"{what} needs {end} bytes of a buffer view of {len(data)}")
    if count == 0:
        return np.zeros((0, columns * rows), dtype)
    if stride != columns * rows * dtype.itemsize:
        document.reserve_memory(count * columns * rows * dtype.itemsize)
    block = np.ndarray((count, columns, rows), dtype, data, offset, (stride, column, dtype.itemsize))
    return np.ascontiguousarray(block).reshape(count, columns * rows)


def _read_shape(item: Record, what: str) -> tuple[int, int]:
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in ELEMENT_SHAPES:
        raise damage_error(f"{what} has the unknown type {str(kind)[:20]!r}")
    return ELEMENT_SHAPES[kind]


def _read_dtype(item: Record, what: str) -> np.dtype:
    kind = fields.index(item, "componentType", what)
    if kind not in COMPONENT_DTYPES:
        raise damage_error(f"{what} has the unknown component type {kind}")
    return np.dtype(COMPONENT_DTYPES[kind])
