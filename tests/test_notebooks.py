"""The notebooks run from the first cell to the last, in an empty folder, and are kept without outputs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "examples" / "notebooks").glob("*.ipynb"))


def read_cells(path: Path) -> list[dict]:
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def run_cells(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """All cells of a notebook in one process, one after another, as a kernel runs them."""
    program = "\n\n".join("".join(cell["source"]) for cell in read_cells(path))
    (folder / "cells.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "cells.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    cells = read_cells(path)
    assert cells and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert len({cell["id"] for cell in json.loads(path.read_text())["cells"]}) == len(
        json.loads(path.read_text())["cells"]
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    done = run_cells(path, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_a_cell_that_fails_is_seen(tmp_path):
    book = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    book["cells"].append({"cell_type": "code", "source": ["assert False"], "id": "x", "outputs": []})
    (tmp_path / "broken.ipynb").write_text(json.dumps(book | {"cells": book["cells"][-1:]}), encoding="utf-8")
    assert run_cells(tmp_path / "broken.ipynb", tmp_path).returncode != 0
