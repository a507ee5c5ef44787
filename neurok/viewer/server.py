"""The server behind the page: one websocket a session, uploads, downloads; loopback only unless told otherwise."""

import asyncio
import contextlib
import ipaddress
import secrets
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from neurok.errors import InputError, NeurokError, OptionError
from neurok.files.packets import pack
from neurok.viewer import messages as m
from neurok.viewer.body import Body
from neurok.viewer.exports import export
from neurok.viewer.session import Session
from neurok.viewer.take import FPS
from neurok.viewer.uploads import LARGEST, read_upload, suffix_of, title_of

BUNDLE = Path(__file__).parent / "page" / "bundle"
MOST_SESSIONS = 32
LARGEST_MESSAGE = 64 << 10  # bytes of what a page says at a time
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob: data:; connect-src 'self' ws: wss: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

Read = Callable[[], Body]


class Server:
    """Serves the page; every tab gets the first object, freshly, as a session of its own."""

    def __init__(self, first: Read, host: str = "127.0.0.1", port: int = 8080) -> None:
        self.first, self.host, self.port = first, host, port
        self.tabs: dict[str, Tab] = {}
        self.pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="neurok")
        self.readers = asyncio.Semaphore(2)  # uploads read at a time

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=LARGEST)
        app.add_routes(
            [
                web.get("/", self._file),
                web.get("/socket", self._socket),
                web.post("/upload/{token}", self._upload),
                web.get("/export/{token}/{kind}", self._export),
                web.get("/{name}", self._file),
            ]
        )
        return app

    # ------------------------------------------------------------ who may ask

    def may_ask(self, host: str | None, origin: str | None) -> bool:
        """Whether a request comes from a page of ours: its Host is this server, its Origin (if any) the same.

        A foreign site that has its own name point here (DNS rebinding) is told apart by that name.
        """
        name = (host or "").rsplit(":", 1)[0].strip("[]").lower()
        if name not in {"localhost", self.host.lower()} and not _is_address(name):
            return False
        return origin is None or origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if not self.may_ask(request.headers.get("Host"), request.headers.get("Origin")):
            raise web.HTTPForbidden(text="This request does not come from the viewer's own page.\n")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    # ------------------------------------------------------------ files

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info.get("name", "index.html")
        # Names of our own files only, so that no path from a browser reaches the disk.
        known = {path.name: path for path in BUNDLE.iterdir()}
        if name not in known:
            raise web.HTTPNotFound(text="There is no such page.\n")
        return web.FileResponse(known[name], headers=HEADERS)

    def _tab(self, request: web.Request) -> "Tab":
        tab = self.tabs.get(request.match_info["token"])
        if tab is None or tab.session is None:
            raise web.HTTPNotFound(text="This page's session has ended; reload the page.")
        return tab

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        """A file from the browser takes the place of the session's object."""
        tab, name = self._tab(request), request.query.get("name", "")
        if request.headers.get("Origin") is None:
            raise web.HTTPForbidden(text="A file needs a page to come from.\n")
        try:
            suffix = suffix_of(name)
            with tempfile.TemporaryDirectory(prefix="neurok-") as folder:
                await _keep(request, Path(folder) / f"upload{suffix}")
                async with self.readers:
                    asset = await self.work(read_upload, Path(folder), f"upload{suffix}", title_of(name) + suffix)
            tab.show(await self.work(Body, asset, title_of(name)))
        except NeurokError as fault:
            return web.Response(status=422, text=str(fault))
        return web.Response(text="ok")

    async def _export(self, request: web.Request) -> web.StreamResponse:
        """What the session recorded, as a file."""
        tab = self._tab(request)
        try:
            first, last = (whole(name, request.query.get(name, "")) for name in ("first", "last"))
            data, name, mime = await self.work(export, tab.session, request.match_info["kind"], first, last)
        except NeurokError as fault:
            return web.Response(status=422, text=str(fault))
        attached = {"Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=data, content_type=mime, headers=attached)

    # ------------------------------------------------------------ sessions

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Origin") is None:
            raise web.HTTPForbidden(text="A session needs a page.\n")
        socket = web.WebSocketResponse(max_msg_size=LARGEST_MESSAGE, heartbeat=20.0, compress=False)
        await socket.prepare(request)
        if len(self.tabs) >= MOST_SESSIONS:
            await socket.send_bytes(pack(m.Say(f"{MOST_SESSIONS} tabs are open already; close one.", True)))
            await socket.close()
            return socket
        tab = Tab(self, socket)
        self.tabs[tab.token] = tab
        try:
            await tab.live()
        finally:
            del self.tabs[tab.token]
        return socket

    async def work(self, task: Callable[..., Any], *args: Any) -> Any:
        """Run arithmetic in a thread, so that other tabs are answered meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, task, *args)


class Tab:
    """One websocket: reads what the page says, drops what is stale, lets time run."""

    def __init__(self, server: Server, socket: web.WebSocketResponse) -> None:
        self.server, self.socket = server, socket
        self.token = secrets.token_urlsafe(18)
        self.session: Session | None = None
        self.inbox: list[Any] = []
        self.wake = asyncio.Event()
        self.preparing: asyncio.Task | None = None

    async def live(self) -> None:
        reader = asyncio.create_task(self._read())
        try:
            await self._first()
            await self._serve(reader)
        finally:
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader

    async def _first(self) -> None:
        try:
            body = await self.server.work(self.server.first)
            self.session = Session(body, self.token)
            await self._greet()
        except NeurokError as fault:
            await self._send([m.Say(str(fault), True)])

    async def _greet(self) -> None:
        await self._send(await self.server.work(self.session.hello))
        self.preparing = asyncio.create_task(self.server.work(self._prepare))

    def _prepare(self) -> None:
        # What cannot be weighed is said when someone lets time run.
        with contextlib.suppress(NeurokError):
            self.session.prepare()

    def show(self, body: Body) -> None:
        """Show another object, once what was said about this one is done."""
        self.inbox.append(body)
        self.wake.set()

    async def _read(self) -> None:
        async for frame in self.socket:
            if frame.type != WSMsgType.TEXT:
                continue
            try:
                self._put(m.understand(frame.data))
            except NeurokError as fault:
                await self._send([m.Say(str(fault), True)])
        self.wake.set()

    def _put(self, message: Any) -> None:
        """Queue a message; of moves of one handle, or of one slider, only the newest counts."""
        last = self.inbox[-1] if self.inbox else None
        same = type(last) is type(message) and (
            (isinstance(message, m.Move) and last.handle == message.handle)
            or (isinstance(message, m.SetCoordinate) and last.index == message.index)
        )
        if same:
            self.inbox[-1] = message
        else:
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
                if isinstance(message, Body):
                    self.session.show(message)
                    await self._greet()
                    continue
                await self._send(await self.server.work(self._answer, message))
            if self.session is not None and self.session.running:
                if not running:
                    due = clock()
                if clock() >= due:
                    await self._send(await self.server.work(self._tick))
                    due = max(due + 1.0 / FPS, clock() - 1.0 / FPS)  # never tries to catch up more than a frame

    def _answer(self, message: Any) -> list[Any]:
        if self.session is None:
            return []
        try:
            return self.session.receive(message)
        except NeurokError as fault:
            return [m.Say(str(fault), True)]

    def _tick(self) -> list[Any]:
        try:
            return self.session.tick()
        except NeurokError as fault:
            self.session.running = False
            return [self.session.taken(), m.Say(str(fault), True)]

    async def _send(self, answers: list[Any]) -> None:
        for answer in answers:
            if self.socket.closed:
                return
            with contextlib.suppress(ConnectionError):
                await self.socket.send_bytes(pack(answer))


async def _keep(request: web.Request, path: Path) -> None:
    """Write the body of a request to a file, as long as it is not too large."""
    size = 0
    with open(path, "wb") as stream:
        async for chunk in request.content.iter_chunked(1 << 16):
            size += len(chunk)
            if size > LARGEST:
                raise InputError(
                    f"the file is larger than {LARGEST >> 20} MB", "reduce it, or open it with neurok view"
                )
            stream.write(chunk)


def whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise OptionError(f"{name} is '{text[:20]}'", "give a whole number") from None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
        return True
    except ValueError:
        return False


def serve(server: Server, ready: Callable[[str], None]) -> None:
    """Serve until interrupted; `ready` is told the page's address."""
    asyncio.run(_serve(server, ready))


async def _serve(server: Server, ready: Callable[[str], None]) -> None:
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, server.host, server.port)
        try:
            await site.start()
        except OSError as fault:
            problem = f"port {server.port} of {server.host} cannot be used ({fault.strerror or fault})"
            raise OptionError(problem, "choose another with --port, or --port 0 for a free one") from None
        port = runner.addresses[0][1]
        shown = f"[{server.host}]" if ":" in server.host else server.host
        ready(f"http://{shown}:{port}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
        server.pool.shutdown(wait=False, cancel_futures=True)
