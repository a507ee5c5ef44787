"""The loop: conditions and a kinematics become a trajectory.

An object far from the origin of its file is simulated about its own place: masses about a distant point and the sums
of squares of distant coordinates would cancel, and leave steps that cannot be solved.

Between contacts and holds a step is the chosen integrator's, and where that pays many are solved together (see
`free_run`); a step in which something touches, is held or stands at a limit is Moreau's (see `moreau`). A step that
cannot be solved is halved, and said so. Steps end where a pull or a push begins or ends, so that windows of time are
kept exactly.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.far import find_far_centre
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.translated import translate_space
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.free_run import FreeRun
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.inverse import solve_points, solve_velocity
from neurok.mechanics.scene import Scene, begin_scene, build_scene
from neurok.mechanics.state import State
from neurok.mechanics.stepper import Stepper
from neurok.mechanics.trajectory import FrameRecord, Trajectory, build_trajectory

RELEASE_SAMPLE_COUNT = 8  # states of which the one to be released is chosen
SAME_TIME = 1e-9  # times nearer to each other than this are the same [s]


def animate(
    space: Kinematics, conditions: Conditions, *, progress: Callable[[float], None] | None = None
) -> Trajectory:
    """Simulate an object's motion under conditions.

    progress: called with the share done, 0 to 1.
    """
    if conditions.base == "free" and not space.has_free_base:
        space = FloatingBase(space)
    if space.size == 0:
        raise InputError("the object has no joints that can move", "set its base free, and it falls as one body")
    away = find_far_centre(space.mesh)
    if away is not None:
        near = conditions.translate(-away, space.mesh.up_axis)
        return replace(animate(translate_space(space, -away), near, progress=progress), space=space)
    scene = build_scene(space, conditions)
    first, remark = admit_first_state(scene, find_first_state(scene, conditions), conditions)
    trajectory = simulate(scene, first, conditions, progress=progress)
    return replace(trajectory, status=f"{trajectory.status}{remark}")


def admit_first_state(scene: Scene, state: State, conditions: Conditions) -> tuple[State, str]:
    """A first state that was given as coordinates, brought to where the object can be, and what is to be said of it."""
    if not (conditions.state and conditions.limits):
        return state, ""
    q = state.space.admit(torch.from_numpy(state.q)).numpy()
    if np.abs((q - state.q) / state.space.prior.deviation).max(initial=0.0) <= 1e-9:
        return state, ""
    remark = " The state asked for is beyond what the object can take: the nearest that it can was taken instead."
    return replace(state, q=q), remark


def find_first_state(scene: Scene, conditions: Conditions) -> State:
    """Where the object begins: displaced, moving, or one sampled state where nothing at all was asked for.

    Points that are pinned are where they are pinned as well as can be.
    """
    space, seed = scene.system.space, conditions.seed
    pinned, started = scene.condition_shares.pins, scene.condition_shares.starts
    moving = scene.condition_shares.velocities
    shares = np.concatenate([started, pinned])
    moves = np.array([s.by for s in conditions.starts] + [(0.0, 0.0, 0.0)] * len(pinned)).reshape(-1, 3)
    q = _read_coordinates(space, conditions.state, "state", space.rest.numpy().astype(np.float64))
    if conditions.is_silent:
        q = _choose_sample(scene, seed)
        if len(pinned):
            q = solve_points(scene.system, shares, moves, starts=[q])
    elif len(started):
        q = solve_points(scene.system, shares, moves, seed=seed)
        # What the regularisation decided is a start; where the points say otherwise, they alone count.
        q = solve_points(scene.system, shares, moves, starts=[q])
    v = _read_coordinates(space, conditions.rates, "rates", np.zeros_like(q))
    if len(moving):
        wanted = np.array([w.velocity for w in conditions.velocities], dtype=np.float64)
        v = solve_velocity(scene.system, q, moving, wanted)
    return State(space, q, v, 0.0)


def _read_coordinates(space: Kinematics, numbers: tuple[float, ...], name: str, otherwise: Array) -> Array:
    """The numbers of the conditions where there are any, one for each coordinate, [k]."""
    if not numbers:
        return otherwise
    if len(numbers) != space.size:
        raise InputError(
            f"the {name} of the conditions holds {len(numbers)} numbers and the object has {space.size} coordinates",
            "take the conditions that were made for this object",
        )
    return np.array(numbers, dtype=np.float64)


def _choose_sample(scene: Scene, seed: int) -> Array:
    """Of a few sampled states the one in which the object is farthest from rest, so that there is something to see."""
    space = scene.system.space
    rest = space.rest.numpy().astype(np.float64)
    still = scene.system.carrier.compute_jet(space, rest, np.zeros_like(rest)).value

    def moved(q: Array) -> float:
        shift = scene.system.carrier.compute_jet(space, q, np.zeros_like(q)).value - still
        return float(np.sum(shift * (scene.system.inertia @ shift)))

    states = space.prior.sample(RELEASE_SAMPLE_COUNT, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    return max(states, key=moved)


def simulate(
    scene: Scene, state: State, conditions: Conditions, *, progress: Callable[[float], None] | None = None
) -> Trajectory:
    """Step from a first state and record every frame."""
    frames = max(int(round(conditions.seconds * conditions.fps)), 1)
    interval = conditions.seconds / frames
    per_frame = max(int(np.ceil(interval / conditions.dt - 1e-9)), 1)
    h = interval / per_frame
    edges = _list_edges(scene)
    scene = begin_scene(scene, state)
    stepper = Stepper(scene, INTEGRATORS[conditions.integrator], whole=h)
    state = replace(state, t=0.0)
    records = [record_frame(stepper, state, 0, 0.0)]
    free = FreeRun(stepper, h, per_frame, edges)
    step, force = 0, 0.0
    while step < frames * per_frame:
        run = free.run(state, step, frames * per_frame)
        if run is not None:
            state, step = run.state, step + run.count
            if run.records:
                run.records[0] = run.records[0]._replace(pull_force=force * scene.system.unit)
                records, force = records + run.records, 0.0
        else:
            # Times are products, not sums, so that they do not drift.
            for end in _list_stops(state.t, (step + 1) * h, edges):
                state = replace(stepper.advance(state, end - state.t), t=end)
                force = max(force, stepper.force)
            step += 1
            if step % per_frame == 0:
                records.append(record_frame(stepper, state, stepper.touched, force))
                force = 0.0
        if progress is not None and step % per_frame == 0:
            progress(step / (frames * per_frame))
    status = stepper.tally.describe(scene, conditions, h)
    return build_trajectory(scene.system.space, interval, records, status)


def _list_edges(scene: Scene) -> Array:
    """The times at which something begins or ends to act, sorted."""
    windows = [(held.start, held.end) for held in scene.held]
    windows += [(push.start, push.end) for push in scene.system.pushes]
    return np.unique([t for window in windows for t in window if np.isfinite(t)])


def _list_stops(start: float, end: float, edges: Array) -> list[float]:
    """Where steps from start to end have to stop: at each edge between them, and at the end (or its edge)."""
    inside = edges[(edges > start + SAME_TIME) & (edges <= end + SAME_TIME)].tolist()
    return inside if inside and inside[-1] >= end - SAME_TIME else [*inside, end]


def record_frame(stepper: Stepper, state: State, touched: int, force: float) -> FrameRecord:
    """What a trajectory keeps of a state; touched: contacts; force: the greatest of a hold [kg unit / s^2]."""
    terms = stepper.evaluate_terms(state)
    unit = stepper.system.unit
    return FrameRecord(
        state.q,
        state.v,
        state.space.T_base,
        terms.kinetic * unit**2,
        terms.potential * unit**2,
        touched,
        force * unit,
    )
