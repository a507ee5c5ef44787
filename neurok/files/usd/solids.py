"""One visible mesh prim as a Mesh in world space, at reference."""

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from neurok.errors import InputError
from neurok.files.polygons import cut_fans
from neurok.files.usd.pieces import UsdPiece, UsdPoses, read_value
from neurok.files.usd.primvars import PrimvarLayout, find_other_primvars, flatten_primvar, is_uv
from neurok.files.usd.shading import UsdMaterials
from neurok.geometry.arrays import Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import carry_normals, carry_tangents

Tables = tuple[dict[str, NDArray], dict[str, NDArray]]  # per vertex, per corner


def read_piece_mesh(
    poses: UsdPoses, piece: UsdPiece, materials: UsdMaterials, uvs: dict[str, int], notes: list[str]
) -> Mesh:
    """The piece with its own attributes; faces know their materials and polygons, parts come later."""
    prim, time = poses.stage.GetPrimAtPath(piece.path), poses.time
    mesh = UsdGeom.Mesh(prim)
    counts, indices = _read_topology(mesh, piece, time)
    mirrored = bool(np.linalg.det(piece.T_world[:3, :3]) < 0)
    flip = (mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded) != mirrored
    corners, polygon = cut_fans(counts, flip=flip)
    kept = _find_kept_faces(mesh, piece, polygon, len(counts), notes)
    corners, polygon = corners[kept], polygon[kept]
    layout = PrimvarLayout(piece.count, counts, corners, polygon)
    tables = _read_attributes(prim, piece, layout, time, uvs, notes)
    labels = materials.label_faces(prim, len(counts))
    return Mesh(
        vertices=poses.vertices(piece),
        faces=indices[corners],
        attributes=tables[0],
        corner_attributes=tables[1],
        face_attributes={"polygon": polygon},
        face_material=labels[polygon],
    )


def _read_topology(mesh: UsdGeom.Mesh, piece: UsdPiece, time: Usd.TimeCode) -> tuple[Indices, Indices]:
    counts, indices = (
        np.array([] if value is None else value, dtype=np.int64)
        for value in (
            read_value(mesh.GetFaceVertexCountsAttr(), time),
            read_value(mesh.GetFaceVertexIndicesAttr(), time),
        )
    )
    broken = np.any(counts < 0) or counts.sum() != len(indices)
    if broken or (indices.size and (indices.min() < 0 or indices.max() >= piece.count)):
        raise InputError(f"the faces of {piece.path} do not fit its {piece.count} points", "export it again")
    return counts, indices


def _find_kept_faces(
    mesh: UsdGeom.Mesh, piece: UsdPiece, polygon: Indices, polygon_count: int, notes: list[str]
) -> NDArray[np.bool_]:
    holes = np.array(mesh.GetHoleIndicesAttr().Get() or [], dtype=np.int64)
    holes = holes[(holes >= 0) & (holes < polygon_count)]
    if len(holes):
        notes.append(f"{len(holes)} faces of {piece.path} are marked as holes and left out")
    return ~np.isin(polygon, holes)


def _read_attributes(
    prim: Usd.Prim, piece: UsdPiece, layout: PrimvarLayout, time: Usd.TimeCode, uvs: dict[str, int], notes: list[str]
) -> Tables:
    tables: Tables = ({}, {})
    api = UsdGeom.PrimvarsAPI(prim)
    for primvar in api.FindPrimvarsWithInheritance():
        name = primvar.GetPrimvarName()
        if is_uv(primvar) and name in uvs:
            st = flatten_primvar(primvar, time)
            if st is not None and st.shape[1] == 2:
                uv = np.stack([st[:, 0], 1.0 - st[:, 1]], axis=1)  # ours counts v from the top
                _store_attribute(tables, f"uv{uvs[name]}", layout.lay_out(uv, primvar.GetInterpolation()), piece, notes)
    _read_color(prim, piece, layout, time, tables, notes)
    _read_directions(prim, piece, layout, time, tables, notes)
    for primvar in find_other_primvars(prim):
        values = flatten_primvar(primvar, time)
        if values is not None:
            _store_attribute(
                tables, primvar.GetPrimvarName(), layout.lay_out(values, primvar.GetInterpolation()), piece, notes
            )
    return tables


def _read_color(
    prim: Usd.Prim, piece: UsdPiece, layout: PrimvarLayout, time: Usd.TimeCode, tables: Tables, notes: list[str]
) -> None:
    """displayColor and displayOpacity as one RGBA; a constant one beside a material is only its stand-in."""
    gprim = UsdGeom.Gprim(prim)
    primvar = gprim.GetDisplayColorPrimvar()
    color = flatten_primvar(primvar, time) if primvar.HasAuthoredValue() else None
    if color is None or color.shape[1] != 3:
        return
    if primvar.GetInterpolation() == UsdGeom.Tokens.constant and UsdMaterials.find_bound(prim):
        return
    laid = layout.lay_out(color, primvar.GetInterpolation())
    primvar = gprim.GetDisplayOpacityPrimvar()
    opacity = flatten_primvar(primvar, time) if primvar.HasAuthoredValue() else None
    alpha = None if opacity is None else layout.lay_out(opacity, primvar.GetInterpolation())
    if laid is None:
        return _store_attribute(tables, "color", None, piece, notes)
    corner, rgb = laid
    if alpha is None or alpha[0] != corner:
        if alpha is not None:
            notes.append(f"the opacity of {piece.path} is given otherwise than its colour and is left out")
        alpha = corner, np.ones((*rgb.shape[:-1], 1))
    _store_attribute(tables, "color", (corner, np.concatenate([rgb, alpha[1]], axis=-1)), piece, notes)


def _read_directions(
    prim: Usd.Prim, piece: UsdPiece, layout: PrimvarLayout, time: Usd.TimeCode, tables: Tables, notes: list[str]
) -> None:
    """Normals and tangents, turned into world space; those of a skin turn with it and are left out."""
    if piece.binding is not None:
        return
    mesh, api = UsdGeom.Mesh(prim), UsdGeom.PrimvarsAPI(prim)
    A = piece.T_world[:3, :3]
    if abs(np.linalg.det(A)) < 1e-30:
        return
    primvar = api.GetPrimvar("normals")
    if primvar and primvar.HasAuthoredValue():
        normals, interpolation = flatten_primvar(primvar, time), primvar.GetInterpolation()
    else:
        value = mesh.GetNormalsAttr().Get(time)
        normals = None if value is None or not len(value) else np.array(value, dtype=np.float64).reshape(-1, 3)
        interpolation = mesh.GetNormalsInterpolation()
    if normals is not None and normals.shape[1] == 3:
        _store_attribute(tables, "normal", layout.lay_out(carry_normals(normals, A), interpolation), piece, notes)
    primvar = api.GetPrimvar("tangents")
    tangents = flatten_primvar(primvar, time) if primvar and primvar.HasAuthoredValue() else None
    if tangents is not None and tangents.shape[1] == 4:
        _store_attribute(
            tables, "tangent", layout.lay_out(carry_tangents(tangents, A), primvar.GetInterpolation()), piece, notes
        )


def _store_attribute(
    tables: Tables, name: str, laid: tuple[bool, NDArray] | None, piece: UsdPiece, notes: list[str]
) -> None:
    if laid is None:
        notes.append(f"'{name}' of {piece.path} does not fit its mesh and is left out")
    else:
        tables[1 if laid[0] else 0][name] = laid[1]
