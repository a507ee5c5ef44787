"""The empty stage: axes, units, time and the root prim."""

from pathlib import Path

import numpy as np
from pxr import Gf, Kind, Usd, UsdGeom

from neurok.errors import OutputError
from neurok.files.usd.names import make_identifier
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import quarter_turn

# USD knows only y and z as up; an x-up object is turned at its root.
X_TO_Z = np.eye(4)
X_TO_Z[:3, :3] = quarter_turn("x", "z")


def new_stage(
    mesh: Mesh, folder: Path, name: str, kind: str = "Xform", place: Array | None = None
) -> tuple[Usd.Stage, Usd.Prim]:
    """A stage folder/name in the mesh's axes and units, and its root prim of the given type.

    place: from where positions are counted [unit], [3], which the root then states; the origin where None.
    """
    if not mesh.vertex_count or not np.isfinite(mesh.vertices).all():
        raise OutputError(f"the mesh for {name} has no vertices or some that are not finite", "repair the mesh first")
    path = folder / name
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y if mesh.up == "y" else UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, mesh.unit)
    root = stage.DefinePrim("/" + make_identifier(path.stem, set()), kind)
    root.SetDisplayName(path.stem)
    root.SetCustomDataByKey("neurok:up", mesh.up)
    Usd.ModelAPI(root).SetKind(Kind.Tokens.component)
    stage.SetDefaultPrim(root)
    if mesh.up == "x":
        UsdGeom.Xformable(root).AddTransformOp().Set(to_usd_matrix(X_TO_Z))
    if place is not None:
        UsdGeom.Xformable(root).AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*place.tolist()))
    return stage, root


def to_usd_matrix(T: Array) -> Gf.Matrix4d:
    """T [4, 4], which acts on columns, as USD has it, acting on rows."""
    return Gf.Matrix4d(np.asarray(T, dtype=np.float64).T.copy())


def find_frame_rate(time: Array) -> float:
    """Frames per second of a list of times [s], [t]: a whole number where it is one."""
    if len(time) < 2:
        return 24.0
    rate = 1.0 / float(np.median(np.diff(time)))
    return float(round(rate)) if round(rate) >= 1 and abs(rate - round(rate)) < 1e-6 * rate else rate


def make_time_codes(time: Array, rate: float) -> list[float]:
    """Times [s] in frames; whole numbers where they are so up to round-off."""
    codes = np.asarray(time) * rate
    whole = np.round(codes)
    return np.where(np.abs(codes - whole) < 1e-6, whole, codes).tolist()


def set_time(stage: Usd.Stage, times: list[Array]) -> float:
    """State the time range of all clips on the stage; returns its time codes per second."""
    rate = find_frame_rate(times[0])
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    codes = [make_time_codes(time, rate) for time in times]
    stage.SetStartTimeCode(min(c[0] for c in codes))
    stage.SetEndTimeCode(max(c[-1] for c in codes))
    return rate
