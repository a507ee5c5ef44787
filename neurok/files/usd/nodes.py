"""A rigid skin as moving prims: one Xform per bone, below the bone it hangs on.

Chosen over a skeleton where every vertex follows one bone: each program that
reads USD understands moving prims, parts stay apart, and the key frames of a
hinge interpolate along its arc because the prim's origin lies on the axis.
"""

import numpy as np
from pxr import Gf, Usd, UsdGeom

from neurok.files.skinned import require_skin
from neurok.files.transforms import compute_local_poses, decompose_transforms, unwind_quaternions
from neurok.files.usd.blocks import UsdBlock
from neurok.files.usd.layout import Placed, make_child_path, place_below, write_part_table
from neurok.files.usd.stage import make_time_codes, to_usd_matrix
from neurok.files.usd.surface import UsdSurface
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion, Skin


def place_on_bones(
    surface: UsdSurface, root: Usd.Prim, skin: Skin, blocks: list[UsdBlock]
) -> tuple[list[Usd.Prim], Placed]:
    """An Xform per bone, nested as the bones are, each with its blocks before the bones that hang on it."""
    write_part_table(root, surface.mesh)
    prims: list[Usd.Prim] = []
    placed: Placed = []
    for bone, (name, parent) in enumerate(zip(skin.names, skin.parents)):
        path = make_child_path(prims[parent] if parent >= 0 else root, name)
        prim = UsdGeom.Xform.Define(surface.stage, path).GetPrim()
        prim.SetDisplayName(name)
        prim.SetCustomDataByKey("neurok:bone", True)
        prims.append(prim)
        own = [block for block in blocks if block.group == bone]
        placed += place_below(surface, prim, np.linalg.inv(skin.frames[bone]), own)
    return prims, placed


def compute_node_poses(motion: Motion) -> Array | None:
    """Each bone's pose in its parent's frame: at reference, then at all times, [1 + t, b, 4, 4]; None if flat."""
    skin, transforms = require_skin(motion)
    T_world = np.concatenate([skin.frames[None], transforms @ skin.frames])
    return compute_local_poses(T_world, np.asarray(skin.parents))


def animate_nodes(prims: list[Usd.Prim], motion: Motion, poses: Array, rate: float) -> None:
    """Pose the prims at reference and at all times of the motion."""
    codes = make_time_codes(motion.time, rate)
    for bone, prim in enumerate(prims):
        parts = decompose_transforms(poses[:, bone])
        if parts is None:
            _write_samples(_find_op(prim, "transform"), [to_usd_matrix(T) for T in poses[:, bone]], codes)
            continue
        t, q, s = parts
        q = unwind_quaternions(q)
        _write_samples(_find_op(prim, "translate"), [Gf.Vec3d(*v) for v in t.tolist()], codes)
        _write_samples(_find_op(prim, "orient"), [Gf.Quatd(*v) for v in q.tolist()], codes)
        if np.any(s != 1):
            _write_samples(_find_op(prim, "scale"), [Gf.Vec3d(*v) for v in s.tolist()], codes)


def _find_op(prim: Usd.Prim, kind: str) -> UsdGeom.XformOp:
    """The transform op of that kind, made on first use: several clips animate the same ops."""
    xform = UsdGeom.Xformable(prim)
    for op in xform.GetOrderedXformOps():
        if op.GetOpName() == f"xformOp:{kind}":
            return op
    add = {"translate": xform.AddTranslateOp, "orient": xform.AddOrientOp, "scale": xform.AddScaleOp}
    return xform.AddTransformOp() if kind == "transform" else add[kind](UsdGeom.XformOp.PrecisionDouble)


def _write_samples(op: UsdGeom.XformOp, values: list, codes: list[float]) -> None:
    """The value at reference as the default, the others as time samples unless nothing ever changes."""
    op.Set(values[0])
    if any(value != values[0] for value in values[1:]):
        for code, value in zip(codes, values[1:]):
            op.Set(value, code)
