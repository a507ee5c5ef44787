"""A mesh laid out for a graphics card: corners that differ in any attribute are separate vertices, and faces are
grouped by material."""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.files.surface_normals import compute_group_normals, find_smoothing_groups
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh, TextureUse

CLAY_MATERIAL = Material(name="clay", base_color=(0.56, 0.59, 0.64, 1.0), roughness=0.7)
MAX_IMAGE_SIDE = 2048  # pixels along a side; larger ones are reduced
MAX_IMAGE_PIXELS = 1 << 28  # beyond this an image is not decoded at all


@dataclass(frozen=True)
class DrawBatch:
    """Faces with one material: rows of `Drawing.faces` from first to last."""

    material: Material
    first: int
    last: int


class Drawing:
    """The parts of a drawing that stay the same over all frames, and the positions and normals of each frame.

    source: which vertex of the mesh each drawn vertex follows, [k]; faces: drawn vertices, [m, 3].
    order: which face of the mesh each drawn face is, [m]. group: which drawn vertices share a normal, [k].
    uv: texture coordinates of the base colour, [k, 2]; color: [k, 4].
    """

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        if mesh.face_count == 0:
            self._points()
            return
        self.order = order = np.argsort(mesh.face_material, kind="stable")
        self.mesh_faces = mesh.faces[order]
        self.groups = find_smoothing_groups(mesh.vertices, self.mesh_faces)
        self.group_count = int(self.groups.max()) + 1
        self.batches: list[DrawBatch] = _group_by_material(mesh, order)
        values = [_corner_values(mesh, "color", 4, order), self._texcoords(order)]
        key = np.concatenate(
            [self.mesh_faces.reshape(-1, 1), self.groups.reshape(-1, 1), *(v.view(np.int32) for v in values)], axis=1
        )
        first, inverse = _find_distinct_rows(key)
        self.source = self.mesh_faces.reshape(-1)[first]
        self.group = self.groups.reshape(-1)[first]
        self.color, self.uv = values[0][first], values[1][first]
        self.faces = inverse.reshape(-1, 3).astype(np.int32)

    def _points(self) -> None:
        mesh = self.mesh
        self.source = np.arange(mesh.vertex_count)
        self.color = _fill_rgba(mesh.attributes.get("color"), mesh.vertex_count)
        self.uv = np.zeros((mesh.vertex_count, 2), dtype=np.float32)
        self.faces = np.zeros((0, 3), dtype=np.int32)
        self.order = self.group = np.zeros(0, dtype=np.int64)
        self.batches = []

    def _texcoords(self, order: NDArray) -> NDArray[np.float32]:
        """Texture coordinates of each corner for its own material, [3 m, 2]."""
        uv = np.zeros((len(order), 3, 2), dtype=np.float32)
        for batch in self.batches:
            use = batch.material.textures.get("base_color")
            if use is not None:
                rows = slice(batch.first, batch.last)
                corners = _corner_values(self.mesh, f"uv{use.uv_set}", 2, order[rows]).reshape(-1, 3, 2)
                uv[rows] = _transform_uv(corners, use)
        return uv.reshape(-1, 2)

    def shape(self, vertices: Array) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Positions and normals of the drawn vertices where the mesh has these vertices, [k, 3] each."""
        positions = vertices[self.source].astype(np.float32)
        if len(self.faces) == 0:
            return positions, np.zeros_like(positions)
        return positions, compute_group_normals(vertices, self.mesh_faces, self.groups, self.group_count)[self.group]


def _group_by_material(mesh: Mesh, order: NDArray) -> list[DrawBatch]:
    labels = mesh.face_material[order]
    starts = np.flatnonzero(np.diff(labels, prepend=labels[0] - 1)).tolist()
    colored = "color" in {**mesh.attributes, **mesh.corner_attributes, **mesh.face_attributes}
    bare = Material() if colored else CLAY_MATERIAL
    ends = [*starts[1:], len(order)]
    return [DrawBatch(mesh.materials[labels[a]] if labels[a] >= 0 else bare, a, b) for a, b in zip(starts, ends)]


def _corner_values(mesh: Mesh, name: str, width: int, order: NDArray) -> NDArray[np.float32]:
    """An attribute at each corner of the faces in this order, wherever the mesh keeps it, [3 m, width]."""
    if name in mesh.corner_attributes:
        values = np.asarray(mesh.corner_attributes[name])[order].reshape(3 * len(order), -1)
    elif name in mesh.attributes:
        values = np.asarray(mesh.attributes[name])[mesh.faces[order].reshape(-1)]
    elif name in mesh.face_attributes:
        values = np.repeat(np.asarray(mesh.face_attributes[name])[order], 3, axis=0)
    else:
        values = None
    if width == 4:
        return _fill_rgba(values, 3 * len(order))
    if values is None:
        return np.zeros((3 * len(order), width), dtype=np.float32)
    return np.ascontiguousarray(values[:, :width], dtype=np.float32)


def _fill_rgba(color: NDArray | None, count: int) -> NDArray[np.float32]:
    rgba = np.ones((count, 4), dtype=np.float32)
    if color is not None:
        color = np.asarray(color)
        rgba[:, : color.shape[1]] = color[:, :4]
    return rgba


def _find_distinct_rows(key: NDArray) -> tuple[NDArray, NDArray]:
    """The index of the first of each set of equal rows, [k], and the set that each row belongs to, [n]."""
    key = np.ascontiguousarray(key, dtype=np.int64)
    rows = key.view(np.dtype((np.void, 8 * key.shape[1]))).reshape(-1)
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)


def _transform_uv(uv: NDArray, use: TextureUse) -> NDArray:
    """Texture coordinates under KHR_texture_transform: scaled, rotated, then shifted."""
    move = use.extensions.get("KHR_texture_transform")
    if not isinstance(move, dict):
        return uv
    angle = float(move.get("rotation", 0.0))
    cos, sin = np.cos(angle), np.sin(angle)
    scaled = uv * np.asarray(move.get("scale", (1.0, 1.0)))
    turned = np.stack(
        [cos * scaled[..., 0] + sin * scaled[..., 1], cos * scaled[..., 1] - sin * scaled[..., 0]], axis=-1
    )
    return turned + np.asarray(move.get("offset", (0.0, 0.0)))


def decode_image(image: bytes) -> NDArray[np.uint8] | None:
    """An encoded image as [h, w, 4], reduced where it is very large; None where it cannot be decoded."""
    import warnings

    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(image))
            if picture.width * picture.height > MAX_IMAGE_PIXELS:
                return None
            picture.draft("RGB", (MAX_IMAGE_SIDE, MAX_IMAGE_SIDE))
            if max(picture.size) > MAX_IMAGE_SIDE:
                picture.thumbnail((MAX_IMAGE_SIDE, MAX_IMAGE_SIDE))
            return np.asarray(picture.convert("RGBA"))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
