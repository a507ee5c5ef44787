"""Wavefront OBJ: text, one `v`, `vt`, `vn` or `f` a line.

Consecutive lines of one kind are parsed together as one block of numbers, so
that a large file costs a few array operations. Vertex order is the order of
the `v` lines, all of them. OBJ puts the origin of texture coordinates at the
lower left, Mesh at the upper left: v is flipped on the way in and out.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.axes_note import apply_axes
from neurok.files.obj_statements import NORMAL, TEXCOORD, VERTEX, ObjFaces, ObjStatements, split_statements
from neurok.files.polygons import cut_fans, make_polygon_attribute
from neurok.files.registry import Asset
from neurok.files.rows import TextRows, normalise_lines, parse_numbers, split_rows
from neurok.files.source import Source
from neurok.geometry.mesh import Mesh, Part

EXPORT_AGAIN = "the file is damaged: export it again"


def read(source: Source) -> Asset:
    """The mesh of an OBJ file, with the materials of the MTL files it names."""
    try:
        statements = ObjStatements(source)
        statements.collect(split_statements(normalise_lines(source.data())))
        return apply_axes(_build_asset(statements), source.data())
    except InputError as fault:
        if source.name in fault.problem:
            raise
        raise InputError(f"{source.name}: {fault.problem}", fault.remedy) from None


def write(mesh: Mesh, folder: Path, name: str) -> None:
    """Write the mesh, its materials (.mtl) and textures side by side."""
    from neurok.files.obj_writer import write_files

    write_files(mesh, folder, name)


def _parse_rows(blocks: list[bytes], keyword: bytes, what: str, least: int) -> tuple[NDArray, NDArray[np.int64]]:
    """Rows of numbers behind a keyword, padded with NaN to equal length, and how many each row has."""
    text = _strip_comments(b"".join(blocks)).replace(keyword, b" ")
    rows = split_rows(text)
    values = parse_numbers(text, int(rows.counts.sum()), what)
    if len(rows.counts) == 0:
        return np.zeros((0, least)), rows.counts
    shortest, longest = int(rows.counts.min()), int(rows.counts.max())
    if shortest < least:
        raise InputError(f"a line of the {what} has {shortest} numbers instead of {least}", EXPORT_AGAIN)
    if shortest == longest:
        return values.reshape(-1, longest), rows.counts
    table = np.full((len(rows.counts), min(longest, 8)), np.nan)
    for column in range(table.shape[1]):
        present = rows.counts > column
        table[present, column] = values[rows.offsets[present] + column]
    return table, rows.counts


def _strip_comments(text: bytes) -> bytes:
    return re.sub(rb"#[^\n]*", b"", text) if b"#" in text else text


def _split_corners(blocks: list[bytes]) -> TextRows:
    """The words of `f` lines, such as 7, 7/3, 7//4 or 7/3/4, with 0 written where an index is left out."""
    text = _strip_comments(b"".join(blocks)).replace(b"fo", b"  ").replace(b"f", b" ").replace(b"//", b"/0/")
    return split_rows(re.sub(rb"/(?=\s)", b"/0", text) if re.search(rb"/\s", text) else text)


def _parse_corners(rows: TextRows) -> NDArray[np.int64]:
    """Indices of each face corner, v, vt, vn as written; 0 for one left out, [c, 3]."""
    slashes = np.flatnonzero(np.frombuffer(rows.text, dtype=np.uint8) == ord("/"))
    widths = np.diff(np.searchsorted(slashes, np.append(rows.starts, len(rows.text)))) + 1
    numbers = parse_numbers(rows.text.replace(b"/", b" "), int(widths.sum()), "face indices", np.int64)
    if len(widths) == 0:
        return np.zeros((0, 3), dtype=np.int64)
    if widths.max() > 3:
        raise InputError("a face corner has more than three indices", EXPORT_AGAIN)
    corners = np.zeros((len(widths), 3), dtype=np.int64)
    if widths.min() == widths.max():
        corners[:, : widths[0]] = numbers.reshape(len(widths), -1)
        return corners
    offsets = np.cumsum(widths) - widths
    for column in range(int(widths.max())):
        present = widths > column
        corners[present, column] = numbers[offsets[present] + column]
    return corners


@dataclass(frozen=True)
class _ObjTriangles:
    """Polygons cut into fans: indices into v, vt, vn from zero, -1 for none, [m, 3, 3]; line of each, [m]."""

    index: NDArray[np.int64]
    line: NDArray[np.int64]
    polygons: dict[str, NDArray]  # the attribute that remembers them
    dropped: int  # faces with fewer than three corners


def _cut_triangles(faces: ObjFaces, table_sizes: tuple[int, int, int]) -> _ObjTriangles:
    rows = _split_corners(faces.blocks)
    corners = _parse_corners(rows)
    if np.any(corners < 0):  # counted back from the last line before the face
        seen = np.repeat(np.array(faces.seen), faces.lines, axis=0)
        corners = np.where(corners < 0, corners + np.repeat(seen, rows.counts, axis=0) + 1, corners)
        wrong = bool(np.any(corners < 0))
    else:
        wrong = False
    corners = corners - 1
    if len(corners) and (wrong or corners[:, 0].min() < 0 or np.any(corners.max(axis=0) >= np.array(table_sizes))):
        raise InputError("a face refers to a vertex, texture coordinate or normal that is not there", EXPORT_AGAIN)
    places, line = cut_fans(rows.counts)
    polygons = make_polygon_attribute(rows.counts, line)
    return _ObjTriangles(corners[places], line, polygons, int(np.sum(rows.counts < 3)))


def _build_asset(statements: ObjStatements) -> Asset:
    table, counts = _parse_rows(statements.blocks[VERTEX], b"v", "vertices", 3)
    if len(table) == 0:
        raise InputError(
            "there are no vertices in it", "check that it is an OBJ file and the export included the object"
        )
    texcoords, _ = _parse_rows(statements.blocks[TEXCOORD], b"vt", "texture coordinates", 1)
    normals, _ = _parse_rows(statements.blocks[NORMAL], b"vn", "normals", 3)
    triangles = _cut_triangles(statements.faces, (len(table), len(texcoords), len(normals)))
    faces = triangles.index[..., 0]
    attributes: dict[str, NDArray] = {}
    corner_attributes: dict[str, NDArray] = {}
    uv = _gather_texcoords(texcoords, triangles.index[..., 1])
    for name, values in (("uv0", uv), ("normal", _gather_normals(normals, triangles.index[..., 2], statements))):
        if values is not None:
            per_vertex = _merge_corners(values, faces, len(table))
            target = corner_attributes if per_vertex is None else attributes
            target[name] = values if per_vertex is None else per_vertex
    if np.any(counts >= 6):
        attributes["color"] = _read_colors(table, counts)
    labels = [
        np.repeat(np.array(v, dtype=np.int64), statements.faces.lines)
        for v in (statements.faces.part, statements.faces.material)
    ]
    mesh = Mesh(
        vertices=table[:, :3],
        faces=faces,
        attributes=attributes,
        corner_attributes=corner_attributes,
        face_attributes=triangles.polygons,
        materials=statements.used_materials(),
        face_material=labels[1][triangles.line],
        parts=tuple(Part(name, parent) for name, parent in statements.parts),
        face_part=labels[0][triangles.line],
    )
    return Asset(mesh, notes=tuple(_collect_notes(statements, triangles)))


def _gather_texcoords(texcoords: NDArray, index: NDArray[np.int64]) -> NDArray | None:
    """Texture coordinates of each corner, v downwards, zero where a corner has none, [m, 3, 2]."""
    if not np.any(index >= 0):
        return None
    flipped = np.zeros((len(texcoords), 2))
    flipped[:, : min(2, texcoords.shape[1])] = texcoords[:, :2]
    flipped = np.nan_to_num(flipped, nan=0.0, posinf=0.0, neginf=0.0)
    flipped[:, 1] = 1.0 - flipped[:, 1]
    return np.where(index[..., None] >= 0, flipped[index], 0.0)


def _gather_normals(normals: NDArray, index: NDArray[np.int64], statements: ObjStatements) -> NDArray | None:
    """Normals of each corner, [m, 3, 3]; none at all where some are missing, for a made-up one is worse."""
    if not np.any(index >= 0):
        return None
    if np.any(index < 0) or not np.all(np.isfinite(normals[:, :3])):
        statements.notes["some corners have no usable normal, so all normals of the file are left out"] = None
        return None
    return normals[:, :3][index]


def _merge_corners(values: NDArray, faces: NDArray[np.int64], vertex_count: int) -> NDArray | None:
    """Corner values [m, 3, d] as vertex values [n, d] where all corners of a vertex agree, else None."""
    column = np.zeros((vertex_count, values.shape[-1]))
    column[faces] = values
    return column if np.array_equal(column[faces], values) else None


def _read_colors(table: NDArray, counts: NDArray[np.int64]) -> NDArray:
    """Colours behind the coordinates, in 0..1 or 0..255; white where a vertex has none, [n, 4]."""
    color = np.ones((len(table), 4))
    has = counts >= 6
    columns = table[has, 3:7]
    color[has, : columns.shape[1]] = columns
    color = np.nan_to_num(color, nan=1.0, posinf=1.0, neginf=0.0)
    if color.max() > 1.0:
        color[has] = color[has] / 255.0
        if np.any(counts[has] < 7):
            color[counts < 7, 3] = 1.0
    return np.clip(color, 0.0, 1.0)


def _collect_notes(statements: ObjStatements, triangles: _ObjTriangles) -> list[str]:
    notes = list(statements.notes)
    if statements.skipped:
        notes.append(f"{statements.skipped} lines with points or curves are left out: only faces are kept")
    if statements.unknown:
        notes.append(f"{statements.unknown} lines with unknown or free-form statements are left out")
    if triangles.dropped:
        notes.append(f"{triangles.dropped} faces with fewer than three corners are left out")
    if len(triangles.index) == 0:
        notes.append("the file has no faces, only points")
    return notes
