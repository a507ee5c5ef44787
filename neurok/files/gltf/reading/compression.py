"""Compressed geometry: meshopt, and Draco where its wheel is installed."""

import numpy as np
from numpy.typing import NDArray

from neurok.errors import MissingExtra
from neurok.files.gltf.reading import fields
from neurok.files.gltf.reading.container import GltfDocument
from neurok.files.gltf.reading.fields import Record, damage_error
from neurok.files.gltf.reading.meshopt import decode_stream

DRACO_EXTENSION = "KHR_draco_mesh_compression"
MESHOPT_EXTENSION = "EXT_meshopt_compression"
MAX_MESHOPT_RATIO = 64  # elements per byte: four groups of sixteen equal ones take a byte of each column


def decompress_view(document: GltfDocument, place: int) -> memoryview:
    """The plain bytes of a buffer view."""
    item = document.item("bufferViews", place)
    extension = fields.record(
        fields.record(item, "extensions", f"buffer view {place}"), MESHOPT_EXTENSION, "a buffer view"
    )
    if not extension:
        return document.view(place)
    key = ("meshopt", place)
    if key not in document.cache:
        document.cache[key] = memoryview(_decompress_meshopt(document, extension, f"buffer view {place}"))
    return document.cache[key]


def _decompress_meshopt(document: GltfDocument, extension: Record, what: str) -> bytes:
    data = document.buffer(fields.index(extension, "buffer", what))
    start, length = fields.index(extension, "byteOffset", what, 0), fields.index(extension, "byteLength", what)
    count, stride = fields.index(extension, "count", what), fields.index(extension, "byteStride", what)
    if start + length > len(data):
        raise damage_error(f"{what} reaches byte {start + length} of a buffer of {len(data)}")
    if count > length * MAX_MESHOPT_RATIO:
        raise damage_error(f"{what} claims {count} elements in {length} bytes")
    document.reserve_memory(2 * count * stride)
    mode, kind = fields.text(extension, "mode"), fields.text(extension, "filter", "NONE")
    return decode_stream(bytes(data[start : start + length]), mode, kind, count, stride)


def find_draco_view(primitive: Record) -> int | None:
    """The buffer view that holds a primitive's Draco stream, or None."""
    extension = fields.record(fields.record(primitive, "extensions", "a primitive"), DRACO_EXTENSION, "a primitive")
    return fields.index(extension, "bufferView", DRACO_EXTENSION) if extension else None


def decode_draco(document: GltfDocument, primitive: Record) -> tuple[NDArray[np.int64], dict[str, NDArray]]:
    """Triangles [m, 3] and attributes by glTF name, each [n, width] as stored, of a Draco primitive."""
    extension = fields.record(fields.record(primitive, "extensions", "a primitive"), DRACO_EXTENSION, "a primitive")
    place = fields.index(extension, "bufferView", DRACO_EXTENSION)
    if ("draco", place) not in document.cache:
        document.cache["draco", place] = _decode_draco_stream(bytes(document.view(place)))
    faces, arrays = document.cache["draco", place]
    attributes = {}
    for name, unique in fields.record(extension, "attributes", DRACO_EXTENSION).items():
        unique = fields.whole(unique, f"the identifier of {name[:40]} in {DRACO_EXTENSION}")
        if unique not in arrays:
            raise damage_error(f"the Draco stream in buffer view {place} has no attribute {unique}")
        attributes[name] = arrays[unique]
    return faces, attributes


def _decode_draco_stream(data: bytes) -> tuple[NDArray[np.int64], dict[int, NDArray]]:
    try:
        import DracoPy
    except ImportError:
        raise MissingExtra(f"a file compressed with {DRACO_EXTENSION}", "draco") from None
    try:
        mesh = DracoPy.decode(data)
    except Exception as fault:  # the wheel raises its own and bare kinds alike
        raise damage_error(f"a Draco stream cannot be decoded ({str(fault)[:80]})") from fault
    faces = getattr(mesh, "faces", None)
    if faces is None or mesh.points is None or not len(mesh.points):
        raise damage_error("a Draco stream holds no triangles")
    arrays = {a["unique_id"]: np.asarray(a["data"]) for a in mesh.attributes}
    if any(array.ndim != 2 or len(array) != len(mesh.points) for array in arrays.values()):
        raise damage_error("a Draco stream has attributes of several lengths")
    return np.asarray(faces, dtype=np.int64).reshape(-1, 3), arrays
