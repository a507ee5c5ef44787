"""Bars: on a terminal alone, and for every verb that may take more than two seconds."""

import inspect
import os
import pty
import subprocess
import sys
from importlib import import_module

import pytest

from neurok.commands.main import GROUPS, VERBS


def run_on_terminal(folder, *words: str) -> str:
    """What a verb writes to stderr where that is a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "neurok", *map(str, words)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, env=_environment()) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                chunk = os.read(ours, 4096)
            except OSError:  # the terminal's other side is closed
                break
            if not chunk:
                break
            said += chunk
        assert process.wait(120) == 0, said
    os.close(ours)
    return said.decode(errors="replace")


def _environment() -> dict[str, str]:
    # The program is found from any folder, and the terminal is one that can draw bars.
    return os.environ | {"TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_bars_are_for_terminals(door, tmp_path, neurok):
    said = run_on_terminal(tmp_path, "sample", door, "-n", "2", "-o", "states.glb")
    assert "drawing states" in said and "writing states.glb" in said
    _, _, err = neurok("sample", door, "-n", "2", "-o", "again.glb")
    assert "drawing" not in err and "\x1b" not in err


@pytest.mark.parametrize("verb", sorted(set(VERBS) - set(GROUPS) - {"train"}))
def test_every_verb_has_a_bar(verb):
    """But for training, which says how far it is in lines of its own."""
    module = import_module(f"neurok.commands.{verb}")
    assert "with progress(" in inspect.getsource(module)
