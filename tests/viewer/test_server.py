"""The server: who may ask, what may be sent, and what is left behind."""

import asyncio
import gc
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer

import neurok
from neurok.assets.laptop import laptop
from neurok.errors import InputError
from neurok.files.packets import unpack
from neurok.files.registry import Asset
from neurok.viewer import server as module
from neurok.viewer import uploads
from neurok.viewer.body import Body
from neurok.viewer.server import Server
from neurok.viewer.uploads import read_upload, suffix_of, title_of
from tests.viewer.objects import cube

MACHINE = laptop()
BODY = Body(Asset(MACHINE.mesh, articulation=MACHINE), "laptop")


class Client:
    """A page without a browser."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.origin = f"http://127.0.0.1:{client.port}"
        self.headers = {"Origin": self.origin}

    async def socket(self, **options) -> aiohttp.ClientWebSocketResponse:
        return await self.client.ws_connect("/socket", headers=self.headers, max_msg_size=0, **options)

    async def hear(self, socket, kind: str) -> dict:
        while True:
            message = unpack(await asyncio.wait_for(socket.receive_bytes(), 60))
            if message["type"] == kind:
                return message


def serving(test):
    """Run a coroutine test(client, server) against a server on a free port."""

    async def run() -> None:
        server = Server(lambda: BODY)
        async with TestClient(TestServer(server.app(), host="127.0.0.1")) as client:
            await test(Client(client), server)

    return lambda: elsewhere(run())


def elsewhere(work):
    """Run a coroutine in a thread of its own: a browser's driver may have a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work)).result()


def case(test):
    def plain() -> None:
        serving(test)()

    plain.__name__ = test.__name__
    return plain


async def page_and_headers(client, server):
    answer = await client.client.get("/")
    text = await answer.text()
    assert answer.status == 200 and "viewer.js" in text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "http://" not in text.replace("http://www.w3.org", "") and "https://" not in text, "it loads from elsewhere"
    for name in ("viewer.js", "viewer.css"):
        assert (await client.client.get(f"/{name}")).status == 200


test_the_page_is_served_whole_and_closed = case(page_and_headers)


@pytest.mark.parametrize(
    ("host", "origin", "may"),
    [
        ("127.0.0.1:8080", None, True),
        ("localhost:8080", "http://localhost:8080", True),
        ("[::1]:8080", "http://[::1]:8080", True),
        ("127.0.0.1:8080", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8080", "https://evil.example", False),
        ("127.0.0.1:8080", "null", False),
        ("evil.example:8080", "http://evil.example:8080", False),
        ("evil.example", None, False),
        ("127.0.0.1.evil.example:8080", None, False),
        (None, None, False),
        ("", "", False),
    ],
)
def test_only_its_own_page_may_ask(host, origin, may):
    assert Server(lambda: BODY).may_ask(host, origin) is may


async def foreign_requests(client, server):
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        assert (await client.client.get("/", headers=headers)).status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await client.client.ws_connect("/socket", headers={**client.headers, **headers})
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await client.client.ws_connect("/socket")  # no page at all
    assert not server.tabs


test_foreign_sites_are_refused = case(foreign_requests)


async def paths(client, server):
    import yarl

    for path in ("/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "/%2fetc%2fpasswd", "/bundle", "/./", "/\\x"):
        answer = await client.client.get(yarl.URL(path, encoded=True))
        assert answer.status in (400, 403, 404) or "viewer.js" in await answer.text(), path
    for path in ("/export/nobody/glb?first=0&last=-1", "/export/../x", "/upload/nobody"):
        assert (await client.client.get(path)).status in (404, 405)


test_no_path_of_a_browser_reaches_the_disk = case(paths)


async def dialogue(client, server):
    socket = await client.socket()
    thing = await client.hear(socket, "Thing")
    assert thing["title"] == "laptop" and len(thing["scenery"]["rest"]) == 3 * MACHINE.mesh.vertex_count
    await socket.send_str("nonsense")
    assert (await client.hear(socket, "Say"))["text"]
    await socket.send_str(json.dumps({"type": "SetCoordinate", "index": 0, "value": 1.0, "stamp": 5}))
    pose = await client.hear(socket, "Pose")
    while pose["stamp"] != 5:
        pose = await client.hear(socket, "Pose")
    assert pose["coordinates"] == [1.0]
    await socket.send_str(json.dumps({"type": "Run"}))
    while (await client.hear(socket, "Pose"))["frame"] < 5:
        pass
    await socket.send_str(json.dumps({"type": "Pause"}))
    for kind, begins in (("glb", b"glTF"), ("json", b"{"), ("html", b"<!doctype html>")):
        answer = await client.client.get(f"/export/{thing['token']}/{kind}?first=0&last=-1")
        assert answer.status == 200 and (await answer.read()).startswith(begins)
        assert f'filename="laptop.{kind}"' in answer.headers["Content-Disposition"]
    for bad in ("exe?first=0&last=-1", "glb?first=9&last=2", "glb?first=x&last=1", "glb"):
        answer = await client.client.get(f"/export/{thing['token']}/{bad}")
        assert answer.status == 422 and (await answer.text()).endswith(".")
    await socket.close()


test_a_session_answers_runs_and_exports = case(dialogue)


async def upload(client, server):
    socket = await client.socket()
    token = (await client.hear(socket, "Thing"))["token"]
    before = set(os.listdir(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory() as folder:
        data = neurok.save(cube(), Path(folder) / "cube.glb").read_bytes()

    async def send(name: str, body: bytes, **headers: str) -> tuple[int, str]:
        url = f"/upload/{token}"
        answer = await client.client.post(url, params={"name": name}, data=body, headers=client.headers | headers)
        return answer.status, await answer.text()

    assert (await send("../../cube.glb", data))[0] == 200
    thing = await client.hear(socket, "Thing")
    assert thing["title"] == "cube" and len(thing["scenery"]["faces"]) == 36
    hostile = {
        "broken.glb": b"glTF" + bytes(100),
        "empty.obj": b"",
        "lying.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n",
        "bomb.zip": b"PK\x03\x04" + bytes(50),
        "points.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "page.html": b"<script>alert(1)</script>",
        "module.py": b"import os; os.remove('x')",
        "scene.gltf": b"{}",
        "": b"",
    }
    for name, body in hostile.items():
        status, text = await send(name, body)
        assert status == 422 and text.endswith("."), name
        assert "Traceback" not in text and tempfile.gettempdir() not in text, name
    status, _ = await send("cube.glb", data, Origin="https://evil.example")
    assert status == 403
    answer = await client.client.post("/upload/other?name=a.glb", data=data, headers=client.headers)
    assert answer.status == 404
    assert (await send("again.glb", data))[0] == 200, "the server lives on"
    left = {name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("neurok-")}
    assert not left
    await socket.close()


test_uploads_replace_the_object_and_bad_ones_say_why = case(upload)


def test_an_upload_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1 << 16)

    async def send(client, server):
        socket = await client.socket()
        token = (await client.hear(socket, "Thing"))["token"]
        url = f"/upload/{token}"
        answer = await client.client.post(url, params={"name": "a.glb"}, data=bytes(1 << 18), headers=client.headers)
        assert answer.status in (413, 422)
        await socket.close()

    serving(send)()


def test_a_reader_that_hangs_or_eats_memory_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "SECONDS", 0.01)  # no Python starts in that
    (tmp_path / "upload.glb").write_bytes(b"glTF")
    with pytest.raises(InputError, match="to read"):
        elsewhere(read_upload(tmp_path, "upload.glb", "mine.glb"))


def test_names_are_only_shown():
    assert title_of("..\\..\\evil/name of it.glb") == "name of it"
    assert title_of("\x00\n.obj") == "upload"
    assert len(title_of("x" * 500 + ".glb")) <= 60
    assert suffix_of("A.GLB") == ".glb"
    with pytest.raises(InputError, match="zip"):
        suffix_of("robot.urdf")


async def _left(server) -> None:
    """Wait until all sessions have ended: leaving the page frees them."""
    for _ in range(600):
        if not server.tabs:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("sessions outlive their pages")


def _resident() -> int:
    """Bytes of memory this process has."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_a_hundred_sessions_leave_memory_where_it_was():
    sizes = []

    async def visit(client, server):
        async def once() -> None:
            socket = await client.socket()
            await client.hear(socket, "Thing")
            await socket.send_str(json.dumps({"type": "SetCoordinate", "index": 0, "value": 1.0, "stamp": 1}))
            await client.hear(socket, "Pose")
            await socket.close()

        for index in range(100):
            await once()
            if index in (19, 99):
                await _left(server)
                gc.collect()
                sizes.append(_resident())

    serving(visit)()
    assert sizes[1] - sizes[0] < 12 << 20


async def crowd(client, server):
    sockets = [await client.socket() for _ in range(3)]
    say = await client.hear(sockets[2], "Say")
    assert "tabs are open" in say["text"] and say["fault"]
    for socket in sockets:
        await socket.close()


def test_too_many_tabs_are_told_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_SESSIONS", 2)
    serving(crowd)()
