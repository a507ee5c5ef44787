"""An articulated object as rigid bodies and UsdPhysics joints.

Lengths of links and joints are in the mesh's unit, since they act on its
vertices; masses are kilograms, from the geometry where none are stated; angles are degrees, as UsdPhysics has them.
The links are siblings (UsdPhysics takes nested bodies apart), each with its
pose at zero joint values; a fixed joint holds every root in the world.

A screw or cylindrical joint becomes a prismatic and a revolute joint with a
small helper body between them. What UsdPhysics has no word for (mimic, pitch,
friction) is kept in `neurok:` attributes of the joint.
"""

from pathlib import Path

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from neurok.errors import OutputError
from neurok.files.bodies import compute_link_frame_inertias
from neurok.files.usd.blocks import split_groups
from neurok.files.usd.layout import RESERVED_NAMES, Placed, place_below, write_order, write_part_table
from neurok.files.usd.materials import write_materials
from neurok.files.usd.matter import write_matter
from neurok.files.usd.names import make_identifier
from neurok.files.usd.stage import X_TO_Z, new_stage
from neurok.files.usd.surface import UsdSurface
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation, Inertia, Joint
from neurok.geometry.mesh import Mesh
from neurok.geometry.rotation import quaternion_from_matrix

HELPER_MASS_SHARE = 1e-6  # of a link's mass and inertia, for the helper body it turns on
TURNING_KINDS = ("revolute", "continuous", "screw", "cylindrical")


def write_articulation(thing: Articulation, folder: Path, name: str) -> None:
    """Links as rigid bodies with their meshes, joints with limits, below one articulation root."""
    mesh = thing.mesh
    blocks = split_groups(mesh, thing.vertex_link)
    if blocks is None:
        raise OutputError(f"a face of the mesh for {name} belongs to two links", "give each link its own vertices")
    stage, root = new_stage(mesh, folder, name)
    root.SetCustomDataByKey("neurok:articulation", thing.name)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    UsdPhysics.ArticulationRootAPI.Apply(root)
    surface = UsdSurface(stage, mesh, write_materials(stage, mesh, root, folder, Path(name).stem))
    taken = set(RESERVED_NAMES)
    bodies = [_define_body(stage, root, link.name, link.T_world_link, taken) for link in thing.links]
    inertias = compute_link_frame_inertias(thing)
    for index, (body, inertia) in enumerate(zip(bodies, inertias)):
        body.SetCustomDataByKey("neurok:link", index)
        if thing.links[index].inertia is None:
            body.SetCustomDataByKey("neurok:weighed", True)
        _write_mass(body, inertia, mesh.unit)
    write_part_table(root, mesh)
    placed: Placed = []
    for index, (body, link) in enumerate(zip(bodies, thing.links)):
        own = [block for block in blocks if block.group == index]
        placed += place_below(surface, body, np.linalg.inv(link.T_world_link), own)
    for prim, block in placed:
        if len(block.faces) and thing.links[block.group].colliders is None:
            _add_collision(prim.GetPrim())
    for body, link in zip(bodies, thing.links):
        _write_colliders(stage, body, link.colliders or ())
    write_matter(stage, mesh, placed)
    write_order(stage, mesh, placed)
    UsdPhysics.Scene.Define(stage, root.GetPath().AppendChild("PhysicsScene"))
    _JointWriter(stage, root, thing, bodies, inertias, taken).write()
    stage.Save()


def _define_body(stage: Usd.Stage, root: Usd.Prim, name: str, T: Array, taken: set[str]) -> Usd.Prim:
    prim = UsdGeom.Xform.Define(stage, root.GetPath().AppendChild(make_identifier(name, taken))).GetPrim()
    prim.SetDisplayName(name)
    UsdPhysics.RigidBodyAPI.Apply(prim)
    xform = UsdGeom.Xformable(prim)
    xform.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*T[:3, 3].tolist()))
    w, x, y, z = quaternion_from_matrix(T[:3, :3]).tolist()
    xform.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(w, x, y, z))
    return prim


def _add_collision(prim: Usd.Prim) -> None:
    UsdPhysics.CollisionAPI.Apply(prim)
    UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(UsdPhysics.Tokens.convexHull)


def _write_colliders(stage: Usd.Stage, body: Usd.Prim, pieces: tuple[Mesh, ...]) -> None:
    """Convex pieces [unit, link frame] as meshes that are never drawn."""
    for index, piece in enumerate(pieces):
        mesh = UsdGeom.Mesh.Define(stage, body.GetPath().AppendChild(f"neurok_collider_{index}"))
        mesh.CreatePointsAttr(np.asarray(piece.vertices, dtype=np.float32))
        mesh.CreateFaceVertexCountsAttr(np.full(piece.face_count, 3, dtype=np.int32))
        mesh.CreateFaceVertexIndicesAttr(np.asarray(piece.faces, dtype=np.int32).reshape(-1))
        mesh.CreateExtentAttr(np.asarray(piece.bounds, dtype=np.float32))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        mesh.CreatePurposeAttr(UsdGeom.Tokens.guide)
        _add_collision(mesh.GetPrim())


def _write_mass(body: Usd.Prim, inertia: Inertia, unit: float) -> None:
    """Mass, centre and principal moments; the stage's unit of length replaces the metre."""
    moments, axes = np.linalg.eigh(np.asarray(inertia.tensor, dtype=np.float64))
    axes = axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])
    api = UsdPhysics.MassAPI.Apply(body)
    api.CreateMassAttr(float(inertia.mass))
    api.CreateCenterOfMassAttr(Gf.Vec3f(*(np.asarray(inertia.centre) / unit).tolist()))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*(moments / unit**2).tolist()))
    api.CreatePrincipalAxesAttr(Gf.Quatf(*quaternion_from_matrix(axes).tolist()))


class _JointWriter:
    """All joints of an articulation below <root>/Joints."""

    def __init__(
        self, stage: Usd.Stage, root: Usd.Prim, thing: Articulation, bodies: list[Usd.Prim],
        inertias: list[Inertia], taken: set[str],
    ) -> None:  # fmt: skip
        self.stage, self.root, self.thing, self.bodies, self.taken = stage, root, thing, bodies, taken
        self.inertias = inertias
        self.scope = UsdGeom.Scope.Define(stage, root.GetPath().AppendChild("Joints")).GetPath()
        self.names: set[str] = set()

    def write(self) -> None:
        T_stage_object = X_TO_Z if self.thing.mesh.up == "x" else np.eye(4)
        for link, above in enumerate(self.thing.parent_joint):
            if above < 0 and not self.thing.is_loose(link):
                pose = T_stage_object @ self.thing.links[link].T_world_link
                anchor = self._define(UsdPhysics.FixedJoint, "world_" + self.thing.links[link].name)
                self._attach(anchor, None, self.bodies[link], pose, np.eye(4))
                anchor.GetPrim().SetCustomDataByKey("neurok:anchor", True)
        written = [self._joint(index, joint) for index, joint in enumerate(self.thing.joints)]
        for prim, joint in zip(written, self.thing.joints):
            if joint.mimic is not None:
                prim.CreateRelationship("neurok:mimic", True).SetTargets([written[joint.mimic.joint].GetPath()])
                _write_own(prim, "mimicMultiplier", joint.mimic.multiplier)
                _write_own(prim, "mimicOffset", joint.mimic.offset)

    def _joint(self, index: int, joint: Joint) -> Usd.Prim:
        """The prim that stands for the joint: the turning one where there are two."""
        links = self.thing.links
        token, align = _find_axis_token(joint.axis)
        T_parent_joint = joint.origin @ align
        T_child_joint = np.linalg.inv(links[joint.child].T_world_link) @ links[joint.parent].T_world_link
        T_child_joint = T_child_joint @ T_parent_joint
        parent, child = self.bodies[joint.parent], self.bodies[joint.child]
        if joint.kind in ("screw", "cylindrical"):
            T_world_helper = links[joint.parent].T_world_link @ T_parent_joint
            parent = self._helper(joint, token, T_parent_joint, T_world_helper)
            T_parent_joint = np.eye(4)
        kinds = {"fixed": UsdPhysics.FixedJoint, "prismatic": UsdPhysics.PrismaticJoint}
        prim = self._define(kinds.get(joint.kind, UsdPhysics.RevoluteJoint), joint.name)
        self._attach(prim, parent, child, T_parent_joint, T_child_joint)
        prim.GetPrim().SetCustomDataByKey("neurok:joint", index)
        prim.GetPrim().SetCustomDataByKey("neurok:kind", joint.kind)
        if joint.kind != "fixed":
            turns = joint.kind in TURNING_KINDS
            prim.CreateAxisAttr(token)
            _write_limits(prim, joint.lower, joint.upper, 180.0 / np.pi if turns else 1.0)
            self._resist(prim.GetPrim(), joint, turns)
        return prim.GetPrim()

    def _helper(self, joint: Joint, token: str, T_parent_joint: Array, T_world_helper: Array) -> Usd.Prim:
        """A light body that slides on the parent, for the child to turn on."""
        helper = _define_body(self.stage, self.root, joint.name + "_slider", T_world_helper, self.taken)
        helper.SetCustomDataByKey("neurok:helper", True)
        carried = self.inertias[joint.child]
        tensor = HELPER_MASS_SHARE * float(np.trace(carried.tensor)) * np.eye(3)
        _write_mass(helper, Inertia(HELPER_MASS_SHARE * carried.mass, np.zeros(3), tensor), self.thing.mesh.unit)
        slide = self._define(UsdPhysics.PrismaticJoint, joint.name + "_slide")
        parent = self.bodies[joint.parent]
        self._attach(slide, parent, helper, T_parent_joint, np.eye(4))
        slide.GetPrim().SetCustomDataByKey("neurok:helper", True)
        slide.CreateAxisAttr(token)
        limits = joint.slide
        if joint.kind == "screw":
            ends = (joint.pitch * joint.lower, joint.pitch * joint.upper) if joint.pitch else (0.0, 0.0)
            limits = min(ends), max(ends)
        _write_limits(slide, *limits, 1.0)
        if joint.kind == "cylindrical" and joint.damping:  # a screw is damped through its turn alone
            self._damp(slide.GetPrim(), float(joint.damping), "linear")
        return helper

    def _resist(self, prim: Usd.Prim, joint: Joint, turns: bool) -> None:
        """Damping as a drive without stiffness; the rest as our own attributes."""
        if joint.damping:
            per_unit = np.pi / 180.0 / self.thing.mesh.unit**2 if turns else 1.0  # N m s/rad in the stage's units
            self._damp(prim, float(joint.damping) * per_unit, "angular" if turns else "linear")
        stated = {"friction": joint.friction or None, "pitch": joint.pitch or None}
        for key, value in (stated | {"effort": joint.effort, "velocity": joint.velocity}).items():
            if value is not None:
                _write_own(prim, key, value)
        if joint.kind == "cylindrical":
            _write_own(prim, "slideLower", joint.slide[0])
            _write_own(prim, "slideUpper", joint.slide[1])

    @staticmethod
    def _damp(prim: Usd.Prim, damping: float, which: str) -> None:
        drive = UsdPhysics.DriveAPI.Apply(prim, which)
        drive.CreateTypeAttr("force")
        drive.CreateStiffnessAttr(0.0)
        drive.CreateTargetVelocityAttr(0.0)
        drive.CreateDampingAttr(damping)

    def _define(self, kind: type[UsdPhysics.Joint], name: str) -> UsdPhysics.Joint:
        joint = kind.Define(self.stage, self.scope.AppendChild(make_identifier(name, self.names)))
        joint.GetPrim().SetDisplayName(name)
        return joint

    def _attach(
        self, joint: UsdPhysics.Joint, parent: Usd.Prim | None, child: Usd.Prim, T_parent: Array, T_child: Array
    ) -> None:
        """Both bodies and the joint's frame in each."""
        if parent is not None:
            joint.CreateBody0Rel().SetTargets([parent.GetPath()])
        joint.CreateBody1Rel().SetTargets([child.GetPath()])
        joint.CreateLocalPos0Attr(Gf.Vec3f(*T_parent[:3, 3].tolist()))
        joint.CreateLocalRot0Attr(Gf.Quatf(*quaternion_from_matrix(T_parent[:3, :3]).tolist()))
        joint.CreateLocalPos1Attr(Gf.Vec3f(*T_child[:3, 3].tolist()))
        joint.CreateLocalRot1Attr(Gf.Quatf(*quaternion_from_matrix(T_child[:3, :3]).tolist()))


def _find_axis_token(axis: Array) -> tuple[str, Array]:
    """The axis as X, Y or Z, and the turn [4, 4] of the joint's frame that makes it so."""
    axis = np.asarray(axis, dtype=np.float64)
    for k, token in enumerate("XYZ"):
        if axis[k] == 1.0:
            return token, np.eye(4)
    if not axis.any():
        return "X", np.eye(4)
    x = axis / np.linalg.norm(axis)
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y /= np.linalg.norm(y)
    align = np.eye(4)
    align[:3, :3] = np.stack([x, y, np.cross(x, y)], axis=1)
    return "X", align


def _write_limits(prim: UsdPhysics.Joint, lower: float, upper: float, scale: float) -> None:
    if np.isfinite(lower):
        prim.CreateLowerLimitAttr(float(lower) * scale)
    if np.isfinite(upper):
        prim.CreateUpperLimitAttr(float(upper) * scale)


def _write_own(prim: Usd.Prim, key: str, value: float) -> None:
    prim.CreateAttribute(f"neurok:{key}", Sdf.ValueTypeNames.Double, True).Set(float(value))
