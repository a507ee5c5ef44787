"""The visuals of a URDF as one mesh in the world frame: files and primitives, each read once."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import numpy as np

from neurok.errors import InputError
from neurok.files.registry import READERS
from neurok.files.source import Source
from neurok.files.urdf.document import UrdfDocument, UrdfLink, UrdfShape
from neurok.files.urdf.primitives import PRIMITIVES
from neurok.geometry.arrays import Indices
from neurok.geometry.articulation import Link
from neurok.geometry.mesh import Material, Mesh, Part, Texture, TextureUse, merge
from neurok.geometry.placement import transform

MESH_SUFFIXES = tuple(suffix for suffix in READERS if suffix not in (".urdf", ".xml", ".npz"))
PICTURE_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
MAX_CORNER_COUNT = 12_000_000  # corners of all visuals together: one file may be named any number of times


def assemble_mesh(
    source: Source,
    document: UrdfDocument,
    records: Sequence[UrdfLink],
    links: Sequence[Link],
    shelf: "UrdfMeshes | None" = None,
) -> tuple[Mesh, Indices]:
    """The mesh of all links in the world frame at zero joint values, and the link of each vertex, [n].

    shelf: what was read of the source before.
    """
    shelf = shelf or UrdfMeshes(source, document)
    placed: list[Mesh] = []
    owners: list[int] = []
    for index, (record, link) in enumerate(zip(records, links)):
        for shape, mesh in shelf.visuals(record):
            moved = transform(mesh, link.T_world_link @ shape.T @ np.diag([*shape.scale, 1.0]))
            placed.append(_name_part(moved, shape))
            owners.append(index)
    shelf.report()
    if sum(mesh.vertex_count for mesh in placed) == 0:
        missing = f", and {shelf.absent()}" if shelf.missing else ""
        raise InputError(
            f"{source.name} shows nothing: no visual could be read{missing}", "put its mesh files beside it"
        )
    tops = [Part(link.name, properties=record.contact) for link, record in zip(links, records)]
    merged = _add_link_parts(merge(placed), placed, owners, tops)
    vertex_link = np.repeat(np.array(owners, dtype=np.int64), [mesh.vertex_count for mesh in placed])
    return replace(_merge_materials(merged), up="z", unit=1.0), vertex_link


class UrdfMeshes:
    """The meshes and materials of one URDF, each read once."""

    def __init__(self, source: Source, document: UrdfDocument) -> None:
        self.source, self.document = source, document
        self.meshes: dict[str, Mesh | None] = {}
        self.materials: dict[str, Material | None] = {}
        self.missing: list[str] = []
        self.corners = 0

    def visuals(self, record: UrdfLink) -> list[tuple[UrdfShape, Mesh]]:
        """What a link shows, in its shapes' own frames; its collision shapes where no visual can be read."""
        found = self._meshes(record.visuals)
        if not found and record.collisions:
            found = self._meshes(record.collisions)
            if found:
                self.document.notes.append(
                    f"link '{record.name}' has no visual that can be read; its collision shapes stand for it"
                )
        return found

    def _meshes(self, shapes: Sequence[UrdfShape]) -> list[tuple[UrdfShape, Mesh]]:
        found = []
        for shape in shapes:
            mesh = self.load_file(shape.file) if shape.kind == "mesh" else PRIMITIVES[shape.kind](*shape.size)
            if mesh is None:
                continue
            self.corners += mesh.vertex_count + 3 * mesh.face_count
            if self.corners > MAX_CORNER_COUNT:
                raise InputError(f"{self.source.name} names more geometry than fits in memory", "split the object")
            found.append((shape, self._painted(mesh, shape.material)))
        return found

    def load_file(self, name: str) -> Mesh | None:
        """The mesh of a file, read once; None where it cannot be read."""
        if name not in self.meshes:
            self.meshes[name] = self._read(name)
        return self.meshes[name]

    def _read(self, name: str) -> Mesh | None:
        path = self._resolve(name)
        if path is None:
            self.missing.append(name)
            return None
        suffix = PurePosixPath(path).suffix.lower()
        if suffix not in MESH_SUFFIXES:
            self.document.notes.append(
                f"mesh '{name}' has the suffix '{suffix}', which is not read, and is left out"
                f" (read are: {' '.join(MESH_SUFFIXES)})"
            )
            return None
        asset = import_module(READERS[suffix]).read(self.source.beside(path))
        self.document.notes += [f"{name}: {note}" for note in asset.notes]
        return asset.mesh

    def _resolve(self, name: str) -> str | None:
        """The neighbour's name that a mesh or picture name stands for; None where there is no such file.

        `package://robot/meshes/a.stl` may lie in `meshes/`, in `robot/meshes/`, or, where
        reading outside is allowed, below a folder `robot` further up.
        """
        clean = unquote(name).replace("\\", "/")
        if not clean.startswith(("package://", "model://")):
            return name if self.source.exists(name) else None
        package, _, inside = clean.split("://", 1)[1].partition("/")
        tries = [inside, f"{package}/{inside}"]
        if self.source.outside and self.source.archive is None:
            above = self.source.path.resolve().parents
            tries += [str(folder / inside) for folder in above if folder.name == package]
        return next((path for path in tries if path and self.source.exists(path)), None)

    def _painted(self, mesh: Mesh, name: str | None) -> Mesh:
        """The mesh with the URDF's material, which by the standard stands above the mesh file's own."""
        material = self._material(name) if name is not None else None
        if material is None:
            return mesh
        return replace(mesh, materials=(material,), face_material=np.zeros(mesh.face_count, dtype=np.int64))

    def _material(self, name: str) -> Material | None:
        if name not in self.materials:
            self.materials[name] = self._paint(name)
        return self.materials[name]

    def _paint(self, name: str) -> Material | None:
        paint = self.document.paints.get(name)
        if paint is None or (paint.color is None and paint.texture is None):
            self.document.notes.append(f"material '{name}' is used but nowhere described")
            return None
        color = paint.color or (1.0, 1.0, 1.0, 1.0)
        textures = {}
        if paint.texture is not None:
            path = self._resolve(paint.texture)
            if path is None or Path(path).suffix.lower() not in PICTURE_TYPES:
                self.document.notes.append(f"the picture '{paint.texture}' of material '{name}' cannot be read")
            else:
                image = self.source.beside(path).data()
                picture = Texture(image, PICTURE_TYPES[Path(path).suffix.lower()], PurePosixPath(path).name)
                textures["base_color"] = TextureUse(picture)
        return Material(name, color, alpha_mode="BLEND" if color[3] < 1 else "OPAQUE", textures=textures)

    def report(self) -> None:
        if self.missing:
            self.document.notes.append(f"{self.absent()}: left out")

    def absent(self) -> str:
        """'2 mesh files are missing ('a.stl', 'b.stl')'."""
        shown = ", ".join(f"'{name[:80]}'" for name in self.missing[:3]) + (", ..." if len(self.missing) > 3 else "")
        return f"{len(self.missing)} mesh file{' is' if len(self.missing) == 1 else 's are'} missing ({shown})"


def _name_part(mesh: Mesh, shape: UrdfShape) -> Mesh:
    """The mesh below a part that carries the visual's name, where it has one."""
    if not shape.name:
        return mesh
    parts = (Part(shape.name), *(replace(part, parent=part.parent + 1) for part in mesh.parts))
    return replace(mesh, parts=parts, face_part=mesh.face_part + 1)


def _add_link_parts(mesh: Mesh, placed: Sequence[Mesh], owners: Sequence[int], tops: Sequence[Part]) -> Mesh:
    """The merged mesh with one part per link on top, in the links' order; part i is link i."""
    parts = list(tops)
    part_owner = np.repeat(owners, [len(piece.parts) for piece in placed])
    face_owner = np.repeat(owners, [piece.face_count for piece in placed])
    for part, owner in zip(mesh.parts, part_owner):
        parts.append(replace(part, parent=part.parent + len(tops) if part.parent >= 0 else int(owner)))
    face_part = np.where(mesh.face_part >= 0, mesh.face_part + len(tops), face_owner)
    return replace(mesh, parts=tuple(parts), face_part=face_part)


def _merge_materials(mesh: Mesh) -> Mesh:
    """The mesh with equal materials made one: hundreds of OBJ files share a few."""
    distinct: dict[tuple, int] = {}
    materials: list[Material] = []
    place = np.full(len(mesh.materials) + 1, -1)
    for index, material in enumerate(mesh.materials):
        key = _make_material_key(material)
        if key not in distinct:
            distinct[key] = len(materials)
            materials.append(material)
        place[index] = distinct[key]
    return replace(mesh, materials=tuple(materials), face_material=place[mesh.face_material])


def _make_material_key(material: Material) -> tuple:
    uses = tuple(
        (slot, use.texture.image, use.uv_set, use.strength, repr(use.texture.sampler), repr(use.extensions))
        for slot, use in sorted(material.textures.items())
    )
    plain = replace(material, textures={})
    return repr(plain), uses
