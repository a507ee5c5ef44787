"""Which state space an object gets, and what is said about it; parts from the learned one."""

import json

import numpy as np
import pytest

import neurok
from neurok.articulate.learned_parts import find_learned_parts
from neurok.commands.main import main
from neurok.commands.options import FORMER_SPACES, SPACES
from neurok.data import procedural
from neurok.errors import InputError, NeurokError
from neurok.files.registry import Asset, save
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box
from neurok.kinematics.articulated import Articulated
from neurok.opening import choose_kinematics


def _cabinet() -> Asset:
    """A made cabinet as a plain mesh whose parts have names."""
    return Asset(procedural.make("drawer_cabinet", 1).mesh)


def test_the_words_of_the_command_are_those_of_the_choice():
    from neurok.kinematics.choose import FORMER_KINDS, KINDS

    assert SPACES == KINDS and FORMER_SPACES == tuple(FORMER_KINDS)


def test_joints_of_the_file_come_first():
    thing = procedural.make("laptop", 2)
    asset = Asset(thing.mesh, articulation=thing.articulation)
    choice = choose_kinematics(asset, kind="given")
    assert isinstance(choice.space, Articulated) and choice.why == "joints: the file states them"
    assert not isinstance(choose_kinematics(asset, kind="learned").space, Articulated)
    assert isinstance(choose_kinematics(asset).space, Articulated)
    plain = choose_kinematics(Asset(Mesh(thing.mesh.vertices, thing.mesh.faces, up=thing.mesh.up)))
    assert isinstance(plain.space, Articulated) and "(the geometry)" in plain.why


def test_who_knows_better_says_whether_it_bends(tmp_path, capsys):
    asset = Asset(procedural.make("laptop", 2).mesh)
    mechanism, body = (choose_kinematics(asset, kind=kinds) for kinds in ("mechanism", "body"))
    assert isinstance(mechanism.space, Articulated) and not body.space.prior.is_sparse
    said = {"mechanism": mechanism.why, "body": "learned, taken for a body that bends, as asked"}
    assert mechanism.why.startswith("joints: ") and "(the file's own parts)" in mechanism.why
    assert body.why == said["body"] and not mechanism.hint and not body.hint
    model = neurok.load()
    assert choose_kinematics(asset, model, kind="soft").why == (
        "learned, by the weights given, taken for a body that bends, as asked"
    )
    save(asset.mesh, tmp_path / "laptop.glb")
    for verb in ("sample", "states"):
        for kinds in ("mechanism", "body"):
            out = tmp_path / f"{verb}-{kinds}.glb"
            assert main([verb, str(tmp_path / "laptop.glb"), "--kinematics", kinds, "-o", str(out)]) == 0
            assert said[kinds] in capsys.readouterr().out and out.is_file()


def test_one_part_has_no_joints_and_the_choice_says_so():
    asset = Asset(box(cells=3))
    choice = choose_kinematics(asset)
    assert not isinstance(choice.space, Articulated)
    assert choice.why.startswith("learned:") and "bends" in choice.why
    with pytest.raises(InputError, match="one part"):
        choose_kinematics(asset, kind="joints")
    parts = choose_kinematics(asset, kind="articulated")
    assert parts.space.prior.is_sparse
    assert parts.why == "learned, taken for parts that move, as asked; the mesh is one part"
    with pytest.raises(NeurokError, match="learned"):
        choose_kinematics(asset, kind="magic")


def test_parts_that_surely_move_get_joints():
    asset = _cabinet()
    choice = choose_kinematics(asset, kind="given")
    assert isinstance(choice.space, Articulated) and choice.why.startswith("joints:") and "chance" in choice.why
    assert choice.asset.articulation is not None and choice.space.size >= 1
    # Rest is the input mesh: all of its vertices, first and in their order.
    assert np.allclose(choice.asset.mesh.vertices[: asset.mesh.vertex_count], asset.mesh.vertices)


def test_the_learned_space_cuts_a_single_surface():
    thing = procedural.make("laptop", 2).mesh
    parts = find_learned_parts(Mesh(thing.vertices, thing.faces, up=thing.up))
    assert len(parts.face) == thing.face_count
    assert np.array_equal(np.unique(parts.face), np.arange(parts.count))


def test_animate_says_what_it_took(tmp_path, capsys):
    save(box(cells=3), tmp_path / "box.glb")
    main(["animate", str(tmp_path / "box.glb"), "-o", str(tmp_path / "out.glb"), "--seconds", "0.2", "--json"])
    assert json.loads(capsys.readouterr().out)["kinematics"].startswith("learned:")
