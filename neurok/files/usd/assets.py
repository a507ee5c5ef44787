"""Reading a stage as an asset: the merged mesh in world space, its clips, its joints."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from pxr import Usd, UsdGeom

from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.files.usd.joints import read_articulation
from neurok.files.usd.layers import StageFolder
from neurok.files.usd.matter import read_matter
from neurok.files.usd.movement import read_motions
from neurok.files.usd.pieces import UsdPiece, UsdPoses, find_pieces, find_reference_time
from neurok.files.usd.primvars import number_uv_sets
from neurok.files.usd.shading import UsdMaterials
from neurok.files.usd.skins import UsdSkins, settle_skins
from neurok.files.usd.solids import read_piece_mesh
from neurok.files.usd.stage import X_TO_Z
from neurok.files.usd.tree import read_parts
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh, merge

MAX_NOTES = 50


def read_asset(path: Path, folder: StageFolder) -> Asset:
    """The asset in a stage; raises InputError where the stage is damaged or names files outside its folder."""
    stage = Usd.Stage.Open(folder.open_root(path), Usd.Stage.LoadAll)
    for layer in stage.GetUsedLayers():
        if layer.realPath:
            folder.resolve_asset(path.parent, layer.realPath.split("[")[0])
    notes = folder.notes
    stage.SetEditTarget(stage.GetSessionLayer())
    settle_skins(stage, notes)
    up, unit, T_object_stage = _find_axes(stage)
    poses = UsdPoses(UsdSkins(stage), find_reference_time(stage), T_object_stage)
    pieces = find_pieces(poses, notes)
    if not pieces:
        raise InputError(f"{folder.name} holds no visible mesh", "check that the export included the object")
    materials = UsdMaterials(stage, folder)
    uvs = number_uv_sets(stage, pieces)
    meshes = [read_piece_mesh(poses, piece, materials, uvs, notes) for piece in pieces]
    mesh = replace(_merge_pieces(meshes), materials=materials.read(uvs), up=up, unit=unit)
    parts, face_part = read_parts(stage, pieces, meshes)
    parts = read_matter(stage, pieces, [piece.face_count for piece in meshes], parts, face_part)
    mesh = replace(mesh, parts=parts, face_part=face_part)
    order = _find_file_order(stage, pieces, meshes)
    mesh = mesh if order is None else _reorder_mesh(mesh, *order)
    rows = np.arange(mesh.vertex_count) if order is None else order[0]
    articulation = read_articulation(poses, pieces, mesh, rows, notes)
    motions = read_motions(poses, pieces, mesh, rows, notes)
    return Asset(mesh, motions, articulation, tuple(dict.fromkeys(notes))[:MAX_NOTES])


def _find_axes(stage: Usd.Stage) -> tuple[str, float, np.ndarray]:
    """The upward axis, metres per unit, and what turns the stage into the object's own axes."""
    up = "z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "y"
    unit = float(UsdGeom.GetStageMetersPerUnit(stage))
    if not np.isfinite(unit) or unit <= 0:
        raise InputError(f"the stage says that its unit is {unit:g} m", "set metersPerUnit to a number above zero")
    root = stage.GetDefaultPrim()
    if root and root.GetCustomDataByKey("neurok:up") == "x" and up == "z":
        return "x", unit, np.linalg.inv(X_TO_Z)
    return up, unit, np.eye(4)


def _merge_pieces(meshes: list[Mesh]) -> Mesh:
    """All pieces side by side; what one of them has per corner, all get per corner."""
    corner = {name for mesh in meshes for name in mesh.corner_attributes}
    level = []
    for mesh in meshes:
        moved = {name: np.asarray(mesh.attributes[name])[mesh.faces] for name in corner if name in mesh.attributes}
        kept = {name: value for name, value in mesh.attributes.items() if name not in corner}
        level.append(replace(mesh, attributes=kept, corner_attributes={**mesh.corner_attributes, **moved}))
    labels = np.concatenate([mesh.face_material for mesh in meshes])
    whole = merge(level)
    # Numbers of polygons that are all triangles say nothing.
    faces = {} if np.all(np.diff(whole.face_attributes["polygon"])) else whole.face_attributes
    return replace(whole, face_material=labels, face_attributes=faces)


def _find_file_order(stage: Usd.Stage, pieces: list[UsdPiece], meshes: list[Mesh]) -> tuple[Indices, Indices] | None:
    """(vertices, faces): which read one stands in each place, where the file keeps another order than its prims."""
    vertices, faces = [], []
    for piece, mesh in zip(pieces, meshes):
        prim = stage.GetPrimAtPath(piece.path)
        values = [prim.GetAttribute(key).Get() for key in ("neurok:vertices", "neurok:faces")]
        if any(value is None for value in values) or len(values[0]) != piece.count or len(values[1]) != mesh.face_count:
            return None
        vertices.append(np.asarray(values[0]))
        faces.append(np.asarray(values[1]))
    places = [np.concatenate(vertices), np.concatenate(faces)]
    if any(not np.array_equal(np.sort(place), np.arange(len(place))) for place in places):
        return None
    return np.argsort(places[0]), np.argsort(places[1])


def _reorder_mesh(mesh: Mesh, vertices: Indices, faces: Indices) -> Mesh:
    place = np.empty_like(vertices)
    place[vertices] = np.arange(len(vertices))
    return replace(
        mesh,
        vertices=mesh.vertices[vertices],
        faces=place[mesh.faces][faces],
        attributes={name: np.asarray(value)[vertices] for name, value in mesh.attributes.items()},
        corner_attributes={name: np.asarray(value)[faces] for name, value in mesh.corner_attributes.items()},
        face_attributes={name: np.asarray(value)[faces] for name, value in mesh.face_attributes.items()},
        face_material=mesh.face_material[faces],
        face_part=mesh.face_part[faces],
    )
