"""The agent: a hand that reaches for a joint or a thing, takes hold of it and moves it as it is told.

What it holds is drawn by a force of limited size (grip.py) towards where the motion has the grasp point at that time.
The hand itself is led and goes along with what it holds. What it pushes it touches, by the contacts of its palm and
fingers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.articulate.check.loading import silence_warnings
from neurok.geometry.arrays import Array
from neurok.geometry.grasp import Hinge
from neurok.geometry.motion import Motion
from neurok.geometry.rigid import exp_twist, from_parts, inverse
from neurok.scenes.actions import AgentAction
from neurok.scenes.assembly import name_coordinates
from neurok.scenes.grip import STEADY_FORCE, HandGrip
from neurok.scenes.gripper import MAX_OPENING, aim_gripper, make_gripper
from neurok.scenes.hand_stage import HandStage, ease
from neurok.scenes.joining import join_things
from neurok.scenes.making import MadeScene
from neurok.scenes.reaching import Way, choose_reach, choose_shut, find_hold
from neurok.scenes.recording import record_motion
from neurok.scenes.settling import read_places, read_poses
from neurok.scenes.thing import PlacedThing

MOVE_SECONDS = 2.0  # of a joint through its range, or of a lift
REACH_SECONDS = 0.8
STANDOFF = 0.14  # [m] before the grasp, from where the hand reaches straight in
PUSH_SPEED = 0.12  # [m/s]
PUSH_CORRECTIONS = 6  # centimetres that a push may go on
WAIT_SECONDS = 0.6  # after the hand let go, before it is judged
SAME_VALUE = 1e-3  # [rad or m]: a joint so near to where it should be is there
ENOUGH = 0.8  # of a range or a way, for an action to have been done


@dataclass(frozen=True)
class ActionResult:
    """How an action went: the share of its range or way that was done, and the joint's value or the way [m] after."""

    action: AgentAction
    share: float
    value: float

    @property
    def done(self) -> bool:
        return self.share >= ENOUGH


@dataclass(frozen=True)
class AgentRun:
    """All that happened: results, the recording, and where things are afterwards."""

    results: tuple[ActionResult, ...]
    recording: Motion
    placed: tuple[PlacedThing, ...]


def run_agent(scene: MadeScene, actions: Sequence[AgentAction]) -> AgentRun:
    """Do one action after another in a scene."""
    import mujoco

    hand = make_gripper()
    placed = [*scene.placed, PlacedThing(hand.thing, find_home(scene))]
    spec, _ = scene.maker.compose(placed, scene.hung, scene.friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    stage = HandStage(scene, model, data, placed[-1].T)
    stage.touch(False)
    results = []
    with silence_warnings():
        stage.wait(0.2)
        for action in actions:
            results.append(_do(stage, action))
        stage.travel(find_home(scene), REACH_SECONDS)
    joined = join_things(placed, "scene")
    recording = record_motion(joined, placed, scene.maker, model, np.array(stage.frames), "agent")
    after = read_places(scene.maker, scene.placed, model, data)
    return AgentRun(tuple(results), recording, tuple(after))


def find_home(scene: MadeScene) -> Array:
    """Where the hand waits: before and above the middle of all things, looking at them."""
    boxes = np.array([each.bounds for each in scene.placed if each.name != "floor"])
    lower, upper = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    point = np.array([(lower[0] + upper[0]) / 2, lower[1] - 0.35, 0.25 + 0.75 * upper[2]])
    return aim_gripper(point, np.array([0.0, 1.0, -0.3]), np.array([1.0, 0.0, 0.0]))


def _do(stage: HandStage, action: AgentAction) -> ActionResult:
    placed = read_places(stage.scene.maker, stage.scene.placed, stage.model, stage.data)
    each = next(one for one in placed if one.name == action.thing)
    if action.verb == "push":
        return _push(stage, each, action)
    return _carry(stage, each, action)


def _carry(stage: HandStage, each: PlacedThing, action: AgentAction) -> ActionResult:
    """Take hold of a part or a thing, lead it along its way, and let go."""
    mujoco_body, link, hinge = _find_target(stage, each, action)
    start = float(each.thing.state[action.coordinate]) if action.coordinate >= 0 else 0.0
    if action.coordinate >= 0 and abs(action.goal - start) < SAME_VALUE:
        return ActionResult(action, 1.0, start)
    point, faces = find_hold(each, link, hinge)
    way = _plan_way(stage, each, action, point, start)
    reach = choose_reach(each, way, point, hinge)
    shut, width = choose_shut(each, faces, point, reach)
    body_pose = read_poses(stage.data)[mujoco_body]
    local = np.asarray(inverse(body_pose)[:3, :3] @ (point - body_pose[:3, 3]))
    held = np.asarray(inverse(body_pose) @ aim_gripper(point, reach, shut))
    before = np.array(point)
    stage.opening = MAX_OPENING
    stage.travel(aim_gripper(point - STANDOFF * reach, reach, shut), REACH_SECONDS)
    stage.travel(aim_gripper(point, reach, shut), 0.5 * REACH_SECONDS)
    stage.shut(min(width, MAX_OPENING))
    upright = body_pose[:3, :3] if action.coordinate < 0 else None
    grip = HandGrip(mujoco_body, local, _weigh_point(stage, mujoco_body, point, way), point, upright,
                    carries=upright is not None)  # fmt: skip
    grips = [grip, *_steady(stage, each, action)]
    count = round(MOVE_SECONDS / stage.model.opt.timestep)
    for number in range(1, count + round(0.3 * count) + 1):
        grip.goal = way(ease(min(number / count, 1.0)))
        stage.pose = read_poses(stage.data)[mujoco_body] @ held
        stage.step(*grips)
    raised = float(grip.find_point(stage.data)[2] - before[2])
    if action.verb == "lift":  # and put down again
        for number in range(1, count + 1):
            grip.goal = way(1.0 - ease(number / count))
            stage.pose = read_poses(stage.data)[mujoco_body] @ held
            stage.step(*grips)
    stage.shut(MAX_OPENING)
    stage.travel(_retreat(stage.pose), 0.5 * REACH_SECONDS)
    stage.wait(WAIT_SECONDS)
    if action.verb == "lift":
        return ActionResult(action, raised / action.way[2], raised)
    after = read_places(stage.scene.maker, stage.scene.placed, stage.model, stage.data)
    now = next(one for one in after if one.name == action.thing)
    if action.coordinate < 0:
        moved = float((now.T[:3, 3] - each.T[:3, 3]) @ action.way / np.linalg.norm(action.way))
        return ActionResult(action, moved / float(np.linalg.norm(action.way)), moved)
    value = float(now.thing.state[action.coordinate])
    whole = action.goal - start
    return ActionResult(action, 1.0 if abs(whole) < 1e-9 else (value - start) / whole, value)


def _steady(stage: HandStage, each: PlacedThing, action: AgentAction) -> list[HandGrip]:
    """What keeps a free thing in its place while a part of it is moved."""
    if action.coordinate < 0 or each.thing.held:
        return []
    document = stage.scene.maker.document(each)
    root = int(np.flatnonzero(each.thing.articulation.parent_joint < 0)[0])
    body = stage.model.body(f"{each.name}/{document.bodies[root]}").id
    mass = float(stage.model.body_subtreemass[body])
    R = np.array(stage.data.xmat[body]).reshape(3, 3)
    point = np.array(stage.data.xipos[body])
    local = (point - np.array(stage.data.xpos[body])) @ R
    return [HandGrip(body, local, mass, point, R, limit=STEADY_FORCE)]


def _retreat(pose: Array) -> Array:
    back = pose.copy()
    back[:3, 3] = pose[:3, 3] - STANDOFF * pose[:3, 2]
    return back


def _find_target(stage: HandStage, each: PlacedThing, action: AgentAction) -> tuple[int, int, Hinge | None]:
    """MuJoCo's body that is to move, its link, and what holds it, in the world."""
    articulation = each.thing.articulation
    document = stage.scene.maker.document(each)
    if action.coordinate < 0:
        link = int(np.flatnonzero(articulation.parent_joint < 0)[0])
        return stage.model.body(f"{each.name}/{document.bodies[link]}").id, link, None
    joint = articulation.freedoms[articulation.coordinate_freedoms[action.coordinate]].joint
    link = articulation.joints[joint].child
    body = stage.model.body(f"{each.name}/{document.bodies[link]}").id
    mj = stage.model.joint(name_coordinates(each, document)[action.coordinate])
    axis, anchor = np.array(stage.data.xaxis[mj.id]), np.array(stage.data.xanchor[mj.id])
    turns = articulation.freedoms[articulation.coordinate_freedoms[action.coordinate]].turns
    away = np.sign(action.goal - each.thing.state[action.coordinate]) or 1.0
    return body, link, Hinge(turns, anchor, axis * (1.0 if turns else away))


def _plan_way(stage: HandStage, each: PlacedThing, action: AgentAction, point: Array, start: float) -> Way:
    """Where the grasp point should be by a share of the way; of a joint, as what carries it stands at that time."""
    if action.coordinate < 0:
        return lambda share: point + share * np.array(action.way)
    articulation = each.thing.articulation
    d = articulation.coordinate_freedoms[action.coordinate]
    joint = articulation.joints[articulation.freedoms[d].joint]
    document = stage.scene.maker.document(each)
    carrier = stage.model.body(f"{each.name}/{document.bodies[joint.parent]}").id
    back = inverse(document.frames[joint.parent])
    screw = articulation.freedoms[d].screw
    still = inverse(read_poses(stage.data)[carrier] @ back)

    def way(share: float) -> Array:
        X = from_parts(np.array(stage.data.xmat[carrier]).reshape(3, 3), np.array(stage.data.xpos[carrier])) @ back
        T = X @ exp_twist(screw * (share * (action.goal - start))) @ still
        return np.asarray(T[:3, :3] @ point + T[:3, 3])

    return way


def _weigh_point(stage: HandStage, body: int, point: Array, way: Way) -> float:
    """The mass [kg] that a point of a body has along its way: 1 / (n J M^-1 J' n)."""
    import mujoco

    first = way(0.02) - way(0.0)
    n = first / max(float(np.linalg.norm(first)), 1e-12)
    J = np.zeros((3, stage.model.nv))
    mujoco.mj_jac(stage.model, stage.data, J, None, point, body)
    solved = np.zeros((1, stage.model.nv))
    mujoco.mj_solveM(stage.model, stage.data, solved, (n @ J)[None])
    return 1.0 / max(float(solved[0] @ (n @ J)), 1e-6)


def _push(stage: HandStage, each: PlacedThing, action: AgentAction) -> ActionResult:
    """Push a thing with a shut hand from behind, at half its height."""
    way = np.array(action.way)
    length = float(np.linalg.norm(way))
    reach = way / length
    middle = each.bounds.mean(axis=0)
    level = np.abs(each.vertices[:, 2] - middle[2]) < 0.25 * np.ptp(each.bounds[:, 2])
    side = np.array([-reach[1], reach[0], 0.0])
    central = level & (np.abs((each.vertices - middle) @ side) < 0.03)
    rows = each.vertices[central if central.any() else level]
    behind = middle - reach * (middle @ reach - float((rows @ reach).min()))
    gap = 0.02
    begin = np.array(stage.data.xpos[_find_target(stage, each, action)[0]])
    stage.opening = 0.0
    stage.travel(aim_gripper(behind - (STANDOFF + gap) * reach + (0, 0, 0.1), reach, side), REACH_SECONDS)
    stage.travel(aim_gripper(behind - gap * reach, reach, side), 0.5 * REACH_SECONDS)
    stage.touch(True)
    stage.travel(aim_gripper(behind + way, reach, side), (length + gap) / PUSH_SPEED)
    root = _find_target(stage, each, action)[0]
    for _ in range(PUSH_CORRECTIONS):  # where the first touch came late
        if float((np.array(stage.data.xpos[root]) - begin) @ reach) >= length:
            break
        farther = stage.pose.copy()
        farther[:3, 3] += 0.01 * reach
        stage.travel(farther, 0.01 / PUSH_SPEED)
    stage.touch(False)
    stage.travel(_retreat(stage.pose), 0.5 * REACH_SECONDS)
    stage.wait(WAIT_SECONDS)
    after = read_places(stage.scene.maker, stage.scene.placed, stage.model, stage.data)
    now = next(one for one in after if one.name == each.name)
    moved = float((now.T[:3, 3] - each.T[:3, 3]) @ reach)
    return ActionResult(action, moved / length, moved)
