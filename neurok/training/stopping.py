"""Being asked to stop: a training ends between two steps, never within one, so that what it saves is whole."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

# What signal.signal takes and gives back.
SignalHandler = Callable[[int, FrameType | None], Any] | int | signal.Handlers | None


class Stopping:
    """While it is open, Ctrl-C and a polite kill only raise a flag; a second one stops at once.

    asked: the signal that came, or None.
    """

    def __init__(self) -> None:
        self.asked: int | None = None
        self._before: dict[signal.Signals, SignalHandler] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # elsewhere, signals are someone else's
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked is not None:
            raise KeyboardInterrupt
        self.asked = number
