"""Tab: one websocket. It reads what the page says, drops what is stale, lets time run, one thing after another."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from neurok.errors import InputError, NeurokError
from neurok.files.packets import pack
from neurok.files.registry import Asset
from neurok.viewer import messages as m
from neurok.viewer.body import Body
from neurok.viewer.faults import sentence
from neurok.viewer.session import Session
from neurok.viewer.spaces import body_of
from neurok.viewer.take import FPS

MOST_WAITING = 256  # messages that have not been answered yet

Make = Callable[[], Coroutine[Any, Any, Body]]


class Tab:
    """What belongs to one page: its session, its threads of work, and what waits for an answer.

    hands: where the session's arithmetic is done; a tab has one task there at a time. slow: lets few tabs at a time
    look for how an object moves.
    """

    def __init__(self, socket: web.WebSocketResponse, hands: Executor, slow: asyncio.Semaphore) -> None:
        self.socket, self.hands, self.slow = socket, hands, slow
        self.token = secrets.token_urlsafe(18)
        self.session: Session | None = None
        self.exporting = False
        self.inbox: list[Any] = []
        self.wake = asyncio.Event()
        self.turn = asyncio.Lock()  # whoever touches the session holds it
        self.jobs: set[asyncio.Task] = set()
        self.changing: asyncio.Task | None = None

    async def live(self, first: Callable[[], Body]) -> None:
        """From the first object until the page is left; nothing of it goes on after that."""
        reader = asyncio.create_task(self._read())
        try:
            await self._first(first)
            await self._serve(reader)
        finally:
            for task in (reader, *self.jobs):
                task.cancel()
            await asyncio.gather(reader, *self.jobs, return_exceptions=True)

    async def job(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Await something that ends with the tab."""
        task = self._start(work)
        return await task

    def _start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task:
        task = asyncio.create_task(work)
        self.jobs.add(task)
        task.add_done_callback(self.jobs.discard)
        return task

    async def work(self, task: Callable[..., Any], *args: Any) -> Any:
        """Run arithmetic on the session in a thread, after whatever else is done with it."""
        async with self.turn:
            return await asyncio.get_running_loop().run_in_executor(self.hands, task, *args)

    # ------------------------------------------------------------ objects

    async def _first(self, first: Callable[[], Body]) -> None:
        try:
            self.session = Session(await asyncio.to_thread(first), self.token)
            await self._greet()
        except Exception as fault:
            await self.say(sentence(fault, "opening the object"), fault=True)

    async def _greet(self) -> None:
        await self._send(await self.work(self.session.hello))
        self._start(self._rehearse())

    async def _rehearse(self) -> None:
        try:
            found = await asyncio.to_thread(self.session.rehearsal)
            await self.work(self.session.adopt, found)
        except NeurokError:
            pass  # what cannot be weighed is said when someone lets time run
        except Exception as fault:
            await self.say(sentence(fault, "weighing the object"), fault=True)

    async def show(self, asset: Asset, title: str) -> None:
        """Show another object, once it is known how it moves and what was said about this one is done."""
        await self.say("Finding out how it moves …")
        async with self.slow:
            body = await body_of(asset, title)
        self.inbox.append(body)
        self.wake.set()

    def _change(self, asset: Asset) -> None:
        """Show this object another way; an earlier wish of the kind is forgotten."""
        if self.changing is not None:
            self.changing.cancel()
        self.changing = self._start(self._changed(asset, self.session.body.title))

    async def _changed(self, asset: Asset, title: str) -> None:
        try:
            await self.show(asset, title)
        except Exception as fault:
            await self.say(sentence(fault, "showing the object"), fault=True)

    # ------------------------------------------------------------ messages

    async def _read(self) -> None:
        try:
            async for frame in self.socket:
                if frame.type != WSMsgType.TEXT:
                    continue
                try:
                    self._put(m.understand(frame.data))
                except NeurokError as fault:
                    await self.say(str(fault), fault=True)
                if len(self.inbox) > MOST_WAITING:
                    words = b"the page said more than can be answered"
                    await self.socket.close(code=WSCloseCode.POLICY_VIOLATION, message=words)
        finally:
            self.wake.set()  # however the page was left, whoever waits for its next word waits no more

    def _put(self, message: Any) -> None:
        """Queue a message; of moves of one handle, or of one slider, only the newest counts."""
        for index in range(len(self.inbox) - 1, -1, -1):
            waits = self.inbox[index]
            if type(waits) is not type(message) or not isinstance(message, (m.Move, m.SetCoordinate)):
                break
            if _subject(waits) == _subject(message):
                self.inbox[index] = message
                return
        self.inbox.append(message)
        self.wake.set()

    async def _serve(self, reader: asyncio.Task) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while not reader.done():
            running = self.session is not None and self.session.running
            wait = max(due - clock(), 0.0) if running else None
            if not self.inbox:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.wake.wait(), wait)
            self.wake.clear()
            inbox, self.inbox = self.inbox, []
            for message in inbox:
                await self._answer(message)
            if self.session is not None and self.session.running:
                if not running:
                    due = clock()
                if clock() >= due:
                    await self._send(await self.work(self._tick))
                    due = max(due + 1.0 / FPS, clock() - 1.0 / FPS)  # never tries to catch up more than a frame

    async def _answer(self, message: Any) -> None:
        if self.session is None:
            return
        try:
            if isinstance(message, Body):
                await self.work(self.session.show, message)
                await self._greet()
            elif isinstance(message, m.DragIt):
                self._change(Asset(self.session.body.mesh))
            elif isinstance(message, m.TurnUpright):
                self._change(turned(self.session.body.asset, message.up))
            else:
                await self._send(await self.work(self._received, message))
        except Exception as fault:
            await self.say(sentence(fault, "the answer"), fault=True)

    def _received(self, message: Any) -> list[Any]:
        try:
            return self.session.receive(message)
        except NeurokError as fault:
            return [m.Say(str(fault), True)]
        except Exception as fault:
            return [*self.session.give_up(), m.Say(sentence(fault, "that"), True)]

    def _tick(self) -> list[Any]:
        try:
            return self.session.tick()
        except NeurokError as fault:
            self.session.running = False
            return [self.session.taken(), m.Say(str(fault), True)]
        except Exception as fault:
            return [*self.session.give_up(), m.Say(sentence(fault, "the simulation"), True)]

    async def say(self, text: str, *, fault: bool = False) -> None:
        await self._send([m.Say(text, fault)])

    async def _send(self, answers: list[Any]) -> None:
        for answer in answers:
            if self.socket.closed:
                return
            with contextlib.suppress(ConnectionError):
                await self.socket.send_bytes(pack(answer))


def turned(asset: Asset, up: str) -> Asset:
    """The asset with another upward axis."""
    if up not in ("x", "y", "z"):
        raise InputError(f"unknown up axis '{up[:8]}'", "use x, y or z")
    mesh = replace(asset.mesh, up=up)
    motions = tuple(replace(motion, mesh=replace(motion.mesh, up=up)) for motion in asset.motions)
    joints = asset.articulation and replace(asset.articulation, mesh=replace(asset.articulation.mesh, up=up))
    return replace(asset, mesh=mesh, motions=motions, articulation=joints)


def _subject(message: Any) -> int:
    return message.handle if isinstance(message, m.Move) else message.index
