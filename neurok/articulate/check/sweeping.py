"""Does every joint reach its limits?

A joint that follows another is not pushed by itself: a screw turns and so goes forward, nobody pushes it forward to
make it turn. Its leader is pushed, all that follows is watched, and each must come to its own limits. Going along with
a joint's speed v, the followers' are u v; the push then has to move the inertia u' M u against the damping u' D u and
the friction |u|' f of them all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurok.articulate.check.criteria import MAX_LIMIT, RANGE_TOLERANCE, TRIAL_SECONDS
from neurok.articulate.check.report import CheckReport
from neurok.geometry.arrays import Array


@dataclass(frozen=True)
class CoupledJoints:
    """A joint that leads, those that go with it (itself first), and how fast each goes when it goes at 1."""

    joints: tuple[int, ...]
    rates: tuple[float, ...]
    offsets: tuple[float, ...]


@dataclass(frozen=True)
class LimitGoal:
    """Where a push should bring a joint [rad or m], whether that is up (1) or down (-1), and what it may lack."""

    joint: int
    end: float
    up: int
    slack: float


def check_limits(model: Any, found: CheckReport, progress: Callable[[float], None] | None = None) -> None:
    """Push every joint that leads to both ends, the others held; all that goes with it should reach its limits."""
    every = find_coupled_joints(model)
    for done, train in enumerate(every):
        if progress is not None:
            progress(done / len(every))
        lower, upper = find_ends(model, train)
        for end, up in ((lower, False), (upper, True)):
            goals = _list_goals(model, train, up)
            if goals and np.isfinite(end):
                _push_joints(model, train, end, goals, found)


def _push_joints(model: Any, train: CoupledJoints, end: float, goals: list[LimitGoal], found: CheckReport) -> None:
    reached = _simulate_push(model, train, end, goals)
    name = name_joint(model, train.joints[0])
    if not np.isfinite(reached).all():
        found.faults.append(f"'{name}' explodes when it is pushed")
        return
    for goal, value in zip(goals, reached):
        if (goal.end - value) * goal.up > goal.slack:
            stops = f"'{name_joint(model, goal.joint)}' stops at {value:.4g} and never reaches its limit {goal.end:.4g}"
            found.faults.append(stops if goal.joint == train.joints[0] else f"led by '{name}', {stops}")


# ---------------------------------------------------------------- which joints go together


def find_coupled_joints(model: Any) -> list[CoupledJoints]:
    """Every hinge or slide that follows none, with all that follow it, directly or by way of others."""
    import mujoco

    simple = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    leader: dict[int, tuple[int, float, float]] = {}
    for tie in np.flatnonzero((model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)) & (model.eq_active0 != 0)):
        offset, rate = model.eq_data[tie, :2]  # value = offset + rate * leader
        if model.eq_obj2id[tie] >= 0:
            leader[int(model.eq_obj1id[tie])] = (int(model.eq_obj2id[tie]), float(rate), float(offset))
    members: dict[int, list[tuple[int, float, float]]] = {}
    for joint in (j for j in range(model.njnt) if model.jnt_type[j] in simple):
        top, rate, offset, seen = joint, 1.0, 0.0, {joint}
        while top in leader and leader[top][0] not in seen:
            above, factor, shift = leader[top]
            top, rate, offset = above, rate * factor, offset + rate * shift
            seen.add(top)
        members.setdefault(top, []).append((joint, rate, offset))
    found = []
    for top, rows in sorted(members.items()):
        ordered = sorted(rows, key=lambda row: row[0] != top)  # itself first
        found.append(CoupledJoints(*(tuple(column) for column in zip(*ordered))))
    return found


def find_ends(model: Any, train: CoupledJoints) -> tuple[float, float]:
    """How far the leader goes: to its own limits; where it has none, to the nearest of those that follow it."""
    lower, upper = -np.inf, np.inf
    for joint, rate, offset in zip(train.joints[1:], train.rates[1:], train.offsets[1:]):
        if has_limits(model, joint) and rate:
            low, high = sorted((model.jnt_range[joint] - offset) / rate)
            lower, upper = max(lower, low), min(upper, high)
    if has_limits(model, train.joints[0]):
        own = [_unbound_limit(end) for end in model.jnt_range[train.joints[0]]]
        lower, upper = (mine if np.isfinite(mine) else end for mine, end in zip(own, (lower, upper)))
    return _unbound_limit(lower), _unbound_limit(upper)


def _list_goals(model: Any, train: CoupledJoints, up: bool) -> list[LimitGoal]:
    """The limits that come nearer when the leader moves up, or down."""

    goals = []
    for joint, rate in zip(train.joints, train.rates):
        lower, upper = model.jnt_range[joint]
        rises = (rate >= 0) == up
        end = upper if rises else lower
        if not has_limits(model, joint) or not upper > lower or not np.isfinite(_unbound_limit(end)):
            continue
        goals.append(LimitGoal(joint, float(end), 1 if rises else -1, RANGE_TOLERANCE * (upper - lower)))
    return goals


def has_limits(model: Any, joint: int) -> bool:
    return bool(model.jnt_limited[joint])


def _unbound_limit(end: float) -> float:
    return float(end) if abs(end) < MAX_LIMIT else float(np.copysign(np.inf, end))


def name_joint(model: Any, joint: int) -> str:
    import mujoco

    return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint) or f"joint {joint}"


# ---------------------------------------------------------------- pushing


def _simulate_push(model: Any, train: CoupledJoints, end: float, goals: list[LimitGoal]) -> Array:
    """Where joints come to [goals] under a force on their leader towards one end.

    Gravity is off, and joints that do not go along are held. What comes to its end has reached it: a soft coupling may
    then let a light leader run past, until what it leads has come to its own.
    """
    import mujoco

    data = mujoco.MjData(model)
    gravity = np.array(model.opt.gravity)
    model.opt.gravity[:] = 0.0
    place, dof = model.jnt_qposadr[train.joints[0]], model.jnt_dofadr[train.joints[0]]
    at = np.array(data.qpos)
    held = _list_others(model, train)
    held_qpos, held_dof = model.jnt_qposadr[held], model.jnt_dofadr[held]
    watched = model.jnt_qposadr[[goal.joint for goal in goals]]
    ends, up, slack = np.array([(goal.end, goal.up, goal.slack) for goal in goals]).T
    passed = np.zeros(len(goals), dtype=bool)
    way = end - at[place]
    try:
        mujoco.mj_forward(model, data)
        data.qfrc_applied[dof] = _choose_force(model, data, train, way)
        for _ in range(int(TRIAL_SECONDS / model.opt.timestep)):
            mujoco.mj_step(model, data)
            data.qpos[held_qpos], data.qvel[held_dof] = at[held_qpos], 0.0
            if not np.isfinite(data.qpos).all():
                return np.full(len(goals), np.inf)
            lack = (ends - data.qpos[watched]) * up
            passed |= lack <= 0.0
            if np.all(passed | (lack <= slack)) and (data.qpos[place] - end) * np.sign(way) >= -1e-3 * abs(way):
                break
        return np.where(passed, ends, data.qpos[watched])
    finally:
        model.opt.gravity[:] = gravity


def _choose_force(model: Any, data: Any, train: CoupledJoints, way: float) -> float:
    """The force that covers a way in a third of the time against the resistance of all joints that go along."""
    import mujoco

    u = np.zeros(model.nv)
    u[model.jnt_dofadr[list(train.joints)]] = train.rates
    momentum = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, momentum, u)
    damping, friction = u**2 @ model.dof_damping, np.abs(u) @ model.dof_frictionloss
    push = 18.0 * float(u @ momentum) * way / TRIAL_SECONDS**2 + damping * 3.0 * way / TRIAL_SECONDS
    return float(push + np.sign(way) * (1.5 * friction + 1e-9))


def _list_others(model: Any, train: CoupledJoints) -> list[int]:
    """Hinges and slides that do not go along."""
    import mujoco

    simple = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    return [j for j in range(model.njnt) if j not in train.joints and model.jnt_type[j] in simple]
