"""What once broke under attack, in the viewer: USD files, half requests, foreign hosts, the end, what tabs leave."""

import asyncio
import ctypes
import signal
import subprocess
import sys
import time

import aiohttp
import pytest

import neurok
from neurok.viewer import server as module
from neurok.viewer.server import Server
from tests.viewer.client import LAPTOP, elsewhere, serving
from tests.viewer.objects import cube

PAGE_HEADER = "Content-Security-Policy"


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
def test_a_usd_file_on_the_page_is_read(tmp_path, suffix):
    pytest.importorskip("pxr")
    data = neurok.save(cube(), tmp_path / f"cube{suffix}").read_bytes()

    async def drop(client, server):
        socket = await client.socket()
        token = (await client.hear(socket, "Thing"))["token"]
        url, name = f"/upload/{token}", {"name": f"cube{suffix}"}
        answer = await client.client.post(url, params=name, data=data, headers=client.headers)
        assert (answer.status, await answer.text()) == (200, "ok")
        thing = await client.hear(socket, "Thing")
        assert thing["title"] == "cube" and len(thing["scenery"]["faces"]) == 36

    serving(drop)()


async def refusals(client, server):
    for path, headers in (("/nothing", {}), ("/a/b/c", {}), ("/", {"Host": "evil.example"}), ("/upload/x", {})):
        answer = await client.client.get(path, headers=headers)
        assert answer.status in (403, 404, 405)
        assert "default-src 'none'" in answer.headers[PAGE_HEADER]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_refusals_have_the_headers_of_the_page():
    serving(refusals)()


@pytest.mark.parametrize(
    ("bound", "local", "host", "may"),
    [
        ("127.0.0.1", "127.0.0.1", "192.168.1.7:8080", False),
        ("127.0.0.1", "127.0.0.1", "8.8.8.8", False),
        ("127.0.0.1", "127.0.0.1", "[2001:db8::1]:8080", False),
        ("127.0.0.1", "127.0.0.1", "[::1]:8080", True),
        ("0.0.0.0", "192.168.1.7", "192.168.1.7:8080", True),
        ("0.0.0.0", "192.168.1.7", "192.168.1.8:8080", False),
        ("0.0.0.0", "192.168.1.7", "127.0.0.1:8080", False),
        ("0.0.0.0", "127.0.0.1", "127.0.0.1:8080", True),
        ("192.168.1.7", "192.168.1.7", "192.168.1.7:8080", True),
        ("::", "::1", "[::1]:8080", True),
    ],
)
def test_only_addresses_at_which_it_listens_are_hosts(bound, local, host, may):
    assert Server(lambda: LAPTOP, bound).may_ask(host, None, local) is may


def test_half_a_request_does_not_stay_open(monkeypatch):
    monkeypatch.setattr(module, "MAX_SILENCE", 1.0)

    async def hold() -> float:
        runner = module.make_runner(Server(lambda: LAPTOP))
        await runner.setup()
        site = module.web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            start = time.monotonic()
            await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return time.monotonic() - start
        finally:
            await runner.cleanup()

    assert elsewhere(hold()) < 10.0


def test_a_body_that_stops_arriving_is_given_up(monkeypatch):
    monkeypatch.setattr(module, "MAX_SILENCE", 0.5)

    async def stall(client, server):
        socket = await client.socket()
        token = (await client.hear(socket, "Thing"))["token"]

        async def body():
            yield b"v 0 0 0\n"
            await asyncio.sleep(5)

        answer = await client.client.post(f"/upload/{token}?name=a.obj", data=body(), headers=client.headers)
        assert answer.status == 422 and "stopped arriving" in await answer.text()

    serving(stall)()


ENDLESS = """
import time
from neurok.viewer import server
from neurok.viewer.session import Session
from tests.viewer.client import LAPTOP
Session.introduce = lambda self: time.sleep(600)
server.serve(server.Server(lambda: LAPTOP, port=0), lambda address: print(address, flush=True))
"""


def test_one_signal_ends_a_server_that_computes(monkeypatch):
    """Told once, it is gone within five seconds, whatever a tab's thread is busy with."""
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()

            async def visit() -> float:
                async with aiohttp.ClientSession() as session:
                    await session.ws_connect(f"{address}socket", headers={"Origin": address.rstrip("/")})
                    await asyncio.sleep(0.5)
                    start = time.monotonic()
                    process.send_signal(signal.SIGTERM)
                    assert await asyncio.to_thread(process.wait, 60) == 128 + signal.SIGTERM
                    return time.monotonic() - start

            assert elsewhere(visit()) < 5.0
        finally:
            process.kill()


MEMORY = """
import asyncio, json
import numpy as np
from neurok.files.registry import Asset
from neurok.geometry.mesh import Mesh
from neurok.viewer import server as module
from neurok.viewer.memory import release_memory, share_arena
from neurok.viewer.viewed_object import FoundSpace, ViewedObject, choose_rigid_space
from tests.viewer.client import all_left, serving

share_arena()
n = 250
x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
place = np.arange(n * n).reshape(n, n)
a, b, c, d = place[:-1, :-1], place[1:, :-1], place[1:, 1:], place[:-1, 1:]
faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
mesh = Mesh(np.stack([x, y, np.sin(3 * x)], -1).reshape(-1, 3), faces)
resident = lambda: next(int(l.split()[1]) << 10 for l in open("/proc/self/status") if l.startswith("VmRSS"))
found = []

async def visits(client, server):
    server.first = lambda: ViewedObject(Asset(mesh), "sheet", choose_rigid_space(mesh, "a test"))
    for _ in range(3):
        sockets = [await client.socket() for _ in range(3)]
        await asyncio.gather(*(client.hear(socket, "Thing") for socket in sockets))
        open_ = resident()
        for socket in sockets:
            await socket.close()
        await all_left(server)
        for _ in range(20):  # what a thread still computes for a tab that has gone ends soon
            await asyncio.sleep(1)
            release_memory()
        found.append((open_, resident()))

serving(visits)()
print(json.dumps(found))
"""


def test_closed_tabs_give_their_memory_back():
    import json

    if not hasattr(ctypes.CDLL(None), "malloc_trim"):
        pytest.skip("memory is read as Linux and glibc tell it")
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    _, (_, first), (most, last) = json.loads(done.stdout)
    assert most - last > 10 << 20  # what three large objects took ...
    assert last - first < 20 << 20  # ... and a third round leaves no more than the second
