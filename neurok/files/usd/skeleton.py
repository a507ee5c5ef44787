"""A skin as UsdSkel: a skeleton, weights on the meshes, one animation per clip."""

import numpy as np
from pxr import Gf, Usd, UsdSkel, Vt

from neurok.errors import OutputError
from neurok.files.skinned import require_skin
from neurok.files.transforms import (
    compose_transforms,
    compute_local_poses,
    compute_world_poses,
    decompose_transforms,
    unwind_quaternions,
)
from neurok.files.usd.layout import Placed
from neurok.files.usd.names import make_identifier
from neurok.files.usd.stage import make_time_codes, to_usd_matrix
from neurok.files.usd.surface import to_ints, to_vectors
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion, Skin

MAX_FAULT = 5e-6  # of the diagonal, that a vertex may lose to UsdSkel's single and half floats
LOOSE_SHEAR = 0.1  # shear up to which a skeleton is tried; the fault decides

# Translation [1 + t, b, 3], rotation (w, x, y, z) [1 + t, b, 4] and scale [1 + t, b, 3] of joints in their parents.
JointPoses = tuple[Array, Array, Array]


def make_joint_paths(skin: Skin) -> list[str]:
    """The joints as paths along their parents, which is how UsdSkel states the tree."""
    paths: list[str] = []
    taken: dict[str, set[str]] = {}
    for name, parent in zip(skin.names, skin.parents):
        above = paths[parent] + "/" if parent >= 0 else ""
        paths.append(above + make_identifier(name, taken.setdefault(above, set())))
    return paths


def compute_skeleton_poses(motion: Motion) -> JointPoses | None:
    """Translation [1 + t, b, 3], rotation [.., 4], scale [.., 3] of each joint in its parent, first at reference.

    As UsdSkel stores them: rotations and translations single, scales half, and no shear at all. None where
    that would move a vertex further than MAX_FAULT; the motion is then better written as points.
    """
    skin, transforms = require_skin(motion)
    parents = np.asarray(skin.parents)
    T_world = np.concatenate([skin.frames[None], transforms @ skin.frames])
    local = compute_local_poses(T_world, parents)
    parts = None if local is None else decompose_transforms(local, LOOSE_SHEAR)
    if parts is None:
        return None
    t, q, s = parts
    t, q, s = t.astype(np.float32), unwind_quaternions(q).astype(np.float32), s.astype(np.float16)
    stored = compute_world_poses(compose_transforms(*(part.astype(np.float64) for part in (t, q, s))), parents)
    fault = (stored - T_world) @ np.linalg.inv(skin.frames)
    if not _measure_fault(skin, motion.mesh.vertices, fault) <= MAX_FAULT * motion.mesh.diagonal:
        return None
    return t, q, s


def _measure_fault(skin: Skin, vertices: Array, fault: Array) -> float:
    """The furthest a fault of the bones' motions [t, b, 4, 4] can carry a vertex [unit]; vertices [n, 3].

    A vertex moves by a mean of its bones' faults, each largest in a corner of the box around what the bone holds.
    """
    largest = 0.0
    for bone in range(skin.bone_count):
        held = vertices[np.any((skin.joints == bone) & (skin.weights > 0), axis=1)]
        if len(held):
            box = np.stack([held.min(axis=0), held.max(axis=0)])
            corners = np.stack(np.meshgrid(*box.T, indexing="ij"), axis=-1).reshape(-1, 3)
            shift = fault[:, bone, None, :3, :3] @ corners[:, :, None] + fault[:, bone, None, :3, 3:]
            largest = max(largest, float(np.linalg.norm(shift[..., 0], axis=-1).max()))
    return largest


def write_skeleton(stage: Usd.Stage, root: Usd.Prim, skin: Skin) -> UsdSkel.Skeleton:
    """The skeleton below the root, at rest in the reference pose."""
    skeleton = UsdSkel.Skeleton.Define(stage, root.GetPath().AppendChild("Skeleton"))
    skeleton.CreateJointsAttr(make_joint_paths(skin))
    if len(set(skin.names)) == len(skin.names):  # UsdSkel wants them unique
        skeleton.CreateJointNamesAttr(list(skin.names))
    local = compute_local_poses(skin.frames, np.asarray(skin.parents))
    if local is None:  # skeleton_poses has refused such a skin
        raise OutputError("a bone of the skin is flat at reference", "write the motion as moving points")
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([to_usd_matrix(T) for T in skin.frames]))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([to_usd_matrix(T) for T in local]))
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
        binding.CreateJointIndicesPrimvar(False, width).Set(to_ints(joints))
        binding.CreateJointWeightsPrimvar(False, width).Set(Vt.FloatArray.FromNumpy(weights))


def write_animation(skeleton: UsdSkel.Skeleton, motion: Motion, poses: JointPoses, rate: float, name: str) -> None:
    """One clip below the skeleton, made its animation."""
    stage = skeleton.GetPrim().GetStage()
    path = skeleton.GetPath().AppendChild(name)
    animation = UsdSkel.Animation.Define(stage, path)
    animation.CreateJointsAttr(skeleton.GetJointsAttr().Get())
    t, q, s = poses
    for index, code in enumerate([None, *make_time_codes(motion.time, rate)]):
        time = Usd.TimeCode.Default() if code is None else Usd.TimeCode(code)
        animation.GetTranslationsAttr().Set(to_vectors(t[index]), time)
        animation.GetRotationsAttr().Set(_to_quaternions(q[index]), time)
        animation.GetScalesAttr().Set(Vt.Vec3hArray.FromNumpy(np.ascontiguousarray(s[index])), time)
    UsdSkel.BindingAPI(skeleton).CreateAnimationSourceRel().SetTargets([path])


def _to_quaternions(q: Array) -> Vt.QuatfArray:
    """(w, x, y, z) rows as USD has them."""
    return Vt.QuatfArray([Gf.Quatf(*row) for row in q.tolist()])
