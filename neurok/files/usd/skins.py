"""Reading skins: which joints of which skeleton a mesh follows."""

from dataclasses import dataclass

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel

from neurok.geometry.arrays import Array, Indices

INSTANCE_PREDICATE = Usd.TraverseInstanceProxies()


@dataclass(frozen=True)
class UsdBinding:
    """How a mesh is bound to a skeleton: joints and weights [n, w] into the skeleton's own list of joints."""

    skeleton: Sdf.Path
    joints: Indices
    weights: Array
    T_skeleton_mesh: Array  # geomBindTransform, [4, 4]


def to_columns(matrix: Gf.Matrix4d) -> Array:
    """USD's matrix, which acts on rows, as one that acts on columns, [4, 4]."""
    return np.array(matrix, dtype=np.float64).T


class UsdSkins:
    """The skeletons and bindings of a stage as it is composed now."""

    def __init__(self, stage: Usd.Stage) -> None:
        self.stage = stage
        self.cache = UsdSkel.Cache()
        self.known: set[Sdf.Path] = set()

    def skeleton(self, path: Sdf.Path) -> UsdSkel.SkeletonQuery:
        return self.cache.GetSkelQuery(UsdSkel.Skeleton(self.stage.GetPrimAtPath(path)))

    def binding(self, prim: Usd.Prim, count: int, notes: list[str]) -> UsdBinding | None:
        """The binding of a mesh with that many points; None where it has none, or none that makes sense."""
        root = UsdSkel.Root.Find(prim)
        skeleton = UsdSkel.BindingAPI(prim).GetInheritedSkeleton() if root else None
        if not skeleton:
            return None
        if root.GetPath() not in self.known:
            self.known.add(root.GetPath())
            self.cache.Populate(root, INSTANCE_PREDICATE)
        query, bones = self.cache.GetSkinningQuery(prim), self.cache.GetSkelQuery(skeleton)
        if not query or not bones or not query.HasJointInfluences():
            return None
        found = _read_influences(query, bones, count)
        if isinstance(found, str):
            notes.append(f"the skin of {prim.GetPath()} {found}; it is left out")
            return None
        joints, weights = found
        return UsdBinding(skeleton.GetPath(), joints, weights, to_columns(query.GetGeomBindTransform()))


def _read_influences(
    query: UsdSkel.SkinningQuery, bones: UsdSkel.SkeletonQuery, count: int
) -> tuple[Indices, Array] | str:
    """Joints in the skeleton's own order and weights, both [n, w]; or a sentence on what is wrong with them."""
    influences = query.ComputeVaryingJointInfluences(count)
    width = query.GetNumInfluencesPerComponent()
    if not influences or width < 1 or any(len(column) != count * width for column in influences):
        return "does not fit its mesh"
    joints = np.array(influences[0], dtype=np.int64).reshape(count, width)
    weights = np.array(influences[1], dtype=np.float64).reshape(count, width)
    order = [str(joint) for joint in bones.GetJointOrder()]
    place = {joint: k for k, joint in enumerate(order)}
    own = order if query.GetJointOrder() is None else [str(joint) for joint in query.GetJointOrder()]
    table = np.array([place.get(joint, -1) for joint in own], dtype=np.int64)
    if joints.min() < 0 or joints.max() >= len(table) or np.any(table[joints] < 0):
        return "names a joint that is not there"
    total = weights.sum(axis=1, keepdims=True)
    if not np.isfinite(weights).all() or np.any(total <= 0):
        return "has vertices without weights"
    return table[joints], weights / total


def settle_skins(stage: Usd.Stage, notes: list[str]) -> None:
    """Let USD itself turn skins with blend shapes or dual quaternions into moving points."""
    for prim in list(stage.Traverse()):
        if prim.IsA(UsdSkel.Root) and _more_than_weights(prim):
            if not UsdSkel.BakeSkinning(UsdSkel.Root(prim), Gf.Interval.GetFullInterval()):
                notes.append(f"the skins below {prim.GetPath()} could not be evaluated in full")


def _more_than_weights(root: Usd.Prim) -> bool:
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(root), Usd.PrimDefaultPredicate)
    for prim in Usd.PrimRange(root):
        query = cache.GetSkinningQuery(prim) if prim.IsA(UsdGeom.Mesh) else None
        if query and (query.HasBlendShapes() or query.GetSkinningMethod() != UsdSkel.Tokens.classicLinear):
            return True
    return False
