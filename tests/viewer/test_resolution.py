"""While something moves, pictures stay fine where they are quick, and are coarse where they were slow."""

import json
from pathlib import Path

import pytest

from neurok.viewer.server import BUNDLE

SOURCE = BUNDLE.parent / "src" / "resolution.ts"


@pytest.mark.node
@pytest.mark.parametrize(
    ("times", "ratios"),
    [
        ([8] * 10, [2] * 10),  # an ordinary graphics card
        ([400, 300, 200, 9, 8, 7], [2] * 6),  # the first pictures of an object compile shaders
        ([90, 90, 90, 90, 30, 30], [2, 2, 2, 1, 1, 1]),  # slow, whatever it is called
        ([90, 90, 8, 90, 90, 8], [2] * 6),  # other things take time as well
    ],
)
def test_only_slow_pictures_become_coarse(node, tmp_path, times, ratios):
    done = node(Path(__file__).parent / "resolution.mjs", SOURCE, tmp_path, json.dumps(times))
    if "Cannot find package 'esbuild'" in done.stderr:
        pytest.skip("ESBUILD ABSENT: the page's rule of resolution is not tried")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [*ratios, 2], "another object begins finely"
