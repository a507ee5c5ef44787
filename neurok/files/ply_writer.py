"""The writing half of PLY: binary, little endian, as Blender and MeshLab open it.

Coordinates are single precision where that holds them exactly, else double,
so that reading gives the same numbers again. Colours have eight bits.
"""

from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.files.axes_note import format_axes
from neurok.files.obj_writer import write_texture
from neurok.files.polygons import join_fans
from neurok.geometry.mesh import Mesh, TextureUse

PLY_TYPE_NAMES = {"f4": "float", "f8": "double", "u1": "uchar", "i4": "int"}


def write_files(mesh: Mesh, folder: Path, name: str) -> None:
    """Write NAME, and STEM_*.png beside it where one texture covers the mesh."""
    if mesh.vertex_count > np.iinfo(np.int32).max:
        raise OutputError(f"the mesh has {mesh.vertex_count} vertices", "PLY counts to 2147483647")
    header = ["ply", "format binary_little_endian 1.0", f"comment {format_axes(mesh)}"]
    use = _find_only_texture(mesh)
    if use is not None:
        header.append(f"comment TextureFile {write_texture(use, folder, PurePosixPath(name).stem, {})}")
    columns = _list_vertex_columns(mesh)
    header.append(f"element vertex {mesh.vertex_count}")
    header += [f"property {PLY_TYPE_NAMES[code]} {label}" for label, code, _ in columns]
    rows = np.zeros(mesh.vertex_count, dtype=[(label, "<" + code) for label, code, _ in columns])
    for label, _, values in columns:
        rows[label] = values
    body = b""
    if mesh.face_count:
        lines, body = _pack_faces(mesh)
        header += lines
    text = "\n".join([*header, "end_header"]) + "\n"
    (folder / name).write_bytes(text.encode() + rows.tobytes() + body)


def _list_vertex_columns(mesh: Mesh) -> list[tuple[str, str, NDArray]]:
    """Name, type and values of each vertex property."""
    columns = _list_float_columns(("x", "y", "z"), mesh.vertices)
    if "normal" in mesh.attributes:
        columns += _list_float_columns(("nx", "ny", "nz"), np.asarray(mesh.attributes["normal"]))
    if "uv0" in mesh.attributes:
        columns += _list_float_columns(("s", "t"), _flip_uv(np.asarray(mesh.attributes["uv0"])))
    if "color" in mesh.attributes:
        eight = _to_eight_bits(np.asarray(mesh.attributes["color"]))
        labels = ("red", "green", "blue", "alpha")[: eight.shape[1]]
        columns += [(label, "u1", eight[:, i]) for i, label in enumerate(labels)]
    return columns


def _list_float_columns(labels: tuple[str, ...], values: NDArray) -> list[tuple[str, str, NDArray]]:
    code = _choose_float_code(values)
    return [(label, code, values[:, i]) for i, label in enumerate(labels)]


def _choose_float_code(values: NDArray) -> str:
    with np.errstate(over="ignore"):
        return "f4" if np.array_equal(values.astype(np.float32), values) else "f8"


def _flip_uv(uv: NDArray) -> NDArray:
    return np.stack([uv[..., 0], 1.0 - uv[..., 1]], axis=-1)


def _to_eight_bits(color: NDArray) -> NDArray:
    return np.round(np.clip(color.astype(np.float64), 0.0, 1.0) * 255.0).astype(np.uint8)


def _pack_faces(mesh: Mesh) -> tuple[list[str], bytes]:
    """Header lines and bytes of the faces: polygons, per-corner texture coordinates, colours."""
    places, counts, first = join_fans(mesh)
    count_code = "u1" if counts.max() * 2 <= 255 else "i4"
    lists = [("vertex_indices", "i4", mesh.faces.reshape(-1)[places], counts)]
    if "uv0" in mesh.corner_attributes:
        uv = _flip_uv(np.asarray(mesh.corner_attributes["uv0"], dtype=np.float64).reshape(-1, 2)[places])
        lists.append(("texcoord", _choose_float_code(uv), uv.reshape(-1), 2 * counts))
    lines = [f"element face {len(counts)}"]
    lines += [
        f"property list {PLY_TYPE_NAMES[count_code]} {PLY_TYPE_NAMES[code]} {label}" for label, code, _, _ in lists
    ]
    color = mesh.face_attributes.get("color")
    eight = np.zeros((len(counts), 0), dtype=np.uint8) if color is None else _to_eight_bits(np.asarray(color)[first])
    lines += [f"property uchar {label}" for label in ("red", "green", "blue", "alpha")[: eight.shape[1]]]
    return lines, _pack_rows(lists, eight, counts, count_code)


def _pack_rows(
    lists: list[tuple[str, str, NDArray, NDArray]], eight: NDArray, counts: NDArray, count_code: str
) -> bytes:
    """Rows grouped by corner count, each group packed at once, put back into the file's order."""
    if counts.min() == counts.max():
        return _pack_equal_rows(lists, eight, count_code).tobytes()
    starts = [np.cumsum(lengths) - lengths for _, _, _, lengths in lists]
    packed: list[bytes] = [b""] * len(counts)
    for corners in np.unique(counts):
        rows = np.flatnonzero(counts == corners)
        group = []
        for (label, code, values, lengths), start in zip(lists, starts):
            width = int(lengths[rows[0]])
            block = values[start[rows][:, None] + np.arange(width)]
            group.append((label, code, block.reshape(-1), np.full(len(rows), width)))
        data = _pack_equal_rows(group, eight[rows], count_code)
        for row, record in zip(rows.tolist(), data):
            packed[row] = record.tobytes()
    return b"".join(packed)


def _pack_equal_rows(lists: list[tuple[str, str, NDArray, NDArray]], eight: NDArray, count_code: str) -> NDArray:
    fields: list[tuple] = []
    for label, code, _, lengths in lists:
        fields += [(f"{label}_count", "<" + count_code), (label, "<" + code, (int(lengths[0]),))]
    fields.append(("color", "u1", (eight.shape[1],)))
    rows = np.zeros(len(eight), dtype=fields)
    for label, _, values, lengths in lists:
        rows[f"{label}_count"] = lengths
        rows[label] = values.reshape(len(rows), -1)
    rows["color"] = eight
    return rows


def _find_only_texture(mesh: Mesh) -> TextureUse | None:
    """The base colour texture, where all faces have the same one and texture coordinates for it."""
    if "uv0" not in {**mesh.attributes, **mesh.corner_attributes} or not mesh.face_count:
        return None
    uses = [m.textures.get("base_color") for m in mesh.materials]
    used = {int(i) for i in np.unique(mesh.face_material)}
    found = [uses[i] if i >= 0 else None for i in used]
    images = {use.texture.image if use is not None else None for use in found}
    return found[0] if len(images) == 1 else None
