"""Files that a person drops on the page: what is dragged moves, what is not stays, and the export moves too."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import neurok
from neurok.assets.laptop import laptop
from neurok.data.procedural import make
from neurok.files.stage import Stage
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.kinematics.articulated import Articulated
from neurok.viewer.uploads import SUFFIXES
from tests.viewer.conftest import Tab

LONG = 120.0  # s: a process has to start and think, on a machine that others use too
MOVED = 0.02  # of the diagonal, that what is dragged has to move at least
CABINET = 7  # a made cabinet with few drawers
TRUNK = (345, 270)  # where the tip of the scanned elephant's trunk is first seen, in pixels
STAYS = 0.1  # of the way of what is dragged, that nine tenths of the rest may go


@dataclass(frozen=True)
class Subject:
    """An object without its joints, and the way that one of its parts goes.

    region: the vertices that it takes along, [n]. there: where all of them are then [file units], [n, 3].
    """

    mesh: Mesh
    region: np.ndarray
    there: np.ndarray

    @property
    def stage(self) -> Stage:
        return Stage.of(self.mesh)


def strip(joints: Articulation, link: str = "", *, keep_names: bool = False) -> Subject:
    """The mesh of an object with joints, and half the way of one of its links, or of the one that goes farthest."""
    space = Articulated(joints)
    mesh = space.mesh if keep_names else Mesh(space.mesh.vertices, space.mesh.faces, up=space.mesh.up)
    ways = {name: space.rest.clone() for name in space.names}
    for index, q in enumerate(ways.values()):
        q[index] = np.clip(0.5 * max((float(space.lower[index]), float(space.upper[index])), key=abs), -0.6, 0.6)
    shapes = {name: space.skin.blend(space.transforms(q).numpy(), mesh.vertices) for name, q in ways.items()}
    names = [each.name for each in joints.joints if joints.links[each.child].name == link] or list(shapes)
    there = max((shapes[name] for name in names), key=lambda shape: float(np.abs(shape - mesh.vertices).max()))
    return Subject(mesh, np.linalg.norm(there - mesh.vertices, axis=1) > 1e-6 * mesh.diagonal, there)


def upload(tab: Tab, path: Path) -> None:
    """Have the page open a file that has another title than what is shown."""
    tab.page.set_input_files("#file", str(path))
    tab.wait(lambda: tab.page.inner_text("#title") == path.stem, LONG)
    tab.page.wait_for_timeout(300)


def take_hold(tab: Tab, subject: Subject) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where on the screen a visible point of what moves is, and where its way ends: one that goes far."""
    at, to = subject.stage.points(subject.mesh.vertices), subject.stage.points(subject.there)
    way = np.linalg.norm(to - at, axis=1)
    width, height = tab.page.viewport_size["width"], tab.page.viewport_size["height"]
    for index in np.argsort(-way, kind="stable")[:4000:8]:
        inward = at[index] + 0.02 * (at[subject.region].mean(axis=0) - at[index])
        start, end = tab.on_screen(inward), tab.on_screen(inward + to[index] - at[index])
        hit = tab.call(f"placeAt({start[0]}, {start[1]})")
        seen = hit is not None and np.linalg.norm(np.array(hit) - inward) < 0.03
        if seen and np.hypot(end[0] - start[0], end[1] - start[1]) > 25 and 0 < end[0] < width and 60 < end[1] < height:
            return start, end
    raise AssertionError("no point of what moves is seen")


def measure(tab: Tab, subject: Subject, rest: np.ndarray) -> tuple[float, float]:
    """How far what moves has moved at most, and nine tenths of the rest; in diagonals."""
    moved = np.linalg.norm(tab.vertices() - rest, axis=1)[: subject.mesh.vertex_count]
    return float(moved[subject.region].max()), float(np.quantile(moved[~subject.region], 0.9))


def real(number: str) -> Callable[[Path], Articulation]:
    return lambda data: neurok.load(data / "partnet_mobility" / number).articulation


REAL = {"door": real("9277"), "chest": real("45354")}


@pytest.mark.data
@pytest.mark.parametrize(("kind", "suffix"), [("door", "glb"), ("chest", "obj"), ("door", "ply")])
def test_a_part_of_a_real_plain_mesh_is_dragged(open_tab, laptop_page, shared_data, tmp_path, kind, suffix):
    subject = strip(REAL[kind](shared_data))
    path = neurok.save(subject.mesh, tmp_path / f"{kind}.{suffix}")
    tab = open_tab(laptop_page)
    upload(tab, path)
    rest = tab.vertices()
    tab.shot(f"{suffix}-1-dropped")
    tab.drag(*take_hold(tab, subject), steps=20)
    tab.page.wait_for_timeout(800)
    tab.shot(f"{suffix}-2-dragged")
    far, near = measure(tab, subject, rest)
    assert far > MOVED and near < STAYS * far, (far, near)


def test_a_named_drawer_is_dragged_and_the_others_stay(open_tab, laptop_page, tmp_path):
    """A file that names its pieces: the drawer that is pulled moves, by its name, and nothing else does."""
    made = make("drawer_cabinet", CABINET).articulation
    subject = strip(made, "drawer_2", keep_names=True)
    path = neurok.save(subject.mesh, tmp_path / "cabinet.glb")
    tab = open_tab(laptop_page)
    upload(tab, path)
    names = [" ".join(pair) for pair in zip(*(tab.page.locator(f"#sliders {k}").all_inner_texts() for k in "bi"))]
    assert "drawer 2 slides" in [name.casefold() for name in names], names
    rest = tab.vertices()
    start, end = take_hold(tab, subject)
    tab.page.mouse.move(*start)
    tab.wait(lambda: tab.page.locator("#tip.shown").count() == 1)
    assert tab.page.inner_text("#tip").casefold().startswith("drawer 2 slides")
    tab.shot("1-hovered")
    tab.drag(start, end, steps=20)
    tab.page.wait_for_timeout(800)
    tab.shot("2-dragged")
    assert "rawer 2 at" in tab.status()
    moved = np.linalg.norm(tab.vertices() - rest, axis=1)[: subject.mesh.vertex_count]
    assert moved[subject.region].max() > MOVED and moved[~subject.region].max() < 1e-6


@pytest.mark.data
def test_the_trunk_of_a_textured_scan_is_dragged(open_tab, laptop_page, shared_data):
    """A soft scan bends where it is pulled; what is far from the hand moves less."""
    path = shared_data / "scans" / "gso_Sootheze_Cold_Therapy_Elephant.glb"
    tab = open_tab(laptop_page)
    upload(tab, path)
    tab.shot("1-dropped")
    rest = tab.vertices()
    start = TRUNK
    seen = np.array(tab.call(f"placeAt({start[0]}, {start[1]})"))
    tab.drag(start, (start[0] + 10, start[1] - 30), steps=20)
    tab.page.wait_for_timeout(800)
    tab.shot("2-dragged")
    moved, away = np.linalg.norm(tab.vertices() - rest, axis=1), np.linalg.norm(rest - seen, axis=1)
    far = float(moved[away < 0.1].max())
    assert far > MOVED and np.quantile(moved[away > 0.6], 0.5) < 0.7 * far
    assert "taken for a body that bends" in tab.status() or "Let go" in tab.status()


def test_what_was_thrown_is_exported_as_a_glb_that_moves(open_tab, laptop_page, tmp_path):
    """A drawer of a cabinet without joints is thrown open; the file that is saved holds that motion."""
    subject = strip(make("drawer_cabinet", CABINET).articulation, "drawer_2", keep_names=True)
    tab = open_tab(laptop_page)
    upload(tab, neurok.save(subject.mesh, tmp_path / "plain.glb"))
    tab.throw(*take_hold(tab, subject))
    tab.wait(lambda: tab.call("frames()") > 10, LONG)
    tab.page.keyboard.press("Space")
    tab.wait(lambda: not tab.call("running()"))
    tab.shot("1-thrown")
    (moving,) = neurok.load(save_export(tab, "glb", tmp_path)).motions
    reach = max(float(np.abs(moving.frame(k) - moving.frame(0)).max()) for k in range(moving.frame_count))
    assert reach > MOVED * moving.mesh.diagonal
    assert "Saved" in tab.status() and tab.page.locator("#status.fault").count() == 0


def save_export(tab: Tab, kind: str, folder: Path) -> Path:
    tab.page.click("#menu-open")
    with tab.page.expect_download(timeout=180_000) as waiting:
        tab.page.click(f"[data-export='{kind}']")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    tab.page.wait_for_timeout(200)
    return path


def test_an_export_without_motion_says_so(open_tab, laptop_page, tmp_path):
    tab = open_tab(laptop_page)
    save_export(tab, "glb", tmp_path)
    assert "nothing was recorded" in tab.status() and tab.page.locator("#status.fault").count() == 1


@pytest.mark.data
def test_a_file_without_a_motion_says_why(open_tab, laptop_page, shared_data):
    tab = open_tab(laptop_page)
    upload(tab, shared_data / "scans" / "gso_3D_Dollhouse_Swing.glb")
    assert "one rigid body" in tab.status() and "one part" in tab.status()


def test_on_a_phone_the_object_is_in_the_middle_and_tools_have_words(open_tab, laptop_page, tmp_path):
    tab = open_tab(laptop_page, viewport={"width": 390, "height": 844}, has_touch=True)
    upload(tab, neurok.save(laptop().mesh, tmp_path / "plain.glb"))
    tab.page.wait_for_timeout(500)
    tab.shot("1-phone")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    pixels = np.array([tab.on_screen(place) for place in tab.vertices()[::20]])
    box_of = lambda name: tab.page.locator(name).bounding_box()  # noqa: E731
    left, right = pixels[:, 0].min(), pixels[:, 0].max()
    upper, lower = pixels[:, 1].min(), pixels[:, 1].max()
    assert abs((left + right) / 2 - 195) < 0.06 * 390 and right - left > 0.5 * 390 and left > 0 and right < 390
    bar, deck = box_of("#bar"), box_of("#deck")
    free = bar["y"] + bar["height"], deck["y"]
    assert abs((upper + lower) / 2 - sum(free) / 2) < 0.12 * 844
    for name in ("Drag", "Pin", "Push", "Sliders", "Open", "Export", "Upright", "Theme", "Help", "Step", "Rest"):
        word = tab.page.locator(f".word:text-is('{name}')")
        assert word.is_visible(), name
        place, button = word.bounding_box(), word.locator("xpath=..").bounding_box()
        assert place["x"] >= button["x"] - 1 and place["x"] + place["width"] <= button["x"] + button["width"] + 1, name
        assert 0 <= button["x"] and button["x"] + button["width"] <= 390 and button["height"] >= 34, name
    tab.page.click("#panel-open")
    tab.shot("2-phone-panel")


def test_the_picker_offers_what_can_be_read(open_tab, laptop_page):
    tab = open_tab(laptop_page)
    offered = tab.page.get_attribute("#file", "accept").split(",")
    assert sorted(offered) == sorted(SUFFIXES)
