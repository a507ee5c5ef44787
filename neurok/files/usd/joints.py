"""Reading joints: UsdPhysics bodies and joints as an articulation."""

from dataclasses import dataclass, replace

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from neurok.errors import NeurokError
from neurok.files.transforms import decompose_transforms
from neurok.files.usd.pieces import UsdPiece, UsdPoses
from neurok.files.usd.skins import INSTANCE_PREDICATE
from neurok.files.usd.tree import read_display_name
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import JOINT_KINDS, Articulation, Inertia, Joint, Link, Mimic
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import quaternion_to_matrix

ZERO_TOLERANCE = 1e-5  # of the diagonal, and of a radian: how far the stage may be from zero joint values
WORLD_LINK = "world"


def read_articulation(
    poses: UsdPoses, pieces: list[UsdPiece], mesh: Mesh, rows: Indices, notes: list[str]
) -> Articulation | None:
    """The joints of a stage, None where it has none; a note where it has some that are not understood.

    rows: the read vertex in each place of the mesh, [n].
    """
    joints = [
        prim for prim in poses.stage.Traverse(INSTANCE_PREDICATE) if prim.IsA(UsdPhysics.Joint) and _is_enabled(prim)
    ]
    if not joints:
        return None
    try:
        bodies = _Bodies(poses)
        found = _JointReader(bodies, [prim for prim in joints if not _has_mark(prim, "anchor")]).read()
        if not found:
            return None
        owner = np.concatenate([np.full(piece.count, bodies.of_piece(piece)) for piece in pieces])[rows]
        root = poses.stage.GetDefaultPrim()
        name = root.GetCustomDataByKey("neurok:articulation") if root else None
        links = tuple(bodies.links)
        shape, links = _move_to_zero(mesh, owner, links, found, notes)
        return Articulation(
            shape, owner, links, tuple(joint for joint, _ in found), name if isinstance(name, str) else "object"
        )
    except NeurokError as fault:
        notes.append(f"the joints are left out: {fault.problem}")
    except _NotUnderstood as fault:
        notes.append(f"the joints are left out: {fault}")
    return None


class _NotUnderstood(Exception):
    """A joint that has no counterpart here; told in a note."""


@dataclass(frozen=True)
class _LinkFrame:
    """A link's rigid pose and the whole transform, which may scale, both in the object's axes, [4, 4]."""

    rigid: Array
    whole: Array


class _Bodies:
    """The rigid bodies of a stage as links; the world becomes one where something hangs on it."""

    def __init__(self, poses: UsdPoses) -> None:
        self.poses = poses
        self.unit = float(UsdGeom.GetStageMetersPerUnit(poses.stage))
        self.kilogram = float(UsdPhysics.GetStageKilogramsPerUnit(poses.stage))
        self.links: list[Link] = []
        self.frames: list[_LinkFrame] = []
        self.place: dict[Sdf.Path, int] = {}
        prims = [prim for prim in poses.stage.Traverse(INSTANCE_PREDICATE) if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
        for prim in _sort_by_number([prim for prim in prims if not _has_mark(prim, "helper")], "link"):
            self._add(prim)

    def _add(self, prim: Usd.Prim) -> None:
        whole = self.poses.world(prim)
        parts = decompose_transforms(whole)
        if parts is None:
            raise _NotUnderstood(f"the body {prim.GetPath()} is sheared or flat")
        rigid = np.eye(4)
        rigid[:3, :3], rigid[:3, 3] = whole[:3, :3] / parts[2], whole[:3, 3]
        self.place[prim.GetPath()] = len(self.links)
        self.frames.append(_LinkFrame(rigid, whole))
        self.links.append(Link(read_display_name(prim), rigid, self._inertia(prim, parts[2])))

    def world(self) -> int:
        """The link that never moves."""
        if Sdf.Path.absoluteRootPath not in self.place:
            self.place[Sdf.Path.absoluteRootPath] = len(self.links)
            # A joint states its frame in the stage's axes there.
            whole = self.poses.T_object_stage
            self.frames.append(_LinkFrame(whole, whole))
            self.links.append(Link(WORLD_LINK, whole))
        return self.place[Sdf.Path.absoluteRootPath]

    def at(self, path: Sdf.Path) -> int:
        """The link a prim belongs to: the nearest body above it, or the world."""
        while path != Sdf.Path.absoluteRootPath:
            if path in self.place:
                return self.place[path]
            path = path.GetParentPath()
        return self.world()

    def of_piece(self, piece: UsdPiece) -> int:
        return self.at(piece.path)

    def _inertia(self, prim: Usd.Prim, scale: Array) -> Inertia | None:
        """What the file says of the body's mass; None unless mass and moments are both there."""
        if not prim.HasAPI(UsdPhysics.MassAPI) or prim.GetCustomDataByKey("neurok:weighed"):  # stated by nobody
            return None
        api = UsdPhysics.MassAPI(prim)
        mass, moments = api.GetMassAttr().Get(), np.array(api.GetDiagonalInertiaAttr().Get(), dtype=np.float64)
        centre = np.array(api.GetCenterOfMassAttr().Get(), dtype=np.float64)
        if not mass or mass <= 0 or not np.isfinite(mass) or not moments.any() or not np.isfinite(moments).all():
            return None
        R = _to_rotation(api.GetPrincipalAxesAttr().Get())
        centre = centre * np.abs(scale) * self.unit if np.isfinite(centre).all() else np.zeros(3)
        tensor = R @ np.diag(moments * self.kilogram * self.unit**2) @ R.T
        return Inertia(float(mass) * self.kilogram, centre, tensor)


class _JointReader:
    """The joints between those bodies, each with the pose its child has at zero relative to its parent."""

    def __init__(self, bodies: _Bodies, prims: list[Usd.Prim]) -> None:
        self.bodies = bodies
        self.slides = {self._target(prim, 1): prim for prim in prims if _has_mark(prim, "helper")}
        self.prims = _sort_by_number([prim for prim in prims if not _has_mark(prim, "helper")], "joint")

    def read(self) -> list[tuple[Joint, Array]]:
        found = [self._joint(prim) for prim in self.prims]
        place = {prim.GetPath(): k for k, prim in enumerate(self.prims)}
        result = []
        for prim, (joint, T) in zip(self.prims, found):
            leader = prim.GetRelationship("neurok:mimic").GetTargets() if prim.HasRelationship("neurok:mimic") else []
            if leader and leader[0] in place:
                mimic = Mimic(
                    place[leader[0]], _read_own_or(prim, "mimicMultiplier", 1.0), _read_own_or(prim, "mimicOffset", 0.0)
                )
                joint = replace(joint, mimic=mimic)
            result.append((joint, T))
        return result

    def _joint(self, prim: Usd.Prim) -> tuple[Joint, Array]:
        kind = self._kind(prim)
        first = self.slides.get(self._target(prim, 0), prim)  # a helper's slide bears the frame in the parent
        parent, T_parent = self._side(first, 0)
        child, T_child = self._side(prim, 1)
        token = str(prim.GetAttribute("physics:axis").Get() or "X")
        axis = np.eye(3)["XYZ".index(token)]
        if self._target(prim, 1) is None:  # what moves must be the child
            parent, child, T_parent, T_child, axis = child, parent, T_child, T_parent, -axis
        turns = kind in ("revolute", "continuous", "screw", "cylindrical")
        lower, upper = _read_limits(prim, np.pi / 180 if turns else 1.0)
        if kind in ("revolute", "prismatic") and lower > upper:
            kind, lower, upper = "fixed", -np.inf, np.inf  # UsdPhysics: locked
        joint = Joint(
            name=read_display_name(prim),
            kind=kind,
            parent=parent,
            child=child,
            origin=T_parent,
            axis=axis,
            lower=lower,
            upper=upper,
            pitch=_read_own_or(prim, "pitch", 0.0),
            slide=(_read_own_or(prim, "slideLower", -np.inf), _read_own_or(prim, "slideUpper", np.inf)),
            damping=self._damping(prim, turns),
            friction=_read_own_or(prim, "friction", 0.0),
            effort=_read_own(prim, "effort"),
            velocity=_read_own(prim, "velocity"),
        )
        return joint, T_parent @ np.linalg.inv(T_child)

    def _kind(self, prim: Usd.Prim) -> str:
        own = prim.GetCustomDataByKey("neurok:kind")
        if own in JOINT_KINDS:
            return str(own)
        if prim.IsA(UsdPhysics.RevoluteJoint):
            return "revolute" if np.isfinite(_read_limits(prim, 1.0)).any() else "continuous"
        if prim.IsA(UsdPhysics.PrismaticJoint):
            return "prismatic"
        if prim.IsA(UsdPhysics.FixedJoint):
            return "fixed"
        raise _NotUnderstood(f"{prim.GetPath()} is a {prim.GetTypeName()}")

    def _target(self, prim: Usd.Prim, side: int) -> Sdf.Path | None:
        targets = prim.GetRelationship(f"physics:body{side}").GetTargets()
        return targets[0] if targets else None

    def _side(self, prim: Usd.Prim, side: int) -> tuple[int, Array]:
        """The link on one side, and T_link_joint, [4, 4]."""
        path = self._target(prim, side)
        link = self.bodies.world() if path is None else self.bodies.at(path)
        body = self.bodies.frames[link]
        # The frame is stated in the prim that was named, which may lie below the body and may be scaled.
        whole = body.whole if path is None else self.bodies.poses.world(self.bodies.poses.stage.GetPrimAtPath(path))
        parts = decompose_transforms(whole)
        position = np.array(prim.GetAttribute(f"physics:localPos{side}").Get(), dtype=np.float64)
        if parts is None or not np.isfinite(position).all():
            raise _NotUnderstood(f"the frame of {prim.GetPath()} is sheared or not finite")
        frame = np.eye(4)
        frame[:3, :3] = whole[:3, :3] / parts[2] @ _to_rotation(prim.GetAttribute(f"physics:localRot{side}").Get())
        frame[:3, 3] = whole[:3, :3] @ position + whole[:3, 3]
        return link, np.linalg.inv(body.rigid) @ frame

    def _damping(self, prim: Usd.Prim, turns: bool) -> float:
        kind = "angular" if turns else "linear"
        if not prim.HasAPI(UsdPhysics.DriveAPI, kind):
            return 0.0
        value = UsdPhysics.DriveAPI(prim, kind).GetDampingAttr().Get()
        if not value or not np.isfinite(value) or value < 0:
            return 0.0
        return float(value) * self.bodies.kilogram * (180 / np.pi * self.bodies.unit**2 if turns else 1.0)


def _move_to_zero(
    mesh: Mesh, owner: Indices, links: tuple[Link, ...], found: list[tuple[Joint, Array]], notes: list[str]
) -> tuple[Mesh, tuple[Link, ...]]:
    """Mesh and links at zero joint values: a stage may have been saved with its drawers open."""
    poses = [link.T_world_link for link in links]
    above = {joint.child: (joint.parent, T) for joint, T in found}
    for link in _order_parents_first(len(links), above):
        if link in above:
            parent, T = above[link]
            wanted = poses[parent] @ T
            fault = np.abs(wanted - poses[link])
            if fault[:3, :3].max() > ZERO_TOLERANCE or fault[:3, 3].max() > ZERO_TOLERANCE * max(mesh.diagonal, 1e-30):
                poses[link] = wanted
    if all(pose is link.T_world_link for pose, link in zip(poses, links)):
        return mesh, links
    notes.append("the stage shows the joints away from zero; they are read with all links moved back to zero")
    X = np.stack([pose @ np.linalg.inv(link.T_world_link) for pose, link in zip(poses, links)])[owner]
    vertices = np.einsum("nab,nb->na", X[:, :3, :3], mesh.vertices) + X[:, :3, 3]
    return mesh.with_vertices(vertices), tuple(replace(link, T_world_link=T) for link, T in zip(links, poses))


def _order_parents_first(count: int, above: dict[int, tuple[int, Array]]) -> list[int]:
    """Links in an order in which parents come first; what lies on a cycle is left for Articulation to refuse."""
    children: dict[int, list[int]] = {}
    for child, (parent, _) in above.items():
        children.setdefault(parent, []).append(child)
    order = [link for link in range(count) if link not in above]
    for link in order:
        order += children.get(link, [])
    return order


def _sort_by_number(prims: list[Usd.Prim], key: str) -> list[Usd.Prim]:
    """The prims in the order a file of ours numbers them, else as they stand."""
    numbers = [prim.GetCustomDataByKey(f"neurok:{key}") for prim in prims]
    if sorted(n if isinstance(n, int) else -1 for n in numbers) != list(range(len(prims))):
        return prims
    return [prim for _, prim in sorted(zip(numbers, prims), key=lambda pair: pair[0])]


def _is_enabled(prim: Usd.Prim) -> bool:
    return UsdPhysics.Joint(prim).GetJointEnabledAttr().Get() is not False


def _has_mark(prim: Usd.Prim, key: str) -> bool:
    return bool(prim.GetCustomDataByKey(f"neurok:{key}"))


def _read_own(prim: Usd.Prim, key: str) -> float | None:
    """A number that a file of ours states about a joint; None where it does not."""
    value = prim.GetAttribute(f"neurok:{key}").Get() if prim.HasAttribute(f"neurok:{key}") else None
    return float(value) if isinstance(value, (int, float)) and not np.isnan(value) else None


def _read_own_or(prim: Usd.Prim, key: str, otherwise: float) -> float:
    value = _read_own(prim, key)
    return otherwise if value is None else value


def _read_limits(prim: Usd.Prim, scale: float) -> tuple[float, float]:
    values = [prim.GetAttribute(f"physics:{side}Limit").Get() for side in ("lower", "upper")]
    lower, upper = (
        otherwise if value is None or np.isnan(value) else float(value) * scale
        for value, otherwise in zip(values, (-np.inf, np.inf))
    )
    return lower, upper


def _to_rotation(quaternion: Gf.Quatf | None) -> Array:
    """USD's quaternion as a matrix; the zero one, which says nothing, as the identity."""
    if quaternion is None:
        return np.eye(3)
    q = np.array([quaternion.GetReal(), *quaternion.GetImaginary()], dtype=np.float64)
    length = np.linalg.norm(q)
    return quaternion_to_matrix(q / length) if np.isfinite(length) and length > 1e-12 else np.eye(3)
