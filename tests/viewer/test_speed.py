"""How quickly the page follows the hand, measured in the browser: from the mouse's event to the vertices it led to."""

import numpy as np
import pytest

import neurok
from tests.viewer.conftest import contention, serving, started
from tests.viewer.objects import snake


@pytest.fixture(scope="module")
def snake_page(tmp_path_factory):
    """16 joints, 20,000 vertices."""
    path = neurok.save(snake(), tmp_path_factory.mktemp("snake") / "snake.urdf")
    with started(str(path)) as address:
        yield address


@pytest.fixture(scope="module")
def soft_page():
    """16 coordinates of a learned kind, 20,000 vertices."""
    with serving("tests.viewer.soft_page", "142") as address:
        yield address


@pytest.fixture(scope="module")
def large_page():
    """The same with 152,000 vertices: bones are sent, never vertices."""
    with serving("tests.viewer.soft_page", "390") as address:
        yield address


# what is shown, which vertex is dragged, and milliseconds that the median of all moves may take
CASES = [("snake_page", -250, 100), ("soft_page", 71, 100), ("large_page", 195, 250)]


@pytest.mark.parametrize(("page", "vertex", "most"), CASES, ids=["joints", "learned", "large"])
def test_vertices_follow_the_hand_within_a_tenth_of_a_second(open_tab, request, page, vertex, most):
    """Best of three, for machines are shared. Software WebGL draws 300,000 triangles in the same thread, slowly."""
    tab = open_tab(request.getfixturevalue(page), page)
    begun = tab.vertices()[vertex]
    found = []
    for attempt in range(3):
        before = len(tab.call("latencies()"))
        x, y = tab.on_screen(tab.vertices()[vertex])
        tab.drag((x, y), (x + 40 * (-1) ** attempt, y - 60), steps=25)
        tab.page.wait_for_timeout(300)
        took = tab.call("latencies()")[before:]
        if len(took) < 5:  # the page was too slow to take the hand's moves one by one
            found.append((np.inf, np.inf))
            continue
        found.append((float(np.median(took)), float(np.quantile(took, 0.95))))
        if found[-1][0] < most:
            break
    tab.shot("dragged")
    best = min(found)
    if not best[0] < most and contention() > 1.3:
        pytest.skip(f"MACHINE BUSY: {found} ms while others take {contention():.1f} times our share")
    assert best[0] < most, f"medians and 95th percentiles of {found} ms"
    assert np.linalg.norm(tab.vertices()[vertex] - begun) > 0.02
    print(f"{page}: median {best[0]:.0f} ms, 19 of 20 within {best[1]:.0f} ms")


def test_thirty_vertex_updates_a_second_arrive(open_tab, snake_page):
    tab = open_tab(snake_page)
    tab.page.keyboard.press("s")
    tab.wait(lambda: tab.page.locator("#choices button").count() == 6)
    rates = []
    for _ in range(4):
        tab.page.keyboard.press("Space")
        tab.wait(lambda: tab.call("running()"))
        count, begin = tab.page.evaluate("[window.neurok.updates(), performance.now()]")
        tab.page.wait_for_timeout(2000)
        later, end = tab.page.evaluate("[window.neurok.updates(), performance.now()]")
        rates.append(1000 * (later - count) / (end - begin))
        tab.page.keyboard.press("r")
        tab.wait(lambda: not tab.call("running()"))
        tab.page.keyboard.press("s")
        tab.wait(lambda: tab.page.locator("#choices button").count() == 6)
        if rates[-1] >= 28:
            break
    if max(rates) < 28 and contention() > 1.3:
        pytest.skip(
            f"MACHINE BUSY: {max(rates):.0f} updates a second while others take {contention():.1f} times our share"
        )
    assert max(rates) >= 28, f"{rates} a second"
