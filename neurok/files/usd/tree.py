"""The tree of parts: from the prims' own tree, or from the table a writer left."""

import numpy as np
from pxr import Sdf, Usd, UsdGeom

from neurok.files.part_tree import stated_parts
from neurok.files.usd.pieces import UsdPiece
from neurok.files.usd.skins import PREDICATE
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh, Part

NONE = -1


def read_parts(stage: Usd.Stage, pieces: list[UsdPiece], meshes: list[Mesh]) -> tuple[tuple[Part, ...], Indices]:
    """All parts, and the part of each face of the merged mesh, [m]."""
    table = _table(stage)
    if table is not None:
        labels = [_tabled(stage, piece, mesh, len(table)) for piece, mesh in zip(pieces, meshes)]
        return table, np.concatenate(labels)
    parts, place = _from_prims(stage, pieces)
    owners = [_owner(stage.GetPrimAtPath(piece.path), place) for piece in pieces]
    return parts, np.concatenate([np.full(mesh.face_count, owner) for owner, mesh in zip(owners, meshes)])


def display_name(prim: Usd.Prim) -> str:
    """The name a person gave, where the prim's own is only a valid form of it."""
    return prim.GetDisplayName() or prim.GetName()


def _owner(prim: Usd.Prim, place: dict[Sdf.Path, int]) -> int:
    """The part of a mesh: its own, or that of the prim above where it only holds that one's faces."""
    path = prim.GetPath()
    return place.get(path.GetParentPath() if prim.GetCustomDataByKey("neurok:inner") else path, NONE)


def _from_prims(stage: Usd.Stage, pieces: list[UsdPiece]) -> tuple[tuple[Part, ...], dict[Sdf.Path, int]]:
    """Every mesh and every prim above one; in a file of ours also the empty groups, but not the root."""
    root = stage.GetDefaultPrim()
    ours = bool(root) and root.GetCustomDataByKey("neurok:up") is not None
    wanted: set[Sdf.Path] = set()
    for piece in pieces:
        prim = stage.GetPrimAtPath(piece.path)
        inner = prim.GetCustomDataByKey("neurok:inner")
        wanted |= set((piece.path.GetParentPath() if inner else piece.path).GetPrefixes())
    if ours:
        wanted |= {p.GetPath() for p in stage.Traverse(PREDICATE) if p.GetCustomDataByKey("neurok:part") is not None}
        wanted.discard(root.GetPath())
    prims = [prim for prim in stage.Traverse(PREDICATE) if prim.GetPath() in wanted]
    numbers = [prim.GetCustomDataByKey("neurok:part") for prim in prims]
    if ours and sorted(n if isinstance(n, int) else NONE for n in numbers) == list(range(len(prims))):
        prims = [prim for _, prim in sorted(zip(numbers, prims), key=lambda pair: pair[0])]
    place = {prim.GetPath(): k for k, prim in enumerate(prims)}
    parts = tuple(Part(display_name(prim), place.get(prim.GetPath().GetParentPath(), NONE)) for prim in prims)
    return parts, place


def _table(stage: Usd.Stage) -> tuple[Part, ...] | None:
    root = stage.GetDefaultPrim()
    if not root or not root.HasAttribute("neurok:partNames"):
        return None
    names = list(root.GetAttribute("neurok:partNames").Get() or [])
    parents = list(root.GetAttribute("neurok:partParents").Get() or [])
    return stated_parts(names, parents)


def _tabled(stage: Usd.Stage, piece: UsdPiece, mesh: Mesh, part_count: int) -> Indices:
    """The parts of one piece's faces: one number on the prim, or one on each subset."""
    prim = stage.GetPrimAtPath(piece.path)
    polygon = np.asarray(mesh.face_attributes["polygon"])
    labels = np.full(int(polygon.max()) + 1 if len(polygon) else 0, _number(prim, part_count))
    for subset in UsdGeom.Subset.GetGeomSubsets(UsdGeom.Imageable(prim), UsdGeom.Tokens.face, "part"):
        indices = np.array(subset.GetIndicesAttr().Get() or [], dtype=np.int64)
        labels[indices[(indices >= 0) & (indices < len(labels))]] = _number(subset.GetPrim(), part_count)
    return labels[polygon]


def _number(prim: Usd.Prim, part_count: int) -> int:
    number = prim.GetCustomDataByKey("neurok:part")
    return number if isinstance(number, int) and 0 <= number < part_count else NONE
