"""Playback: what a session recorded, and whether time runs."""

from neurok.viewer.messages import RecordingMessage
from neurok.viewer.recording import FPS, LiveRecording


class Playback:
    """Time runs, stands at the end of what was recorded, or stands elsewhere.

    recording: what was recorded last, None where nothing was.
    current: the recording where its end is the present state, else None. running: the same where time runs.
    """

    def __init__(self) -> None:
        self.recording: LiveRecording | None = None
        self._is_current = self._is_running = False

    @property
    def current(self) -> LiveRecording | None:
        return self.recording if self._is_current else None

    @property
    def running(self) -> LiveRecording | None:
        return self.recording if self._is_running else None

    def start(self, recording: LiveRecording) -> None:
        """Let time run in a recording, a new one or the current one."""
        self.recording, self._is_current, self._is_running = recording, True, True

    def stop(self) -> None:
        """Stop time; the end of the recording remains the present state."""
        self._is_running = False

    def leave(self) -> None:
        """Stop time; the present state is no longer the end of the recording."""
        self._is_current = self._is_running = False

    def discard(self) -> None:
        """Forget what was recorded."""
        self.leave()
        self.recording = None

    def describe(self) -> RecordingMessage:
        """What has been recorded, for the page."""
        frames = 0 if self.recording is None else self.recording.frame_count
        return RecordingMessage(frames, FPS, self._is_running)
