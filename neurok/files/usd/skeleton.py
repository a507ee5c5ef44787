"""A skin as UsdSkel: a skeleton, weights on the meshes, one animation per clip."""

import numpy as np
from pxr import Gf, Usd, UsdSkel, Vt

from neurok.files.usd.layout import Placed
from neurok.files.usd.names import identifier
from neurok.files.usd.stage import matrix, time_codes
from neurok.files.usd.surface import ints, vectors
from neurok.files.usd.transforms import decompose, local_poses, unwind
from neurok.geometry.mesh import Array
from neurok.geometry.motion import Motion, Skin

HALF_FAULT = 1e-6  # UsdSkel stores scales as half floats; a scale that loses more is written as points instead


def joint_paths(skin: Skin) -> list[str]:
    """The joints as paths along their parents, which is how UsdSkel states the tree."""
    paths: list[str] = []
    taken: dict[str, set[str]] = {}
    for name, parent in zip(skin.names, skin.parents):
        above = paths[parent] + "/" if parent >= 0 else ""
        paths.append(above + identifier(name, taken.setdefault(above, set())))
    return paths


def skeleton_poses(motion: Motion) -> tuple[Array, Array, Array] | None:
    """Translation [1 + t, b, 3], rotation [.., 4], scale [.., 3] of each joint in its parent, first at reference.

    None where UsdSkel cannot hold them: sheared, flat, or scaled by what a half float cannot say.
    """
    skin = motion.skin
    T_world = np.concatenate([skin.frames[None], motion.transforms @ skin.frames])
    local = local_poses(T_world, np.asarray(skin.parents))
    parts = None if local is None else decompose(local)
    if parts is None:
        return None
    t, q, s = parts
    if np.max(np.abs(s - s.astype(np.float16)), initial=0.0) > HALF_FAULT:
        return None
    return t, unwind(q), s


def write_skeleton(stage: Usd.Stage, root: Usd.Prim, skin: Skin) -> UsdSkel.Skeleton:
    """The skeleton below the root, at rest in the reference pose."""
    skeleton = UsdSkel.Skeleton.Define(stage, root.GetPath().AppendChild("Skeleton"))
    skeleton.CreateJointsAttr(joint_paths(skin))
    if len(set(skin.names)) == len(skin.names):  # UsdSkel wants them unique
        skeleton.CreateJointNamesAttr(list(skin.names))
    local = local_poses(skin.frames, np.asarray(skin.parents))
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([matrix(T) for T in skin.frames]))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([matrix(T) for T in local]))
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    return skeleton


def bind_skin(placed: Placed, skin: Skin, skeleton: UsdSkel.Skeleton) -> None:
    """Weights on every mesh; its points are in the skeleton's own space."""
    width = skin.joints.shape[1]
    for prim, block in placed:
        binding = UsdSkel.BindingAPI.Apply(prim.GetPrim())
        binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
        binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
        joints = np.where(skin.weights > 0, skin.joints, 0)[block.vertices].reshape(-1)
        weights = np.ascontiguousarray(skin.weights[block.vertices], dtype=np.float32).reshape(-1)
        binding.CreateJointIndicesPrimvar(False, width).Set(ints(joints))
        binding.CreateJointWeightsPrimvar(False, width).Set(Vt.FloatArray.FromNumpy(weights))


def write_animation(
    skeleton: UsdSkel.Skeleton, motion: Motion, poses: tuple[Array, Array, Array], rate: float, name: str
) -> None:
    """One clip below the skeleton, made its animation."""
    stage = skeleton.GetPrim().GetStage()
    path = skeleton.GetPath().AppendChild(name)
    animation = UsdSkel.Animation.Define(stage, path)
    animation.CreateJointsAttr(skeleton.GetJointsAttr().Get())
    t, q, s = poses
    for index, code in enumerate([None, *time_codes(motion.time, rate)]):
        time = Usd.TimeCode.Default() if code is None else Usd.TimeCode(code)
        animation.GetTranslationsAttr().Set(vectors(t[index]), time)
        animation.GetRotationsAttr().Set(_quaternions(q[index]), time)
        animation.GetScalesAttr().Set(Vt.Vec3hArray.FromNumpy(s[index].astype(np.float16)), time)
    UsdSkel.BindingAPI(skeleton).CreateAnimationSourceRel().SetTargets([path])


def _quaternions(q: Array) -> Vt.QuatfArray:
    """(w, x, y, z) rows as USD has them."""
    return Vt.QuatfArray([Gf.Quatf(*row) for row in q.tolist()])
