"""Present: an object in one tab, the state it is in now, and what has been recorded of it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neurok.errors import InputError
from neurok.files.clips import encode_clip
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.drag import Drag
from neurok.mechanics.scene import Scene, build
from neurok.mechanics.stepper import State
from neurok.viewer import messages as m
from neurok.viewer.body import Body
from neurok.viewer.naming import coordinates
from neurok.viewer.rehearsal import PACES, Pace, rehearse
from neurok.viewer.take import FPS, Take

Answer = list[Any]

EARTH = 9.81  # m/s^2


@dataclass(frozen=True)
class Rehearsal:
    """An object weighed and timed ahead: whose it is, and what was found."""

    body: Body
    space: Kinematics
    settings: m.Settings
    scene: Scene
    pace: Pace


class Present:
    """Either `drag` holds the present state, or, while `running` or at its end, the take does."""

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
        self.put(np.array(body.start, dtype=np.float64) if body.start else self.rest())
        self.handles: dict[int, SurfacePoints] = {}
        self.take: Take | None = None
        self.running = self.at_end = False
        self.choices: list[Array] = []
        self.pace = PACES[0]
        self._scenes: dict[m.Settings, Scene] = {}

    def put(self, q: Array, rates: Array | None = None) -> None:
        """Make q the present state, nothing held; rates: how fast it changes once time runs, [k] each."""
        self.drag = Drag(self.space, q)
        self.rates = np.zeros(self.space.size) if rates is None else rates

    def rest(self) -> Array:
        return self.space.rest.numpy().astype(np.float64)

    def _first_settings(self) -> m.Settings:
        """Joints hang in gravity; soft bodies spring back to rest, and would sag under it."""
        elastic, rigid = self.space.is_elastic, self.space.has_free_base
        return m.Settings(
            gravity=0.0 if elastic and not rigid else EARTH,
            ground=rigid,
            free=rigid,
            stiffness=1.0 if elastic and not rigid else 0.0,
            damping=0.5,
        )

    def set_base(self, free: bool, q: Array) -> None:
        """Let the base go, or hold it where the file has it."""
        if self.body.space.has_free_base:
            self.settings = replace(self.settings, free=True)  # one rigid body has nothing else to move by
            return
        self.space = FloatingBase(self.body.space) if free else self.body.space
        self.handles.clear()
        self.put(np.concatenate([np.zeros(6), q]) if free else q[6:])

    # ------------------------------------------------------------ what a page sees

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
            up=mesh.up,
            coordinates=coordinates(self.body, self.space) if motion is None else (),
            settings=self.settings,
            bones=skin.bone_count if skin is not None else 0,
            width=skin.joints.shape[1] if skin is not None else 0,
            scenery=self.body.scenery,
            joints=np.asarray(skin.joints if skin is not None else [], dtype=np.uint16),
            weights=np.asarray(skin.weights if skin is not None else [], dtype=np.float32),
        )
        if motion is not None:
            words = f"A recorded motion of {motion.duration:.3g} s."
            return [thing, encode_clip(motion, self.body.stage), m.Say(words, False)]
        return [thing, self.pose(), self.taken(), m.Say(self.body.note or _ways(thing, self.body.why), False)]

    def pose(self, stamp: int = 0) -> m.Pose:
        """The object now."""
        recorded = self.take is not None and self.at_end
        space, q = (self.take.state.space, self.take.state.q) if recorded else (self.space, self.drag.q)
        shape, places = self.body.seen(space, q, list(self.handles.values()))
        return m.Pose(
            stamp=stamp,
            frame=self.take.frame_count - 1 if recorded else -1,
            time=self.take.time if recorded else 0.0,
            coordinates=tuple(map(float, space.unroll(q, np.zeros_like(q))[1])),
            energy=self.take.energy if recorded else (0.0, 0.0),
            handles=tuple(m.HandlePlace(n, tuple(map(float, place))) for n, place in zip(self.handles, places)),
            shape=shape,
        )

    def taken(self) -> m.Take:
        return m.Take(self.take.frame_count if self.take else 0, FPS, self.running)

    # ------------------------------------------------------------ what acts on it

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
            base="free" if self.space.has_free_base else "fixed",
            fps=FPS,
            integrator=self.pace[0],
            dt=self.pace[1],
        )

    def scene(self) -> Scene:
        if self.settings not in self._scenes:
            self._scenes = {self.settings: build(self.space, self.wishes())}
        return self._scenes[self.settings]

    def rehearsal(self) -> Rehearsal | None:
        """Weigh the object and time a frame of it before someone throws it; changes nothing, for `adopt` does that.

        It may take long and run beside the messages: it looks at the present once, at its beginning.
        """
        body, space, settings, wishes = self.body, self.space, self.settings, self.wishes()
        if body.motion is not None or space.size == 0:
            return None
        scene = build(space, wishes)
        return Rehearsal(body, space, settings, scene, rehearse(space, scene, wishes))

    def adopt(self, found: Rehearsal | None) -> None:
        """Take over what a rehearsal found, where it still holds."""
        if found is None or found.body is not self.body or found.space is not self.space:
            return
        self.pace = found.pace
        if found.settings == self.settings:
            self._scenes = {found.settings: found.scene}

    def prepare(self) -> None:
        """Rehearse here and now."""
        self.adopt(self.rehearsal())

    # ------------------------------------------------------------ what was recorded

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

    # ------------------------------------------------------------ between hand and time

    def begin(self, rates: Array) -> Answer:
        """A new take from the present state."""
        self.take_up()
        self.take = Take(self.scene(), self.wishes(), State(self.space, self.drag.q.copy(), rates, 0.0))
        for number, point in self.handles.items():
            self.take.hold(number, point, self.drag.held[number])
        self.running = self.at_end = True
        return [m.Take(0, FPS, True), self.pose(), self.taken(), m.Say("Time runs.", False)]

    def take_up(self) -> None:
        """Make the end of a take the state that is dragged from."""
        if self.take is not None and self.at_end:
            q, _ = self.stop_here()
            held = {number: hand.target for number, hand in self.take.hands.items()}
            self.put(q)
            for number, target in held.items():
                self.drag.hold(number, self.handles[number], target)
            self.at_end = False

    def stop_here(self) -> tuple[Array, Array]:
        """Stop time; the present state and its rates, [k] each."""
        recorded = self.take is not None and self.at_end
        self.running = False
        if not recorded:
            return self.drag.q, np.zeros_like(self.drag.q)
        _, q, v = self.take.state.space.unroll(self.take.state.q, self.take.state.v)
        return q, v

    def give_up(self) -> Answer:
        """Back to rest, nothing held, nothing recorded: from here everything is in order again."""
        self.handles.clear()
        self.take, self.running, self.at_end, self.choices = None, False, False, []
        self.put(self.rest())
        return [self.taken(), self.pose()]


def _ways(thing: m.Thing, why: str) -> str:
    """What the object can do, in words, and how that is known."""
    names = [f"{one.name} ({one.moves})" if one.moves else one.name for one in thing.coordinates if one.shown]
    many = f" and {len(names) - 3} more" if len(names) > 3 else ""
    ways = "one way" if len(names) == 1 else f"{len(names)} ways"
    said = f"It moves in {ways}: {', '.join(names[:3])}{many}."
    return f"{said} {why[:1].upper()}{why[1:]}." if why else said


def _vector(array: Array) -> tuple[float, float, float]:
    return tuple(float(x) + 0.0 for x in np.round(array, 9))


def _length(metres: float) -> str:
    """A length for people."""
    for unit, size in (("km", 1e3), ("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if metres >= size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres:.2g} m"
