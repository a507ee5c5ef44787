"""Letting a scene come to rest in MuJoCo, and judging whether it did."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurok.articulate.check.loading import silence_warnings
from neurok.geometry.arrays import Array
from neurok.geometry.rigid import from_parts, inverse
from neurok.scenes.assembly import HOLD, Assembler, name_coordinates
from neurok.scenes.thing import PlacedThing

SETTLE_SECONDS = 2.0  # of a scene, before it is judged
MAX_SETTLE_SECONDS = 6.0  # for what still moves by then
STILL_SPEED = 1e-4  # [m/s or rad/s]: slower than this all is at rest
JUDGE_SECONDS = 2.0  # in which nothing may move by MAX_DRIFT
MAX_DRIFT = 1e-3  # [m]
MAX_PENETRATION = 0.01  # of the smaller thing's diagonal
MAX_HOLD = 30.0  # [N m or N] of friction elsewhere than where a joint stands: heavy doors that drop have springs
TIPPING_SHARE = 0.6  # of the torque that tips a free thing over
HOLD_STATE_COUNT = 5  # of a joint's range, in which gravity is looked at
FRAME_RATE = 30  # [1/s], of recordings


@dataclass(frozen=True)
class RestReport:
    """How far anything moved in JUDGE_SECONDS [m], which thing, how deep contacts are over the smaller thing's
    diagonal, and which pair."""

    drift: float
    mover: str
    penetration: float
    pair: tuple[str, str]

    @property
    def faults(self) -> list[str]:
        found = []
        if not self.drift <= MAX_DRIFT:
            found.append(f"{self.mover} moves by {1e3 * self.drift:.2g} mm in {JUDGE_SECONDS:g} s")
        if not self.penetration <= MAX_PENETRATION:
            found.append(f"{self.pair[0]} and {self.pair[1]} penetrate by {self.penetration:.1%} of the smaller's size")
        return found


@dataclass(frozen=True)
class SettledScene:
    """Things at rest; friction: of joints by their names in MuJoCo. frames: T_world_body over time, [t, b, 4, 4]."""

    placed: tuple[PlacedThing, ...]
    friction: dict[str, float]
    frames: Array


def settle(
    maker: Assembler, placed: Sequence[PlacedThing], hung: Sequence[tuple[str, str]] = (),
    seconds: float = SETTLE_SECONDS,
) -> SettledScene:  # fmt: skip
    """The things after they were let go where they are."""
    import mujoco

    friction = find_holding_friction(maker, placed, hung)
    spec, _ = maker.compose(placed, hung, friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    frames: list[Array] = []
    with silence_warnings():
        run(model, data, seconds, frames)
        left = MAX_SETTLE_SECONDS - seconds
        while left > 0 and np.abs(data.qvel).max(initial=0.0) > STILL_SPEED and np.isfinite(data.qpos).all():
            run(model, data, 0.5, frames)
            left -= 0.5
    return SettledScene(tuple(read_places(maker, placed, model, data)), friction, np.array(frames))


def run(
    model: Any, data: Any, seconds: float, frames: list[Array] | None = None, act: Callable[[], None] | None = None
) -> None:
    """Step for so long; frames get the bodies' poses at FRAME_RATE; act: called before every step."""
    import mujoco

    steps = round(seconds / model.opt.timestep)
    every = max(round(1.0 / FRAME_RATE / model.opt.timestep), 1)
    for step in range(steps):
        if frames is not None and step % every == 0:
            frames.append(read_poses(data))
        if act is not None:
            act()
        mujoco.mj_step(model, data)


def read_poses(data: Any) -> Array:
    """T_world_body of all bodies, [b, 4, 4]."""
    return np.asarray(from_parts(np.array(data.xmat).reshape(-1, 3, 3), np.array(data.xpos)))


def find_holding_friction(
    maker: Assembler, placed: Sequence[PlacedThing], hung: Sequence[tuple[str, str]] = ()
) -> dict[str, float]:
    """The dry friction that holds each joint against gravity where it stands, and wherever it may be moved as far as
    a hand can still overcome it and a free thing is not tipped over by it [N m or N]."""
    import mujoco

    model = maker.compose(placed, hung)[0].compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    things = {each.name: each for each in placed}
    found = {}
    for joint in range(model.njnt):
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            continue
        name = str(model.joint(joint).name)
        here, most = _measure_gravity(model, data, joint)
        turns = bool(model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE)
        found[name] = HOLD * max(here, min(most, _limit_hold(things[name.split("/")[0]], turns) / HOLD))
    return found


def _measure_gravity(model: Any, data: Any, joint: int) -> tuple[float, float]:
    """By how much gravity moves a joint where it stands, unless against its limit, and at most over its range."""
    import mujoco

    place, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    now = float(data.qpos[place])
    lower, upper = model.jnt_range[joint] if model.jnt_limited[joint] else (-np.inf, np.inf)
    pull = -float(data.qfrc_bias[dof])
    rests = (now <= lower + 1e-3 and pull < 0) or (now >= upper - 1e-3 and pull > 0)
    most = 0.0
    for value in np.linspace(lower, upper, HOLD_STATE_COUNT) if np.isfinite(upper - lower) else [now]:
        data.qpos[place] = value
        mujoco.mj_forward(model, data)
        most = max(most, abs(float(data.qfrc_bias[dof])))
    data.qpos[place] = now
    mujoco.mj_forward(model, data)
    return (0.0 if rests else abs(pull)), most


def _limit_hold(each: PlacedThing, turns: bool) -> float:
    """The most friction of a joint away from where it stands [N m or N]."""
    if each.thing.held:
        return MAX_HOLD
    mass = sum(link.inertia.mass for link in each.thing.articulation.links if link.inertia is not None)
    arm = 0.5 * float(np.ptp(each.bounds, axis=0)[:2].min()) if turns else 1.0
    return min(MAX_HOLD, TIPPING_SHARE * 9.81 * mass * arm)


def read_places(maker: Assembler, placed: Sequence[PlacedThing], model: Any, data: Any) -> list[PlacedThing]:
    """The things where the simulation has them."""
    found = []
    poses = read_poses(data)
    for each in placed:
        document = maker.document(each)
        articulation = each.thing.articulation
        root = int(np.flatnonzero(articulation.parent_joint < 0)[0])
        T = poses[model.body(f"{each.name}/{document.bodies[root]}").id] @ inverse(document.frames[root])
        names = name_coordinates(each, document)
        state = np.array([data.qpos[model.joint(name).qposadr[0]] for name in names])
        found.append(PlacedThing(each.thing.with_state(state), T))
    return found


def judge_rest(model: Any, sizes: dict[str, float]) -> RestReport:
    """How still a model stays in JUDGE_SECONDS; sizes: diagonals of the things by their names [m]."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    depth, pair = find_depth(model, data, sizes)
    before = read_geoms(data)
    with silence_warnings():
        run(model, data, JUDGE_SECONDS)
    mujoco.mj_forward(model, data)
    after, reach = read_geoms(data), np.array(model.geom_rbound)
    moved = np.linalg.norm(after[:, :3, 3] - before[:, :3, 3], axis=1)
    turned = np.linalg.norm(after[:, :3, :3] - before[:, :3, :3], axis=(1, 2)) / np.sqrt(2.0)
    moved = np.where(np.isfinite(reach), moved + turned * reach, 0.0)
    worst = int(np.argmax(moved))
    late, late_pair = find_depth(model, data, sizes)
    if late > depth:
        depth, pair = late, late_pair
    return RestReport(float(moved[worst]), find_owner(model, worst), depth, pair)


def read_geoms(data: Any) -> Array:
    return np.asarray(from_parts(np.array(data.geom_xmat).reshape(-1, 3, 3), np.array(data.geom_xpos)))


def find_owner(model: Any, geom: int) -> str:
    """The thing a geom belongs to."""
    return str(model.body(int(model.geom_bodyid[geom])).name).split("/")[0]


def find_depth(model: Any, data: Any, sizes: dict[str, float]) -> tuple[float, tuple[str, str]]:
    """The deepest contact between two things over the smaller one's diagonal, and which they are."""
    worst, pair = 0.0, ("", "")
    for contact in data.contact:
        names = find_owner(model, int(contact.geom1)), find_owner(model, int(contact.geom2))
        if names[0] == names[1]:
            continue
        depth = -float(contact.dist) / min(sizes.get(name, np.inf) for name in names)
        if depth > worst:
            worst, pair = depth, names
    return worst, pair


def stand_alone(maker: Assembler, placed: PlacedThing, floor: PlacedThing) -> PlacedThing:
    """The thing as it stands when it is let go alone on a floor; what falls over lies from then on."""
    if placed.thing.held:
        return placed
    settled = settle(maker, [floor, placed], seconds=1.0).placed[1]
    upward = settled.T[:3, :3]
    c, s = upward[0, 0] + upward[1, 1], upward[1, 0] - upward[0, 1]
    turn = np.arctan2(s, c)
    back = np.array([[np.cos(turn), np.sin(turn), 0.0], [-np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    return PlacedThing(replace(settled.thing, upright=back @ upward), settled.T)
