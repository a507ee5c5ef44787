"""Mesh: the static object, in the order its file had."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices

NO_ATTRIBUTES: Mapping[str, NDArray] = MappingProxyType({})
NO_LABELS: Indices = np.zeros(0, dtype=np.int64)  # stands for "no face has a label" in the constructor of a mesh


@dataclass(frozen=True)
class Texture:
    """An encoded image exactly as the file held it, and how it is sampled."""

    image: bytes
    mime: str = "image/png"
    name: str = ""
    sampler: Mapping[str, int] = field(default_factory=dict)  # glTF's own keys: wrapS, wrapT, magFilter, minFilter


@dataclass(frozen=True)
class TextureUse:
    """A texture in one slot of a material."""

    texture: Texture
    uv_set: int = 0
    strength: float = 1.0  # scale of a normal map, strength of an occlusion map
    extensions: Mapping[str, object] = field(default_factory=dict)  # e.g. KHR_texture_transform, kept as read


TEXTURE_SLOTS = ("base_color", "metallic_roughness", "normal", "occlusion", "emissive")


@dataclass(frozen=True)
class Material:
    """The metallic-roughness surface of glTF, which USD and MTL map onto."""

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    metallic: float = 0.0
    roughness: float = 1.0
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    alpha_mode: str = "OPAQUE"  # OPAQUE, MASK or BLEND
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    textures: Mapping[str, TextureUse] = field(default_factory=dict)  # slot -> use; slots above
    extensions: Mapping[str, object] = field(default_factory=dict)  # texture-free glTF extensions, kept as read


@dataclass(frozen=True)
class Part:
    """A named piece of the file: a glTF node, an OBJ group, a USD prim, a URDF link or visual.

    properties: what is stated of its material (see `neurok.materials.stated_parts`).
    """

    name: str
    parent: int = -1  # index into Mesh.parts; groups without faces are kept
    properties: Mapping[str, str | float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh in the axes, units and vertex order of its file.

    vertices: positions [unit], [n, 3] float64.
    faces: vertex indices, [m, 3] int64; larger polygons are cut into fans.
    attributes: per vertex, [n] or [n, d]; known names: `normal` [n, 3], `tangent` [n, 4] (zero: none),
        `uv0`, `uv1`, ... [n, 2] (origin at the top left, as in glTF), `color` [n, 4] in 0..1.
    corner_attributes: per face corner, [m, 3, d], where a file stores them so (OBJ, USD);
        the same names. `split_corners` turns them into per-vertex ones.
    face_attributes: per face, [m] or [m, d]; `polygon` [m] numbers the file's polygons, so that
        consecutive triangles of one fan can be written as one polygon again.
    materials, face_material: the surfaces, and which face has which ([m], -1 for none; NO_LABELS for none at all).
    parts, face_part: the named pieces as a tree, and which face belongs to which (likewise).
    up: 'x', 'y' or 'z', the file's upward axis. unit: metres per file unit.
    """

    vertices: Array
    faces: Indices
    attributes: Mapping[str, NDArray] = field(default_factory=lambda: NO_ATTRIBUTES)
    corner_attributes: Mapping[str, NDArray] = field(default_factory=lambda: NO_ATTRIBUTES)
    face_attributes: Mapping[str, NDArray] = field(default_factory=lambda: NO_ATTRIBUTES)
    materials: tuple[Material, ...] = ()
    face_material: Indices = field(default_factory=lambda: NO_LABELS)
    parts: tuple[Part, ...] = ()
    face_part: Indices = field(default_factory=lambda: NO_LABELS)
    up: str = "y"
    unit: float = 1.0

    def __post_init__(self) -> None:
        vertices = np.ascontiguousarray(self.vertices, dtype=np.float64)
        faces = np.ascontiguousarray(self.faces, dtype=np.int64)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise InputError(f"vertices have shape {vertices.shape}", "give an array of shape [n, 3]")
        if faces.size == 0:
            faces = faces.reshape(0, 3)
        if faces.ndim != 2 or faces.shape[1] != 3:
            raise InputError(f"faces have shape {faces.shape}", "give triangles, an array of shape [m, 3]")
        if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise InputError(
                f"a face refers to vertex {int(faces.max() if faces.max() >= len(vertices) else faces.min())}"
                f" of a mesh with {len(vertices)} vertices",
                "the file is damaged: export it again",
            )
        if self.up not in ("x", "y", "z"):
            raise InputError(f"unknown up axis '{self.up}'", "use x, y or z")
        for array in (vertices, faces):
            array.flags.writeable = False
        set_field = object.__setattr__
        set_field(self, "vertices", vertices)
        set_field(self, "faces", faces)
        for name in ("face_material", "face_part"):
            labels = getattr(self, name)
            labels = np.full(len(faces), -1) if labels is NO_LABELS else np.asarray(labels, dtype=np.int64)
            if labels.shape != (len(faces),):
                raise InputError(f"{name} has shape {labels.shape}", f"give one label for each of {len(faces)} faces")
            set_field(self, name, labels)

    @property
    def vertex_count(self) -> int:
        return len(self.vertices)

    @property
    def face_count(self) -> int:
        return len(self.faces)

    @cached_property
    def used_vertices(self) -> Indices:
        """The vertices that some face has, [k]."""
        is_used = np.zeros(self.vertex_count, dtype=bool)  # many times faster than sorting the corners
        is_used[self.faces.reshape(-1)] = True
        return np.flatnonzero(is_used)

    @cached_property
    def bounds(self) -> Array:
        """Lower and upper corner of the box around the surface, or around all points where there are no faces [unit],
        [2, 3]. A vertex that no face uses, left behind somewhere, does not make an object larger."""
        points = self.vertices[self.used_vertices] if self.face_count else self.vertices
        return np.stack([points.min(axis=0), points.max(axis=0)])

    @cached_property
    def diagonal(self) -> float:
        """Length of the bounding box's diagonal [unit]."""
        lower, upper = self.bounds
        return float(np.linalg.norm(upper - lower))

    @property
    def up_axis(self) -> Array:
        """Unit vector that points up in the file's axes, [3]."""
        return np.eye(3)["xyz".index(self.up)]

    def with_vertices(self, vertices: Array) -> "Mesh":
        """The same mesh in another shape; stored normals and tangents no longer hold and are dropped."""
        vertices = np.asarray(vertices)
        if vertices.shape != self.vertices.shape:
            raise InputError(
                f"new vertices have shape {vertices.shape}", f"keep the mesh's own shape {self.vertices.shape}"
            )
        return replace(
            self,
            vertices=vertices,
            attributes={k: v for k, v in self.attributes.items() if k not in ("normal", "tangent")},
            corner_attributes={k: v for k, v in self.corner_attributes.items() if k not in ("normal", "tangent")},
        )


def split_corners(mesh: Mesh) -> tuple[Mesh, Indices]:
    """The mesh with per-corner attributes made per-vertex, and the vertex each new one came from, [n'].

    A vertex whose corners agree stays one vertex in its old place; the further
    copies of the others are appended at the end, so the old order is a prefix.
    """
    if not mesh.corner_attributes:
        return mesh, np.arange(mesh.vertex_count)
    names = list(mesh.corner_attributes)
    corners = mesh.faces.reshape(-1)
    values = [np.asarray(mesh.corner_attributes[k]).reshape(len(corners), -1) for k in names]
    key = np.concatenate([corners[:, None].astype(np.float64), *values], axis=1)
    _, first, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    owner = corners[first]
    # Among the distinct corners of one vertex, the one met first in the file keeps the vertex's place.
    order = np.lexsort((first, owner))
    leader = np.ones(len(order), dtype=bool)
    leader[1:] = owner[order][1:] != owner[order][:-1]
    place = np.empty(len(first), dtype=np.int64)
    place[order[leader]] = owner[order[leader]]
    extra = order[~leader]
    extra = extra[np.argsort(first[extra], kind="stable")]
    place[extra] = mesh.vertex_count + np.arange(len(extra))
    source = np.concatenate([np.arange(mesh.vertex_count), owner[extra]])
    attributes = {k: np.asarray(v)[source] for k, v in mesh.attributes.items()}
    for name, value in zip(names, values):
        column = np.zeros((len(source), value.shape[1]), dtype=value.dtype)
        column[place] = value[first]
        attributes[name] = column
    new = replace(
        mesh,
        vertices=mesh.vertices[source],
        faces=place[inverse].reshape(-1, 3),
        attributes=attributes,
        corner_attributes=NO_ATTRIBUTES,
    )
    return new, source


def merge(meshes: list[Mesh], *, names: list[str] | None = None) -> Mesh:
    """Merge meshes into one, in order; parts and materials are kept, names become parent parts."""
    if not meshes:
        raise InputError("there is no mesh to merge", "give at least one")
    at_corners = {name for mesh in meshes for name in mesh.corner_attributes}
    meshes = [_move_to_corners(mesh, at_corners) for mesh in meshes]
    vertex_start = np.cumsum([0] + [m.vertex_count for m in meshes])
    parts: list[Part] = []
    materials: list[Material] = []
    face_part, face_material = [], []
    for index, mesh in enumerate(meshes):
        root = -1
        if names is not None:
            root = len(parts)
            parts.append(Part(names[index]))
        start = len(parts)
        parts += [replace(p, parent=p.parent + start if p.parent >= 0 else root) for p in mesh.parts]
        face_part.append(np.where(mesh.face_part >= 0, mesh.face_part + start, root))
        face_material.append(np.where(mesh.face_material >= 0, mesh.face_material + len(materials), -1))
        materials += mesh.materials
    return Mesh(
        vertices=np.concatenate([m.vertices for m in meshes]),
        faces=np.concatenate([m.faces + s for m, s in zip(meshes, vertex_start)]),
        attributes=_merge_attributes(meshes, "attributes", [(m.vertex_count,) for m in meshes]),
        corner_attributes=_merge_attributes(meshes, "corner_attributes", [(m.face_count, 3) for m in meshes]),
        face_attributes=_merge_attributes(meshes, "face_attributes", [(m.face_count,) for m in meshes]),
        materials=tuple(materials),
        face_material=np.concatenate(face_material),
        parts=tuple(parts),
        face_part=np.concatenate(face_part),
        up=meshes[0].up,
        unit=meshes[0].unit,
    )


def _move_to_corners(mesh: Mesh, names: set[str]) -> Mesh:
    """The mesh with these of its per-vertex attributes made per-corner: a name may stand in one table only."""
    moved = {k: np.asarray(v) for k, v in mesh.attributes.items() if k in names and k not in mesh.corner_attributes}
    if not moved:
        return mesh
    corners = {k: v[mesh.faces].reshape(mesh.face_count, 3, -1) for k, v in moved.items()}
    kept = {k: v for k, v in mesh.attributes.items() if k not in moved}
    return replace(mesh, attributes=kept, corner_attributes={**mesh.corner_attributes, **corners})


# The value of an attribute for a mesh that lacks it, when it is merged with a mesh that has it.
NEUTRAL_VALUES = {"color": 1.0}


def _merge_attributes(meshes: list[Mesh], table: str, leads: list[tuple[int, ...]]) -> dict[str, NDArray]:
    merged = {}
    for name in dict.fromkeys(k for m in meshes for k in getattr(m, table)):
        if name in ("normal", "tangent") and any(name not in getattr(m, table) for m in meshes):
            continue  # a made-up normal is worse than none
        model = next(np.asarray(getattr(m, table)[name]) for m in meshes if name in getattr(m, table))
        columns, offset = [], 0
        for mesh, lead in zip(meshes, leads):
            value = getattr(mesh, table).get(name)
            if value is None:
                shape = lead + model.shape[len(lead) :]
                value = np.full(shape, NEUTRAL_VALUES.get(name, 0.0)).astype(model.dtype)
                if name == "polygon":
                    value = np.arange(lead[0])
            value = np.asarray(value)
            if name == "polygon":  # numbers must stay distinct between meshes
                value = value + offset
                offset = int(value.max()) + 1 if value.size else offset
            columns.append(value)
        merged[name] = np.concatenate(columns)
    return merged
