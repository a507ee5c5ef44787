"""check: does a simulator's file do what it says? Loads it in MuJoCo, drops it, sweeps every joint, weighs it.

At rest, no two links that a joint does not connect may lie deeper in each other than DEPTH of the diagonal; let go
without gravity, with all joints locked, the base may not drift; dropped on the ground, no number may run away; every
limit must be reached by a force along its joint; and the mass must be that of the surfaces' links as the file states
it.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from neurok.errors import InputError, MissingExtra
from neurok.geometry.mesh import Array

# Lengths are shares of the diagonal.
DEPTH = 0.01
DRIFT = 1e-3  # [m] of the base in SECONDS with the joints locked
SECONDS = 2.0
MASS = 0.01  # relative
RUNAWAY = 1e3  # diagonals a second, or radians: no part of an object moves like that
REACHED = 0.02  # of a range, or LEAST_* where that is more
LEAST_TURN, LEAST_SLIDE = 0.01, 2e-3  # [rad], diagonals
PUSH_SECONDS = 3.0
LIFT = 0.02  # of the diagonal: how high over the ground it is let go
DENSITIES = (1.0, 30_000.0)  # [kg/m^3] of a link's hull, outside of which a mass is wrong
LIGHT, HEAVY = 1e-6, 1e5  # [kg]


@dataclass(frozen=True)
class Check:
    """What was found: faults are reasons to fail, remarks are worth knowing, figures are for scripts."""

    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.faults


def check(path: str | Path) -> Check:
    """Load a .urdf or .xml (MJCF) file in MuJoCo and try it out."""
    model = load(Path(path))
    found = Check()
    _weigh(model, Path(path), found)
    size = diagonal(model)
    _settle(freed(Path(path)), found)
    _overlaps(model, found)
    _drop(freed(Path(path), ground=_lowest(model) - LIFT * size), size, found)
    for joint in range(model.njnt):
        _sweep(model, joint, found)
    if model.opt.disableflags & _contacts_off():
        found.remarks.append(
            "the file switches contacts off in MuJoCo, so nothing there rests on a ground; MJCF need not"
        )
    return found


def _contacts_off() -> int:
    import mujoco

    return int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


def load(path: Path) -> Any:
    """The model as MuJoCo compiles it."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("checking a file in MuJoCo", "articulate") from None
    if path.suffix.lower() not in (".urdf", ".xml"):
        raise InputError(f"{path.name} is not a file MuJoCo reads", "give a .urdf or an .xml (MJCF) file")
    if not path.is_file():
        raise InputError(f"there is no file {path}", "check the path")
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError) as fault:
        reason = " ".join(str(fault).split())
        raise InputError(
            f"MuJoCo cannot load {path.name} ({reason[:300]})", "mend the file, or export it again"
        ) from None
    if model.nbody < 2:
        raise InputError(f"{path.name} holds no bodies", "give a file with links")
    return model


def freed(path: Path, *, ground: float | None = None) -> Any:
    """The model with nothing holding its roots in the world, over a ground at a height [m] where one is wanted."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    for body in spec.worldbody.bodies:
        if not any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in body.joints):
            if body.joints:  # a joint of its own to the world: it is free along that alone
                continue
            body.add_freejoint()
    if ground is not None:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, ground])
    return spec.compile()


def diagonal(model: Any) -> float:
    """Of the box around all geometry at rest [m]."""
    points = _points(model)
    return (float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 1.0) or 1.0


def _lowest(model: Any) -> float:
    """The height of the lowest point at rest [m]."""
    points = _points(model)
    return float(points[:, 2].min()) if len(points) else 0.0


def _points(model: Any) -> Array:
    """Points that bound all geometry at rest [m], [n, 3]."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return np.concatenate([np.zeros((0, 3)), *(_geom_points(model, data, geom) for geom in range(model.ngeom))])


def _geom_points(model: Any, data: Any, geom: int) -> Array:
    """Points that bound a geom, in the world [m], [n, 3]."""
    import mujoco

    R, t = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
    if model.geom_type[geom] == int(mujoco.mjtGeom.mjGEOM_MESH):
        mesh = model.geom_dataid[geom]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        return model.mesh_vert[start : start + count] @ R.T + t
    reach = model.geom_rbound[geom]
    return t + np.array([[-reach] * 3, [reach] * 3])


# ---------------------------------------------------------------- masses


def _weigh(model: Any, path: Path, found: Check) -> None:
    """Masses are finite, plausible for the links' volumes, and those the file states."""
    mass = np.array(model.body_mass[1:])
    names = [_name(model, body) for body in range(1, model.nbody)]
    found.figures["mass"] = float(mass.sum())
    stated = _stated_mass(path)
    if stated is not None and not abs(mass.sum() - stated) <= MASS * stated:
        found.faults.append(f"MuJoCo weighs it at {mass.sum():.4g} kg, and the file states {stated:.4g} kg")
    if not LIGHT <= mass.sum() <= HEAVY:
        found.faults.append(f"the whole weighs {mass.sum():.3g} kg")
    volumes = _volumes(model)
    for body, (name, weight) in enumerate(zip(names, mass), start=1):
        if volumes[body] > 0 and weight > 0:
            density = weight / volumes[body]
            if not DENSITIES[0] <= density <= DENSITIES[1]:
                found.faults.append(f"'{name}' weighs {weight:.3g} kg, {density:.3g} kg for a cubic metre of its hull")
    if len(mass) > 2 and np.ptp(mass) == 0.0 and len({round(float(v), 9) for v in volumes[1:]}) > 1:
        found.faults.append(f"every link weighs {mass[0]:.4g} kg, whatever its size")
    for body in range(1, model.nbody):
        moments = np.sort(model.body_inertia[body])
        if model.body_mass[body] > 0 and (moments[0] <= 0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-6)):
            found.faults.append(f"the inertia of '{names[body - 1]}' is that of no body")


def _volumes(model: Any) -> Array:
    """Volume of the colliders of each body [m^3], [bodies]."""
    import mujoco

    volumes = np.zeros(model.nbody)
    for geom in range(model.ngeom):
        if model.geom_contype[geom] and model.geom_type[geom] == int(mujoco.mjtGeom.mjGEOM_MESH):
            mesh = model.geom_dataid[geom]
            start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            volumes[model.geom_bodyid[geom]] += _hull_volume(np.array(model.mesh_vert[start : start + count]))
    return volumes


def _hull_volume(points: Array) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(points).volume)
    except QhullError:  # flat: no volume to compare a mass with
        return 0.0


def _stated_mass(path: Path) -> float | None:
    """The sum of the masses in the file; None where MuJoCo has to find some of them itself."""
    root = ET.parse(path).getroot()
    if root.tag == "robot":
        masses = [element.get("value") for element in root.iter("mass")]
    else:
        masses = [element.get("mass") for element in root.iter("inertial")]
        if len(masses) != len(list(root.iter("body"))):
            return None
    return sum(map(float, masses)) if masses and None not in masses else None


def _name(model: Any, body: int) -> str:
    import mujoco

    return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or f"body {body}"


# ---------------------------------------------------------------- rest


def _settle(model: Any, found: Check) -> None:
    """With the joints locked and no gravity, nothing drives the free base: it may not drift."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    moving = [joint for joint in range(model.njnt) if model.jnt_type[joint] != int(mujoco.mjtJoint.mjJNT_FREE)]
    held = np.array([model.jnt_dofadr[joint] for joint in moving], dtype=int)
    qpos = np.array([model.jnt_qposadr[joint] for joint in moving], dtype=int)
    gravity, flags = np.array(model.opt.gravity), model.opt.disableflags
    model.opt.gravity[:] = 0.0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)  # a locked joint is not driven into its range
    start, at = np.array(data.xpos), np.array(data.qpos)
    try:
        for _ in range(int(SECONDS / model.opt.timestep)):
            data.qpos[qpos], data.qvel[held] = at[qpos], 0.0
            mujoco.mj_step(model, data)
            if not np.isfinite(data.qpos).all():
                break
        data.qpos[qpos] = at[qpos]
        mujoco.mj_kinematics(model, data)
    finally:
        model.opt.gravity[:], model.opt.disableflags = gravity, flags
    drift = float(np.linalg.norm(data.xpos[1] - start[1])) if np.isfinite(data.xpos).all() else np.inf
    found.figures["base_drift"] = drift
    if not drift < DRIFT:
        found.faults.append(f"with its joints locked the base drifts {1e3 * drift:.3g} mm in {SECONDS:g} s")


def _overlaps(model: Any, found: Check) -> None:
    """How deep links without a joint between them lie in each other at rest."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    size = diagonal(model)
    depth, pair = _deepest(model, data, size)
    found.figures["penetration"] = depth / size
    if depth > DEPTH * size:
        found.faults.append(f"at rest '{pair[0]}' and '{pair[1]}' penetrate by {depth / size:.1%} of the diagonal")


def _deepest(model: Any, data: Any, size: float) -> tuple[float, tuple[str, str]]:
    """The greatest depth [m] between colliders of links that no joint connects, and their names."""
    import mujoco

    solid = np.flatnonzero((model.geom_contype != 0) & (model.geom_bodyid > 0))
    first, second = solid[np.stack(np.triu_indices(len(solid), 1))]
    weld, above = model.body_weldid, _carriers(model, solid)
    a, b = weld[model.geom_bodyid[first]], weld[model.geom_bodyid[second]]
    joined = (a == b) | (above[a] == b) | (above[b] == a)
    apart = np.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1)
    near = np.flatnonzero(~joined & (apart < model.geom_rbound[first] + model.geom_rbound[second]))
    worst, names = 0.0, ("", "")
    for pair in near:
        one, other = int(first[pair]), int(second[pair])
        depth = -mujoco.mj_geomDistance(model, data, one, other, 0.01 * size, None)
        if depth > worst:
            worst, names = depth, (_name(model, model.geom_bodyid[one]), _name(model, model.geom_bodyid[other]))
    return worst, names


def _carriers(model: Any, solid: Array) -> Array:
    """The body above each body, [bodies]: welded ones are one, those without colliders (a screw's helper) no one."""
    weld, own = model.body_weldid, set(model.body_weldid[model.geom_bodyid[solid]].tolist())
    found = np.zeros(model.nbody, dtype=int)
    for body in range(1, model.nbody):
        above = weld[model.body_parentid[weld[body]]]
        while above > 0 and above not in own:
            above = weld[model.body_parentid[above]]
        found[body] = above
    return found


# ---------------------------------------------------------------- motion


def _drop(model: Any, size: float, found: Check) -> None:
    """Dropped on the ground for two seconds: no number may run away."""
    import mujoco

    data = mujoco.MjData(model)
    fastest = 0.0
    for _ in range(int(SECONDS / model.opt.timestep)):
        mujoco.mj_step(model, data)
        fastest = max(fastest, _speed(model, data))
        if not np.isfinite(data.qpos).all() or fastest > RUNAWAY * max(size, 1.0):
            break
    unstable = sum(int(data.warning[kind].number) for kind in _run_away())
    found.figures["fastest"] = fastest
    if unstable or not np.isfinite(fastest) or fastest > RUNAWAY * max(size, 1.0):
        found.faults.append(f"dropped, it explodes (a joint reaches {fastest:.3g} rad/s or m/s)")


def _speed(model: Any, data: Any) -> float:
    return float(np.abs(data.qvel).max(initial=0.0))


def _run_away() -> tuple[int, ...]:
    """The warnings by which MuJoCo says that its numbers are no numbers any more."""
    import mujoco

    kinds = mujoco.mjtWarning
    return int(kinds.mjWARN_BADQPOS), int(kinds.mjWARN_BADQVEL), int(kinds.mjWARN_BADQACC)


def _sweep(model: Any, joint: int, found: Check) -> None:
    """Push one joint to each of its limits, the others held, and see whether it gets there."""
    import mujoco

    kind = int(model.jnt_type[joint])
    if kind not in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)) or not model.jnt_limited[joint]:
        return
    name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint) or f"joint {joint}"
    lower, upper = model.jnt_range[joint]
    size = diagonal(model)
    if upper - lower < 1e-6:
        found.remarks.append(f"'{name}' has no range")
        return
    slack = max(
        REACHED * (upper - lower), LEAST_TURN if kind == int(mujoco.mjtJoint.mjJNT_HINGE) else LEAST_SLIDE * size
    )
    for end in (lower, upper):
        led = _led_to(model, joint, end)
        reached, depth, pair = _pushed(model, joint, end, size) if led is None else (led, 0.0, ("", ""))
        if not np.isfinite(reached):
            found.faults.append(f"'{name}' explodes when it is pushed")
        elif abs(reached - end) > slack:
            found.faults.append(f"'{name}' stops at {reached:.4g} and never reaches its limit {end:.4g}")
        elif depth > DEPTH * size:
            remark = f"at {end:.4g} '{name}' brings '{pair[0]}' into '{pair[1]}' by {depth / size:.1%} of the diagonal"
            found.remarks.append(remark)


def _led_to(model: Any, joint: int, end: float) -> float | None:
    """Where the joint that a tied one follows takes it, on its own way towards an end; None for one that is not tied.

    A screw turns and so goes forward; nobody pushes it forward to make it turn. The leader is pushed by itself.
    """
    import mujoco

    ties = (model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)) & (model.eq_obj1id == joint) & (model.eq_obj2id >= 0)
    for tie in np.flatnonzero(ties):
        offset, rate = model.eq_data[tie, :2]  # value = offset + rate * leader
        leader = int(model.eq_obj2id[tie])
        if not model.jnt_limited[leader]:
            return end if rate else float(offset)
        return float(np.clip(end, *sorted(offset + rate * model.jnt_range[leader])))
    return None


def _pushed(model: Any, joint: int, end: float, size: float) -> tuple[float, float, tuple[str, str]]:
    """Where a joint comes to under a force towards one end, gravity off; and what then penetrates what."""
    import mujoco

    data = mujoco.MjData(model)
    gravity = np.array(model.opt.gravity)
    model.opt.gravity[:] = 0.0
    place, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    at = np.array(data.qpos)
    others = [k for k in range(model.njnt) if k != joint and model.jnt_type[k] != int(mujoco.mjtJoint.mjJNT_FREE)]
    tied = bool(model.neq)
    try:
        mujoco.mj_forward(model, data)
        unit, column = np.eye(model.nv)[dof], np.zeros(model.nv)
        mujoco.mj_mulM(model, data, column, unit)
        inertia = float(column[dof])
        way = end - at[place]
        # As strong as it takes to cover the range in a third of the time against the joint's own resistance.
        force = 18.0 * inertia * way / PUSH_SECONDS**2 + model.dof_damping[dof] * 3.0 * way / PUSH_SECONDS
        force += np.sign(way) * (1.5 * model.dof_frictionloss[dof] + 1e-9)
        steps = int(PUSH_SECONDS / model.opt.timestep)
        for _ in range(steps):
            data.qfrc_applied[dof] = force
            mujoco.mj_step(model, data)
            if not tied:
                for other in others:
                    data.qpos[model.jnt_qposadr[other]] = at[model.jnt_qposadr[other]]
                    data.qvel[model.jnt_dofadr[other]] = 0.0
            if not np.isfinite(data.qpos[place]):
                return np.inf, 0.0, ("", "")
            if (data.qpos[place] - end) * np.sign(way) >= 0.0:
                break
        reached = float(data.qpos[place])
        mujoco.mj_forward(model, data)
        depth, pair = _deepest(model, data, size)
        return reached, depth, pair
    finally:
        model.opt.gravity[:] = gravity
