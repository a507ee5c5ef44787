"""A real browser, and the viewer as people start it."""

import contextlib
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SHOTS = REPOSITORY / "out" / "viewer"  # pictures of every step, to be looked at
ENDS = 60  # s a server may take to end
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _browser_program() -> str | None:
    given = os.environ.get("NEUROK_CHROMIUM")
    return given or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium with WebGL."""
    program = _browser_program()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        if os.environ.get("NEUROK_NEED_CHROMIUM"):
            pytest.fail("Chromium or playwright is absent, and NEUROK_NEED_CHROMIUM is set")
        pytest.skip("CHROMIUM ABSENT: `make test` installs it, and the tests in a browser do not run")
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def contention(seconds: float = 0.5) -> float:
    """How much longer arithmetic takes than the processor works on it: 1 on an idle machine."""
    wall, own = time.perf_counter(), time.thread_time()
    while time.thread_time() - own < seconds:
        math.sqrt(2.0)
    return (time.perf_counter() - wall) / seconds


@contextlib.contextmanager
def started(*args: str, port: int = 0) -> Iterator[str]:
    """`neurok view ARGS` on a port, a free one where it is 0; its address."""
    with serving("neurok.commands.main", "view", "--port", str(port), *args) as address:
        yield address


@contextlib.contextmanager
def serving(module: str, *args: str) -> Iterator[str]:
    """`python -m module ARGS`, which says where its page is; its address."""
    command = [sys.executable, "-m", module, *args]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            said = [process.stdout.readline()]
            while said[-1] and "http://" not in said[-1]:
                said.append(process.stdout.readline())
            found = re.search(r"http://\S+/", said[-1])
            assert found, f"the viewer did not start: {''.join(said)}"
            yield found[0]
            assert process.poll() is None, "the server has died"
            process.terminate()
            try:
                process.wait(ENDS)
            except subprocess.TimeoutExpired:
                pytest.fail(f"the server lives on {ENDS} s after it was told to end")
        finally:
            process.kill()


@pytest.fixture(scope="session")
def laptop_page() -> Iterator[str]:
    """The address of a viewer that shows the bundled laptop by its joints."""
    with started("neurok/assets/laptop/laptop.urdf") as address:
        yield address


class Tab:
    """One page and what it complained about."""

    def __init__(self, page, address: str, name: str) -> None:
        self.page, self.name = page, name
        self.complaints: list[str] = []
        page.on("console", lambda message: self._note(message))
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        page.goto(address)
        page.wait_for_selector("body.ready", timeout=60_000)
        self.wait(lambda: self.call("drawn()") > 0)

    def _note(self, message) -> None:
        # Chromium itself remarks on the speed of software WebGL.
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def call(self, expression: str):
        return self.page.evaluate(f"window.neurok.{expression}")

    def vertices(self):
        import numpy as np

        return np.array(self.call("vertices()")).reshape(-1, 3)

    def status(self) -> str:
        return self.page.inner_text("#status")

    def wait(self, holds: Callable[[], bool], seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"waited {seconds} s in vain; the status is: {self.status()}"
            self.page.wait_for_timeout(30)

    def shot(self, step: str) -> None:
        self.page.wait_for_timeout(400)  # a fine picture follows the coarse ones of a motion
        self.page.screenshot(path=str(SHOTS / f"{self.name}-{step}.png"))

    def on_screen(self, place) -> tuple[float, float]:
        """Where a place on the stage is seen, in pixels."""
        x, y = self.call(f"project([{','.join(str(float(v)) for v in place)}])")
        return x, y

    def drag(self, start, end, *, steps: int = 12) -> None:
        """Move the mouse with its button down; it rests before it lets go."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for i in range(1, steps + 1):
            mouse.move(*(a + (b - a) * i / steps for a, b in zip(start, end)))
            self.page.wait_for_timeout(20)
        self.page.wait_for_timeout(250)
        mouse.up()

    def throw(self, start, end, *, seconds: float = 0.12, steps: int = 10) -> None:
        """Move the mouse and let go in motion; the events carry their times, for a machine may be slow to send them."""
        wire = self.page.context.new_cdp_session(self.page)
        begin = time.time()

        def send(kind: str, share: float, down: int) -> None:
            x, y = (a + (b - a) * share for a, b in zip(start, end))
            stamp = begin + share * seconds
            event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": down, "clickCount": 1}
            wire.send("Input.dispatchMouseEvent", {**event, "timestamp": stamp})

        send("mousePressed", 0.0, 1)
        for i in range(1, steps + 1):
            send("mouseMoved", i / steps, 1)
        send("mouseReleased", 1.0, 0)


@pytest.fixture
def open_tab(browser, request):
    """`open_tab(address) -> Tab`; at the end no page may have complained."""
    contexts, tabs = [], []

    def start(address: str, name: str = "", **options) -> Tab:
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 700}, **options})
        contexts.append(context)
        tab = Tab(context.new_page(), address, name or request.node.name.removeprefix("test_"))
        tabs.append(tab)
        return tab

    yield start
    for context in contexts:
        context.close()
    assert not [line for tab in tabs for line in tab.complaints]
