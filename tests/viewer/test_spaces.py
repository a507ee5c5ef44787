"""How an uploaded object moves is found in a process of its own, and is what this process would find."""

from dataclasses import fields

import numpy as np
import pytest
import torch

import neurok
from neurok.assets.laptop import laptop
from neurok.data.procedural import make
from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.geometry.mesh import Mesh
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import Choice
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import NormalPrior, SparsePrior, sparse_prior
from neurok.kinematics.twists import Twists
from neurok.viewer import spaces
from neurok.viewer.bones import describe_bones
from neurok.viewer.children import run_child
from neurok.viewer.outcomes import Outcomes
from neurok.viewer.session import Session
from neurok.viewer.space_transfer import load_record, record_space, restore_space, save_record
from neurok.viewer.spaces import find_space_in_child, prepare_object
from neurok.viewer.viewed_object import ViewedObject, find_space
from tests.viewer.client import MACHINE, elsewhere
from tests.viewer.conftest import REPOSITORY
from tests.viewer.objects import cube, soft_sheet

SOFT = "teddy_bear"


def assert_same_space(found: Kinematics, expected: Twists) -> None:
    """Equal transforms in drawn states, and equal priors in all fields."""
    assert type(found) is Twists and found.names == expected.names
    for q in expected.prior.sample(5, torch.Generator().manual_seed(0)):
        torch.testing.assert_close(found.transforms(q), expected.transforms(q), rtol=0, atol=1e-9)
    assert type(found.prior) is type(expected.prior)
    for field in fields(expected.prior):
        mine, other = getattr(found.prior, field.name), getattr(expected.prior, field.name)
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)


@pytest.fixture
def hurried(monkeypatch):
    """The search has no time; the guess has enough. What the children were told is listed."""
    calls = []

    async def hurry(module, folder, *args, seconds):
        calls.append(args)
        if not args:
            raise TimeoutError
        await run_child(module, folder, *args, seconds=seconds)

    monkeypatch.setattr(spaces, "run_child", hurry)
    return calls


def test_a_soft_space_that_a_child_found_is_the_one_found_here():
    asset = Asset(make(SOFT, 0).mesh)
    found, expected = elsewhere(find_space_in_child(asset)), find_space(asset, "").space
    assert isinstance(expected, Twists) and type(expected.prior) is NormalPrior
    assert found.why and not found.note and found.space.mesh is asset.mesh
    assert_same_space(found.space, expected)


def test_a_search_that_takes_too_long_ends_in_a_guess(hurried):
    asset = Asset(laptop().mesh)
    found = elsewhere(find_space_in_child(asset))
    assert found.is_guess and "was not found within" in found.note and len(hurried) == 2
    expected = neurok.kinematics(asset, kind="learned")
    assert type(found.space.prior) is SparsePrior
    assert_same_space(found.space, expected)


def test_joints_that_a_child_found_are_those_found_here():
    """A plain mesh whose named parts get joints: the record holds them, for the asset has none."""
    asset = Asset(make("drawer_cabinet", 0).mesh)
    found, expected = elsewhere(find_space_in_child(asset)).space, find_space(asset, "").space
    assert isinstance(found, Articulated) and isinstance(expected, Articulated)
    assert found.names == expected.names
    for q in expected.prior.sample(3, torch.Generator().manual_seed(0)):
        torch.testing.assert_close(found.transforms(q), expected.transforms(q), rtol=0, atol=1e-12)


def test_a_guess_says_why_nothing_better_was_found(hurried):
    shown = elsewhere(prepare_object(Asset(laptop().mesh), "laptop"))
    *_, said = Session(shown, "token").introduce()
    assert not said.fault and "This is a guess" in said.text and "moves" in said.text
    counts = Outcomes()
    counts.add(shown)
    counts.add(shown)
    assert counts.counts == {"guessed": 2}
    assert counts.describe()[0] == "of 2 objects shown, 2 moved by a guess and 0 as one rigid body:"
    assert counts.describe()[1].startswith("  2 x ")


@pytest.mark.parametrize(("link", "moves"), [("lid", "turns"), ("base", "stands still")])
def test_bones_are_called_what_their_links_are(link, moves):
    shown = ViewedObject(Asset(MACHINE.mesh, articulation=MACHINE), "laptop")
    found = {bone.name: bone for bone in describe_bones(shown, shown.space)}
    assert found[link].moves == moves and bool(found[link].joint) is (moves == "turns")


def test_bones_of_a_guess_are_called_by_the_parts_of_the_file(hurried):
    shown = elsewhere(prepare_object(Asset(laptop().mesh), "laptop"))
    bones = describe_bones(shown, shown.space)
    assert len(bones) == shown.space.skin.bone_count
    assert {bone.moves for bone in bones} > {"stands still"} and all(bone.name for bone in bones)


@pytest.mark.parametrize("is_split", [False, True])
def test_a_record_holds_all_of_a_space(tmp_path, is_split):
    """Penalties and names that are nobody's default; the mesh where it is not the asset's own."""
    sheet = soft_sheet(side=12, coordinates=3).space
    extent = np.array([[0.0, 1.0], [2.0, 3.0], [0.5, 0.5]])
    prior = sparse_prior(extent, typical=0.5 * extent, penalty=np.array([1.0, 3.0, 2.0]))
    space = Twists(sheet.mesh, sheet.skin, sheet.basis, origin=np.ones(3), names=("a", "b", "c"), prior=prior)
    asset = Asset(cube() if is_split else space.mesh)
    save_record(record_space(Choice(space, asset, "as asked"), asset), tmp_path / "space")
    record = load_record(tmp_path / "space")
    restored = restore_space(record, asset)
    assert record.why == "as asked" and (restored.mesh is asset.mesh) is not is_split
    np.testing.assert_array_equal(restored.mesh.vertices, space.mesh.vertices)
    assert_same_space(restored, space)


def test_an_object_with_joints_keeps_them(tmp_path):
    asset = Asset(MACHINE.mesh, articulation=MACHINE)
    expected = neurok.kinematics(asset)
    save_record(record_space(Choice(expected, asset, "joints"), asset), tmp_path / "space")
    restored = restore_space(load_record(tmp_path / "space"), asset)
    assert type(restored) is type(expected) and restored.names == expected.names


def test_what_cannot_be_passed_on_is_no_silent_loss():
    space = soft_sheet(side=12).space
    asset = Asset(space.mesh)
    with pytest.raises(TypeError, match="FloatingBase"):
        record_space(Choice(neurok.kinematics(MACHINE, base="free"), asset, ""), asset)


def test_a_fault_of_ours_in_the_child_is_said_with_its_reason(monkeypatch, caplog):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))

    async def run_breaker(module, folder, *args, seconds):
        await run_child("tests.viewer.breaker", folder, *args, seconds=seconds)

    monkeypatch.setattr(spaces, "run_child", run_breaker)
    shown = elsewhere(prepare_object(Asset(cube()), "cube"))
    *_, said = Session(shown, "token").introduce()
    assert said.fault and "one rigid body" in said.text
    assert "AttributeError: 'Twists' object has no attribute 'spread'" in said.text
    assert "Traceback" in caplog.text, "the log says where"


def test_a_fault_of_the_object_is_said_without_alarm(monkeypatch):
    async def refuse(asset, title):
        raise InputError("the faces of the object have no area", "give a mesh with a surface")

    monkeypatch.setattr(spaces, "find_space_in_child", refuse)
    *_, said = Session(elsewhere(prepare_object(Asset(cube()), "cube")), "token").introduce()
    assert not said.fault and said.text == "It moves as one rigid body: the faces of the object have no area."


def test_a_fault_while_a_space_is_restored_is_not_taken_for_a_rigid_body(monkeypatch):
    async def break_down(asset: Asset, title: str) -> Mesh:
        raise KeyError("SparsePrior")

    monkeypatch.setattr(spaces, "find_space_in_child", break_down)
    with pytest.raises(KeyError):
        elsewhere(prepare_object(Asset(cube()), "cube"))
