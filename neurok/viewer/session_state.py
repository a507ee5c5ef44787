"""SessionState: an object in one tab, the state it is in now, and what has been recorded of it."""

from dataclasses import replace

import numpy as np
import torch

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion
from neurok.geometry.surface import SurfacePoints, at_vertices
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.stepper import State
from neurok.viewer.drag_session import DragSession
from neurok.viewer.environment import Environment
from neurok.viewer.messages import HandlePlace, PoseMessage, to_vector
from neurok.viewer.playback import Playback
from neurok.viewer.points import settle_point
from neurok.viewer.recording import LiveRecording
from neurok.viewer.rehearsal import Rehearsal
from neurok.viewer.viewed_object import ViewedObject, read_rest_state


class SessionState:
    """What a session shows, and how it passes between being dragged and running.

    dragging: the present state while time stands. playback: what was recorded; while time runs, and until something
    else is done after that, its end is the present state. environment: what acts on the object.
    """

    def __init__(self, shown: ViewedObject) -> None:
        self.shown = shown
        self.environment = Environment(shown)
        self.dragging = DragSession(shown.space, shown.choose_start())
        self.playback = Playback()

    @property
    def space(self) -> Kinematics:
        """The state space of the object, its base free or fixed as the settings have it."""
        return self.dragging.space

    def find_point(self, triangle: int, weights: tuple[float, float, float]) -> SurfacePoints:
        """The point that a page means, as conditions find it again."""
        return settle_point(self.space, self.shown.find_point(triangle, weights))

    def find_state(self) -> tuple[Array, Array]:
        """The present state and its rates, [k] each, counted from the base's pose in the file."""
        recording = self.playback.current
        if recording is None:
            return self.dragging.q, np.zeros_like(self.dragging.q)
        _, q, rates = recording.state.space.unroll(recording.state.q, recording.state.v)
        return q, rates

    def compute_vertices(self) -> Array:
        """The vertices now [unit], [n, 3]."""
        recording = self.playback.current
        space, q = (self.space, self.dragging.q) if recording is None else (recording.state.space, recording.state.q)
        return space.positions(torch.from_numpy(np.array(q)), at_vertices(space.mesh)).numpy()

    def describe_pose(self, stamp: int = 0) -> PoseMessage:
        """The object now, for the page."""
        recording, points = self.playback.current, self.dragging.points
        space, q = (self.space, self.dragging.q) if recording is None else (recording.state.space, recording.state.q)
        shape, places = self.shown.compute_view(space, q, list(points.values()))
        return PoseMessage(
            stamp=stamp,
            frame=-1 if recording is None else recording.frame_count - 1,
            time=0.0 if recording is None else recording.time,
            coordinates=tuple(map(float, space.unroll(q, np.zeros_like(q))[1])),
            energy=(0.0, 0.0) if recording is None else recording.energy,
            handles=tuple(HandlePlace(number, to_vector(place)) for number, place in zip(points, places)),
            shape=shape,
        )

    # ------------------------------------------------------------ between dragging and running

    def start_recording(self, rates: Array) -> LiveRecording:
        """Let time run from the present state, which changes at some rates [k], in a new recording."""
        self.leave_recording()
        scene, conditions = self.environment.build_scene(self.space), self.environment.make_conditions(self.space)
        recording = LiveRecording(scene, conditions, State(self.space, self.dragging.q.copy(), rates, 0.0))
        for number, point in self.dragging.points.items():
            recording.hold(number, point, self.dragging.solver.held[number])
        self.playback.start(recording)
        return recording

    def leave_recording(self) -> None:
        """Make the end of a recording, where it is the present state, the state that is dragged from."""
        recording = self.playback.current
        if recording is not None:
            q, _ = self.find_state()
            self.dragging.resume(q, {number: handle.target for number, handle in recording.handles.items()})
            self.playback.leave()

    def go_to(self, q: Array) -> None:
        """Stop time and go to a state, [k]."""
        self.leave_recording()
        self.dragging.set_state(q)

    def seek(self, recording: LiveRecording, frame: int) -> None:
        """Stop time and go to a recorded frame, with the rates it had; nothing is held."""
        q, v, T_base, *_ = recording.records[frame]
        self.playback.leave()
        self.dragging = DragSession(self.space, *self.space.with_base_pose(T_base).unroll(q, v)[1:])

    def set_base(self, q: Array, *, is_free: bool) -> None:
        """Let the base go, or hold it where the file has it; q: the present state. Nothing is held or recorded then."""
        self.leave_recording()
        self.playback.discard()  # its frames are those of other coordinates
        if self.shown.space.has_free_base:
            self.environment.keep_base_free()
        elif is_free:
            self.dragging = DragSession(FloatingBase(self.shown.space), np.concatenate([np.zeros(6), q]))
        else:
            self.dragging = DragSession(self.shown.space, q[6:])

    def reset(self) -> None:
        """Back to rest, nothing held, nothing recorded."""
        self.playback.discard()
        self.dragging = DragSession(self.space, read_rest_state(self.space))

    # ------------------------------------------------------------ rehearsal

    def rehearse(self) -> Rehearsal | None:
        """Build the scene and time a frame of it ahead; see `Environment.rehearse`."""
        return self.environment.rehearse(self.space)

    def adopt(self, found: Rehearsal | None) -> None:
        """Take over what a rehearsal found, where it still holds."""
        if found is not None and found.space is self.space:
            self.environment.adopt(found)

    # ------------------------------------------------------------ what was recorded

    def make_conditions(self, first: int = 0, last: int = -1) -> Conditions:
        """What `neurok animate` replays: the frames first to last of the recording, or the present pose let go."""
        if self.playback.recording is not None:
            return self.playback.recording.replay_conditions(first, last)
        if self.shown.motion is not None:
            raise InputError("this motion was not made here, and no conditions are known for it", "drag it first")
        return replace(self.environment.make_conditions(self.space), state=tuple(map(float, self.dragging.q)))

    def make_motion(self) -> Motion | None:
        """What was recorded, or the clip of the file; None where there is neither."""
        recording = self.playback.recording
        return self.shown.motion if recording is None else recording.make_trajectory().motion()
