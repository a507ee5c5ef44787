"""Does every joint move a part, without driving it through another and without losing it?

Every joint is moved from rest to both ends of its range, with those that follow it; the others rest. Exclusions do not
count here: what a simulator is told to overlook is still seen. Penetrating and coming away are defined in
neurok/articulate/sweep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurok.articulate.check.criteria import TOLERANCE
from neurok.articulate.check.loading import load_unfused, name_body
from neurok.articulate.check.report import CheckReport
from neurok.articulate.check.shapes import BodyShapes, read_shapes
from neurok.articulate.check.sweeping import CoupledJoints, find_coupled_joints, find_ends, has_limits, name_joint
from neurok.articulate.sweep.trials import JointTrial, MovedPart, SweptObject, TrialFault, count_steps
from neurok.geometry.arrays import Array
from neurok.geometry.rigid import inverse


@dataclass(frozen=True)
class PassageTrial:
    """All that is needed to move the joints of a file: its model, its size [m], and what is shown and what collides."""

    model: Any
    size: float
    shapes: BodyShapes
    shown: SweptObject
    solid: SweptObject


def check_passage(
    path: Path, size: float, found: CheckReport, *, expect_moving: bool = False,
    progress: Callable[[float], None] | None = None,
) -> None:  # fmt: skip
    """Move every joint through its range: it must move something, keep it attached, and drive it through nothing."""
    model = load_unfused(path)
    shapes = read_shapes(path, model, size)
    trial = PassageTrial(
        model, size, shapes, SweptObject(shapes.shown, TOLERANCE), SweptObject(shapes.solid, TOLERANCE)
    )
    found.remarks.extend([shapes.remark] if shapes.remark else [])
    trains, moving = find_coupled_joints(model), 0
    for done, train in enumerate(trains):
        if progress is not None:
            progress(done / len(trains))
        if _moves_something(trial, train, found):
            moving += 1
            _note_floating(trial, train, found)
            for end in _list_ends(trial, train):
                _try_end(trial, train, end, found)
    found.figures["moving_joints"] = moving
    if not moving and (trains or expect_moving):
        found.faults.append(
            "it is said to have moving parts, and no joint moves one; "
            "add a joint with a range above a link with a surface, or make the joints fixed"
        )


def _moves_something(trial: PassageTrial, train: CoupledJoints, found: CheckReport) -> bool:
    """Whether every joint of a train has a range and a surface below it; what has not is a fault."""
    sound = True
    for joint in train.joints:
        name = name_joint(trial.model, joint)
        if has_limits(trial.model, joint) and not np.ptp(trial.model.jnt_range[joint]) > 1e-8:
            found.faults.append(
                f"'{name}' moves nothing, as its range is empty; widen the range or make the joint fixed"
            )
            sound = False
        elif not any(trial.shapes.shown[body] for body in _list_below(trial.model, joint)):
            body = name_body(trial.model, trial.model.jnt_bodyid[joint])
            found.faults.append(
                f"'{name}' moves nothing, as '{body}' and all below have no surface; "
                "give it one, or make the joint fixed"
            )
            sound = False
    return sound


def _note_floating(trial: PassageTrial, train: CoupledJoints, found: CheckReport) -> None:
    for joint in train.joints:
        if not trial.shown.find_contacts(_list_below(trial.model, joint)):
            body, name = name_body(trial.model, trial.model.jnt_bodyid[joint]), name_joint(trial.model, joint)
            found.remarks.append(
                f"'{body}' touches nothing at rest, so whether '{name}' takes it away from anything is not judged"
            )


def _list_below(model: Any, joint: int) -> frozenset[int]:
    """The body of a joint and all below it."""
    below = {int(model.jnt_bodyid[joint])}
    for body in range(1, model.nbody):  # parents come first
        if int(model.body_parentid[body]) in below:
            below.add(body)
    return frozenset(below)


def _describe_part(trial: PassageTrial, joint: int) -> MovedPart:
    """The bodies below a joint, and its axis where it is a hinge that is its body's only joint."""
    import mujoco

    model, below = trial.model, _list_below(trial.model, joint)
    if model.jnt_type[joint] != int(mujoco.mjtJoint.mjJNT_HINGE) or model.body_jntnum[model.jnt_bodyid[joint]] > 1:
        return MovedPart(below)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return MovedPart(below, (data.xanchor[joint] / trial.size, np.array(data.xaxis[joint])))


def _list_ends(trial: PassageTrial, train: CoupledJoints) -> list[float]:
    """Where a train goes from rest; once round where a turn has no limits, by the diagonal where a slide has none."""
    import mujoco

    leader = train.joints[0]
    rest = trial.model.qpos0[trial.model.jnt_qposadr[leader]]
    ends = find_ends(trial.model, train)
    turns = trial.model.jnt_type[leader] == int(mujoco.mjtJoint.mjJNT_HINGE)
    if turns and not np.isfinite(ends).any():
        return [float(rest + 2.0 * np.pi)]
    alone = 2.0 * np.pi if turns else trial.size
    ways = [end if np.isfinite(end) else rest + sign * alone for end, sign in zip(ends, (-1, 1))]
    return [float(end) for end in ways if abs(end - rest) > 1e-9]


def _try_end(trial: PassageTrial, train: CoupledJoints, end: float, found: CheckReport) -> None:
    """Move a train from rest to an end; only what begins first is said, the rest would mend itself with it."""
    rest = float(trial.model.qpos0[trial.model.jnt_qposadr[train.joints[0]]])
    steps = count_steps(trial.shapes.shown, _move_bodies(trial, train, np.linspace(rest, end, 9)))
    values = np.linspace(rest, end, steps + 1)
    motion = JointTrial(
        values, _move_bodies(trial, train, values), tuple(_describe_part(trial, joint) for joint in train.joints)
    )
    shown = trial.shown.find_faults(motion, TOLERANCE)
    cleared = [fault for fault in shown if not fault.detaches and _can_clear(trial, train, values, fault)]
    shown = [fault for fault in shown if fault not in cleared]
    if cleared:
        other = name_body(trial.model, cleared[0].pair[1])
        found.remarks.append(f"'{name_joint(trial.model, train.joints[0])}' is free once '{other}' is out of its way")
    if shown:
        more = f" (and {len(shown) - 1} more of its kind)" if len(shown) > 1 else ""
        found.faults.append(_describe_fault(trial, train, values, shown[0]) + more)
        return
    for fault in trial.solid.find_faults(motion, TOLERANCE)[:1]:
        if not fault.detaches:
            found.remarks.append(f"by its colliders alone, {_describe_fault(trial, train, values, fault)}")


def _can_clear(trial: PassageTrial, train: CoupledJoints, values: Array, fault: TrialFault) -> bool:
    """Whether another joint can take one of two bodies out of the other's way before: a door before a rack."""
    for other in find_coupled_joints(trial.model):
        below = [_list_below(trial.model, joint) for joint in other.joints]
        if other == train or sum(any(body in part for part in below) for body in fault.pair) != 1:
            continue
        for end in _list_ends(trial, other):
            opening = np.linspace(trial.model.qpos0[trial.model.jnt_qposadr[other.joints[0]]], end, 100)
            motions = np.concatenate(
                [_move_bodies(trial, other, opening), _move_bodies(trial, train, values, held=(other, end))]
            )
            if not np.any(trial.shown.measure_pair(fault.pair, motions) > TOLERANCE):
                return True
    return False


def _describe_fault(trial: PassageTrial, train: CoupledJoints, values: Array, fault: TrialFault) -> str:
    import mujoco

    joint = train.joints[0]
    name, turns = name_joint(trial.model, joint), trial.model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_HINGE)
    unit = "rad" if turns else "m"
    one = name_body(trial.model, fault.pair[0])
    stop = f"{values[fault.contact]:.4g} {unit}"
    if fault.detaches:
        return (
            f"'{name}' at {values[fault.step]:.4g} {unit} takes '{one}' away from all that it touched at rest; "
            f"end its range at {stop}"
        )
    other = name_body(trial.model, fault.pair[1])
    return (
        f"'{name}' at {values[fault.worst]:.4g} {unit} drives '{one}' into '{other}' by {fault.depth:.1%} of the "
        f"diagonal; end its range at {stop}, or correct its axis"
    )


def _move_bodies(
    trial: PassageTrial, train: CoupledJoints, values: Array, *, held: tuple[CoupledJoints, float] | None = None
) -> Array:
    """The motions of all bodies from rest at values of the leader, in diagonals, [k, bodies, 4, 4].

    held: other joints, and the value of the one that leads them.
    """
    import mujoco

    data = mujoco.MjData(trial.model)
    mujoco.mj_kinematics(trial.model, data)
    back = inverse(_read_poses(trial.model, data))
    motions = np.zeros((len(values), trial.model.nbody, 4, 4))
    for step, value in enumerate(values):
        for joints, at in ((train, float(value)), *([held] if held else [])):
            places = trial.model.jnt_qposadr[list(joints.joints)]
            data.qpos[places] = np.asarray(joints.rates) * at + np.asarray(joints.offsets)
            data.qpos[places[0]] = at
        mujoco.mj_kinematics(trial.model, data)
        motions[step] = _read_poses(trial.model, data) @ back
    motions[..., :3, 3] /= trial.size
    return motions


def _read_poses(model: Any, data: Any) -> Array:
    T = np.tile(np.eye(4), (model.nbody, 1, 1))
    T[:, :3, :3], T[:, :3, 3] = np.array(data.xmat).reshape(-1, 3, 3), data.xpos
    return T
