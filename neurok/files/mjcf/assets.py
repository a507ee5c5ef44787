"""The assets of an MJCF file: meshes, materials and their pictures."""

from collections.abc import Mapping
from pathlib import PurePosixPath

import numpy as np

from neurok.errors import InputError
from neurok.files.colors import make_rgba
from neurok.files.mjcf.geoms import MjcfMesh
from neurok.files.mjcf.msh import read_msh
from neurok.files.mjcf.poses import make_rotation, read_vector
from neurok.files.mjcf.statements import MjcfStatements, find_neighbour, is_within
from neurok.files.source import Source
from neurok.files.urdf.document import UrdfDocument, UrdfMaterial
from neurok.files.urdf.shapes import UrdfMeshes
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import inverse


def read_meshes(statements: MjcfStatements, shelf: UrdfMeshes) -> dict[str, MjcfMesh]:
    """The mesh assets by name; those with vertices of their own are put on the shelf."""
    compiler = statements.compiler
    folder = compiler.get("meshdir", compiler.get("assetdir", ""))
    found: dict[str, MjcfMesh] = {}
    for element in statements.list_section("asset"):
        if element.tag != "mesh":
            continue
        values = statements.resolve(element, "mesh", None)
        name = values.get("name") or PurePosixPath(values.get("file", "").replace("\\", "/")).stem
        if not name:
            raise InputError("a mesh asset has neither a name nor a file", "give it one")
        where = f"mesh '{name}'"
        if "file" in values:
            key = find_neighbour(folder, values["file"], strip=compiler.get("strippath") == "true")
            if key.lower().endswith(".msh") and shelf.source.exists(key):
                shelf.meshes[key] = read_msh(shelf.source.neighbour(key), key)
        elif "vertex" in values:
            key = f"mesh {name}"
            shelf.meshes[key] = _read_inline(values, where)
        else:
            statements.notes.append(f"{where} is built in and is left out")
            continue
        found[name] = MjcfMesh(key, _read_reference(values, where))
    return found


def _read_reference(values: Mapping[str, str], where: str) -> Array:
    """The affine map from a mesh file to its asset: less refpos, turned back by refquat, then scaled; [4, 4]."""
    T = np.eye(4)
    T[:3, :3] = make_rotation(read_vector(values, "refquat", where, (1.0, 0.0, 0.0, 0.0), 4), where)
    T[:3, 3] = read_vector(values, "refpos", where, (0.0, 0.0, 0.0), 3)
    scale = read_vector(values, "scale", where, (1.0, 1.0, 1.0), 3)
    found: Array = np.diag([*scale, 1.0]) @ inverse(T)
    return found


def _read_inline(values: Mapping[str, str], where: str) -> Mesh:
    """A mesh of the vertices in the file; the hull of them, where it has no faces."""
    from neurok.files.hulls import compute_convex_hull

    points = read_vector(values, "vertex", where)
    if len(points) % 3 or not len(points):
        raise InputError(f"{where} has {len(points)} numbers for its vertices", "give three for each")
    points = points.reshape(-1, 3)
    if "face" in values:
        corners = read_vector(values, "face", where)
        if len(corners) % 3 or np.any(corners != np.round(corners)):
            raise InputError(f"{where} has faces that are not three whole numbers each", "correct them")
        return Mesh(points, corners.reshape(-1, 3).astype(np.int64))
    hull = compute_convex_hull(points)
    if hull is None:
        raise InputError(f"{where} has neither faces nor a hull", "give it a volume")
    return hull


def read_materials(statements: MjcfStatements, document: UrdfDocument, source: Source) -> None:
    """The materials of a file into a document's; a picture that is not there is left out, and said once."""
    compiler = statements.compiler
    folder = compiler.get("texturedir", compiler.get("assetdir", ""))
    pictures: dict[str, str] = {}
    for element in statements.list_section("asset"):
        if element.tag == "texture" and element.get("file") and element.get("type", "cube") == "2d":
            file = element.attrib["file"]
            name = element.get("name") or PurePosixPath(file).stem
            pictures[name] = find_neighbour(folder, file, strip=compiler.get("strippath") == "true")
    for element in statements.list_section("asset"):
        if element.tag == "material":
            values = statements.resolve(element, "material", None)
            name = values.get("name", "")
            color = read_vector(values, "rgba", f"material '{name}'", (1.0, 1.0, 1.0, 1.0), 4)
            layer = next((each.get("texture") for each in element.findall("layer") if each.get("role") == "rgb"), None)
            picture = pictures.get(values.get("texture", layer or ""))
            if picture is not None and not is_within(source, picture):
                document.notes.append(f"the picture '{picture[:80]}' is not below the file's folder and is left out")
                picture = None
            document.paints[name] = UrdfMaterial(make_rgba(np.clip(color, 0.0, 1.0)), picture)


def choose_paint(values: Mapping[str, str], document: UrdfDocument, where: str) -> str | None:
    """The material of a geom: its own colour stands above its material's."""
    named = values.get("material")
    if "rgba" not in values:
        return named if named in document.paints else None
    color = make_rgba(np.clip(read_vector(values, "rgba", where, count=4), 0.0, 1.0))
    base = document.paints.get(named or "", UrdfMaterial())
    name = f"{named} {values['rgba']}" if named else f"rgba {values['rgba']}"
    document.paints.setdefault(name, UrdfMaterial(color, base.texture))
    return name
