"""What is served is what the sources make."""

from pathlib import Path

import pytest

from neurok.files.html import PLAYER_FOLDER
from neurok.viewer.server import BUNDLE

SOURCES = BUNDLE.parent / "src"


@pytest.mark.node
@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("viewer.ts", BUNDLE / "viewer.js"),
        ("player.ts", PLAYER_FOLDER / "player.js"),
        ("page.css", BUNDLE / "viewer.css"),
        ("page.css", PLAYER_FOLDER / "player.css"),
    ],
)
def test_the_bundles_are_up_to_date(node, tmp_path, source, result):
    made = tmp_path / result.name
    done = node(Path(__file__).parent / "bundle.mjs", SOURCES / source, made)
    if "Cannot find package 'esbuild'" in done.stderr:
        pytest.skip("ESBUILD ABSENT: the bundles are not compared with their sources")
    assert done.returncode == 0, done.stderr
    assert made.read_bytes() == result.read_bytes(), "run: make page"


def test_the_pages_are_those_of_the_sources():
    assert (BUNDLE / "index.html").read_bytes() == (SOURCES / "index.html").read_bytes()
    assert (PLAYER_FOLDER / "player.html").read_bytes() == (SOURCES / "player.html").read_bytes()
    for folder in (BUNDLE, PLAYER_FOLDER):
        assert "MIT License" in (folder / "LICENSE-three.txt").read_text()
