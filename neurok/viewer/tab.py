"""Tab: one websocket. It reads what the page says, drops what is stale, lets time run, one thing after another."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, TypeVar, TypeVarTuple

from aiohttp import WSCloseCode, WSMsgType, web

from neurok.errors import InputError, NeurokError
from neurok.files.registry import Asset
from neurok.viewer import messages as m
from neurok.viewer.faults import describe_fault
from neurok.viewer.outcomes import Outcomes
from neurok.viewer.recording import FPS
from neurok.viewer.session import Answer, Session
from neurok.viewer.session_state import SessionState
from neurok.viewer.spaces import prepare_object
from neurok.viewer.viewed_object import ViewedObject
from neurok.viewer.wire import decode, encode

MAX_WAITING = 256  # messages that have not been answered yet

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Tab:
    """What belongs to one page: its session, its threads of work, and what waits for an answer.

    threads: where the session's arithmetic is done; a tab has one task there at a time. seekers: lets few tabs at a
    time look for how an object moves. outcomes: counts what came of it.
    """

    def __init__(
        self, socket: web.WebSocketResponse, threads: Executor, seekers: asyncio.Semaphore, outcomes: Outcomes
    ) -> None:
        self.socket, self.threads, self.seekers, self.outcomes = socket, threads, seekers, outcomes
        self.token = secrets.token_urlsafe(18)
        self.session: Session | None = None
        self.exporting = False
        self.inbox: list[m.PageMessage | ViewedObject] = []
        self.wake = asyncio.Event()
        self.turn = asyncio.Lock()  # whoever touches the session holds it
        self.jobs: set[asyncio.Task[Any]] = set()
        self.changing: asyncio.Task[None] | None = None

    async def run(self, first: Callable[[], ViewedObject]) -> None:
        """From the first object until the page is left; nothing of it goes on after that."""
        reader = asyncio.create_task(self._read())
        try:
            await self._open_first(first)
            await self._serve(reader)
        finally:
            for task in (reader, *self.jobs):
                task.cancel()
            await asyncio.gather(reader, *self.jobs, return_exceptions=True)

    async def run_job(self, work: Coroutine[Any, Any, T]) -> T:
        """Await something that ends with the tab."""
        return await self._start(work)

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self.jobs.add(task)
        task.add_done_callback(self.jobs.discard)
        return task

    async def run_in_thread(self, task: Callable[[*Ts], T], *args: *Ts) -> T:
        """Run arithmetic on the session in a thread, after whatever else is done with it."""
        async with self.turn:
            return await asyncio.get_running_loop().run_in_executor(self.threads, task, *args)

    async def send_answer(self, task: Callable[[], Answer]) -> None:
        """Send what arithmetic on the session comes to, unasked by the page."""
        await self._send(await self.run_in_thread(task))

    # ------------------------------------------------------------ objects

    async def _open_first(self, first: Callable[[], ViewedObject]) -> None:
        try:
            self.session = Session(await asyncio.to_thread(first), self.token)
            await self._introduce(self.session)
        except Exception as fault:
            await self.say(describe_fault(fault, "opening the object"), fault=True)

    async def _introduce(self, session: Session) -> None:
        await self._send(await self.run_in_thread(session.introduce))
        self._start(self._rehearse(session.state))

    async def _rehearse(self, state: SessionState) -> None:
        try:
            found = await asyncio.to_thread(state.rehearse)
            await self.run_in_thread(state.adopt, found)
        except NeurokError:
            pass  # what cannot be weighed is said when someone lets time run
        except Exception as fault:
            await self.say(describe_fault(fault, "weighing the object"), fault=True)

    async def show(self, asset: Asset, title: str) -> None:
        """Show another object, once it is known how it moves and what was said about this one is done."""
        await self.say("Finding out how it moves …")
        async with self.seekers:
            shown = await prepare_object(asset, title)
        self.outcomes.add(shown)
        self.inbox.append(shown)
        self.wake.set()

    def _change_object(self, asset: Asset, title: str) -> None:
        """Show the object another way; an earlier demand of the kind is forgotten."""
        if self.changing is not None:
            self.changing.cancel()
        self.changing = self._start(self._show_changed(asset, title))

    async def _show_changed(self, asset: Asset, title: str) -> None:
        try:
            await self.show(asset, title)
        except Exception as fault:
            await self.say(describe_fault(fault, "showing the object"), fault=True)

    # ------------------------------------------------------------ messages

    async def _read(self) -> None:
        try:
            async for frame in self.socket:
                if frame.type != WSMsgType.TEXT:
                    continue
                try:
                    self._queue(decode(frame.data))
                except NeurokError as fault:
                    await self.say(str(fault), fault=True)
                if len(self.inbox) > MAX_WAITING:
                    words = b"the page said more than can be answered"
                    await self.socket.close(code=WSCloseCode.POLICY_VIOLATION, message=words)
        finally:
            self.wake.set()  # however the page was left, whoever waits for its next word waits no more

    def _queue(self, message: m.PageMessage) -> None:
        """Queue a message; of moves of one handle, or of one slider, only the newest counts."""
        subject = _find_subject(message)
        for index in range(len(self.inbox) - 1, -1, -1):
            waiting = self.inbox[index]
            if subject is None or type(waiting) is not type(message):
                break
            if _find_subject(waiting) == subject:
                self.inbox[index] = message
                return
        self.inbox.append(message)
        self.wake.set()

    async def _serve(self, reader: asyncio.Task[None]) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while not reader.done():
            running = self.session is not None and self.session.is_running
            wait = max(due - clock(), 0.0) if running else None
            if not self.inbox:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.wake.wait(), wait)
            self.wake.clear()
            inbox, self.inbox = self.inbox, []
            for message in inbox:
                await self._answer(message)
            if self.session is not None and self.session.is_running:
                if not running:
                    due = clock()
                if clock() >= due:
                    await self._send(await self.run_in_thread(self._tick, self.session))
                    due = max(due + 1.0 / FPS, clock() - 1.0 / FPS)  # never tries to catch up more than a frame

    async def _answer(self, message: m.PageMessage | ViewedObject) -> None:
        session = self.session
        if session is None:
            return
        try:
            shown = session.state.shown
            if isinstance(message, ViewedObject):
                await self.run_in_thread(session.show, message)
                await self._introduce(session)
            elif isinstance(message, m.DragIt):
                self._change_object(Asset(shown.mesh), shown.title)
            elif isinstance(message, m.TurnUpright):
                self._change_object(turn_upright(shown.asset, message.up), shown.title)
            else:
                await self._send(await self.run_in_thread(self._receive, session, message))
        except Exception as fault:
            await self.say(describe_fault(fault, "the answer"), fault=True)

    def _receive(self, session: Session, message: m.PageMessage) -> Answer:
        try:
            return session.receive(message)
        except NeurokError as fault:
            return [m.Say(str(fault), True)]
        except Exception as fault:
            return [*session.return_to_rest(), m.Say(describe_fault(fault, "that"), True)]

    def _tick(self, session: Session) -> Answer:
        try:
            return session.tick()
        except NeurokError as fault:
            return [*session.stop(), m.Say(str(fault), True)]
        except Exception as fault:
            return [*session.return_to_rest(), m.Say(describe_fault(fault, "the simulation"), True)]

    async def say(self, text: str, *, fault: bool = False) -> None:
        await self._send([m.Say(text, fault)])

    async def _send(self, answers: Answer) -> None:
        for answer in answers:
            if self.socket.closed:
                return
            with contextlib.suppress(ConnectionError):
                await self.socket.send_bytes(encode(answer))


def turn_upright(asset: Asset, up: str) -> Asset:
    """The asset with another upward axis."""
    if up not in ("x", "y", "z"):
        raise InputError(f"unknown up axis '{up[:8]}'", "use x, y or z")
    mesh = replace(asset.mesh, up=up)
    motions = tuple(replace(motion, mesh=replace(motion.mesh, up=up)) for motion in asset.motions)
    joints = asset.articulation and replace(asset.articulation, mesh=replace(asset.articulation.mesh, up=up))
    return replace(asset, mesh=mesh, motions=motions, articulation=joints)


def _find_subject(message: m.PageMessage | ViewedObject) -> int | None:
    """The handle or the slider that a message moves; None where it is another message, all of which count."""
    if isinstance(message, m.Move):
        return message.handle
    return message.index if isinstance(message, m.SetCoordinate) else None
