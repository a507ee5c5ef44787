"""What others read in an exported object: pxr in USD against MuJoCo in MJCF, PyBullet in URDF, trimesh in meshes.

Each reads the file by itself; nothing of ours stands between the file and the comparison.
"""

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation

CLOSE = 1e-4  # of the diagonal, of a range, or relative: USD holds single precision
SECONDS = 2.0
FAST = 100.0  # [rad/s or m/s]: nothing that rests moves like that


# ---------------------------------------------------------------- USD and MJCF


def usd_against_mjcf(usd: Path, mjcf: Path) -> list[str]:
    """Where masses, centres, inertias, joints, axes, anchors, limits and damping of the two files differ."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(mjcf))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    stage = _Stage(usd)
    size = max(float(np.ptp(data.xipos[1:], axis=0).max(initial=0.0)), float(model.stat.extent), 1e-9)
    return [*_mass_differences(model, data, stage, size), *_joint_differences(model, data, stage, size)]


class _Stage:
    """Bodies and joints of a stage in metres, z up."""

    def __init__(self, path: Path) -> None:
        from pxr import Usd, UsdGeom, UsdPhysics

        self.stage = Usd.Stage.Open(str(path))
        self.unit = UsdGeom.GetStageMetersPerUnit(self.stage)
        self.kilograms = UsdPhysics.GetStageKilogramsPerUnit(self.stage)
        self.turn = np.eye(3)
        if UsdGeom.GetStageUpAxis(self.stage) == UsdGeom.Tokens.y:
            self.turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
        cache = UsdGeom.XformCache()
        self.bodies, self.helpers, self.joints, self.pose = {}, [], {}, {}
        for prim in self.stage.Traverse():
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                matrix = np.array(cache.GetLocalToWorldTransform(prim)).T
                self.pose[prim.GetPath()] = matrix
                helper = bool(prim.GetCustomDataByKey("neurok:helper"))
                self.helpers.append(prim) if helper else self.bodies.update({prim.GetDisplayName(): prim})
            if prim.IsA(UsdPhysics.Joint):
                self.joints[prim.GetDisplayName()] = prim

    def inertia(self, prim: Any) -> tuple[float, Array, Array]:
        """Mass [kg], centre [m] and tensor [kg m^2] in the world."""
        from pxr import UsdPhysics

        api = UsdPhysics.MassAPI(prim)
        T = self.pose[prim.GetPath()]
        axes = self.turn @ T[:3, :3] @ _matrix(api.GetPrincipalAxesAttr().Get())
        centre = T[:3, :3] @ np.array(api.GetCenterOfMassAttr().Get()) + T[:3, 3]
        moments = np.array(api.GetDiagonalInertiaAttr().Get()) * self.unit**2 * self.kilograms
        return api.GetMassAttr().Get() * self.kilograms, self.turn @ centre * self.unit, axes * moments @ axes.T

    def frame(self, prim: Any) -> tuple[Array, Array]:
        """A joint's place [m] and frame [3, 3] in the world, as the parent has it."""
        from pxr import UsdPhysics

        joint = UsdPhysics.Joint(prim)
        parents = joint.GetBody0Rel().GetTargets()
        T = self.pose[parents[0]] if parents else np.eye(4)
        place = T[:3, :3] @ np.array(joint.GetLocalPos0Attr().Get()) + T[:3, 3]
        return self.turn @ place * self.unit, self.turn @ T[:3, :3] @ _matrix(joint.GetLocalRot0Attr().Get())


def _matrix(quaternion: Any) -> Array:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat([*quaternion.GetImaginary(), quaternion.GetReal()]).as_matrix()


def _mass_differences(model: Any, data: Any, stage: _Stage, size: float) -> list[str]:
    faults = []
    names = {model.body(i).name for i in range(1, model.nbody)}
    if names != set(stage.bodies):
        return [f"USD has other bodies than MJCF: {sorted(names ^ set(stage.bodies))}"]
    for name, prim in stage.bodies.items():
        body = model.body(name).id
        mass, centre, tensor = stage.inertia(prim)
        R = data.ximat[body].reshape(3, 3)
        theirs = R * model.body_inertia[body] @ R.T
        if not abs(mass - model.body_mass[body]) <= CLOSE * model.body_mass[body]:
            faults.append(f"USD weighs '{name}' at {mass:.6g} kg, MJCF at {model.body_mass[body]:.6g} kg")
        if not np.abs(centre - data.xipos[body]).max() <= CLOSE * size:
            faults.append(f"USD has the centre of '{name}' elsewhere than MJCF")
        if not np.abs(tensor - theirs).max() <= CLOSE * np.abs(theirs).max() + 1e-12:
            faults.append(f"USD has another inertia of '{name}' than MJCF")
    light = sum(stage.inertia(prim)[0] for prim in stage.helpers)
    if not light <= CLOSE * model.body_mass.sum():
        faults.append(f"helpers in USD weigh {light:.3g} kg")
    return faults


def _joint_differences(model: Any, data: Any, stage: _Stage, size: float) -> list[str]:
    import mujoco

    faults, moving = [], {}
    for index in range(model.njnt):
        if model.jnt_type[index] != int(mujoco.mjtJoint.mjJNT_FREE):
            moving[model.joint(index).name] = index
    theirs = {name for name, prim in stage.joints.items() if prim.GetTypeName() != "PhysicsFixedJoint"}
    if set(moving) != theirs:
        return [f"USD has other joints than MJCF: {sorted(set(moving) ^ theirs)}"]
    for name, index in moving.items():
        faults += _one_joint(model, data, stage, size, name, index)
    free = any(model.jnt_type[i] == int(mujoco.mjtJoint.mjJNT_FREE) for i in range(model.njnt))
    held = any(prim.GetCustomDataByKey("neurok:anchor") for prim in stage.joints.values())
    return faults + (["one of USD and MJCF holds the base, the other does not"] if free == held else [])


def _one_joint(model: Any, data: Any, stage: _Stage, size: float, name: str, index: int) -> list[str]:
    from pxr import UsdPhysics

    prim, faults = stage.joints[name], []
    slides = prim.IsA(UsdPhysics.PrismaticJoint)
    joint = (UsdPhysics.PrismaticJoint if slides else UsdPhysics.RevoluteJoint)(prim)
    place, frame = stage.frame(prim)
    axis = frame[:, "XYZ".index(joint.GetAxisAttr().Get())]
    if not np.abs(axis - data.xaxis[index]).max() <= CLOSE:
        faults.append(f"'{name}' has another axis in USD than in MJCF")
    apart = place - data.xanchor[index]
    if not slides and not np.linalg.norm(apart - (apart @ axis) * axis) <= CLOSE * size:
        faults.append(f"'{name}' turns elsewhere in USD than in MJCF")
    scale = stage.unit if slides else np.pi / 180.0
    lower, upper = (attribute.Get() * scale for attribute in (joint.GetLowerLimitAttr(), joint.GetUpperLimitAttr()))
    coupled = index in model.eq_obj1id
    if not coupled:
        ours = model.jnt_range[index] if model.jnt_limited[index] else (-np.inf, np.inf)
        slack = CLOSE * max(1.0, size)
        same = all(a == b or abs(a - b) <= slack or max(abs(a), abs(b)) > 1e5 for a, b in zip((lower, upper), ours))
        if not same:
            faults.append(
                f"'{name}' goes from {lower:.5g} to {upper:.5g} in USD, {ours[0]:.5g} to {ours[1]:.5g} in MJCF"
            )
    drive = UsdPhysics.DriveAPI(prim, "linear" if slides else "angular")
    damping = drive.GetDampingAttr().Get() if drive else 0.0
    damping *= stage.kilograms * (1.0 if slides else stage.unit**2 * 180.0 / np.pi)
    expected = float(model.dof_damping[model.jnt_dofadr[index]])
    if not coupled and not abs(damping - expected) <= CLOSE * expected + 1e-12:
        faults.append(f"'{name}' is damped by {damping:.5g} in USD, by {expected:.5g} in MJCF")
    return faults


# ---------------------------------------------------------------- PyBullet


def pybullet_opinion(urdf: Path, mjcf: Path) -> list[str]:
    """What is wrong with a URDF in PyBullet: it must load, weigh, limit and place links as MuJoCo does, and rest."""
    import pybullet

    with standard_output() as said:
        client = pybullet.connect(pybullet.DIRECT)
        try:
            faults = _in_bullet(pybullet, client, urdf, mjcf)
        finally:
            pybullet.disconnect(client)
    return faults + [f"PyBullet says: {line}" for line in said if "error" in line.lower() or "fail" in line.lower()]


def _in_bullet(p: Any, client: int, urdf: Path, mjcf: Path) -> list[str]:
    import mujoco

    try:
        body = p.loadURDF(str(urdf), useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client)
    except p.error as fault:
        return [f"PyBullet refuses it: {fault}"]
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    data = mujoco.MjData(model)
    infos = [
        p.getJointInfo(body, i, physicsClientId=client) for i in range(p.getNumJoints(body, physicsClientId=client))
    ]
    moving = [info for info in infos if info[2] != p.JOINT_FIXED]
    faults, known = [], {model.joint(i).name: i for i in range(model.njnt)}
    if {info[1].decode() for info in moving} != set(known):
        return [f"PyBullet finds other joints: {sorted({i[1].decode() for i in moving} ^ set(known))}"]
    for info in moving:
        index = known[info[1].decode()]
        if model.jnt_limited[index] and index not in model.eq_obj1id:
            if not np.allclose(info[8:10], model.jnt_range[index], rtol=1e-5, atol=1e-6):
                faults.append(
                    f"PyBullet limits '{info[1].decode()}' to {info[8:10]}, MuJoCo to {model.jnt_range[index]}"
                )
        value = 0.5 * float(sum(model.jnt_range[index])) if model.jnt_limited[index] else 0.3
        if index not in model.eq_obj1id:
            data.qpos[model.jnt_qposadr[index]] = value
    for row in range(model.neq):  # value = offset + multiplier * leader
        leader = data.qpos[model.jnt_qposadr[model.eq_obj2id[row]]]
        data.qpos[model.jnt_qposadr[model.eq_obj1id[row]]] = model.eq_data[row, 0] + model.eq_data[row, 1] * leader
    mujoco.mj_forward(model, data)
    for info in moving:
        value = float(data.qpos[model.jnt_qposadr[known[info[1].decode()]]])
        p.resetJointState(body, info[0], value, 0.0, physicsClientId=client)
        p.setJointMotorControl2(body, info[0], p.VELOCITY_CONTROL, force=0.0, physicsClientId=client)
    faults += _placed_alike(p, client, body, infos, model, data)
    return faults + _rests(p, client, body, moving)


def _placed_alike(p: Any, client: int, body: int, infos: list, model: Any, data: Any) -> list[str]:
    """Masses and frames of the links at a state with every joint in the middle."""
    faults, size = [], float(model.stat.extent)
    names = {model.body(i).name for i in range(1, model.nbody)}
    for info in infos:
        name = info[12].decode()
        if name not in names:
            continue  # a helper of ours
        mass = p.getDynamicsInfo(body, info[0], physicsClientId=client)[0]
        if not abs(mass - model.body(name).mass[0]) <= 1e-3 * mass + 1e-9:
            faults.append(f"PyBullet weighs '{name}' at {mass:.6g} kg, MuJoCo at {model.body(name).mass[0]:.6g} kg")
        state = p.getLinkState(body, info[0], computeForwardKinematics=True, physicsClientId=client)
        far = float(np.abs(np.array(state[4]) - data.body(name).xpos).max())
        turned = np.array(p.getMatrixFromQuaternion(state[5])) - data.body(name).xmat
        if not far <= 1e-3 * size or not np.abs(turned).max() <= 1e-3:
            faults.append(f"PyBullet puts '{name}' elsewhere than MuJoCo, by {far / size:.2%} of the extent")
    return faults


def _rests(p: Any, client: int, body: int, moving: list) -> list[str]:
    """Let go under gravity: no joint may run away or leave its limits."""
    p.setGravity(0, 0, -9.81, physicsClientId=client)
    for _ in range(int(SECONDS * 240)):
        p.stepSimulation(physicsClientId=client)
    for info in moving:
        place, speed = p.getJointState(body, info[0], physicsClientId=client)[:2]
        if not np.isfinite(place) or not abs(speed) < FAST:
            return [f"in PyBullet '{info[1].decode()}' runs away ({speed:.3g} rad/s or m/s)"]
    return []


# ---------------------------------------------------------------- masses


def mass_opinion(thing: Articulation, masses: list[float], density: float, shell: float) -> list[str]:
    """Links of an object [m] whose mass is not density times the volume, or area times shell, that trimesh finds.

    Where the whole is watertight, a link cut out of it is weighed with its rims closed.
    """
    import trimesh

    whole = trimesh.Trimesh(thing.mesh.vertices, thing.mesh.faces, process=False)
    whole.merge_vertices(merge_tex=True, merge_norm=True)
    face_link = np.asarray(thing.vertex_link)[thing.mesh.faces[:, 0]]
    faults = []
    for index, link in enumerate(thing.links):
        faces = thing.mesh.faces[face_link == index]
        if not len(faces):
            continue
        solid = trimesh.Trimesh(thing.mesh.vertices * thing.mesh.unit, faces, process=False)
        solid.remove_unreferenced_vertices()
        solid.merge_vertices(merge_tex=True, merge_norm=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a sheet has no centre of volume
            filled = _with_closed_rims(solid) if whole.is_watertight else solid
            either = (density * abs(filled.volume), density * shell * solid.area)
        if not min(abs(masses[index] - mass) / max(mass, 1e-9) for mass in either) <= 0.01:
            faults.append(
                f"'{link.name}' weighs {masses[index]:.5g} kg; as a solid {either[0]:.5g}, as a shell {either[1]:.5g}"
            )
    return faults


def _with_closed_rims(piece: Any) -> Any:
    """A trimesh, a piece of a watertight one, each of its rims closed by a fan about the mean of the rim's corners."""
    import trimesh

    rim = piece.edges[trimesh.grouping.group_rows(piece.edges_sorted, require_count=1)]
    corners, faces = list(piece.vertices), list(piece.faces)
    for loop in trimesh.graph.connected_components(rim):
        faces += [(end, start, len(corners)) for start, end in rim[np.isin(rim[:, 0], loop)]]
        corners.append(piece.vertices[loop].mean(axis=0))
    return trimesh.Trimesh(corners, faces, process=False)


@contextmanager
def standard_output() -> Iterator[list[str]]:
    """The lines that anything in this process, C++ included, writes to standard output and error meanwhile."""
    lines: list[str] = []
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 1)
        os.dup2(caught.fileno(), 2)
        try:
            yield lines
        finally:
            for number, saved in enumerate(kept, start=1):
                os.dup2(saved, number)
                os.close(saved)
            caught.seek(0)
            lines += caught.read().decode(errors="replace").splitlines()
