"""A small jointed object, and the command line as a stranger runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from neurok.commands.main import main

DOOR = """<robot name="door">
  <link name="frame"><visual><geometry><box size="0.1 0.1 2"/></geometry></visual></link>
  <link name="leaf"><visual><origin xyz="0.5 0 0"/><geometry><box size="0.9 0.05 1.9"/></geometry></visual></link>
  <joint name="hinge" type="revolute">
    <parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/><limit lower="-1.5" upper="1.5"/>
  </joint>
</robot>
"""

BOX = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""


@pytest.fixture
def door(tmp_path: Path) -> Path:
    path = tmp_path / "door.urdf"
    path.write_text(DOOR)
    return path


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "box.obj"
    path.write_text(BOX)
    return path


@pytest.fixture
def neurok(capsys, tmp_path, monkeypatch):
    """`neurok(*words) -> (exit code, stdout, stderr)`, run in the temporary folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(word) for word in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def process(tmp_path):
    """The same in a process of its own."""

    def run(*words: object, code: str = "") -> subprocess.CompletedProcess[str]:
        program = ["-c", code] if code else ["-m", "neurok.commands.main"]
        command = [sys.executable, *program, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=120)

    return run
