"""Session: one tab and its object; messages in, messages out. It knows nothing of networks."""

from collections.abc import Callable

import numpy as np
import torch

from neurok.errors import InputError
from neurok.files.clips import encode_clip
from neurok.geometry.arrays import Array
from neurok.viewer import messages as m
from neurok.viewer.descriptions import describe_found, describe_object
from neurok.viewer.heat import measure_heat
from neurok.viewer.recording import FPS, LiveRecording, compute_throw
from neurok.viewer.sampling import sample_choices
from neurok.viewer.session_state import SessionState
from neurok.viewer.sliders import describe_state
from neurok.viewer.viewed_object import ViewedObject

Answer = list[m.ServerMessage]

THROW_SPEED = 0.5  # diagonals a second: a point that is let go faster than this is thrown


class Session:
    """Answers the messages of one tab; `state` is what they change.

    token: names the session in uploads and downloads. choices: the states that a page may choose from, [k] each.
    """

    def __init__(self, shown: ViewedObject, token: str) -> None:
        self.token = token
        self.seed = 0
        self.handlers: dict[type[m.PageMessage], Callable[..., Answer]] = {
            m.Grab: self.grab,
            m.Move: self.move,
            m.Release: self.release,
            m.SetCoordinate: self.set_coordinate,
            m.Settings: self.change_settings,
            m.PushPoint: self.push,
            m.RunMessage: self.run,
            m.Pause: self.pause,
            m.StepOnce: self.step_once,
            m.Reset: self.reset,
            m.Seek: self.seek,
            m.Surprise: self.surprise,
            m.Choose: self.choose,
            m.ShowRegion: self.show_region,
        }
        self.show(shown)

    def show(self, shown: ViewedObject) -> None:
        """Show another object, nothing held and nothing recorded."""
        self.state = SessionState(shown)
        self.choices: list[Array] = []

    @property
    def is_running(self) -> bool:
        """Whether time runs."""
        return self.state.playback.running is not None

    def receive(self, message: m.PageMessage) -> Answer:
        """What a message changes; nothing where the object is a recorded motion, which is only played."""
        handler = self.handlers.get(type(message))
        return handler(message) if handler is not None and self.state.shown.motion is None else []

    def introduce(self) -> Answer:
        """Everything a page needs to begin with this object."""
        state, shown = self.state, self.state.shown
        thing = describe_object(shown, state.space, state.environment.settings, self.token)
        if shown.motion is not None:
            words = f"A recorded motion of {shown.motion.duration:.3g} s."
            return [thing, encode_clip(shown.motion, shown.stage), m.Say(words, False)]
        words = describe_found(thing, shown.found)
        return [thing, state.describe_pose(), state.playback.describe(), m.Say(words, shown.found.is_fault)]

    # ------------------------------------------------------------ drag handles and sliders

    def grab(self, message: m.Grab) -> Answer:
        state, dragging = self.state, self.state.dragging
        dragging.check_room()
        point = state.find_point(message.triangle, message.weights)
        dragging.add_point(message.handle, point)
        recording = state.playback.running
        if recording is None:
            state.leave_recording()
            dragging.hold(message.handle)
        else:
            q = torch.from_numpy(recording.state.q)
            recording.hold(message.handle, point, recording.state.space.positions(q, point).numpy()[0])
        count = len(dragging.points)
        held = "a point" if count == 1 else f"{count} points"
        return [state.describe_pose(), m.Say(f"Holding {held}.", False)]

    def move(self, message: m.Move) -> Answer:
        state = self.state
        if message.handle not in state.dragging.points:
            return []
        target = state.shown.stage.file_points(np.array(message.place))
        recording = state.playback.running
        if recording is not None:
            recording.lead(message.handle, target)
            return []
        state.leave_recording()
        state.dragging.move(message.handle, target)
        return [state.describe_pose(message.stamp)]

    def release(self, message: m.Release) -> Answer:
        state, dragging = self.state, self.state.dragging
        point = dragging.remove_point(message.handle)
        if point is None:
            return []
        recording = state.playback.running
        if recording is not None:
            recording.release(message.handle)
            return [state.describe_pose()]
        dragging.release(message.handle)
        if np.linalg.norm(message.velocity) < THROW_SPEED:
            words = f"Let go, {describe_state(state.shown, state.space, dragging.q)}."
            return [state.describe_pose(), m.Say(words, False)]
        velocity = state.shown.stage.file_vectors(np.array(message.velocity))
        scene = state.environment.build_scene(state.space)
        rates = compute_throw(scene, state.space, dragging.q, [point], velocity[None])
        return [*self._begin_recording(rates)[1], m.Say("Thrown.", False)]

    def set_coordinate(self, message: m.SetCoordinate) -> Answer:
        if not 0 <= message.index < self.state.space.size:
            raise InputError("the page named a coordinate that is not there", "reload the page")
        self.state.leave_recording()
        q = self.state.dragging.q.copy()
        q[message.index] = message.value
        self.state.dragging.set_state(q)
        return [self.state.describe_pose(message.stamp)]

    # ------------------------------------------------------------ time, and what acts while it runs

    def change_settings(self, message: m.Settings) -> Answer:
        """Other forces; time that runs, or was paused, goes on from here in a new recording."""
        state, was_running = self.state, self.is_running
        q, rates = state.find_state()
        state.playback.stop()
        state.environment.settings = message
        if message.free != state.space.has_free_base:
            return self._change_base(q, is_free=message.free, was_running=was_running)
        if not was_running:
            return self._leave_recording(rates)
        words = "The forces have changed: recording anew from here."
        return [*self._begin_recording(rates)[1], m.Say(words, False)]

    def _leave_recording(self, rates: Array) -> Answer:
        """Keep what was recorded, and the present state with its rates [k]: running on would be under old forces."""
        state = self.state
        if state.playback.current is None:
            return [state.playback.describe()]
        state.leave_recording()
        state.dragging.rates = rates
        words = "The forces have changed: Run records anew from here."
        return [state.describe_pose(), state.playback.describe(), m.Say(words, False)]

    def _change_base(self, q: Array, *, is_free: bool, was_running: bool) -> Answer:
        anew = "; recording anew" if self.state.playback.recording is not None else ""
        self.state.set_base(q, is_free=is_free)
        begun = self._begin_recording(np.zeros(self.state.space.size))[1] if was_running else []
        words = "can fall, slide and tumble" if self.state.space.has_free_base else "is held"
        return [*self.introduce()[:3], *begun, m.Say(f"The base {words}{anew}.", False)]

    def push(self, message: m.PushPoint) -> Answer:
        state, direction = self.state, np.array(message.direction)
        length = float(np.linalg.norm(direction))
        if not length > 0:
            return []
        point = state.find_point(message.triangle, message.weights)
        newtons = state.environment.compute_push(state.space, message.strength)
        recording = state.playback.running
        begun: Answer = []
        if recording is None:
            recording, begun = self._begin_recording(state.dragging.rates)
        recording.push(point, state.shown.stage.turn.T @ (direction / length) * newtons)
        return [*begun, m.Say(f"Pushed with {newtons:.3g} N.", False)]

    def run(self, _: m.RunMessage) -> Answer:
        playback = self.state.playback
        if self.is_running:
            return []
        if playback.current is not None and not playback.current.is_full:
            playback.start(playback.current)
            return [playback.describe(), m.Say("Running on.", False)]
        return self._begin_recording(self.state.dragging.rates)[1]

    def pause(self, _: m.Pause) -> Answer:
        return [*self.stop(), m.Say("Paused.", False)]

    def step_once(self, _: m.StepOnce) -> Answer:
        state = self.state
        recording = state.playback.current
        begun: Answer = []
        if recording is None or recording.is_full:
            recording, begun = self._begin_recording(state.dragging.rates)
        state.playback.stop()
        recording.advance()
        return [*begun, state.describe_pose(), state.playback.describe()]

    def seek(self, message: m.Seek) -> Answer:
        recording = self.state.playback.recording
        if recording is None or not 0 <= message.frame < recording.frame_count:
            return []
        self.state.seek(recording, message.frame)
        return [self.state.playback.describe()]

    def reset(self, _: m.Reset) -> Answer:
        return [*self.return_to_rest(), m.Say("Back at rest.", False)]

    def tick(self) -> Answer:
        """One frame further, while time runs."""
        recording = self.state.playback.running
        if recording is None:
            return []
        recording.advance()
        pose = self.state.describe_pose()
        if not (recording.is_at_rest or recording.is_full):
            return [pose]
        rests = f"At rest after {recording.time:.1f} s."
        words = rests if recording.is_at_rest else f"Stopped after {recording.time:.0f} s, the longest recording."
        return [pose, *self.stop(), m.Say(words, False)]

    def stop(self) -> Answer:
        """Stop time."""
        self.state.playback.stop()
        return [self.state.playback.describe()]

    def return_to_rest(self) -> Answer:
        """Back to rest, nothing held, nothing recorded: from here everything is in order again."""
        self.state.reset()
        self.choices = []
        return [self.state.playback.describe(), self.state.describe_pose()]

    def _begin_recording(self, rates: Array) -> tuple[LiveRecording, Answer]:
        """A new recording from the present state, which changes at some rates [k], and what the page is told of it."""
        recording, state = self.state.start_recording(rates), self.state
        empty = m.RecordingMessage(0, FPS, True)
        return recording, [empty, state.describe_pose(), state.playback.describe(), m.Say("Time runs.", False)]

    # ------------------------------------------------------------ plausible states, and what a coordinate moves

    def surprise(self, _: m.Surprise) -> Answer:
        """A few plausible states, far from each other; the page goes to the first."""
        self.seed += 1
        state = self.state
        self.choices = sample_choices(state.space, self.seed)
        state.go_to(self.choices[0])
        shapes = np.stack([state.shown.compute_shape(state.space, q) for q in self.choices])
        choices = m.Choices(len(self.choices), 0, shapes)
        return [choices, state.describe_pose(), state.playback.describe(), m.Say("One of many.", False)]

    def choose(self, message: m.Choose) -> Answer:
        if not 0 <= message.index < len(self.choices):
            return []
        self.state.go_to(self.choices[message.index])
        return [self.state.describe_pose(), self.state.playback.describe()]

    def show_region(self, message: m.ShowRegion) -> Answer:
        if not 0 <= message.index < self.state.space.size:
            return []
        heat = measure_heat(self.state.space, message.index)
        return [m.Region(message.index, np.round(255 * heat).astype(np.uint8))]
