"""Reading a skin: meshes that follow moving prims or joints, without a point changing in its own space."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom

from neurok.files.transforms import decompose_transforms
from neurok.files.usd.pieces import UsdPiece, UsdPoses, transform_points
from neurok.files.usd.skins import UsdBinding
from neurok.files.usd.tree import read_display_name
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin

STILL_BONE = "still"  # the bone of what nothing moves
REST_TOLERANCE = 5e-6  # of the diagonal: how far a bound mesh may be from its reference shape


@dataclass
class UsdBones:
    """Bones as they are found, parents first; each is a prim or a joint of a skeleton."""

    poses: UsdPoses  # at reference
    places: dict[object, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    frames: list[Array] = field(default_factory=list)
    prims: list[Sdf.Path | None] = field(default_factory=list)  # the prim a bone is, None for joints and the still one

    def add(self, key: object, name: str, parent: int, frame: Array, prim: Sdf.Path | None) -> int:
        if key not in self.places:
            self.places[key] = len(self.names)
            self.names.append(name)
            self.parents.append(parent)
            self.frames.append(_take_rigid_part(frame))
            self.prims.append(prim)
        return self.places[key]

    def add_prims(self, chain: list[Usd.Prim]) -> int:
        """The bone of the last prim of a chain of moving prims, outermost first."""
        bone = -1
        for prim in chain:
            bone = self.add(prim.GetPath(), read_display_name(prim), bone, self.poses.world(prim), prim.GetPath())
        return self.add(STILL_BONE, STILL_BONE, -1, np.eye(4), None) if bone < 0 else bone

    def add_skeleton(self, path: Sdf.Path) -> int:
        """The first of the bones of a skeleton, which follow each other in its own order."""
        query = self.poses.skins.skeleton(path)
        order = [str(joint) for joint in query.GetJointOrder()]
        above = list(query.GetTopology().GetParentIndices())
        given = query.GetSkeleton().GetJointNamesAttr().Get()
        names = list(given) if given and len(given) == len(order) else [joint.split("/")[-1] for joint in order]
        world = self.poses.world(self.poses.stage.GetPrimAtPath(path))
        bind = [np.array(T, dtype=np.float64).T for T in query.GetJointWorldBindTransforms()]
        first = self.places.get((path, 0), len(self.names))
        for k, name in enumerate(names):
            parent = first + above[k] if above[k] >= 0 else -1
            self.add((path, k), str(name), parent, world @ bind[k] if k < len(bind) else world, None)
        return first


def read_skin(poses: UsdPoses, pieces: list[UsdPiece], codes: Array, mesh: Mesh) -> tuple[Skin, Array] | None:
    """The skin, its vertices in the order of reading, and its bones' motions [t, b, 4, 4].

    None where the motion is not that of a skin.
    """
    stage = poses.stage
    if any(UsdGeom.Mesh(stage.GetPrimAtPath(piece.path)).GetPointsAttr().GetNumTimeSamples() for piece in pieces):
        return None
    bones = UsdBones(poses)
    columns: list[tuple[Indices, Array]] = []
    for piece in pieces:
        if piece.binding is None:
            chain = _find_moving_chain(stage.GetPrimAtPath(piece.path))
            if chain is None:
                return None
            bone = bones.add_prims(chain)
            columns.append((np.full((piece.count, 1), bone), np.ones((piece.count, 1))))
        elif not _is_at_rest(poses, piece, piece.binding, REST_TOLERANCE * mesh.diagonal):
            return None
        else:
            first = bones.add_skeleton(piece.binding.skeleton)
            columns.append((piece.binding.joints + first, piece.binding.weights))
    transforms = _compute_motions(poses, bones, codes)
    if transforms is None:
        return None
    width = max(joints.shape[1] for joints, _ in columns)
    joints = np.concatenate([_widen_columns(joints, width) for joints, _ in columns])
    weights = np.concatenate([_widen_columns(weights, width) for _, weights in columns])
    skin = Skin(joints, weights, tuple(bones.names), np.array(bones.parents, dtype=np.int64), np.stack(bones.frames))
    return skin, transforms


def _find_moving_chain(prim: Usd.Prim) -> list[Usd.Prim] | None:
    """The prims above a mesh, itself included, that move, outermost first; None where one leaves its parent."""
    chain = []
    while prim and not prim.IsPseudoRoot():
        if prim.IsA(UsdGeom.Xformable):
            xform = UsdGeom.Xformable(prim)
            if xform.GetResetXformStack():
                return None
            moves = any(op.GetNumTimeSamples() for op in xform.GetOrderedXformOps())
            if moves or prim.GetCustomDataByKey("neurok:bone"):
                chain.append(prim)
        prim = prim.GetParent()
    return chain[::-1]


def _is_at_rest(poses: UsdPoses, piece: UsdPiece, binding: UsdBinding, tolerance: float) -> bool:
    """Whether the bound mesh at reference is where the skeleton was bound to it."""
    world = poses.world(poses.stage.GetPrimAtPath(binding.skeleton))
    bound = transform_points(transform_points(piece.points, binding.T_skeleton_mesh), world)
    return bool(np.max(np.abs(poses.vertices(piece) - bound), initial=0.0) <= tolerance)


def _compute_motions(poses: UsdPoses, bones: UsdBones, codes: Array) -> Array | None:
    """X = T(t) T(reference)^-1 of every bone in the object's axes; None where a bone is flat at reference."""
    skeletons = {key[0]: bones.places[key] for key in bones.places if isinstance(key, tuple) and key[1] == 0}
    keys = [prim for prim in bones.prims if prim is not None] + list(skeletons)
    home = {path: poses.world(poses.stage.GetPrimAtPath(path)) for path in keys}
    if any(abs(np.linalg.det(T[:3, :3])) < 1e-30 for T in home.values()):
        return None
    back = {path: np.linalg.inv(T) for path, T in home.items()}
    result = np.tile(np.eye(4), (len(codes), len(bones.names), 1, 1))
    for index, code in enumerate(codes):
        now = poses.at(Usd.TimeCode(code))
        for bone, path in enumerate(bones.prims):
            if path is not None:
                result[index, bone] = now.world(poses.stage.GetPrimAtPath(path)) @ back[path]
        for path, first in skeletons.items():
            carried = now.joints(path)
            world = now.world(poses.stage.GetPrimAtPath(path))
            result[index, first : first + len(carried)] = world @ carried @ back[path]
    return result if np.isfinite(result).all() else None


def _take_rigid_part(T: Array) -> Array:
    """The rigid part of a pose; upright where it is sheared."""
    parts = decompose_transforms(T)
    frame = np.eye(4)
    frame[:3, 3] = T[:3, 3]
    if parts is not None:
        frame[:3, :3] = T[:3, :3] / parts[2]
    return frame


def _widen_columns(values: NDArray, width: int) -> NDArray:
    return np.pad(values, ((0, 0), (0, width - values.shape[1])))
