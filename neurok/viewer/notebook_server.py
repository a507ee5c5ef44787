"""A server for a notebook: in a thread of its process, framed by pages of this machine, its state read from outside."""

import asyncio
import atexit
import copy
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

import numpy as np
from aiohttp import web

from neurok.errors import InputError, OptionError
from neurok.files.registry import Asset
from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.opening import read_asset
from neurok.viewer.server import Server, make_runner
from neurok.viewer.session import Session
from neurok.viewer.session_state import SessionState
from neurok.viewer.tab import Tab
from neurok.viewer.viewed_object import FoundSpace, ViewedObject

# Notebooks of this machine, in a browser or in an editor.
ANCESTORS = "'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:* vscode-webview:"
PATIENCE_SECONDS = 60.0  # that a page may take to let its state be read, while it simulates
GRACE_SECONDS = 10.0  # that what is under way may take when the server is told to end

T = TypeVar("T")


def view_anything(thing: Any) -> ViewedObject:
    """What a page shows of a state space, a file, an asset, an articulation, a mesh or a thing of another package."""
    if isinstance(thing, Kinematics):
        return ViewedObject(Asset(thing.mesh), "object", FoundSpace(thing))
    asset = read_asset(thing)
    return ViewedObject(asset, "object" if asset.articulation is None else asset.articulation.name)


class NotebookServer(Server):
    """Serves one object to frames of notebooks. A page that is opened anew goes on where the last one was."""

    def __init__(self, shown: ViewedObject) -> None:
        super().__init__(self._open, port=0, ancestors=ANCESTORS)
        self._shown, self._left = shown, SessionState(shown)
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._ready: threading.Event = threading.Event()
        self._address, self._fault = "", ""
        self._thread = threading.Thread(target=self._run, name="neurok-widget", daemon=True)

    # ------------------------------------------------------------ called by the notebook's thread

    def start(self) -> str:
        """Serve; the page's address."""
        self._thread.start()
        self._ready.wait()
        if self._fault:
            raise OptionError(f"no page can be served here ({self._fault})", "use neurok view in a terminal")
        atexit.register(self.stop)
        return self._address

    def stop(self) -> None:
        """End serving and give the port back; again is no fault."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join(GRACE_SECONDS)
        atexit.unregister(self.stop)

    def call(self, question: Callable[[SessionState], T]) -> T:
        """Ask the state of the page that was opened last, or was left last, between two things that it does."""
        if not self._thread.is_alive():
            return question(self._left)
        return self._wait_for(self._ask(question))

    def _wait_for(self, answer: Coroutine[Any, Any, T]) -> T:
        """What the server's thread answers; an InputError where the page is at work for too long, or is closed."""
        future = asyncio.run_coroutine_threadsafe(answer, self._loop)
        try:
            return future.result(PATIENCE_SECONDS)
        except TimeoutError:
            future.cancel()
            raise InputError("the page is still at work", "wait until it has ended, or close the widget") from None
        except CancelledError:
            raise InputError("the widget was closed before the page answered", "show the object again") from None

    def go_to(self, q: Array) -> None:
        """Bring the object to a state [k], on the page too."""
        size = self.call(lambda state: state.space.size)
        if q.shape != (size,) or not np.isfinite(q).all():
            raise InputError(f"a state of this object is {size} ordinary numbers", "give as many as .q has")
        self.call(lambda state: state.go_to(q))
        if self._thread.is_alive():
            self._wait_for(self._show_state())

    # ------------------------------------------------------------ in the server's thread

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve_frames())
        except Exception as fault:  # told to whoever waits in start()
            self._fault = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
        finally:
            self.threads.shutdown(wait=False, cancel_futures=True)
            self._ready.set()
            under_way = asyncio.all_tasks(self._loop)
            for task in under_way:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*under_way, return_exceptions=True))
            self._loop.close()

    async def _serve_frames(self) -> None:
        runner = make_runner(self)
        await runner.setup()
        try:
            await web.TCPSite(runner, self.host, 0).start()
            self.port = runner.addresses[0][1]
            self._address = f"http://{self.host}:{self.port}/"
            self._ready.set()
            await self._ended.wait()
            for tab in list(self.tabs.values()):
                self._keep(tab)
        finally:
            await runner.cleanup()

    def _open(self) -> ViewedObject:
        """The object for another page, in the state in which the last one was left."""
        shown = copy.copy(self._shown)
        last = self._find_last()
        state = (
            self._left if last is None else last[1].state
        )  # a second frame, or one opened anew before it is forgotten
        if state.space is shown.space:
            shown.start = tuple(state.find_state()[0].tolist())
        return shown

    def forget(self, tab: Tab) -> None:
        self._keep(tab)
        super().forget(tab)

    def _keep(self, tab: Tab) -> None:
        if tab.session is not None:
            self._left = tab.session.state

    def _find_last(self) -> tuple[Tab, Session] | None:
        """The page that was opened last, once it shows something."""
        return next(((tab, tab.session) for tab in reversed(self.tabs.values()) if tab.session is not None), None)

    async def _ask(self, question: Callable[[SessionState], T]) -> T:
        found = self._find_last()
        if found is None:
            return question(self._left)
        tab, session = found
        return await tab.run_in_thread(lambda: question(session.state))

    async def _show_state(self) -> None:
        found = self._find_last()
        if found is not None:
            tab, session = found
            await tab.send_answer(lambda: [session.state.describe_pose(), session.state.playback.describe()])
