"""Our OBJ, PLY, STL and OFF files remember which axis is up and how long their unit is."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

import neurok
from neurok.files.axes_note import SUFFIXES_WITHOUT_AXES
from neurok.geometry.primitives import box


@pytest.mark.parametrize("suffix", SUFFIXES_WITHOUT_AXES)
@pytest.mark.parametrize(("up", "unit"), [("x", 1.0), ("y", 0.001), ("z", 0.0254)])
def test_axes_come_back(tmp_path, suffix, up, unit):
    mesh = replace(box(1.0, 2.0, 3.0), up=up, unit=unit)
    path = neurok.save(mesh, tmp_path / f"box{suffix}")
    read = neurok.load(path)
    assert (read.mesh.up, read.mesh.unit, read.states_axes) == (up, unit, True)
    np.testing.assert_array_equal(np.ptp(read.mesh.vertices, axis=0), np.ptp(mesh.vertices, axis=0))
    # Others pass over the comment.
    other = trimesh.load(path, force="mesh")
    np.testing.assert_allclose(other.extents, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("suffix", SUFFIXES_WITHOUT_AXES)
def test_files_of_others_are_said_to_be_silent(tmp_path, suffix):
    path = tmp_path / f"box{suffix}"
    trimesh.creation.box((1.0, 2.0, 3.0)).export(path)
    read = neurok.load(path)
    assert (read.mesh.up, read.mesh.unit, read.states_axes) == ("y", 1.0, False)


@pytest.mark.parametrize(
    "words", ["up=w unit=1", "up=z unit=nan", "up=z unit=0", "up=z unit=1e99", "up=z unit=-1", "up=z"]
)
def test_nonsense_in_the_comment_is_no_statement(tmp_path, words):
    path = tmp_path / "box.obj"
    neurok.save(replace(box(1.0, 2.0, 3.0), up="x"), path)
    first, rest = path.read_text().split("\n", 1)
    assert first.startswith("# neurok: up=x unit=1.0")
    path.write_text(f"# neurok: {words}\n{rest}")
    read = neurok.load(path)
    assert (read.mesh.up, read.mesh.unit, read.states_axes) == ("y", 1.0, False)
