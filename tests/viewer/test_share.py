"""Share pages in a real browser, from the disk and without a network."""

import numpy as np
import pytest

import neurok
from neurok.assets.laptop import laptop
from neurok.files.stage import Stage
from tests.files.test_clips import waving


def motions():
    swinging = neurok.animate(
        neurok.kinematics(laptop()), neurok.Conditions(gravity=(0, 0, -9.81), state=(1.4,), seconds=1)
    )
    return {"bones": swinging.motion(), "morphs": waving(20, 25), "steps": waving(20, 25, rough=0.01)}


@pytest.mark.parametrize("coding", ["bones", "morphs", "steps"])
def test_a_share_page_plays_offline(open_tab, tmp_path, coding):
    motion = motions()[coding]
    path = neurok.save(motion, tmp_path / "shared motion.html")
    tab = open_tab(path.as_uri(), f"share-{coding}", offline=True)
    stage = Stage.of(motion.mesh)
    for frame in (0, motion.frame_count // 2, motion.frame_count - 1):
        shown = np.array(tab.call(f"vertices({frame})")).reshape(-1, 3)
        np.testing.assert_allclose(shown, stage.points(motion.frame(frame)), atol=2e-4)
    first = tab.call("now()")
    tab.wait(lambda: tab.call("now()") != first)  # it plays by itself
    tab.page.keyboard.press("Space")
    stopped = tab.call("now()")
    tab.page.wait_for_timeout(200)
    assert tab.call("now()") == stopped
    track = tab.page.locator("#track").bounding_box()
    tab.page.mouse.click(track["x"] + track["width"] / 2, track["y"] + track["height"] - 5)
    assert abs(tab.call("now()") - (motion.frame_count - 1) / 2) <= 1
    tab.shot("middle")
    assert tab.page.locator("#plot").is_visible() is (coding == "bones")  # only a simulated motion has energies
