"""The tree of parts: from the prims' own tree, or from the table a writer left."""

import numpy as np
from pxr import Sdf, Usd, UsdGeom

from neurok.files.part_tree import parse_parts
from neurok.files.usd.pieces import UsdPiece
from neurok.files.usd.skins import INSTANCE_PREDICATE
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh, Part

NO_PART = -1


def read_parts(stage: Usd.Stage, pieces: list[UsdPiece], meshes: list[Mesh]) -> tuple[tuple[Part, ...], Indices]:
    """All parts, and the part of each face of the merged mesh, [m]."""
    table = _read_table(stage)
    if table is not None:
        labels = [_assign_from_table(stage, piece, mesh, len(table)) for piece, mesh in zip(pieces, meshes)]
        return table, np.concatenate(labels)
    parts, place = _read_prim_tree(stage, pieces)
    owners = [_find_owner(stage.GetPrimAtPath(piece.path), place) for piece in pieces]
    return parts, np.concatenate([np.full(mesh.face_count, owner) for owner, mesh in zip(owners, meshes)])


def read_display_name(prim: Usd.Prim) -> str:
    """The name a person gave, where the prim's own is only a valid form of it."""
    return prim.GetDisplayName() or prim.GetName()


def _find_owner(prim: Usd.Prim, place: dict[Sdf.Path, int]) -> int:
    """The part of a mesh: its own, or that of the prim above where it only holds that one's faces."""
    path = prim.GetPath()
    return place.get(path.GetParentPath() if prim.GetCustomDataByKey("neurok:inner") else path, NO_PART)


def _read_prim_tree(stage: Usd.Stage, pieces: list[UsdPiece]) -> tuple[tuple[Part, ...], dict[Sdf.Path, int]]:
    """Every mesh and every prim above one; in a file of ours also the empty groups, but not the root."""
    root = stage.GetDefaultPrim()
    ours = bool(root) and root.GetCustomDataByKey("neurok:up") is not None
    wanted: set[Sdf.Path] = set()
    for piece in pieces:
        prim = stage.GetPrimAtPath(piece.path)
        inner = prim.GetCustomDataByKey("neurok:inner")
        wanted |= set((piece.path.GetParentPath() if inner else piece.path).GetPrefixes())
    if ours:
        wanted |= {
            p.GetPath() for p in stage.Traverse(INSTANCE_PREDICATE) if p.GetCustomDataByKey("neurok:part") is not None
        }
        wanted.discard(root.GetPath())
    prims = [prim for prim in stage.Traverse(INSTANCE_PREDICATE) if prim.GetPath() in wanted]
    numbers = [prim.GetCustomDataByKey("neurok:part") for prim in prims]
    if ours and sorted(n if isinstance(n, int) else NO_PART for n in numbers) == list(range(len(prims))):
        prims = [prim for _, prim in sorted(zip(numbers, prims), key=lambda pair: pair[0])]
    place = {prim.GetPath(): k for k, prim in enumerate(prims)}
    parts = tuple(Part(read_display_name(prim), place.get(prim.GetPath().GetParentPath(), NO_PART)) for prim in prims)
    return parts, place


def _read_table(stage: Usd.Stage) -> tuple[Part, ...] | None:
    root = stage.GetDefaultPrim()
    if not root or not root.HasAttribute("neurok:partNames"):
        return None
    names = list(root.GetAttribute("neurok:partNames").Get() or [])
    parents = list(root.GetAttribute("neurok:partParents").Get() or [])
    return parse_parts(names, parents)


def _assign_from_table(stage: Usd.Stage, piece: UsdPiece, mesh: Mesh, part_count: int) -> Indices:
    """The parts of one piece's faces: one number on the prim, or one on each subset."""
    prim = stage.GetPrimAtPath(piece.path)
    polygon = np.asarray(mesh.face_attributes["polygon"])
    labels = np.full(int(polygon.max()) + 1 if len(polygon) else 0, _read_part_number(prim, part_count))
    for subset in UsdGeom.Subset.GetGeomSubsets(UsdGeom.Imageable(prim), UsdGeom.Tokens.face, "part"):
        indices = np.array(subset.GetIndicesAttr().Get() or [], dtype=np.int64)
        labels[indices[(indices >= 0) & (indices < len(labels))]] = _read_part_number(subset.GetPrim(), part_count)
    return labels[polygon]


def _read_part_number(prim: Usd.Prim, part_count: int) -> int:
    number = prim.GetCustomDataByKey("neurok:part")
    return number if isinstance(number, int) and 0 <= number < part_count else NO_PART
