"""STL: triangles without topology, binary or text.

Corners with exactly equal coordinates are one vertex, in the order they are
first met. The stored normals are not trusted: the corners' order says which
side is out.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError, OutputError
from neurok.files.axes_note import apply_axes, format_axes
from neurok.files.registry import Asset
from neurok.files.rows import decode_name, parse_numbers, split_rows
from neurok.files.source import Source
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import NO_LABELS, Mesh, Part

RECORD_DTYPE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
HEADER_BYTES = 84
EXPORT_AGAIN = "the file is damaged: export it again"


def read(source: Source) -> Asset:
    """The triangles of an STL file, welded."""
    data = source.data()
    notes: list[str] = []
    try:
        if _is_text(data):
            corners, parts, face_part = _read_text(data)
        else:
            corners, notes = _read_binary(data)
            parts, face_part = (), NO_LABELS
    except InputError as fault:
        raise InputError(f"{source.name}: {fault.problem}", fault.remedy) from None
    vertices, faces = weld_corners(corners)
    asset = Asset(Mesh(vertices, faces, parts=parts, face_part=face_part), notes=tuple(notes))
    return apply_axes(asset, data[:HEADER_BYTES])


def weld_corners(corners: NDArray) -> tuple[NDArray, NDArray[np.int64]]:
    """Distinct points in the order they are first met, [n, 3], and the triangles between them, [m, 3].

    corners: triangles' own points, [m, 3, 3].
    """
    flat = np.ascontiguousarray(corners.reshape(-1, 3), dtype=np.float64) + 0.0  # -0.0 is 0.0
    keys = flat.view(np.dtype((np.void, 24))).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return flat[first[order]], rank[inverse.reshape(-1)].reshape(-1, 3)


def _is_text(data: bytes) -> bool:
    """Whether it is the text form; binary files may start with 'solid' too, so their size decides first."""
    if len(data) >= HEADER_BYTES:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == HEADER_BYTES + RECORD_DTYPE.itemsize * count:
            return False
    start = data[:4096].lstrip().lower()
    return start.startswith(b"solid") and b"\0" not in data[:4096] and bool(re.search(rb"(?i)facet|endsolid", data))


def _read_binary(data: bytes) -> tuple[NDArray, list[str]]:
    if len(data) < HEADER_BYTES:
        raise InputError(f"{len(data)} bytes are too few for an STL file", "check that the file is complete")
    count = int.from_bytes(data[80:84], "little")
    present = (len(data) - HEADER_BYTES) // RECORD_DTYPE.itemsize
    if count > present:
        raise InputError(f"it announces {count} triangles and has room for {present}", "get the whole file again")
    notes = ["there are bytes behind the last triangle, which are left out"] if present > count else []
    records = np.frombuffer(data, dtype=RECORD_DTYPE, count=count, offset=HEADER_BYTES)
    return records["corners"].astype(np.float64), notes


def _read_text(data: bytes) -> tuple[NDArray, tuple[Part, ...], Indices]:
    """Corners [m, 3, 3], and one part for each solid where there are several."""
    text = data.replace(b"\r", b"\n")
    solids = [m.start() for m in re.finditer(rb"(?mi)^[ \t]*solid", text)] + [len(text)]
    if len(solids) == 1:
        raise InputError("no solid starts in it", EXPORT_AGAIN)
    corners: list[NDArray] = []
    names: list[str] = []
    for start, end in zip(solids[:-1], solids[1:]):
        title, _, body = text[start:end].partition(b"\n")
        corners.append(_parse_solid(body))
        names.append(decode_name(title.split(None, 1)[1]) if len(title.split(None, 1)) > 1 else f"solid_{len(names)}")
    if len(names) < 2:
        return np.concatenate(corners), (), NO_LABELS
    face_part = np.repeat(np.arange(len(names)), [len(c) for c in corners])
    return np.concatenate(corners), tuple(Part(name) for name in names), face_part


def _parse_solid(body: bytes) -> NDArray:
    """Corners of one solid's facets, [m, 3, 3]."""
    lines = re.findall(rb"(?mi)\bvertex\b([^\n]*)", body)
    facets = len(re.findall(rb"(?mi)^[ \t]*facet\b", body))
    rows = split_rows(b"".join(line + b"\n" for line in lines))
    numbers = parse_numbers(rows.text, int(rows.counts.sum()), "vertices")
    if np.any(rows.counts != 3):
        raise InputError("a vertex does not have three coordinates", EXPORT_AGAIN)
    if len(lines) != 3 * facets:
        raise InputError(f"{facets} facets have {len(lines)} corners instead of {3 * facets}", EXPORT_AGAIN)
    return numbers.reshape(-1, 3, 3)


def write(mesh: Mesh, folder: Path, name: str) -> None:
    """Binary STL; coordinates become single precision, all but the shape is lost."""
    if mesh.face_count == 0:
        raise OutputError("the mesh has no faces, and STL holds nothing else", "use .ply for points")
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    records = np.zeros(mesh.face_count, dtype=RECORD_DTYPE)
    records["normal"] = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
    with np.errstate(over="ignore"):
        records["corners"] = corners
    if not np.all(np.isfinite(records["corners"])):
        raise OutputError("coordinates are too large for STL's single precision", "use .glb, .obj or .ply")
    header = f"binary STL # {format_axes(mesh)}".encode().ljust(80) + np.uint32(mesh.face_count).tobytes()
    (folder / name).write_bytes(header + records.tobytes())
