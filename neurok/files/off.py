"""OFF: counts, vertices, polygons, all in text.

The first word says what a vertex carries: [ST][C][N]OFF. Colours may follow
the vertices or the faces, as whole numbers up to 255 or fractions up to one.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.axes_note import apply_axes, format_axes
from neurok.files.polygons import cut_fans, join_fans, make_polygon_attribute
from neurok.files.registry import Asset
from neurok.files.rows import TextRows, normalise_lines, parse_numbers, split_rows
from neurok.files.source import Source
from neurok.geometry.mesh import Mesh

EXPORT_AGAIN = "the file is damaged: export it again"


def read(source: Source) -> Asset:
    """The mesh of an OFF file."""
    try:
        return apply_axes(_parse_asset(normalise_lines(source.data())), source.data())
    except InputError as fault:
        raise InputError(f"{source.name}: {fault.problem}", fault.remedy) from None


def _parse_asset(text: bytes) -> Asset:
    text = re.sub(rb"#[^\n]*", b"", text) if b"#" in text else text
    match = re.match(rb"\s*(ST)?(C)?(N)?(4)?(n)?OFF(?=[\s\d]|$)", text)
    if match is None:
        raise InputError("it does not start with the word OFF", "check that it is an OFF file")
    if match.group(4) or match.group(5):
        raise InputError("its vertices do not have three coordinates", "export it as plain OFF")
    if re.match(rb"\s*BINARY\b", text[match.end() :]):
        raise InputError("it is a binary OFF file", "export it as text")
    rows = split_rows(re.sub(rb"\n\s*\n", b"\n", text[match.end() :].lstrip()))
    vertex_count, face_count = _parse_counts(rows)
    vertex_rows = _slice_rows(rows, 1, 1 + vertex_count)
    face_rows = _slice_rows(rows, 1 + vertex_count, 1 + vertex_count + face_count)
    flags = {name: bool(match.group(i)) for i, name in ((1, "uv"), (2, "color"), (3, "normal"))}
    vertices, attributes = _parse_vertices(vertex_rows, flags)
    notes: list[str] = [] if face_count else ["the file has no faces, only points"]
    if face_count == 0:
        return Asset(Mesh(vertices, np.zeros((0, 3), dtype=np.int64), attributes), notes=tuple(notes))
    counts, indices, color = _parse_faces(face_rows)
    places, polygon = cut_fans(counts)
    if np.any(counts < 3):
        notes.append(f"{int(np.sum(counts < 3))} faces with fewer than three corners are left out")
    face_attributes = make_polygon_attribute(counts, polygon)
    if color is not None:
        face_attributes["color"] = color[polygon]
    return Asset(Mesh(vertices, indices[places], attributes, face_attributes=face_attributes), notes=tuple(notes))


def _parse_counts(rows: TextRows) -> tuple[int, int]:
    """Numbers of vertices and faces, believed only as far as there are lines for them."""
    first = rows.text[: rows.text.find(b"\n")].split() if len(rows.counts) else []
    try:
        vertex_count, face_count = int(first[0]), int(first[1])
    except (IndexError, ValueError):
        raise InputError("the counts of vertices and faces are missing", EXPORT_AGAIN) from None
    lines = len(rows.counts) - 1
    if vertex_count < 0 or face_count < 0 or vertex_count + face_count > lines:
        raise InputError(
            f"it announces {vertex_count} vertices and {face_count} faces and has {lines} lines",
            "the file is cut off or damaged: get it again",
        )
    return vertex_count, face_count


def _slice_rows(rows: TextRows, first: int, last: int) -> TextRows:
    """Some lines of a text."""
    offsets = np.append(rows.offsets, len(rows.starts))
    bounds = np.append(rows.starts, len(rows.text))
    start, end = int(bounds[offsets[first]]), int(bounds[offsets[last]])
    return TextRows(rows.text[start:end], rows.starts[offsets[first] : offsets[last]] - start, rows.counts[first:last])


def _parse_vertices(rows: TextRows, flags: dict[str, bool]) -> tuple[NDArray, dict[str, NDArray]]:
    """Positions [n, 3] and attributes; a line is x y z [normal] [colour] [texture coordinates]."""
    numbers = parse_numbers(rows.text, len(rows.starts), "vertices")
    least = 3 + 3 * flags["normal"] + 3 * flags["color"] + 2 * flags["uv"]
    if len(rows.counts) and rows.counts.min() < least:
        raise InputError(f"a vertex line has {rows.counts.min()} numbers instead of {least}", EXPORT_AGAIN)
    if len(rows.counts) == 0 or rows.counts.min() != rows.counts.max():
        if any(flags.values()):
            raise InputError("the vertex lines differ in length", EXPORT_AGAIN)
        return numbers[rows.offsets[:, None] + np.arange(3)], {}
    table = numbers.reshape(len(rows.counts), -1)
    place, attributes = 3, {}
    if flags["normal"]:
        attributes["normal"] = table[:, place : place + 3]
        place += 3
    end = table.shape[1] - 2 * flags["uv"]
    if flags["color"] or (end - place in (3, 4) and not any(flags.values())):  # COFF is often written as OFF
        attributes["color"] = _scale_colors(table[:, place : min(end, place + 4)])
    if flags["uv"]:
        uv = np.nan_to_num(table[:, end:], nan=0.0, posinf=0.0, neginf=0.0)
        attributes["uv0"] = np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1)
    if "normal" in attributes and not np.all(np.isfinite(attributes["normal"])):
        del attributes["normal"]
    return table[:, :3], attributes


def _parse_faces(rows: TextRows) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray | None]:
    """Corners of each face [p], their vertices [c], and the faces' colours [p, 4] or None."""
    numbers = parse_numbers(rows.text, len(rows.starts), "faces")
    if np.any(rows.counts == 0):
        raise InputError("a face line is empty", EXPORT_AGAIN)
    lengths = numbers[rows.offsets]
    if not np.all((lengths >= 0) & (lengths < rows.counts)):
        raise InputError("a face line has fewer indices than it says", EXPORT_AGAIN)
    counts = lengths.astype(np.int64)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    values = numbers[np.repeat(rows.offsets + 1, counts) + within]
    if not np.all(np.abs(values) < 2**53) or not np.array_equal(values, np.floor(values)):
        raise InputError("face indices are not all whole numbers", EXPORT_AGAIN)
    extra = rows.counts - 1 - counts
    if not np.any(extra >= 3):
        return counts, values.astype(np.int64), None
    color = np.ones((len(counts), 4))
    for width in (3, 4):
        has = np.flatnonzero(np.minimum(extra, 4) == width)
        start = rows.offsets[has] + 1 + counts[has]
        color[has, :width] = numbers[start[:, None] + np.arange(width)]
    colored = extra >= 3
    color[colored] = _scale_colors(color[colored], opaque=extra[colored] == 3)
    return counts, values.astype(np.int64), color


def _scale_colors(color: NDArray, opaque: NDArray | None = None) -> NDArray:
    """Colours in 0..1 with alpha, [n, 4], from fractions or from whole numbers up to 255."""
    color = np.nan_to_num(color, nan=1.0, posinf=1.0, neginf=0.0)
    scaled = color / 255.0 if color.size and color.max() > 1.0 else color
    result = np.ones((len(color), 4))
    result[:, : color.shape[1]] = scaled
    if opaque is not None:
        result[opaque, 3] = 1.0
    return np.clip(result, 0.0, 1.0)


def write(mesh: Mesh, folder: Path, name: str) -> None:
    """OFF, or COFF where vertices have colours; numbers are written so that the same ones are read."""
    places, counts, first = join_fans(mesh)
    color = mesh.attributes.get("color")
    header = "OFF" if color is None else "COFF"
    lines = [header, f"# {format_axes(mesh)}", f"{mesh.vertex_count} {len(counts)} 0"]
    table = mesh.vertices if color is None else np.concatenate([mesh.vertices, _fill_rgba(np.asarray(color))], axis=1)
    pattern = " ".join(["%r"] * table.shape[1])
    lines += [pattern % tuple(row) for row in table.tolist()]
    corners = mesh.faces.reshape(-1)[places].tolist()
    ends = np.cumsum(counts).tolist()
    tails = _format_face_colors(mesh, first)
    for start, end, tail in zip([0, *ends], ends, tails):
        lines.append(f"{end - start} {' '.join(map(str, corners[start:end]))}{tail}")
    with open(folder / name, "w", encoding="ascii", newline="\n") as stream:
        stream.write("\n".join(lines) + "\n")


def _fill_rgba(color: NDArray) -> NDArray:
    rgba = np.ones((len(color), 4))
    rgba[:, : color.shape[1]] = color[:, :4]
    return rgba


def _format_face_colors(mesh: Mesh, first: NDArray[np.int64]) -> list[str]:
    color = mesh.face_attributes.get("color")
    if color is None:
        return [""] * len(first)
    rows = _fill_rgba(np.asarray(color, dtype=np.float64)[first]).tolist()
    return [f" {red!r} {green!r} {blue!r} {alpha!r}" for red, green, blue, alpha in rows]
