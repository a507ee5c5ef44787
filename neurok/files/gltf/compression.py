"""Compressed geometry: Draco is decoded where its wheel is installed, other schemes are refused by name."""

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError, MissingExtra
from neurok.files.gltf import fields
from neurok.files.gltf.container import Document
from neurok.files.gltf.fields import Record, damaged

DRACO = "KHR_draco_mesh_compression"
MESHOPT = "EXT_meshopt_compression"
MESHOPT_REMEDY = "unpack it with: npx @gltf-transform/cli copy in.glb out.glb"


def decompressed_view(document: Document, place: int) -> memoryview:
    """The plain bytes of a buffer view."""
    item = document.item("bufferViews", place)
    if MESHOPT in fields.record(item, "extensions", f"buffer view {place}"):
        raise InputError(f"the file is compressed with {MESHOPT}", MESHOPT_REMEDY)
    return document.view(place)


def draco_view(primitive: Record) -> int | None:
    """The buffer view that holds a primitive's Draco stream, or None."""
    extension = fields.record(fields.record(primitive, "extensions", "a primitive"), DRACO, "a primitive")
    return fields.index(extension, "bufferView", DRACO) if extension else None


def draco_decode(document: Document, primitive: Record) -> tuple[NDArray[np.int64], dict[str, NDArray]]:
    """Triangles [m, 3] and attributes by glTF name, each [n, width] as stored, of a Draco primitive."""
    extension = fields.record(fields.record(primitive, "extensions", "a primitive"), DRACO, "a primitive")
    place = fields.index(extension, "bufferView", DRACO)
    if ("draco", place) not in document.cache:
        document.cache["draco", place] = _draco_stream(bytes(document.view(place)))
    faces, arrays = document.cache["draco", place]
    attributes = {}
    for name, unique in fields.record(extension, "attributes", DRACO).items():
        unique = fields.whole(unique, f"the identifier of {name[:40]} in {DRACO}")
        if unique not in arrays:
            raise damaged(f"the Draco stream in buffer view {place} has no attribute {unique}")
        attributes[name] = arrays[unique]
    return faces, attributes


def _draco_stream(data: bytes) -> tuple[NDArray[np.int64], dict[int, NDArray]]:
    try:
        import DracoPy
    except ImportError:
        raise MissingExtra(f"a file compressed with {DRACO}", "draco") from None
    try:
        mesh = DracoPy.decode(data)
    except Exception as fault:  # the wheel raises its own and bare kinds alike
        raise damaged(f"a Draco stream cannot be decoded ({str(fault)[:80]})") from fault
    faces = getattr(mesh, "faces", None)
    if faces is None:
        raise damaged("a Draco stream holds points and no triangles")
    arrays = {a["unique_id"]: np.asarray(a["data"]).reshape(len(mesh.points), -1) for a in mesh.attributes}
    return np.asarray(faces, dtype=np.int64).reshape(-1, 3), arrays
