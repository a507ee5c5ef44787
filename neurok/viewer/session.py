"""Session: one tab and its object; messages in, messages out. It knows nothing of networks."""

from collections.abc import Callable
from dataclasses import replace
from time import thread_time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.errors import InputError
from neurok.files.clips import clip
from neurok.geometry.motion import Motion
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.free import Free
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.drag import Drag
from neurok.mechanics.scene import Scene, build
from neurok.mechanics.stepper import State
from neurok.viewer import messages as m
from neurok.viewer.body import Body, level
from neurok.viewer.naming import coordinates, heat, words
from neurok.viewer.take import FPS, PUSH_FRAMES, Take, settled_point, thrown

Array = NDArray[np.float64]
Answer = list[Any]

EARTH = 9.81  # m/s^2
FLING = 0.5  # diagonals a second: a hand that lets go faster than this throws
CHOICES = 6
DRAWN = 48  # samples of which those are chosen, far from each other
MOST_HANDLES = 16
PUSH = 1.5  # diagonals a second
PACES = (("midpoint", 1 / 120), ("euler", 1 / 120), ("euler", 1 / 60))  # schemes and steps [s], the finest first
KEEPS_UP = 0.02  # s of the processor's time for a frame, which lasts 0.033


class Session:
    """The object of one tab, where it is now, and what has been recorded.

    Either `drag` holds the present state, or, while `running` or at its end, the take does.
    """

    def __init__(self, body: Body, token: str) -> None:
        self.token = token
        self.seed = 0
        self.show(body)

    # ------------------------------------------------------------ the object

    def show(self, body: Body) -> None:
        """Another object, at rest."""
        self.body = body
        self.space: Kinematics = body.space
        self.settings = self._first_settings()
        self._put(np.array(body.start, dtype=np.float64) if body.start else self._rest())
        self.handles: dict[int, SurfacePoints] = {}
        self.take: Take | None = None
        self.running = self.at_end = False
        self.choices: list[Array] = []
        self.pace = PACES[0]
        self._scenes: dict[m.Settings, Scene] = {}

    def _put(self, q: Array, rates: Array | None = None) -> None:
        """Make q the present state, nothing held; rates: how fast it changes once time runs, [k] each."""
        self.drag = Drag(self.space, q)
        self.rates = np.zeros(self.space.size) if rates is None else rates

    def _rest(self) -> Array:
        return self.space.rest.numpy().astype(np.float64)

    def _first_settings(self) -> m.Settings:
        """Joints hang in gravity; soft bodies spring back to rest, and would sag under it."""
        elastic, rigid = self.space.is_elastic, isinstance(self.space, Free)
        return m.Settings(
            gravity=0.0 if elastic and not rigid else EARTH,
            ground=rigid,
            free=rigid,
            stiffness=1.0 if elastic and not rigid else 0.0,
            damping=0.5,
        )

    def hello(self) -> Answer:
        """Everything a page needs to begin with this object."""
        mesh, motion = self.body.mesh, self.body.motion
        skin = self.space.skin if motion is None else None
        metres = self.body.stage.size * mesh.unit
        thing = m.Thing(
            token=self.token,
            title=self.body.title,
            facts=f"{mesh.vertex_count:,} vertices · {mesh.face_count:,} faces · {_length(metres)}",
            metres=metres,
            movable=motion is None,
            coordinates=coordinates(self.body, self.space) if motion is None else (),
            settings=self.settings,
            bones=skin.bone_count if skin is not None else 0,
            width=skin.joints.shape[1] if skin is not None else 0,
            scenery=self.body.scenery,
            joints=np.asarray(skin.joints if skin is not None else [], dtype=np.uint16),
            weights=np.asarray(skin.weights if skin is not None else [], dtype=np.float32),
        )
        if motion is not None:
            words = f"A recorded motion of {motion.duration:.3g} s. Open the object alone to drag it."
            return [thing, clip(motion, self.body.stage), m.Say(words, False)]
        return [thing, self.pose(), self.taken(), m.Say(self.body.note or self._ways(), False)]

    def _ways(self) -> str:
        """What the object can do, in words."""
        names = [name for name in self.space.names[self.space.rigid_count :]]
        many = f" and {len(names) - 3} more" if len(names) > 3 else ""
        ways = "one way" if len(names) == 1 else f"{len(names)} ways"
        return f"It moves in {ways}: {', '.join(names[:3])}{many}."

    def pose(self, stamp: int = 0) -> m.Pose:
        """The object now."""
        recorded = self.take is not None and self.at_end
        space, q = (self.take.state.space, self.take.state.q) if recorded else (self.space, self.drag.q)
        shape, places = self.body.seen(space, q, list(self.handles.values()))
        return m.Pose(
            stamp=stamp,
            frame=self.take.frame_count - 1 if recorded else -1,
            time=self.take.time if recorded else 0.0,
            coordinates=tuple(map(float, level(space, q, np.zeros_like(q))[1])),
            energy=self.take.energy if recorded else (0.0, 0.0),
            handles=tuple(m.HandlePlace(n, tuple(map(float, place))) for n, place in zip(self.handles, places)),
            shape=shape,
        )

    def taken(self) -> m.Take:
        return m.Take(self.take.frame_count if self.take else 0, FPS, self.running)

    # ------------------------------------------------------------ messages

    def receive(self, message: Any) -> Answer:
        """What a message changes."""
        if self.body.motion is not None:
            return []
        answer: Callable[[Any], Answer] = _ANSWERS[type(message)].__get__(self)
        return answer(message)

    def _grab(self, message: m.Grab) -> Answer:
        if len(self.handles) >= MOST_HANDLES:
            raise InputError(f"{MOST_HANDLES} points are held already", "release one first (Esc releases all)")
        point = settled_point(self.space, self.body.point(message.triangle, message.weights))
        self.handles[message.handle] = point
        if self.running:
            here = self.take.state.space.positions(torch.from_numpy(self.take.state.q), point).numpy()[0]
            self.take.hold(message.handle, point, here)
        else:
            self._take_up()
            self.drag.hold(message.handle, point)
        held = "a point" if len(self.handles) == 1 else f"{len(self.handles)} points"
        return [self.pose(), m.Say(f"Holding {held}.", False)]

    def _move(self, message: m.Move) -> Answer:
        if message.handle not in self.handles:
            return []
        target = self.body.stage.file_points(np.array(message.place))
        if self.running:
            self.take.lead(message.handle, target)
            return []
        self._take_up()
        self.rates[:] = 0.0
        self.drag.move(message.handle, target)
        return [self.pose(message.stamp)]

    def _release(self, message: m.Release) -> Answer:
        point = self.handles.pop(message.handle, None)
        if point is None:
            return []
        if self.running:
            self.take.release(message.handle)
            return [self.pose()]
        self.drag.release(message.handle)
        speed = np.linalg.norm(message.velocity)
        if speed < FLING:
            return [self.pose(), m.Say(f"Let go, {words(self.space, self.drag.q)}.", False)]
        velocity = self.body.stage.file_vectors(np.array(message.velocity))
        rates = thrown(self._scene(), self.space, self.drag.q, [point], velocity[None])
        return self._begin(rates) + [m.Say("Thrown.", False)]

    def _set_coordinate(self, message: m.SetCoordinate) -> Answer:
        if not 0 <= message.index < self.space.size:
            raise InputError("the page named a coordinate that is not there", "reload the page")
        self._stop()
        self._take_up()
        q = self.drag.q.copy()
        q[message.index] = message.value
        self.drag.put(q)
        return [self.pose(message.stamp)]

    def _set(self, message: m.Settings) -> Answer:
        """Other forces; time that runs goes on from here in a new take."""
        running = self.running
        q, v = self._stop_here()
        self.settings = message
        if message.free != isinstance(self.space, Free):
            self._set_base(message.free, q)
            v = np.zeros(self.space.size)
            return [*self.hello()[:3], *(self._begin(v) if running else [])]
        return self._begin(v) if running else [self.taken()]

    def _set_base(self, free: bool, q: Array) -> None:
        """Let the base go, or hold it where the file has it."""
        if isinstance(self.body.space, Free):
            self.settings = replace(self.settings, free=True)  # one rigid body has nothing else to move by
            return
        self.space = Free(self.body.space) if free else self.body.space
        self.handles.clear()
        self._put(np.concatenate([np.zeros(6), q]) if free else q[6:])

    def _push(self, message: m.PushPoint) -> Answer:
        direction = np.array(message.direction)
        length = float(np.linalg.norm(direction))
        if not length > 0:
            return []
        point = settled_point(self.space, self.body.point(message.triangle, message.weights))
        # What gives the whole mass a speed of PUSH diagonals a second, were it free.
        metres = self.body.stage.size * self.body.mesh.unit
        newtons = PUSH * metres * self._scene().masses.total * FPS / PUSH_FRAMES
        newtons *= float(np.clip(message.strength, 0.0, 100.0))
        begun = [] if self.running else self._begin(self.rates)
        self.take.push(point, self.body.stage.turn.T @ (direction / length) * newtons)
        return [*begun, m.Say(f"Pushed with {newtons:.3g} N.", False)]

    def _run(self, _: m.Run) -> Answer:
        if self.running:
            return []
        if self.take is not None and self.at_end and not self.take.is_full:
            self.running = True
            return [self.taken(), m.Say("Running on.", False)]
        return self._begin(self.rates)

    def _pause(self, _: m.Pause) -> Answer:
        self.running = False
        return [self.taken(), m.Say("Paused.", False)]

    def _step(self, _: m.StepOnce) -> Answer:
        begun = [] if self.take is not None and self.at_end else self._begin(self.rates)
        self.running = False
        self.take.advance()
        return [*begun, self.pose(), self.taken()]

    def _reset(self, _: m.Reset) -> Answer:
        self.handles.clear()
        self.take, self.running, self.at_end, self.choices = None, False, False, []
        self._put(self._rest())
        return [self.taken(), self.pose(), m.Say("Back at rest.", False)]

    def _seek(self, message: m.Seek) -> Answer:
        if self.take is None or not 0 <= message.frame < self.take.frame_count:
            return []
        self.running = self.at_end = False
        q, v, base, *_ = self.take.records[message.frame]
        space = Free(self.space.inner, base) if isinstance(self.space, Free) else self.space
        self.handles.clear()
        self._put(*level(space, q, v)[1:])
        return [self.taken()]

    def _surprise(self, _: m.Surprise) -> Answer:
        """A few plausible states, far from each other; the page goes to the first."""
        self.seed += 1
        drawn = self.space.sample(DRAWN, torch.Generator().manual_seed(self.seed)).numpy().astype(np.float64)
        spread = self.space.spread.numpy()
        self.choices = _apart(drawn / spread, drawn, CHOICES)
        self._stop()
        self._take_up()
        self.drag.put(self.choices[0])
        shapes = np.stack([self.body.shape(self.space, q) for q in self.choices])
        return [m.Choices(len(self.choices), 0, shapes), self.pose(), self.taken(), m.Say("One of many.", False)]

    def _choose(self, message: m.Choose) -> Answer:
        if not 0 <= message.index < len(self.choices):
            return []
        self._stop()
        self._take_up()
        self.drag.put(self.choices[message.index])
        return [self.pose(), self.taken()]

    def _region(self, message: m.ShowRegion) -> Answer:
        if not 0 <= message.index < self.space.size:
            return []
        return [m.Region(message.index, np.round(255 * heat(self.space, message.index)).astype(np.uint8))]

    # ------------------------------------------------------------ time

    def tick(self) -> Answer:
        """One frame further, while time runs."""
        if not self.running:
            return []
        self.take.advance()
        said: Answer = [self.pose()]
        if self.take.is_at_rest:
            self._stop()
            said += [self.taken(), m.Say(f"At rest after {self.take.time:.1f} s.", False)]
        elif self.take.is_full:
            self._stop()
            said += [self.taken(), m.Say(f"Stopped after {self.take.time:.0f} s, the longest take.", False)]
        return said

    def prepare(self) -> None:
        """Weigh the object and time a frame of it before someone throws it.

        The finest way of stepping is taken that keeps up with the clock; conditions say which one it was.
        """
        if self.body.motion is not None or self.space.size == 0:
            return
        body, scene = self.body, self._scene()
        q = self.space.sample(1, torch.Generator().manual_seed(0)).numpy()[0].astype(np.float64)
        for pace in PACES:
            wishes = replace(self.wishes(), integrator=pace[0], dt=pace[1])
            trial = Take(scene, wishes, State(self.space, q, 0.3 * self.space.spread.numpy(), 0.0))
            trial.advance()
            begin = thread_time()
            trial.advance()
            if self.body is not body:
                return
            self.pace = pace
            if thread_time() - begin < KEEPS_UP:
                return

    def wishes(self) -> Conditions:
        """The present settings as conditions."""
        s, turn = self.settings, self.body.stage.turn
        down = turn.T @ np.array([0.0, -1.0, 0.0])
        angle = np.radians(s.wind_angle)
        wind = turn.T @ np.array([np.cos(angle), 0.0, -np.sin(angle)]) * s.wind
        return Conditions(
            gravity=_vector(down * s.gravity),
            wind=_vector(wind),
            ground=s.ground,
            stiffness=s.stiffness,
            damping=s.damping,
            base="free" if isinstance(self.space, Free) else "fixed",
            fps=FPS,
            integrator=self.pace[0],
            dt=self.pace[1],
        )

    def conditions(self, first: int = 0, last: int = -1) -> Conditions:
        """What `neurok animate` replays: the frames first to last of the take, or the present pose let go."""
        if self.take is not None:
            return self.take.wishes(first, last)
        if self.body.motion is not None:
            raise InputError("this motion was not made here, and no conditions are known for it", "drag it first")
        return replace(self.wishes(), state=tuple(map(float, self.drag.q)))

    def motion(self) -> Motion | None:
        """What was recorded, or the clip of the file; None where there is neither."""
        return self.take.trajectory().motion() if self.take is not None else self.body.motion

    def _scene(self) -> Scene:
        if self.settings not in self._scenes:
            self._scenes = {self.settings: build(self.space, self.wishes())}
        return self._scenes[self.settings]

    def _begin(self, rates: Array) -> Answer:
        """A new take from the present state."""
        self._take_up()
        self.take = Take(self._scene(), self.wishes(), State(self.space, self.drag.q.copy(), rates, 0.0))
        for number, point in self.handles.items():
            self.take.hold(number, point, self.drag.held[number])
        self.running = self.at_end = True
        return [m.Take(0, FPS, True), self.pose(), self.taken(), m.Say("Time runs.", False)]

    def _take_up(self) -> None:
        """Make the end of a take the state that is dragged from."""
        if self.take is not None and self.at_end:
            q, _ = self._stop_here()
            held = {number: hand.target for number, hand in self.take.hands.items()}
            self._put(q)
            for number, target in held.items():
                self.drag.hold(number, self.handles[number], target)
            self.at_end = False

    def _stop_here(self) -> tuple[Array, Array]:
        """Stop time; the present state and its rates, [k] each."""
        recorded = self.take is not None and self.at_end
        self.running = False
        if not recorded:
            return self.drag.q, np.zeros_like(self.drag.q)
        _, q, v = level(self.take.state.space, self.take.state.q, self.take.state.v)
        return q, v

    def _stop(self) -> None:
        self.running = False


_ANSWERS: dict[type, Any] = {
    m.Grab: Session._grab,
    m.Move: Session._move,
    m.Release: Session._release,
    m.SetCoordinate: Session._set_coordinate,
    m.Settings: Session._set,
    m.PushPoint: Session._push,
    m.Run: Session._run,
    m.Pause: Session._pause,
    m.StepOnce: Session._step,
    m.Reset: Session._reset,
    m.Seek: Session._seek,
    m.Surprise: Session._surprise,
    m.Choose: Session._choose,
    m.ShowRegion: Session._region,
}


def _apart(scaled: Array, states: Array, count: int) -> list[Array]:
    """So many of the states, each as far as possible from those before it (scaled: [s, k])."""
    chosen = [0]
    reach = np.full(len(states), np.inf)
    while len(chosen) < min(count, len(states)):
        reach = np.minimum(reach, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
        chosen.append(int(reach.argmax()))
    return [states[index] for index in chosen]


def _vector(array: Array) -> tuple[float, float, float]:
    return tuple(float(x) + 0.0 for x in np.round(array, 9))


def _length(metres: float) -> str:
    """A length for people."""
    for unit, size in (("km", 1e3), ("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if metres >= size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres:.2g} m"
