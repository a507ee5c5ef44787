"""The meshes of a stage that can be seen, each with its place and its skin."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdSkel

from neurok.errors import InputError
from neurok.files.usd.skins import INSTANCE_PREDICATE, UsdBinding, UsdSkins, to_columns
from neurok.geometry.arrays import Array

SHOWN_PURPOSES = (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)


@dataclass(frozen=True)
class UsdPiece:
    """One visible mesh prim: where its vertices start in the merged mesh, and its points at reference."""

    path: Sdf.Path
    start: int
    points: Array  # in the prim's own space, [n, 3]
    T_world: Array  # [4, 4] at reference
    binding: UsdBinding | None

    @property
    def count(self) -> int:
        return len(self.points)


class UsdPoses:
    """The poses of prims and joints at one time, in the object's axes."""

    def __init__(self, skins: UsdSkins, time: Usd.TimeCode, T_object_stage: Array) -> None:
        self.stage, self.skins, self.time, self.T_object_stage = skins.stage, skins, time, T_object_stage
        self.places = UsdGeom.XformCache(time)
        self.carried: dict[Sdf.Path, Array] = {}

    def at(self, time: Usd.TimeCode) -> "UsdPoses":
        return UsdPoses(self.skins, time, self.T_object_stage)

    def world(self, prim: Usd.Prim) -> Array:
        """T_object_prim, [4, 4]."""
        return self.T_object_stage @ to_columns(self.places.GetLocalToWorldTransform(prim))

    def joints(self, skeleton: Sdf.Path) -> Array:
        """The skinning matrix of each joint in the skeleton's own space, [b, 4, 4]."""
        if skeleton not in self.carried:
            value = self.skins.skeleton(skeleton).ComputeSkinningTransforms(self.time)
            if value is None or not len(value):
                raise InputError(f"the skeleton {skeleton} has no sound poses", "export it again")
            self.carried[skeleton] = np.swapaxes(np.array(value, dtype=np.float64).reshape(-1, 4, 4), 1, 2)
        return self.carried[skeleton]

    def vertices(self, piece: UsdPiece, points: Array | None = None) -> Array:
        """A piece's vertices in the object's axes, [n, 3]; points: its own at this time, where they change."""
        points = piece.points if points is None else points
        if piece.binding is None:
            return transform_points(points, self.world(self.stage.GetPrimAtPath(piece.path)))
        binding = piece.binding
        bound = transform_points(points, binding.T_skeleton_mesh)
        X = self.joints(binding.skeleton)
        result = np.zeros_like(bound)
        for j in range(binding.joints.shape[1]):
            T = X[binding.joints[:, j]]
            carried = np.einsum("nab,nb->na", T[:, :3, :3], bound) + T[:, :3, 3]
            result += binding.weights[:, j, None] * carried
        return transform_points(result, self.world(self.stage.GetPrimAtPath(binding.skeleton)))


def transform_points(points: Array, T: Array) -> Array:
    return points @ T[:3, :3].T + T[:3, 3]


def read_value(attribute: Usd.Attribute, time: Usd.TimeCode) -> Any:
    """The value at a time, or the earliest there is where the default has none."""
    value = attribute.Get(time)
    return attribute.Get(Usd.TimeCode.EarliestTime()) if value is None else value


# ---------------------------------------------------------------- what moves


def find_moving_attributes(stage: Usd.Stage) -> list[Usd.Attribute]:
    """The attributes with time samples that move visible meshes: points, transform ops, joint poses."""
    found: list[Usd.Attribute] = []
    playing = _find_playing(stage)
    for prim in stage.Traverse(INSTANCE_PREDICATE):
        if prim.IsA(UsdGeom.Xformable):
            found += [op.GetAttr() for op in UsdGeom.Xformable(prim).GetOrderedXformOps()]
        if prim.IsA(UsdGeom.Mesh):
            found.append(UsdGeom.Mesh(prim).GetPointsAttr())
        if prim.GetPath() in playing:
            animation = UsdSkel.Animation(prim)
            found += [animation.GetTranslationsAttr(), animation.GetRotationsAttr(), animation.GetScalesAttr()]
    return [attribute for attribute in found if attribute and attribute.GetNumTimeSamples()]


def _find_playing(stage: Usd.Stage) -> set[Sdf.Path]:
    """The animations that drive a skeleton."""
    skeletons = [prim for prim in stage.Traverse(INSTANCE_PREDICATE) if prim.IsA(UsdSkel.Skeleton)]
    sources = [UsdSkel.BindingAPI(prim).GetInheritedAnimationSource() for prim in skeletons]
    return {source.GetPath() for source in sources if source and source.IsA(UsdSkel.Animation)}


def find_reference_time(stage: Usd.Stage) -> Usd.TimeCode:
    """USD's default time, or the first time sample where something that moves has no default value."""
    attributes = find_moving_attributes(stage)
    if all(attribute.Get() is not None for attribute in attributes):
        return Usd.TimeCode.Default()
    return Usd.TimeCode(min(attribute.GetTimeSamples()[0] for attribute in attributes))


# ---------------------------------------------------------------- what is seen


def find_pieces(poses: UsdPoses, notes: list[str]) -> list[UsdPiece]:
    """All visible meshes in the order of the stage, instances included."""
    time = poses.time
    pieces: list[UsdPiece] = []
    start = 0
    for prim in _walk_visible(poses.stage, time, notes):
        value = read_value(UsdGeom.Mesh(prim).GetPointsAttr(), time)
        if value is None or not len(value):
            continue
        points = np.array(value, dtype=np.float64).reshape(-1, 3)
        binding = poses.skins.binding(prim, len(points), notes)
        pieces.append(UsdPiece(prim.GetPath(), start, points, poses.world(prim), binding))
        start += len(points)
    return pieces


def _walk_visible(stage: Usd.Stage, time: Usd.TimeCode, notes: list[str]) -> Iterator[Usd.Prim]:
    walk = iter(Usd.PrimRange.Stage(stage, INSTANCE_PREDICATE))
    for prim in walk:
        if prim.IsA(UsdGeom.PointInstancer):
            notes.append(f"{prim.GetPath()} scatters copies of a mesh, which are left out")
            walk.PruneChildren()
            continue
        if not prim.IsA(UsdGeom.Gprim):
            continue
        image = UsdGeom.Imageable(prim)
        if image.ComputeVisibility(time) == UsdGeom.Tokens.invisible or image.ComputePurpose() not in SHOWN_PURPOSES:
            continue
        if prim.IsA(UsdGeom.Mesh):
            yield prim
        else:
            notes.append(f"{prim.GetPath()} is a {prim.GetTypeName()}, not a mesh, and is left out")
