"""Objects of other packages: the same mesh and the same motion as from a file, and none of those packages imported."""

import subprocess
import sys

import numpy as np
import pytest

import neurok
import neurok.foreign
from neurok.assets.laptop import laptop
from neurok.errors import InputError
from neurok.files.registry import save
from neurok.geometry.primitives import box
from neurok.mechanics.conditions import Conditions, Pull

BOX = box(1, 2, 3)


def test_arrays_are_a_mesh():
    for pair in ((BOX.vertices, BOX.faces), [BOX.vertices.tolist(), BOX.faces.tolist()]):
        space = neurok.kinematics(pair, base="free")
        assert np.array_equal(space.mesh.vertices, BOX.vertices) and np.array_equal(space.mesh.faces, BOX.faces)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (3, "a int is no object"),
        ((BOX.vertices, BOX.faces.astype(float)), "faces are of float64"),
        ((BOX.vertices[:, :2], BOX.faces), "shape"),
        ((BOX.vertices, BOX.faces + 100), "vertex 107 of a mesh with"),
        ((np.full((3, 3), np.nan), [[0, 1, 2]]), "not finite"),
        (("a", "b"), "not arrays of numbers"),
        ((BOX.vertices, np.zeros((0, 3), dtype=int)), "no faces"),
    ],
)
def test_what_is_no_object_is_said(thing, words):
    with pytest.raises(InputError, match=words):
        neurok.kinematics(thing)


def test_a_trimesh_and_a_scene_of_them_are_meshes():
    trimesh = pytest.importorskip("trimesh")
    whole = trimesh.Trimesh(BOX.vertices, BOX.faces, process=False)
    assert np.array_equal(neurok.kinematics(whole, base="free").mesh.vertices, BOX.vertices)
    scene = trimesh.Scene()
    scene.add_geometry(whole, node_name="left", geom_name="box")
    shift = trimesh.transformations.translation_matrix([5, 0, 0])
    scene.add_geometry(whole, node_name="right", geom_name="box", transform=shift)
    mesh = neurok.foreign.read_foreign(scene)
    assert [part.name for part in mesh.parts] == ["left", "right"]
    assert np.allclose(mesh.vertices[mesh.faces[mesh.face_part == 1]].mean(axis=(0, 1)), [5, 0, 0])
    with pytest.raises(InputError, match="no mesh"):
        neurok.foreign.read_foreign(trimesh.Scene())


def test_a_compiled_model_moves_as_its_file(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    from tests.files.mjcf_oracle import compare_poses, compare_weights
    from tests.files.test_mjcf_reader import NASTY

    save(laptop(), tmp_path / "laptop.xml")
    path = str(tmp_path / "laptop.xml")
    model = mujoco.MjModel.from_xml_path(path)
    conditions = Conditions(pulls=(Pull("lid", by=(0, 0.05, 0.1)),), seconds=0.3)
    ours, theirs = (neurok.animate(thing, conditions) for thing in (path, model))
    assert theirs.states == pytest.approx(ours.states, abs=0.02) and ours.states.max() > 0.2
    nasty = mujoco.MjModel.from_xml_string(NASTY)
    joints = neurok.foreign.read_foreign(nasty).articulation
    assert compare_poses(nasty, joints) < 1e-10 and compare_weights(nasty, joints) < 1e-10


def test_none_of_those_packages_is_imported():
    code = (
        "import sys, neurok; from neurok.assets.laptop import laptop; neurok.kinematics(laptop());"
        "neurok.kinematics((((0,0,0),(1,0,0),(0,1,0)), ((0,1,2),)), base='free');"
        "assert not {'trimesh', 'mujoco'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
