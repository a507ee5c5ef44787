"""One block of a mesh as a UsdGeomMesh: topology, points, primvars, subsets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom, UsdShade, Vt

from neurok.files.polygons import join_fans
from neurok.files.usd.blocks import MIXED_PARTS, UsdBlock
from neurok.files.usd.names import make_identifier
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import carry_normals, carry_tangents

UV_PRIMVAR_NAME = re.compile(r"uv(\d+)")


@dataclass(frozen=True)
class UsdSurface:
    """A mesh to be written to a stage on which its materials have been written."""

    stage: Usd.Stage
    mesh: Mesh
    materials: Sequence[UsdShade.Material]
    keep_normals: bool = True  # not where points change over time


def write_surface(surface: UsdSurface, path: str, block: UsdBlock, T: Array | None = None) -> UsdGeom.Mesh:
    """The block as a mesh prim, without its points. T [4, 4]: from the mesh's axes to the prim's, for normals."""
    mesh = surface.mesh
    prim = UsdGeom.Mesh.Define(surface.stage, path)
    choice, counts, first = join_fans(mesh, block.faces)
    prim.CreateFaceVertexCountsAttr(to_ints(counts))
    prim.CreateFaceVertexIndicesAttr(to_ints(block.corners.reshape(-1)[choice]))
    prim.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    for name, values in mesh.attributes.items():
        _write_attribute(surface, prim, name, np.asarray(values)[block.vertices], UsdGeom.Tokens.vertex, T)
    for name, values in mesh.corner_attributes.items():
        corners = np.asarray(values)[block.faces]
        corners = corners.reshape(3 * len(corners), int(np.prod(corners.shape[2:])))[choice]  # some blocks have no face
        _write_attribute(surface, prim, name, corners, UsdGeom.Tokens.faceVarying, T)
    _bind_materials(surface, prim, mesh.face_material[block.faces[first]])
    if block.part == MIXED_PARTS:
        _name_parts(surface, prim, mesh.face_part[block.faces[first]])
    return prim


def set_points(prim: UsdGeom.Mesh, points: Array, code: float | None = None) -> None:
    """Points [n', 3] and the box around them, at a time code or as the value that holds without one."""
    time = Usd.TimeCode.Default() if code is None else Usd.TimeCode(code)
    prim.GetPointsAttr().Set(to_vectors(points), time)
    prim.GetExtentAttr().Set(to_vectors(np.stack([points.min(axis=0), points.max(axis=0)])), time)


def to_ints(values: Indices) -> Vt.IntArray:
    return Vt.IntArray.FromNumpy(np.ascontiguousarray(values, dtype=np.int32))


def to_vectors(values: Array) -> Vt.Vec3fArray:
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, dtype=np.float32))


def _write_attribute(
    surface: UsdSurface, prim: UsdGeom.Mesh, name: str, values: NDArray, interpolation: str, T: Array | None
) -> None:
    api = UsdGeom.PrimvarsAPI(prim)
    uv = UV_PRIMVAR_NAME.fullmatch(name)
    if name == "normal":
        if surface.keep_normals:
            prim.CreateNormalsAttr(to_vectors(values if T is None else carry_normals(values, T[:3, :3])))
            prim.SetNormalsInterpolation(interpolation)
    elif name == "tangent":
        if surface.keep_normals:
            values = values if T is None else carry_tangents(values, T[:3, :3])
            _create_primvar(api, "tangents", "Float4Array", interpolation, values)
    elif uv:
        st = np.stack([values[:, 0], 1.0 - values[:, 1].astype(np.float64)], axis=1)  # USD counts v from below
        _create_primvar(api, "st" + ("" if uv[1] == "0" else uv[1]), "TexCoord2fArray", interpolation, st)
    elif name == "color":
        prim.CreateDisplayColorPrimvar(interpolation).Set(to_vectors(values[:, :3]))
        if values.shape[1] > 3 and np.any(values[:, 3] != 1):
            opacity = np.ascontiguousarray(values[:, 3], dtype=np.float32)
            prim.CreateDisplayOpacityPrimvar(interpolation).Set(Vt.FloatArray.FromNumpy(opacity))
    elif np.issubdtype(values.dtype, np.number):
        values = values.reshape(len(values), -1)
        kind = {1: "FloatArray", 2: "Float2Array", 3: "Float3Array", 4: "Float4Array"}.get(values.shape[1])
        if kind:
            _create_primvar(api, make_identifier(name, set()), kind, interpolation, values)


def _create_primvar(api: UsdGeom.PrimvarsAPI, name: str, kind: str, interpolation: str, values: NDArray) -> None:
    values = np.ascontiguousarray(values, dtype=np.float32)
    array = {
        "FloatArray": lambda: Vt.FloatArray.FromNumpy(values.reshape(-1)),
        "Float2Array": lambda: Vt.Vec2fArray.FromNumpy(values),
        "TexCoord2fArray": lambda: Vt.Vec2fArray.FromNumpy(values),
        "Float3Array": lambda: Vt.Vec3fArray.FromNumpy(values),
        "Float4Array": lambda: Vt.Vec4fArray.FromNumpy(values),
    }[kind]()
    api.CreatePrimvar(name, getattr(Sdf.ValueTypeNames, kind), interpolation).Set(array)


def _bind_materials(surface: UsdSurface, prim: UsdGeom.Mesh, labels: Indices) -> None:
    """One material: on the prim; several: on subsets of its polygons. labels: one per polygon, -1 for none."""
    used = [k for k in np.unique(labels).tolist() if k >= 0]
    prim.CreateDoubleSidedAttr(any(surface.mesh.materials[k].double_sided for k in used))
    if len(used) == 1 and np.all(labels == used[0]):
        UsdShade.MaterialBindingAPI.Apply(prim.GetPrim()).Bind(surface.materials[used[0]])
        return
    if not used:
        return
    api = UsdShade.MaterialBindingAPI.Apply(prim.GetPrim())
    api.SetMaterialBindSubsetsFamilyType(UsdGeom.Tokens.nonOverlapping)
    for k in used:
        name = surface.materials[k].GetPrim().GetName()
        subset = api.CreateMaterialBindSubset(name, to_ints(np.flatnonzero(labels == k)))
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(surface.materials[k])


def _name_parts(surface: UsdSurface, prim: UsdGeom.Mesh, labels: Indices) -> None:
    """Subsets that name the parts of a mesh which could not be taken apart."""
    taken = {child.GetName() for child in prim.GetPrim().GetChildren()}
    for k in np.unique(labels).tolist():
        if k < 0:
            continue
        name = surface.mesh.parts[k].name
        indices = to_ints(np.flatnonzero(labels == k))
        subset = UsdGeom.Subset.CreateGeomSubset(
            prim, make_identifier(name, taken), UsdGeom.Tokens.face, indices, "part", UsdGeom.Tokens.nonOverlapping
        )
        subset.GetPrim().SetDisplayName(name)
        subset.GetPrim().SetCustomDataByKey("neurok:part", k)
