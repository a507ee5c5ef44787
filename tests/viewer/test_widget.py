"""The page inside a notebook: a frame on a page of another port, its state read and set from Python, its port freed."""

import http.server
import json
import socket
import subprocess
import sys
import threading
import urllib.request

import numpy as np
import pytest

import neurok
from neurok.assets.laptop import HINGE, laptop
from neurok.errors import InputError, OptionError
from neurok.files.stage import Stage
from neurok.viewer.widget import Widget
from tests.viewer.conftest import SHOTS


@pytest.fixture
def shown():
    """The laptop in a widget."""
    with neurok.widget(laptop()) as found:
        yield found


class Notebook(http.server.BaseHTTPRequestHandler):
    """A page that holds what a cell shows, as a notebook does."""

    output = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>notebook</title><p>In [1]</p>{self.output}".encode())

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def notebook():
    """`notebook(output) -> address` of a page that shows it, on a port of its own."""
    servers = []

    def serve(output: str) -> str:
        handler = type("OneNotebook", (Notebook,), {"output": output})
        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def is_free(address: str) -> bool:
    """Whether the port of an address can be taken."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", int(address.rstrip("/").rsplit(":", 1)[1]))) != 0


def turned(angle: float) -> np.ndarray:
    """The laptop's vertices with its lid at an angle: a turn about the hinge, by hand."""
    machine = laptop()
    c, s = np.cos(-angle), np.sin(-angle)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    vertices = machine.mesh.vertices.copy()
    lid = machine.vertex_link == 1
    vertices[lid] = (vertices[lid] - HINGE) @ R.T + HINGE
    return vertices


def test_a_drag_in_a_cell_is_read_in_python(shown, notebook, browser):
    context = browser.new_context(viewport={"width": 1000, "height": 640})
    try:
        page = context.new_page()
        page.goto(notebook(shown._repr_html_()))
        frame = page.wait_for_selector("iframe").content_frame()
        frame.wait_for_selector("body.ready", timeout=60_000)
        frame.wait_for_function("window.neurok.drawn() > 0")
        page.wait_for_timeout(500)
        np.testing.assert_allclose(shown.vertices, laptop().mesh.vertices, atol=1e-12)
        box = page.query_selector("iframe").bounding_box()
        stage = Stage.of(laptop().mesh)
        places = stage.points(laptop().mesh.vertices[laptop().vertex_link == 1])
        edge = places[np.argmax(places[:, 2])]
        x, y = frame.evaluate(f"window.neurok.project([0, {places[:, 1].max()}, {0.75 * edge[2]}])")
        x, y = x + box["x"], y + box["y"]
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(12):
            page.mouse.move(x, y - 12 * step)
            page.wait_for_timeout(20)
        page.wait_for_timeout(300)
        page.mouse.up()
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(SHOTS / "widget-dragged.png"))
        (angle,) = shown.q
        assert 0.2 < angle < 2.5 and shown.state == {shown.names[0]: angle}
        np.testing.assert_allclose(shown.vertices, turned(angle), atol=1e-9)
        # The other way round: Python sets the state, the page shows it.
        shown.q = [1.0]
        drawn = f"Math.abs(window.neurok.vertices()[{3 * int(np.argmax(laptop().vertex_link == 1)) + 1}] - %s) < 2e-3"
        wanted = stage.points(turned(1.0))[int(np.argmax(laptop().vertex_link == 1)), 1]
        frame.wait_for_function(drawn % wanted)
        # A page that is opened anew goes on there.
        page.reload()
        page.wait_for_selector("iframe").content_frame().wait_for_selector("body.ready", timeout=60_000)
        page.wait_for_timeout(500)
        np.testing.assert_allclose(shown.q, [1.0])
    finally:
        context.close()
    np.testing.assert_allclose(shown.q, [1.0])


def test_it_closes_and_gives_its_port_back(shown):
    assert not is_free(shown.address)
    shown.q = [0.5]
    shown.close()
    assert is_free(shown.address)
    shown.close()
    np.testing.assert_allclose(shown.vertices, turned(0.5), atol=1e-9)


def test_only_pages_of_this_machine_may_frame_it(shown):
    with urllib.request.urlopen(shown.address) as answer:
        policy = dict(answer.headers)["Content-Security-Policy"]
    (ancestors,) = (words for words in policy.split("; ") if words.startswith("frame-ancestors"))
    assert "http://localhost:*" in ancestors and " * " not in ancestors and "'none'" not in ancestors


@pytest.mark.parametrize("values", [[1.0, 2.0], [np.nan], 1.0])
def test_a_wrong_state_is_one_sentence(shown, values):
    with pytest.raises(InputError, match="is 1 ordinary numbers"):
        shown.q = values
    assert shown.q == [0.0]


def test_a_fault_of_the_start_is_told(monkeypatch):
    async def fail(self):
        raise RuntimeError("no loop for you")

    monkeypatch.setattr("neurok.viewer.notebook_server.NotebookServer._serve_frames", fail)
    with pytest.raises(OptionError, match="no loop for you"):
        neurok.widget((np.eye(3), np.array([[0, 1, 2]])))


def test_it_takes_what_the_verbs_take():
    space = neurok.kinematics(laptop())
    for thing in (space, laptop().mesh):
        with neurok.widget(thing) as found:
            assert len(found.names) == len(found.q) and found.vertices.shape == laptop().mesh.vertices.shape
    with neurok.widget(space) as found:
        found.q = [0.3]
        np.testing.assert_allclose(found.vertices, turned(0.3), atol=1e-9)
    with pytest.raises(InputError, match="has no room"):
        neurok.widget(space, height=10)


def test_a_process_with_an_open_widget_ends(tmp_path):
    """As a notebook's kernel does that is shut down, or a script of its cells."""
    code = (
        "import json, neurok\nfrom neurok.assets.laptop import laptop\n"
        "shown = neurok.widget(laptop())\nprint(json.dumps([shown.address, shown._repr_html_()]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and done.stderr == ""
    address, shown = json.loads(done.stdout)
    assert address in shown and is_free(address)


def test_what_a_notebook_shows_is_a_frame():
    class Stopped:
        def start(self) -> str:
            return 'http://127.0.0.1:1/"<'

    assert Widget(Stopped(), 300)._repr_html_().count("<") == 2
