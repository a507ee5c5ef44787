"""PLY: elements with any properties, as text or binary of either byte order.

Understood: vertices with normals, colours and texture coordinates, faces as
lists with colours and per-corner texture coordinates, and MeshLab's comment
that names a texture. Other properties and elements are passed over. Text or
binary, an announced count is believed only after the bytes are seen to be there.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.axes_note import apply_axes
from neurok.files.images import detect_media_type, guess_media_type
from neurok.files.ply_elements import PlyHeader, PlyList, PlyTable, read_elements, read_header
from neurok.files.polygons import cut_fans, make_polygon_attribute
from neurok.files.registry import Asset
from neurok.files.source import Source
from neurok.geometry.mesh import Material, Mesh, Texture, TextureUse

COLOR_NAMES = (
    ("red", "green", "blue", "alpha"),
    ("r", "g", "b", "a"),
    ("diffuse_red", "diffuse_green", "diffuse_blue", "diffuse_alpha"),
)
TEXCOORD_NAMES = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"), ("texture_s", "texture_t"))


def read(source: Source) -> Asset:
    """The mesh or point cloud of a PLY file."""
    try:
        data = source.data()
        header = read_header(data)
        elements, notes = read_elements(data, header)
        mesh = _build_mesh(elements, notes)
        asset = Asset(_add_texture(mesh, header, source, notes), notes=tuple(notes))
        return apply_axes(asset, data[: header.length])
    except InputError as fault:
        if source.name in fault.problem:
            raise
        raise InputError(f"{source.name}: {fault.problem}", fault.remedy) from None


def write(mesh: Mesh, folder: Path, name: str) -> None:
    """Binary little-endian PLY, see `ply_writer`."""
    from neurok.files.ply_writer import write_files

    write_files(mesh, folder, name)


def _build_mesh(elements: dict[str, PlyTable], notes: list[str]) -> Mesh:
    vertex = elements.get("vertex", {})
    vertices = _stack_columns(vertex, ("x", "y", "z"))
    if vertices is None:
        raise InputError("it has no vertices with x, y and z", "check that the export included the object")
    attributes = {}
    normal = _stack_columns(vertex, ("nx", "ny", "nz"))
    if normal is not None and np.all(np.isfinite(normal)):
        attributes["normal"] = normal
    uv = _read_texcoords(vertex)
    color = _read_colors(vertex)
    attributes |= {"uv0": uv} if uv is not None else {}
    attributes |= {"color": color} if color is not None else {}
    faces = elements.get("face", {})
    polygons = faces.get("vertex_indices", faces.get("vertex_index"))
    if not isinstance(polygons, PlyList) or len(polygons.counts) == 0:
        notes.append("the file has no faces, only points")
        return Mesh(vertices, np.zeros((0, 3), dtype=np.int64), attributes)
    if polygons.values.dtype.kind == "f" and not np.array_equal(polygons.values, np.floor(polygons.values)):
        raise InputError("vertex indices are not all whole numbers", "the file is damaged: export it again")
    return _build_faced_mesh(vertices, attributes, faces, polygons, notes)


def _build_faced_mesh(
    vertices: NDArray, attributes: dict[str, NDArray], faces: PlyTable, polygons: PlyList, notes: list[str]
) -> Mesh:
    places, polygon = cut_fans(polygons.counts)
    dropped = int(np.sum(polygons.counts < 3))
    if dropped:
        notes.append(f"{dropped} faces with fewer than three corners are left out")
    limit = float(np.iinfo(np.int64).max)
    if polygons.values.size and not np.all(np.abs(polygons.values.astype(np.float64)) < limit):
        raise InputError("a vertex index is not a sensible number", "the file is damaged: export it again")
    corner_attributes = {}
    texcoord = faces.get("texcoord")
    if isinstance(texcoord, PlyList) and np.array_equal(texcoord.counts, 2 * polygons.counts):
        corner_attributes["uv0"] = _flip_uv(texcoord.values.reshape(-1, 2))[places]
        attributes.pop("uv0", None)
    face_attributes = make_polygon_attribute(polygons.counts, polygon)
    color = _read_colors(faces)
    if color is not None:
        face_attributes["color"] = color[polygon]
    return Mesh(vertices, polygons.values.astype(np.int64)[places], attributes, corner_attributes, face_attributes)


def _find_column(table: PlyTable, name: str) -> NDArray | None:
    """A property with one number in each row, [n]; None where it is absent or a list."""
    column = table.get(name)
    return column if isinstance(column, np.ndarray) else None


def _stack_columns(table: PlyTable, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Properties side by side, [n, d]; None where one of them is absent or a list."""
    columns = [column for name in names if (column := _find_column(table, name)) is not None]
    return np.stack([c.astype(np.float64) for c in columns], axis=1) if len(columns) == len(names) else None


def _flip_uv(uv: NDArray) -> NDArray:
    """Texture coordinates with the origin moved from the lower to the upper left, zero where not finite."""
    uv = np.nan_to_num(uv.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    return np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1)


def _read_texcoords(vertex: PlyTable) -> NDArray | None:
    for names in TEXCOORD_NAMES:
        uv = _stack_columns(vertex, names)
        if uv is not None:
            return _flip_uv(uv)
    return None


def _read_colors(table: PlyTable) -> NDArray | None:
    """Colours in 0..1 with alpha, [n, 4]; whole numbers count up to their type's largest value."""
    for names in COLOR_NAMES:
        rgb = [_scale_channel(channel) for name in names[:3] if (channel := _find_column(table, name)) is not None]
        if len(rgb) == 3:
            alpha = _find_column(table, names[3])
            return np.stack([*rgb, np.ones(len(rgb[0])) if alpha is None else _scale_channel(alpha)], axis=1)
    return None


def _scale_channel(channel: NDArray) -> NDArray:
    """A colour channel in 0..1; text files and floats may count to 255 too."""
    values = np.nan_to_num(channel.astype(np.float64), nan=1.0, posinf=1.0, neginf=0.0)
    if channel.dtype.kind == "f":
        largest = 255.0 if values.size and values.max() > 1.0 else 1.0
    else:
        largest = {1: 255.0, 2: 65535.0}.get(channel.dtype.itemsize, 255.0)
    return np.clip(values / largest, 0.0, 1.0)


def _add_texture(mesh: Mesh, header: PlyHeader, source: Source, notes: list[str]) -> Mesh:
    """The mesh with the texture that a comment of the header names."""
    if header.texture is None or "uv0" not in {**mesh.attributes, **mesh.corner_attributes}:
        return mesh
    try:
        image = source.neighbour(header.texture)
    except InputError as fault:
        notes.append(f"the texture '{header.texture}' is not read ({fault.problem})")
        return mesh
    texture = Texture(image, detect_media_type(image, guess_media_type(header.texture)), Path(header.texture).stem)
    material = Material(name=texture.name, textures={"base_color": TextureUse(texture)})
    return Mesh(
        mesh.vertices,
        mesh.faces,
        mesh.attributes,
        mesh.corner_attributes,
        mesh.face_attributes,
        (material,),
        np.zeros(mesh.face_count, dtype=np.int64),
    )
