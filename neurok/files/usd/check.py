"""Faults of a stage: those that USD's own validators find, and those of the topology, which they do not check."""

from pathlib import Path

import numpy as np
from pxr import Usd, UsdGeom, UsdValidation


def find_validation_errors(path: str | Path) -> list[str]:
    """The errors that UsdValidation finds, one line each; empty for a sound stage."""
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    return [error.GetErrorAsString() for error in context.Validate(Usd.Stage.Open(str(path)))]


def find_topology_faults(path: str | Path) -> list[str]:
    """Faults of all meshes of a stage, at every time sample; empty for a sound stage."""
    stage = Usd.Stage.Open(str(path))
    faults: list[str] = []
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        if prim.IsA(UsdGeom.Mesh):
            faults += [f"{prim.GetPath()}: {fault}" for fault in _find_mesh_faults(UsdGeom.Mesh(prim))]
    return faults


def _find_mesh_faults(mesh: UsdGeom.Mesh) -> list[str]:
    counts = np.asarray(mesh.GetFaceVertexCountsAttr().Get() or [], dtype=np.int64)
    indices = np.asarray(mesh.GetFaceVertexIndicesAttr().Get() or [], dtype=np.int64)
    faults, sizes = _find_point_faults(mesh)
    point_count = max(sizes, default=0)
    if len(sizes) > 1:
        faults.append(f"the number of points changes over time: {sorted(sizes)}")
    if counts.sum() != len(indices):
        faults.append(f"face counts sum to {counts.sum()}, but there are {len(indices)} indices")
    if np.any(counts < 3):
        faults.append(f"{int(np.sum(counts < 3))} faces have fewer than three corners")
    if indices.size and (indices.min() < 0 or indices.max() >= point_count):
        faults.append(f"an index lies outside the {point_count} points")
    sizes_by_kind = {
        "constant": 1,
        "uniform": len(counts),
        "vertex": point_count,
        "varying": point_count,
        "faceVarying": len(indices),
    }
    faults += _find_primvar_faults(mesh, sizes_by_kind)
    faults += _find_subset_faults(mesh, len(counts))
    return faults


def _find_point_faults(mesh: UsdGeom.Mesh) -> tuple[list[str], set[int]]:
    attribute = mesh.GetPointsAttr()
    faults, sizes = [], set()
    for time in [Usd.TimeCode.Default(), *map(Usd.TimeCode, attribute.GetTimeSamples())]:
        value = attribute.Get(time)
        if value is None:
            continue
        points = np.asarray(value).reshape(-1, 3)
        sizes.add(len(points))
        if not np.isfinite(points).all():
            faults.append(f"points at {time} are not all finite")
        extent = mesh.GetExtentAttr().Get(time)
        if extent is None:
            faults.append(f"no extent at {time}")
        elif len(points) and not np.allclose(np.asarray(extent), [points.min(0), points.max(0)], rtol=1e-5):
            faults.append(f"the extent at {time} is not the box around the points")
    if not sizes:
        faults.append("no points")
    return faults, sizes


def _find_primvar_faults(mesh: UsdGeom.Mesh, sizes: dict[str, int]) -> list[str]:
    faults = []
    for primvar in UsdGeom.PrimvarsAPI(mesh).GetPrimvarsWithValues():
        value, indices = primvar.Get(), primvar.GetIndices()
        if value is None or not primvar.GetTypeName().isArray:
            continue
        expected = sizes.get(primvar.GetInterpolation(), 1)
        width = primvar.GetElementSize()
        if primvar.IsIndexed():
            if len(indices) != expected or (len(indices) and not 0 <= min(indices) <= max(indices) < len(value)):
                faults.append(f"the indices of {primvar.GetName()} do not fit")
        elif len(value) != expected * width:
            faults.append(f"{primvar.GetName()} has {len(value)} values instead of {expected * width}")
    normals = mesh.GetNormalsAttr().Get()
    if normals is not None and len(normals) != sizes[mesh.GetNormalsInterpolation()]:
        faults.append(f"normals has {len(normals)} values instead of {sizes[mesh.GetNormalsInterpolation()]}")
    return faults


def _find_subset_faults(mesh: UsdGeom.Mesh, face_count: int) -> list[str]:
    faults = []
    for subset in UsdGeom.Subset.GetAllGeomSubsets(mesh):
        indices = np.asarray(subset.GetIndicesAttr().Get() or [], dtype=np.int64)
        if indices.size and (indices.min() < 0 or indices.max() >= face_count):
            faults.append(f"subset {subset.GetPrim().GetName()} names a face that is not there")
        if len(np.unique(indices)) != len(indices):
            faults.append(f"subset {subset.GetPrim().GetName()} names a face twice")
    return faults
