"""The server: who may ask, what may be sent, and what is left behind."""

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import aiohttp
import numpy as np
import pytest

import neurok
from neurok.data.procedural import make
from neurok.errors import InputError
from neurok.viewer import server as module
from neurok.viewer import spaces, uploads
from neurok.viewer import tab as tab_module
from neurok.viewer.children import run_child
from neurok.viewer.server import Server
from neurok.viewer.session import Session
from neurok.viewer.session_state import SessionState
from neurok.viewer.uploads import find_suffix, make_title, read_upload
from tests.viewer.client import LAPTOP, MACHINE, all_left, elsewhere, serving
from tests.viewer.conftest import REPOSITORY
from tests.viewer.objects import cube


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
    assert Server(lambda: LAPTOP).may_ask(host, origin) is may


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
    await client.hear(socket, "Thing")
    for _ in range(200):  # what the last one needs is cleared away just after its answer
        left = os.listdir(tempfile.gettempdir())
        if not left:
            break
        await asyncio.sleep(0.05)
    assert not left
    await socket.close()


def test_uploads_replace_the_object_and_bad_ones_say_why(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # nobody else's leftovers
    case(upload)()


def test_an_upload_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_UPLOAD_BYTES", 1 << 16)

    async def send(client, server):
        socket = await client.socket()
        token = (await client.hear(socket, "Thing"))["token"]
        url = f"/upload/{token}"
        answer = await client.client.post(url, params={"name": "a.glb"}, data=bytes(1 << 18), headers=client.headers)
        assert answer.status in (413, 422)
        await socket.close()

    serving(send)()


def test_a_reader_that_hangs_or_eats_memory_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "READ_SECONDS", 0.01)  # no Python starts in that
    (tmp_path / "upload.glb").write_bytes(b"glTF")
    with pytest.raises(InputError, match="to read"):
        elsewhere(read_upload(tmp_path, "upload.glb", "mine.glb"))


def test_names_are_only_shown():
    assert make_title("..\\..\\evil/name of it.glb") == "name of it"
    assert make_title("\x00\n.obj") == "upload"
    assert len(make_title("x" * 500 + ".glb")) <= 60
    assert find_suffix("A.GLB") == ".glb"
    with pytest.raises(InputError, match="zip"):
        find_suffix("robot.docx")


def test_a_hundred_sessions_leave_memory_where_it_was():
    """In a process of their own: what other tests left in this one's heap decides where new memory finds its place."""
    if not hasattr(ctypes.CDLL(None), "malloc_trim"):
        pytest.skip("memory is read as Linux and glibc tell it")
    # One arena: threads of a busy machine would get others, and keep them.
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}
    command = [sys.executable, "-m", "tests.viewer.visits"]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, cwd=REPOSITORY)
    assert answer.returncode == 0, answer.stderr
    before, after = json.loads(answer.stdout)
    assert after - before < 12 << 20


async def crowd(client, server):
    sockets = [await client.socket() for _ in range(3)]
    say = await client.hear(sockets[2], "Say")
    assert "tabs are open" in say["text"] and say["fault"]
    for socket in sockets:
        await socket.close()


def test_too_many_tabs_are_told_so(monkeypatch):
    monkeypatch.setattr(module, "MAX_TABS", 2)
    serving(crowd)()


async def say(socket, kind: str, **content) -> None:
    await socket.send_str(json.dumps({"type": kind, **content}))


def test_a_tab_answers_while_another_exports_and_a_file_ends_with_its_tab(monkeypatch):
    begun, ended = [], []

    async def endless(wanted):
        begun.append(wanted.name)
        try:
            await asyncio.sleep(600)
        finally:
            ended.append(wanted.name)

    monkeypatch.setattr(module, "write_export", endless)

    async def both(client, server):
        one, two = await client.socket(), await client.socket()
        token = (await client.hear(one, "Thing"))["token"]
        await client.hear(two, "Thing")
        url = f"/export/{token}/glb?first=0&last=-1"
        waiting = asyncio.ensure_future(client.client.get(url))
        while not begun:
            await asyncio.sleep(0.01)
        for stamp in range(1, 6):
            await say(two, "SetCoordinate", index=0, value=0.1 * stamp, stamp=stamp)
            while (await client.hear(two, "Pose"))["stamp"] != stamp:
                pass
        again = await client.client.get(url)
        assert again.status == 409 and "already" in await again.text()
        # The exporting tab itself answers as well.
        await say(one, "SetCoordinate", index=0, value=0.5, stamp=9)
        while (await client.hear(one, "Pose"))["stamp"] != 9:
            pass
        assert not ended
        await one.close()
        await asyncio.wait_for(waiting, 20)
        assert waiting.result().status == 410 and ended == begun
        await two.close()

    serving(both)()


STUCK = """
import time
from neurok.viewer import server
server.GRACE_SECONDS = 1.0
stuck = server.Server(lambda: time.sleep(600), port=0)
server.serve(stuck, lambda address: print(address, flush=True))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_end_ends_whatever_hangs(number):
    """A tab whose object never comes keeps a thread busy, for which Python would wait."""
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()

            async def visit() -> int:
                async with aiohttp.ClientSession() as session:
                    await session.ws_connect(f"{address}socket", headers={"Origin": address.rstrip("/")})
                    process.send_signal(number)
                    return await asyncio.to_thread(process.wait, 60)

            assert elsewhere(visit()) == 128 + number
        finally:
            process.kill()


@pytest.mark.parametrize("args", [(), ("parent",)], ids=["alone", "with a child of its own that lives on"])
def test_a_child_ends_when_nobody_waits_for_it(tmp_path, monkeypatch, args):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))

    async def leave() -> bool:
        task = asyncio.create_task(run_child("tests.viewer.sleeper", tmp_path, *args, seconds=60))
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
            assert not task.done()
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 60)
        return os.path.exists(f"/proc/{(tmp_path / 'pid').read_text()}")

    try:
        assert elsewhere(leave()) is False
    finally:
        if args:
            os.kill(int((tmp_path / "other").read_text()), signal.SIGKILL)


def test_a_mesh_that_takes_for_ever_moves_as_one_body_and_says_so(monkeypatch):
    monkeypatch.setattr(spaces, "SEARCH_SECONDS", 0.05)

    async def send(client, server):
        socket = await client.socket()
        token = (await client.hear(socket, "Thing"))["token"]
        with tempfile.TemporaryDirectory() as folder:
            data = neurok.save(cube(), Path(folder) / "cube.glb").read_bytes()
        url = f"/upload/{token}"
        answer = await client.client.post(url, params={"name": "cube.glb"}, data=data, headers=client.headers)
        assert answer.status == 200
        thing = await client.hear(socket, "Thing")
        assert thing["title"] == "cube" and thing["movable"] and len(thing["coordinates"]) == 6
        said = await client.hear(socket, "Say")
        assert "one rigid body" in said["text"] and "was not found within" in said["text"]
        await socket.close()

    serving(send)()


async def drag_upload(client, server):
    """A plain mesh of a laptop, dropped onto the page, is held where it moves most and lifted."""
    socket = await client.socket()
    token = (await client.hear(socket, "Thing"))["token"]
    with tempfile.TemporaryDirectory() as folder:
        data = neurok.save(make("laptop", 0).mesh, Path(folder) / "plain.glb").read_bytes()
    url = f"/upload/{token}"
    answer = await client.client.post(url, params={"name": "plain.glb"}, data=data, headers=client.headers)
    assert answer.status == 200, await answer.text()
    thing = await client.hear(socket, "Thing")
    told = await client.hear(socket, "Say")
    assert not told["fault"] and "rigid body" not in told["text"] and "lid (turns)" in told["text"]
    await say(socket, "ShowRegion", index=0)
    heat = (await client.hear(socket, "Region"))["heat"]
    scenery = thing["scenery"]
    corners = scenery["source"][scenery["faces"].reshape(-1, 3)]
    triangle = int(heat[corners].min(axis=1).argmax())
    await say(socket, "Grab", handle=1, triangle=triangle, weights=[0.3, 0.3, 0.4])
    held = await client.hear(socket, "Pose")
    while not held["handles"]:
        held = await client.hear(socket, "Pose")
    start = np.array(held["handles"][0]["place"])
    for stamp in range(1, 7):
        await say(socket, "Move", handle=1, place=list(start + [0.0, 0.03 * stamp, 0.0]), stamp=stamp)
        moved = await client.hear(socket, "Pose")
        while moved["stamp"] != stamp:
            moved = await client.hear(socket, "Pose")
    assert np.linalg.norm(np.array(moved["handles"][0]["place"]) - start) > 0.1  # of the diagonal
    bones = np.array(moved["shape"]).reshape(-1, 3, 4)
    still = np.abs(bones - np.eye(4)[:3]).max(axis=(1, 2)) < 1e-3
    assert still.any() and not still.all(), "a part of it moves, and another does not"
    await socket.close()


test_an_uploaded_plain_mesh_moves_when_it_is_dragged = case(drag_upload)


@pytest.mark.parametrize("where", ["receive", "tick", "introduce", "rehearse"])
def test_a_fault_of_ours_is_one_sentence_and_a_line_in_the_log(monkeypatch, caplog, where):
    async def break_it(client, server):
        if where in ("introduce", "rehearse"):
            monkeypatch.setattr(Session if where == "introduce" else SessionState, where, _break)
        socket = await client.socket()
        if where in ("receive", "tick"):
            await client.hear(socket, "Thing")
            monkeypatch.setattr(Session, where, _break)
            if where == "tick":
                await say(socket, "SetCoordinate", index=0, value=1.0, stamp=1)
            await say(socket, "Run")
        said = await client.hear(socket, "Say")
        while not said["fault"]:
            said = await client.hear(socket, "Say")
        assert "KeyError" in said["text"] and "Traceback" not in said["text"] and said["text"].endswith(".")
        monkeypatch.undo()
        # The server lives on, and so does the tab where it has an object.
        other = await client.socket()
        await client.hear(other, "Thing")
        if where != "introduce":
            await say(socket, "SetCoordinate", index=0, value=0.5, stamp=77)
            while (await client.hear(socket, "Pose"))["stamp"] != 77:
                pass
        for one in (socket, other):
            await one.close()

    serving(break_it)()
    assert any(record.exc_info for record in caplog.records), "the log says where"


def _break(*_):
    raise KeyError("a fault of ours")


def test_a_page_that_says_too_much_is_closed_with_a_reason(monkeypatch):
    monkeypatch.setattr(tab_module, "MAX_WAITING", 20)

    async def flood(client, server):
        socket = await client.socket()
        await client.hear(socket, "Thing")
        with contextlib.suppress(ConnectionError):
            for _ in range(3000):
                await say(socket, "ShowRegion", index=0)
        while not socket.closed:
            await socket.receive(timeout=30)
        assert socket.close_code == aiohttp.WSCloseCode.POLICY_VIOLATION
        await all_left(server)

    serving(flood)()


async def upright(client, server):
    socket = await client.socket()
    first = await client.hear(socket, "Thing")
    assert first["up"] == "z"
    await say(socket, "TurnUpright", up="sideways")
    assert "up axis" in (await client.hear_fault(socket))
    await say(socket, "TurnUpright", up="x")
    thing = await client.hear(socket, "Thing")
    assert thing["up"] == "x"
    lower, upper = (np.array(one["scenery"]["rest"]).reshape(-1, 3).max(axis=0) for one in (first, thing))
    assert upper[1] > 2 * lower[1], "it stands on its side now"
    await socket.close()


test_another_axis_may_point_up = case(upright)
