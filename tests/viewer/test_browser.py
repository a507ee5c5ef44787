"""The viewer in a real browser: what a person does, and what then has to be seen."""

import json
from pathlib import Path

import numpy as np
import pytest

import neurok
import neurok.errors
from neurok.assets.laptop import BUNDLED, laptop
from neurok.files.stage import Stage
from neurok.geometry.primitives import box
from tests.viewer.conftest import SHOTS, contention, free_port, started

TORN = 0.1  # of the lid's way, that all but a hundredth of the base may go
LONG = 240.0  # s: a process has to start, load a network and think, on a machine that others use too
VALIDATE = Path(__file__).resolve().parents[1] / "files" / "validate_gltf.mjs"


@pytest.fixture(scope="module")
def lid() -> np.ndarray:
    """Which vertices of the laptop belong to its lid."""
    return laptop().vertex_link == 1


def front_of_lid(tab, lid) -> tuple[float, float]:
    """A place on the upper side of the lid near its front edge, in pixels."""
    places = tab.vertices()[lid]
    top = places[places[:, 1] > places[:, 1].max() - 1e-3]
    return tab.on_screen(np.array([0.0, top[:, 1].max(), 0.75 * top[:, 2].max()]))


def test_a_drag_lifts_the_lid_and_leaves_the_base(open_tab, laptop_page, lid):
    tab = open_tab(laptop_page)
    tab.shot("1-first-sight")
    rest = tab.vertices()
    x, y = front_of_lid(tab, lid)
    tab.drag((x, y), (x, y - 170))
    tab.shot("2-dragged")
    moved = np.linalg.norm(tab.vertices() - rest, axis=1)
    assert moved[lid].max() > 0.2  # of the diagonal
    assert moved[~lid].max() < 1e-6
    shown = float(tab.page.inner_text("#sliders output").rstrip("°"))
    assert 15 < shown < 130


def test_a_slider_moves_the_mesh_and_shows_its_region(open_tab, laptop_page, lid):
    tab = open_tab(laptop_page)
    rest = tab.vertices()
    slider = tab.page.locator("#sliders input")
    slider.hover()
    tab.shot("1-region")
    slider.fill("1.2")
    tab.wait(lambda: np.abs(tab.vertices() - rest).max() > 0.1)
    tab.shot("2-moved")
    # The hinge turns the lid by what the slider says.
    space = neurok.kinematics(laptop())
    import torch

    X = space.transforms(torch.tensor([1.2], dtype=torch.float64)).numpy()
    stage = Stage.of(space.mesh)
    expected = stage.points(space.skin.blend(X, space.mesh.vertices))
    np.testing.assert_allclose(tab.vertices(), expected, atol=2e-3)
    assert np.linalg.norm(tab.vertices() - rest, axis=1)[~lid].max() < 1e-6


def test_a_throw_runs_and_comes_to_rest(open_tab, laptop_page, lid, tmp_path):
    tab = open_tab(laptop_page)
    x, y = front_of_lid(tab, lid)
    tab.throw((x, y), (x, y - 200))
    tab.wait(lambda: tab.call("frames()") > 3)
    tab.shot("1-flying")
    tab.wait(lambda: "At rest" in tab.status())
    tab.shot("2-at-rest")
    assert not tab.call("running()")
    still = tab.vertices()
    tab.page.wait_for_timeout(300)
    np.testing.assert_array_equal(tab.vertices(), still)

    # The conditions replay to the same motion.
    replayed = _replay(tab, tmp_path)
    assert np.abs(replayed.frames[-1] - _file_points(still)).max() < 1e-5 * replayed.mesh.diagonal
    assert np.abs(replayed.frames[-1] - replayed.frames[0]).max() > 0.01 * replayed.mesh.diagonal


def _replay(tab, tmp_path):
    path = _download(tab, "json", tmp_path)
    conditions = neurok.Conditions.from_json(path.read_text())
    return neurok.animate(neurok.kinematics(neurok.load(BUNDLED)), conditions).motion()


def _file_points(places):
    return Stage.of(neurok.load(BUNDLED).mesh).file_points(places)


def _download(tab, kind: str, tmp_path) -> Path:
    tab.page.click("#menu-open")
    with tab.page.expect_download(timeout=180_000) as waiting:
        tab.page.click(f"[data-export='{kind}']")
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_a_hand_in_running_time_is_replayed_too(open_tab, laptop_page, lid, tmp_path):
    tab = open_tab(laptop_page)
    tab.page.fill("#sliders input", "1.0")
    tab.wait(lambda: tab.vertices()[lid][:, 1].max() > 0.3)
    tab.page.keyboard.press("Space")
    tab.wait(lambda: tab.call("frames()") > 1)
    x, y = tab.on_screen(tab.vertices()[lid].mean(axis=0))
    tab.drag((x, y), (x + 40, y - 120), steps=25)
    tab.page.keyboard.press("Space")
    tab.wait(lambda: not tab.call("running()"))
    tab.page.wait_for_timeout(200)
    tab.shot("led")
    replayed = _replay(tab, tmp_path)
    assert np.abs(replayed.frames[-1] - _file_points(tab.vertices())).max() < 1e-5 * replayed.mesh.diagonal


@pytest.mark.node
def test_an_exported_glb_is_valid_and_holds_the_motion(open_tab, laptop_page, lid, tmp_path, node):
    tab = open_tab(laptop_page)
    x, y = front_of_lid(tab, lid)
    tab.throw((x, y), (x, y - 200))
    tab.wait(lambda: "At rest" in tab.status())
    tab.page.click("#menu-open")
    tab.shot("menu")
    tab.page.click("#menu-open")
    path = _download(tab, "glb", tmp_path)
    (report,) = json.loads(node(VALIDATE, path).stdout)
    assert report["issues"]["numErrors"] == 0
    (motion,) = neurok.load(path).motions
    assert motion.frame_count == tab.call("frames()")


def test_an_upload_replaces_the_object_and_a_broken_one_says_so(open_tab, laptop_page, tmp_path):
    tab = open_tab(laptop_page)
    cube = tmp_path / "a <b>cube.obj"
    neurok.save(box(1.0, 2.0, 3.0), cube)
    tab.page.set_input_files("#file", str(cube))
    tab.wait(lambda: len(tab.vertices()) == 8, LONG)
    assert tab.page.inner_text("#title") == "a <b>cube"
    tab.shot("1-cube")
    broken = tmp_path / "broken.glb"
    broken.write_bytes(b"glTF" + bytes(range(200)))
    tab.page.set_input_files("#file", str(broken))
    tab.wait(lambda: tab.page.locator("#status.fault").count() == 1, LONG)
    tab.shot("2-broken")
    assert tab.status().endswith(".") and "Traceback" not in tab.status()
    assert len(tab.vertices()) == 8
    wrong = tmp_path / "notes.txt"
    wrong.write_text("hello")
    tab.page.set_input_files("#file", str(wrong))
    tab.wait(lambda: ".glb" in tab.status())
    tab.complaints = [line for line in tab.complaints if "422" not in line]  # the browser's own note of the refusals
    # The server lives on.
    neurok.save(laptop().mesh, tmp_path / "second.glb")
    tab.page.set_input_files("#file", str(tmp_path / "second.glb"))
    tab.wait(lambda: len(tab.vertices()) > 1000, LONG)


def test_two_tabs_do_not_disturb_each_other(open_tab, laptop_page, lid):
    one, two = open_tab(laptop_page, "tab-one"), open_tab(laptop_page, "tab-two")
    rest = two.vertices()
    x, y = front_of_lid(one, lid)
    one.drag((x, y), (x, y - 170))
    assert np.abs(one.vertices() - rest).max() > 0.1
    np.testing.assert_array_equal(two.vertices(), rest)
    assert one.call("token()") != two.call("token()")


def test_pins_pushes_surprises_and_the_timeline(open_tab, laptop_page, lid):
    tab = open_tab(laptop_page)
    tab.page.keyboard.press("s")
    tab.wait(lambda: tab.page.locator("#choices button").count() == 6)
    tab.page.locator("#choices button").nth(1).click()
    tab.shot("1-alternatives")
    tab.page.fill("#sliders input", "1.2")
    tab.page.locator("#sliders input").blur()
    tab.page.keyboard.press("3")
    before = tab.call("frames()")
    tab.page.mouse.click(*tab.on_screen(tab.vertices()[lid].mean(axis=0)))
    tab.wait(lambda: tab.call("frames()") > before + 5)
    tab.shot("2-pushed")
    tab.wait(lambda: not tab.call("running()"))
    # Scrub to the first frame: the vertices of then are back.
    end = tab.vertices()
    track = tab.page.locator("#track").bounding_box()
    tab.page.mouse.click(track["x"] + 1, track["y"] + track["height"] - 6)
    tab.wait(lambda: np.abs(tab.vertices() - end).max() > 1e-3)
    # Pin a point of the lid: gravity does not move it any more.
    tab.page.keyboard.press("r")
    tab.page.fill("#sliders input", "1.0")
    tab.wait(lambda: tab.vertices()[lid][:, 1].max() > 0.3)
    tab.page.keyboard.press("2")
    tab.page.mouse.click(*tab.on_screen(tab.vertices()[lid].mean(axis=0)))
    held = tab.vertices()
    tab.page.keyboard.press("Space")
    tab.wait(lambda: tab.call("frames()") > 20)
    tab.shot("3-pinned")
    assert np.abs(tab.vertices() - held).max() < 0.02
    tab.page.keyboard.press("Escape")
    tab.wait(lambda: np.abs(tab.vertices() - held).max() > 0.1)


def test_dark_and_narrow_and_help(open_tab, laptop_page):
    tab = open_tab(laptop_page, color_scheme="dark")
    tab.shot("1-dark")
    tab.page.keyboard.press("?")
    tab.shot("2-help")
    small = open_tab(laptop_page, "narrow", viewport={"width": 400, "height": 800}, has_touch=True)
    small.shot("1-phone")
    small.page.click("#panel-open")
    small.shot("2-phone-panel")
    assert small.page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_file_with_a_motion_plays(open_tab, tmp_path):
    trajectory = neurok.animate(neurok.kinematics(laptop()), neurok.Conditions(seconds=1.0))
    path = neurok.save(trajectory.motion(), tmp_path / "moving.glb")
    # The shape as the file has it: by the time a page is asked for the first time, it may have played for a while.
    mesh = neurok.load(path).mesh
    shape = Stage.of(mesh).points(mesh.vertices)
    with started(str(path)) as address:
        tab = open_tab(address)
        first = tab.vertices()
        tab.wait(lambda: np.abs(tab.vertices() - first).max() > 1e-3)
        tab.shot("1-playing")
        assert not tab.page.locator(".tools").is_visible()
        # Its shape can be dragged all the same.
        tab.page.click("#drag-it")
        tab.wait(lambda: tab.page.locator("#run").is_visible(), LONG)
        assert tab.page.locator("#sliders input").count() > 0
        rest = tab.vertices()
        np.testing.assert_allclose(rest, shape, atol=1e-3, err_msg="it is another shape")
        x, y = tab.on_screen(rest.mean(axis=0) * [1.0, 0.0, 1.0] + [0.0, rest[:, 1].max(), 0.1])
        tab.drag((x, y), (x, y - 80))
        tab.shot("2-dragged")
        assert np.abs(tab.vertices() - rest).max() > 0.02
        tab.page.context.close()


def test_a_drag_lifts_the_lid_of_a_plain_mesh(open_tab, tmp_path, lid):
    """The same drag on the bare shape, whose ways to move come from the shipped weights: the page's guess.

    Learned parts end where the network thinks they do: nearly all of the base has to stay nearly where it was, and
    what follows the lid all the same is counted.
    """
    mesh = laptop().mesh
    path = neurok.save(mesh, tmp_path / "plain.npz")
    with started(str(path), "--up", "z") as address:
        tab = open_tab(address)
        rest = tab.vertices()
        names = [f"{a} {b}" for a, b in zip(*(tab.page.locator(f"#sliders {k}").all_inner_texts() for k in "bi"))]
        assert len(set(names)) == len(names) > 0, names
        x, y = front_of_lid(tab, lid)
        tab.drag((x, y), (x, y - 90), steps=20)
        tab.page.wait_for_timeout(2000)
        tab.shot("dragged")
        moved = np.linalg.norm(tab.vertices() - rest, axis=1)
        far = moved[lid].max()
        parts = np.quantile(moved[~lid], [0.5, 0.99, 1.0]) / far
        base = dict(zip(("median", "p99", "max"), np.round(parts, 3).tolist()))
        tab.page.context.close()
    assert far > 0.1, "of the diagonal"
    assert base["median"] < 0.05 and base["p99"] < TORN, base


def test_a_dropped_file_is_opened(open_tab, laptop_page, tmp_path):
    """What the browser itself makes of a file that is let go over the page."""
    tab = open_tab(laptop_page)
    data = neurok.save(box(1.0, 2.0, 3.0), tmp_path / "box.obj").read_text()
    drop = """([text, kind]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], "dropped box.obj"));
        document.querySelector("#view").dispatchEvent(
            new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        return document.body.classList.contains("dropping");
    }"""
    assert tab.page.evaluate(drop, [data, "dragover"]) is True
    tab.shot("1-over")
    assert tab.page.evaluate(drop, [data, "drop"]) is False
    tab.wait(lambda: len(tab.vertices()) == 8, LONG)
    assert tab.page.inner_text("#title") == "dropped box"
    tab.shot("2-dropped")
    # Another axis points up: the same box lies on another side.
    height = np.ptp(tab.vertices(), axis=0)[1]
    tab.page.keyboard.press("u")
    tab.wait(lambda: abs(np.ptp(tab.vertices(), axis=0)[1] - height) > 0.1, LONG)
    tab.shot("3-turned")


def test_a_recording_is_trimmed_looped_and_exported_as_trimmed(open_tab, laptop_page, lid, tmp_path):
    tab = open_tab(laptop_page)
    x, y = front_of_lid(tab, lid)
    tab.throw((x, y), (x, y - 200))
    tab.wait(lambda: "At rest" in tab.status(), LONG)
    count = tab.call("frames()")
    track = tab.page.locator("#track").bounding_box()

    def edge(name: str, share: float) -> None:
        at = tab.page.locator(name).bounding_box()
        end = track["x"] + share * track["width"], at["y"] + at["height"] / 2
        tab.drag((at["x"] + at["width"] / 2, end[1]), end, steps=4)

    edge("#from", 0.25)
    edge("#to", 0.75)
    first, last = tab.call("trimmed()")
    assert abs(first - 0.25 * (count - 1)) <= 1 and abs(last - 0.75 * (count - 1)) <= 1
    tab.shot("trimmed")
    # With the loop off it plays once and stops at the end of what is left.
    tab.page.keyboard.press("l")
    assert tab.page.get_attribute("#loop", "aria-pressed") == "false"
    tab.page.keyboard.press("p")
    tab.wait(lambda: not tab.call("playing()"))
    assert tab.call("now()") == last
    # With it on it begins again.
    tab.page.keyboard.press("l")
    tab.page.keyboard.press("p")
    tab.wait(lambda: tab.call("now()") < last)
    tab.page.wait_for_timeout(int(1000 * (last - first + 1) / 30) + 300)
    assert tab.call("playing()") and first <= tab.call("now()") <= last
    tab.page.keyboard.press("p")
    conditions = neurok.Conditions.from_json(_download(tab, "json", tmp_path).read_text())
    assert conditions.seconds == pytest.approx((last - first) / 30, abs=1e-6)


def test_a_finger_drags(open_tab, laptop_page, lid):
    tab = open_tab(laptop_page, has_touch=True, viewport={"width": 420, "height": 800})
    rest = tab.vertices()
    x, y = front_of_lid(tab, lid)
    wire = tab.page.context.new_cdp_session(tab.page)

    def touch(kind: str, *points) -> None:
        marks = [{"x": a, "y": b, "id": number} for number, (a, b) in enumerate(points)]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": marks})
        tab.page.wait_for_timeout(30)

    touch("touchStart", (x, y))
    for step in range(1, 11):
        touch("touchMove", (x, y - 8 * step))
    tab.page.wait_for_timeout(300)
    touch("touchEnd")
    moved = np.linalg.norm(tab.vertices() - rest, axis=1)
    assert moved[lid].max() > 0.1 and moved[~lid].max() < 1e-6
    tab.shot("dragged")


def test_a_picture_of_the_view_is_large_and_has_the_object_in_its_middle(open_tab, laptop_page, tmp_path):
    from PIL import Image

    tab = open_tab(laptop_page)
    tab.page.fill("#sliders input", "1.0")
    tab.page.wait_for_timeout(500)
    picture = np.asarray(Image.open(_download(tab, "png", tmp_path)).convert("RGB")).astype(float)
    (tmp_path / "laptop.png").rename(SHOTS / "exported-view.png")
    assert picture.shape[1] >= 1920
    # Dark keys and screen: nothing else on the page is dark.
    columns = np.flatnonzero((picture.max(axis=2) < 60).sum(axis=0) > 20)
    assert abs((columns.min() + columns.max()) / 2 / picture.shape[1] - 0.5) < 0.06


def test_a_shared_page_and_files_carry_the_objects_name(open_tab, laptop_page, tmp_path):
    tab = open_tab(laptop_page)
    path = _download(tab, "html", tmp_path)
    assert path.name == "laptop.html" and "<title>laptop</title>" in path.read_text(encoding="utf-8")


def test_a_page_comes_back_when_the_server_does(open_tab):
    port = free_port()
    with started("neurok/assets/laptop/laptop.urdf", port=port) as address:
        tab = open_tab(address)
        token = tab.call("token()")
    tab.wait(lambda: "Trying again" in tab.status())
    tab.shot("1-lost")
    with started("neurok/assets/laptop/laptop.urdf", port=port):
        tab.wait(lambda: tab.call("token()") != token, LONG)
        tab.wait(lambda: tab.page.locator("body.lost").count() == 0)
        tab.page.fill("#sliders input", "1.0")
        tab.wait(lambda: tab.vertices()[:, 1].max() > 0.3)
        tab.complaints = [line for line in tab.complaints if "WebSocket" not in line]  # the browser's own note
        tab.page.context.close()


def test_a_tab_is_dragged_smoothly_while_another_exports(open_tab, laptop_page, lid, tmp_path):
    one, two = open_tab(laptop_page, "exporting"), open_tab(laptop_page, "dragging")
    x, y = front_of_lid(one, lid)
    one.throw((x, y), (x, y - 200))
    one.wait(lambda: "At rest" in one.status(), LONG)
    one.page.click("#menu-open")
    with one.page.expect_download(timeout=300_000) as waiting:
        one.page.click("[data-export='mp4']")
        medians = []
        for _ in range(3):
            before = len(two.call("latencies()"))
            x, y = front_of_lid(two, lid)
            two.drag((x, y), (x, y - 60), steps=20)
            medians.append(float(np.median(two.call("latencies()")[before:])))
            two.page.keyboard.press("r")
            two.page.wait_for_timeout(100)
    assert waiting.value.suggested_filename == "laptop.mp4"
    if min(medians) > 100 and contention() > 1.3:
        pytest.skip(f"MACHINE BUSY: {min(medians):.0f} ms while others take {contention():.1f} times our share")
    assert min(medians) < 100


def test_without_an_input_an_open_laptop_greets(open_tab, lid):
    with started() as address:
        tab = open_tab(address)
        assert tab.page.inner_text("#title") == "laptop"
        assert tab.vertices()[lid][:, 1].max() > 0.3
        tab.shot("greeting")
        tab.page.context.close()
