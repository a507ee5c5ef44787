"""LiveRecording: an object that is simulated while it is dragged, recorded so that conditions replay it.

A drag handle is a pull along a path with one row a frame. While a frame is simulated the hold moves in a straight line
from where the handle was to where it is now, which is what `neurok animate` does with the same path.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from neurok.errors import OptionError
from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import shares
from neurok.mechanics.conditions import Conditions, Pull, Push
from neurok.mechanics.forces import PointForce as Force
from neurok.mechanics.holds import HeldPoint
from neurok.mechanics.integrators import INTEGRATORS
from neurok.mechanics.inverse import solve_velocity
from neurok.mechanics.scene import Scene, begin_scene
from neurok.mechanics.simulate import record_frame
from neurok.mechanics.stepper import State, Stepper
from neurok.mechanics.trajectory import Trajectory
from neurok.viewer.messages import Vector, to_vector
from neurok.viewer.points import require_skin

PathRow = tuple[float, float, float, float]  # t [s], x, y, z [unit]

FPS = 30.0
PUSH_FRAMES = 6  # how long a push lasts
MAX_SECONDS = 60  # of a recording
REST_SPEED = 2e-3  # diagonals a second, in the mean over the mass, below which an object is at rest
REST_FRAMES = 12  # how long it has to be so


@dataclass
class DragHandle:
    """A held point, and the path it was led along.

    point: where it is on the object at rest [unit]. share: its share in each bone, [4 b]. target: where it is led to
    [unit], [3]. path: a row for every frame.
    """

    point: Vector
    share: Array
    target: Array
    path: list[PathRow] = field(default_factory=list)

    def place(self, t: float, origin: Array) -> Array:
        """Where the point should be at a time [unit], [3]."""
        rows = np.array(self.path)
        return np.array([np.interp(t, rows[:, 0], rows[:, axis]) for axis in (1, 2, 3)])


class LiveRecording:
    """One recording, frame by frame."""

    def __init__(self, scene: Scene, conditions: Conditions, state: State) -> None:
        self.conditions = conditions
        self.start = state
        self.state = replace(state, t=0.0)
        self.handles: dict[int, DragHandle] = {}
        self.released: list[DragHandle] = []
        self.pushes: list[Push] = []
        self.interval = 1.0 / FPS
        self.per_frame = max(int(np.ceil(self.interval / conditions.dt - 1e-9)), 1)
        self.h = self.interval / self.per_frame
        scene = begin_scene(scene, state)
        self.stepper = Stepper(scene, INTEGRATORS[conditions.integrator], whole=self.h)
        self.records = [record_frame(self.stepper, self.state, 0, 0.0)]
        self._mass = max(float(scene.masses.total), 1e-12)
        self._quiet_frames = 0

    @property
    def frame_count(self) -> int:
        return len(self.records)

    @property
    def time(self) -> float:
        return (self.frame_count - 1) * self.interval

    @property
    def is_at_rest(self) -> bool:
        return self._quiet_frames >= REST_FRAMES

    @property
    def is_full(self) -> bool:
        return self.time >= MAX_SECONDS

    def hold(self, number: int, point: SurfacePoints, target: Array) -> None:
        """Lead a point from where it is; target: [unit], [3]."""
        share = compute_shares(self.state.space, point)[0]
        here = to_vector(share @ self.stepper.evaluate_terms(self.state).jet.value)
        path = [(self.time, *here)]
        self.handles[number] = DragHandle(to_vector(point.position[0]), share, np.asarray(target, np.float64), path)
        self._quiet_frames = 0

    def lead(self, number: int, target: Array) -> None:
        """Lead a held point to another target [unit], [3]."""
        if number in self.handles:
            self.handles[number].target = np.asarray(target, dtype=np.float64)

    def release(self, number: int) -> None:
        """Let a point go."""
        handle = self.handles.pop(number, None)
        if handle is not None and len(handle.path) > 1:
            self.released.append(handle)

    def push(self, point: SurfacePoints, force: Array) -> None:
        """A short force [N], [3], from now on."""
        start, end = self.time, (self.frame_count - 1 + PUSH_FRAMES) * self.interval
        self.pushes.append(Push(to_vector(point.position[0]), to_vector(force), start, end))
        space, scene = self.state.space, self.stepper.scene
        acting = Force(compute_shares(space, point)[0], np.asarray(force) / space.mesh.unit, start, end)
        system = replace(scene.system, pushes=(*scene.system.pushes, acting))
        self.stepper.scene, self.stepper.system = replace(scene, system=system), system
        self._quiet_frames = 0

    def advance(self) -> None:
        """One frame."""
        frame, force = self.frame_count - 1, 0.0
        end = (frame + 1) * self.interval
        for handle in self.handles.values():
            handle.path.append((end, *to_vector(handle.target)))
        held = tuple(HeldPoint(handle.share, 0.0, np.inf, handle.place, "hand") for handle in self.handles.values())
        self.stepper.scene = replace(self.stepper.scene, held=held)
        for i in range(self.per_frame):
            t = (frame * self.per_frame + i + 1) * self.h
            self.state = replace(self.stepper.advance(self.state, t - self.state.t), t=t)
            force = max(force, self.stepper.force)
        self.records.append(record_frame(self.stepper, self.state, self.stepper.touched, force))
        self._count_quiet_frames()

    def _count_quiet_frames(self) -> None:
        mesh = self.state.space.mesh
        speed = np.sqrt(2 * max(self.energy[0], 0.0) / self._mass)
        pushed = any(push.end > self.time for push in self.pushes)
        slow = speed < REST_SPEED * mesh.diagonal * mesh.unit
        self._quiet_frames = self._quiet_frames + 1 if slow and not self.handles and not pushed else 0

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic and potential [J] of the last frame."""
        _, _, _, kinetic, potential, _, _ = self.records[-1]
        return float(kinetic), float(potential)

    def make_trajectory(self) -> Trajectory:
        """All frames so far."""
        states, velocities, bases, kinetic, potential, contacts, forces = (np.array(c) for c in zip(*self.records))
        return Trajectory(
            space=self.start.space,
            time=np.arange(self.frame_count) * self.interval,
            states=states,
            velocities=velocities,
            bases=bases,
            kinetic=kinetic,
            potential=potential,
            contacts=contacts,
            pull_force=forces,
            status=self.stepper.tally.describe(self.stepper.scene, self.replay_conditions(), self.h),
        )

    def replay_conditions(self, first: int = 0, last: int = -1) -> Conditions:
        """The conditions under which `neurok animate` makes frames first to last (-1: all) of this motion again."""
        last = self.frame_count - 1 if last < 0 else min(last, self.frame_count - 1)
        if not 0 <= first <= last:
            raise OptionError(f"frames {first} to {last} are not in the recording", "trim it again")
        q, v = self._find_state_at(first)
        begin, end = first * self.interval, last * self.interval
        handles = [*self.released, *self.handles.values()]
        paths = [(handle.point, _cut_path(handle.path, begin, end)) for handle in handles]
        return replace(
            self.conditions,
            state=tuple(map(float, q)),
            rates=tuple(map(float, v)) if np.any(v) else (),
            pulls=tuple(Pull(point, path=path) for point, path in paths if len(path) > 1),
            pushes=tuple(
                replace(push, start=max(push.start - begin, 0.0), end=push.end - begin)
                for push in self.pushes
                if push.end > begin and push.start < end
            ),
            seconds=max(last - first, 1) / FPS,
            fps=FPS,
        )

    def _find_state_at(self, frame: int) -> tuple[Array, Array]:
        """The state and its rates at a frame, [k] each, as conditions write them."""
        if frame == 0:
            return self.start.q, self.start.v
        q, v, base, *_ = self.records[frame]
        space = self.start.space
        return space.with_base_pose(base).unroll(q, v)[1:]


def _cut_path(path: list[PathRow], begin: float, end: float) -> tuple[PathRow, ...]:
    """The rows of a path between two times, which it has rows at, counted from the first of them."""
    near = 1e-9
    return tuple((max(t - begin, 0.0), x, y, z) for t, x, y, z in path if begin - near <= t <= end + near)


def compute_throw(scene: Scene, space: Kinematics, q: Array, points: list[SurfacePoints], velocities: Array) -> Array:
    """The rates [k] at which points (of a skin) move at velocities [unit/s], [p, 3], as nearly as can be."""
    rows = np.concatenate([compute_shares(space, point) for point in points])
    return solve_velocity(scene.system, q, rows, velocities)


def compute_shares(space: Kinematics, point: SurfacePoints) -> Array:
    """The share of each point in each bone, [p, 4 b]."""
    return shares(space.mesh, require_skin(space), point).toarray()
