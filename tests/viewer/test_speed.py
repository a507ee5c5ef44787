"""How quickly the page follows the hand, measured in the browser: 16 coordinates, 20,000 vertices."""

import math
import time

import numpy as np
import pytest

import neurok
from tests.viewer.conftest import started
from tests.viewer.objects import snake


@pytest.fixture(scope="module")
def snake_page(tmp_path_factory):
    path = neurok.save(snake(), tmp_path_factory.mktemp("snake") / "snake.urdf")
    with started(str(path)) as address:
        yield address


def test_vertices_follow_the_hand_within_a_tenth_of_a_second(open_tab, snake_page):
    """Best of three, for machines are shared."""
    tab = open_tab(snake_page)
    head = tab.vertices()[-500:].mean(axis=0)
    medians = []
    for attempt in range(3):
        before = len(tab.call("latencies()"))
        x, y = tab.on_screen(tab.vertices()[-500:].mean(axis=0))
        tab.drag((x, y), (x + 40 * (-1) ** attempt, y - 60), steps=25)
        medians.append(float(np.median(tab.call("latencies()")[before:])))
        if medians[-1] < 100:
            break
    tab.shot("dragged")
    assert np.linalg.norm(tab.vertices()[-500:].mean(axis=0) - head) > 0.02
    assert min(medians) < 100, f"medians of {medians} ms"


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


def contention(seconds: float = 0.5) -> float:
    """How much longer arithmetic takes than the processor works on it: 1 on an idle machine."""
    wall, own = time.perf_counter(), time.thread_time()
    while time.thread_time() - own < seconds:
        math.sqrt(2.0)
    return (time.perf_counter() - wall) / seconds
