"""The server behind the page: one websocket a session, uploads, downloads; loopback only unless told otherwise."""

import asyncio
import contextlib
import ipaddress
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

from aiohttp import WSCloseCode, web
from aiohttp.typedefs import Handler

from neurok.errors import InputError, OptionError
from neurok.viewer.exports import ExportOrder, make_order, write_export
from neurok.viewer.faults import describe_fault
from neurok.viewer.memory import release_memory, share_arena
from neurok.viewer.messages import Say
from neurok.viewer.outcomes import Outcomes
from neurok.viewer.session import Session
from neurok.viewer.tab import Tab
from neurok.viewer.uploads import MAX_UPLOAD_BYTES, find_suffix, make_title, read_upload
from neurok.viewer.viewed_object import ViewedObject
from neurok.viewer.wire import encode

BUNDLE = Path(__file__).parent / "page" / "bundle"
MAX_TABS = 32
MAX_MESSAGE_BYTES = 64 << 10  # bytes of what a page says at a time
MAX_SILENCE = 20.0  # s that a request may take to arrive, that its body may pause, and that an idle line stays open
GRACE_SECONDS = 3.0  # s that what is under way may take when the server is told to end
HEARTBEAT_SECONDS = 60.0  # s between questions whether a page is still there
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob: data:; connect-src 'self' ws: wss: blob:; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

ObjectOpener = Callable[[], ViewedObject]


class Server:
    """Serves the page; every tab gets the first object, freshly, as a session of its own.

    ancestors: the pages that may show it in a frame, as a content security policy names them.
    """

    def __init__(
        self, first: ObjectOpener, host: str = "127.0.0.1", port: int = 8080, *, ancestors: str = "'none'"
    ) -> None:
        self.first, self.host, self.port = first, host, port
        self.headers = HEADERS | {"Content-Security-Policy": f"{POLICY}; frame-ancestors {ancestors}"}
        self.tabs: dict[str, Tab] = {}
        self.outcomes = Outcomes()  # of all objects that tabs have shown
        # A thread for every tab: what is slow is done elsewhere, and no tab waits for another.
        self.threads = ThreadPoolExecutor(max_workers=MAX_TABS, thread_name_prefix="neurok-tab")
        self.readers = asyncio.Semaphore(2)  # uploads read at a time
        self.seekers = asyncio.Semaphore(2)  # objects at a time of which it is found out how they move
        self.writers = asyncio.Semaphore(2)  # files made at a time

    def make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=MAX_UPLOAD_BYTES)
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

    def may_ask(self, host: str | None, origin: str | None, local: str | None = None) -> bool:
        """Whether a request comes from a page of ours: its Host is this server, its Origin (if any) the same.

        A foreign site that has its own name point here (DNS rebinding) is told apart by that name.
        local: the address of ours at which the request arrived, which may be any where the host is 0.0.0.0.
        """
        name = (host or "").rsplit(":", 1)[0].strip("[]").lower()
        bound = {self.host.lower(), (local or self.host).lower(), "localhost"}
        if name not in bound and not (_is_loopback(name) and any(map(_is_loopback, bound - {"localhost"}))):
            return False
        return origin is None or origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if not self.may_ask(request.headers.get("Host"), request.headers.get("Origin"), _find_local(request)):
                raise web.HTTPForbidden(text="This request does not come from the viewer's own page.\n")
            response = await handler(request)
        except web.HTTPException as refusal:
            refusal.headers.update(self.headers)
            raise
        if not response.prepared:
            response.headers.update(self.headers)
        return response

    # ------------------------------------------------------------ files

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info.get("name", "index.html")
        # Names of our own files only, so that no path from a browser reaches the disk.
        known = {path.name: path for path in BUNDLE.iterdir()}
        if name not in known:
            raise web.HTTPNotFound(text="There is no such page.\n")
        return web.FileResponse(known[name], headers=self.headers)

    def _find_tab(self, request: web.Request) -> tuple[Tab, Session]:
        """The tab that a request names, and its session; 404 where there is none."""
        tab = self.tabs.get(request.match_info["token"])
        if tab is None or tab.session is None:
            raise web.HTTPNotFound(text="This page's session has ended; reload the page.")
        return tab, tab.session

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        """A file from the browser takes the place of the session's object."""
        tab, _ = self._find_tab(request)
        if request.headers.get("Origin") is None:
            raise web.HTTPForbidden(text="A file needs a page to come from.\n")
        try:
            await tab.run_job(self._receive_object(tab, request))
        except asyncio.CancelledError:
            return _answer_gone(request)
        except web.HTTPException:
            raise
        except Exception as fault:
            return web.Response(status=422, text=describe_fault(fault, "the upload"))
        return web.Response(text="ok")

    async def _receive_object(self, tab: Tab, request: web.Request) -> None:
        name = request.query.get("name", "")
        suffix = find_suffix(name)
        with tempfile.TemporaryDirectory(prefix="neurok-") as folder:
            await _save_body(request, Path(folder) / f"upload{suffix}")
            async with self.readers:
                asset = await read_upload(Path(folder), f"upload{suffix}", make_title(name) + suffix)
        await tab.show(asset, make_title(name))

    async def _export(self, request: web.Request) -> web.StreamResponse:
        """What the session recorded, as a file; one at a time for each tab."""
        tab, session = self._find_tab(request)
        if tab.exporting:
            return web.Response(status=409, text="A file is being made already; wait for it.")
        tab.exporting = True
        try:
            first, last = (parse_whole(name, request.query.get(name, "")) for name in ("first", "last"))
            wanted = await tab.run_in_thread(make_order, session, request.match_info["kind"], first, last)
            data = await tab.run_job(self._write(wanted))
        except asyncio.CancelledError:
            return _answer_gone(request)
        except Exception as fault:
            return web.Response(status=422, text=describe_fault(fault, "the export"))
        finally:
            tab.exporting = False
        # The plain name for old readers, the true one beside it.
        plain, true = wanted.name.encode("ascii", "replace").decode().replace("?", "_"), quote(wanted.name)
        attached = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{true}"}
        if wanted.warning:
            attached["X-Neurok-Warning"] = wanted.warning
        return web.Response(body=data, content_type=wanted.mime, headers=attached)

    async def _write(self, order: ExportOrder) -> bytes:
        async with self.writers:
            return await write_export(order)

    # ------------------------------------------------------------ sessions

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Origin") is None:
            raise web.HTTPForbidden(text="A session needs a page.\n")
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES, heartbeat=HEARTBEAT_SECONDS, compress=False)
        await socket.prepare(request)
        if len(self.tabs) >= MAX_TABS:
            await socket.send_bytes(encode(Say(f"{MAX_TABS} tabs are open already; close one.", True)))
            await socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"too many tabs")
            return socket
        tab = Tab(socket, self.threads, self.seekers, self.outcomes)
        self.tabs[tab.token] = tab
        try:
            await tab.run(self.first)
        finally:
            self.forget(tab)
            if not self.tabs:
                await asyncio.to_thread(release_memory)
        return socket

    def forget(self, tab: Tab) -> None:
        """Let go of a tab that was left, and of all that it held."""
        del self.tabs[tab.token]
        tab.session = None


def _answer_gone(request: web.Request) -> web.Response:
    """The answer to a page whose tab ended meanwhile; a request that ended itself is left to end."""
    if request.transport is None or request.transport.is_closing():
        raise asyncio.CancelledError
    return web.Response(status=410, text="This page's session has ended; reload the page.")


async def _save_body(request: web.Request, path: Path) -> None:
    """Write the body of a request to a file, as long as it is not too large."""
    size = 0
    with open(path, "wb") as stream:
        while True:
            try:
                chunk = await asyncio.wait_for(request.content.read(1 << 16), MAX_SILENCE)
            except TimeoutError:
                raise InputError(f"the file stopped arriving for {MAX_SILENCE:.0f} s", "send it again") from None
            if not chunk:
                break
            size += len(chunk)
            if size > MAX_UPLOAD_BYTES:
                raise InputError(
                    f"the file is larger than {MAX_UPLOAD_BYTES >> 20} MB", "reduce it, or open it with neurok view"
                )
            stream.write(chunk)


def parse_whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise OptionError(f"{name} is '{text[:20]}'", "give a whole number") from None


def _is_loopback(name: str) -> bool:
    """Whether a name is an address that this machine alone can reach."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _find_local(request: web.Request) -> str | None:
    """The address of ours at which a request arrived."""
    name = request.transport.get_extra_info("sockname") if request.transport is not None else None
    return str(name[0]).split("%")[0] if isinstance(name, tuple) else None


def make_runner(server: Server) -> web.AppRunner:
    """What serves the app; a line on which no whole request arrives in time is closed."""
    return web.AppRunner(
        server.make_app(), access_log=None, shutdown_timeout=1.0, handler_cancellation=True,
        keepalive_timeout=MAX_SILENCE,
    )  # fmt: skip


def serve(server: Server, ready: Callable[[str], None]) -> None:
    """Serve until told to end, by a KeyboardInterrupt or a SystemExit then; `ready` is told the page's address.

    Signals are heard by the loop, between two of its tasks: raised in the midst of one, as Python does of itself, their
    exceptions can be lost. Told twice, or not done after GRACE_SECONDS, the process ends as it is.
    """
    timers: list[threading.Timer] = []
    share_arena()
    try:
        ended = asyncio.run(_serve(server, ready, timers))
        server.threads.shutdown(wait=True)  # Python would wait for the tabs' threads too, and for ever
    finally:
        for timer in timers:
            timer.cancel()
    if ended == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + ended)


async def _serve(server: Server, ready: Callable[[str], None], timers: list[threading.Timer]) -> int:
    """The number of the signal that ended it; what then waits for the end is added to `timers`."""
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    _watch_signals(ended, timers)
    runner = make_runner(server)
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
        return await ended
    finally:
        await runner.cleanup()
        server.threads.shutdown(wait=False, cancel_futures=True)


def _watch_signals(ended: "asyncio.Future[int]", timers: list[threading.Timer]) -> None:
    """Note the first signal to end."""

    def end(number: int) -> None:
        if ended.done():
            os._exit(128 + number)
        ended.set_result(number)
        timers.append(threading.Timer(GRACE_SECONDS, os._exit, (128 + number,)))
        timers[-1].daemon = True
        timers[-1].start()

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: there Ctrl+C raises, as everywhere else
            ended.get_loop().add_signal_handler(number, end, number)
