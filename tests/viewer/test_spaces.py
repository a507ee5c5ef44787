"""How an uploaded object moves is found in a process of its own, and is what this process would find."""

from dataclasses import fields

import numpy as np
import pytest
import torch

import neurok
from neurok.data.procedural import make
from neurok.errors import InputError
from neurok.files.registry import Asset
from neurok.geometry.mesh import Mesh
from neurok.kinematics.choose import Choice
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import NormalPrior, SparsePrior, sparse_prior
from neurok.kinematics.twists import Twists
from neurok.viewer import spaces
from neurok.viewer.children import run_child
from neurok.viewer.session import Session
from neurok.viewer.space_transfer import load_record, record_space, restore_space, save_record
from neurok.viewer.spaces import find_space_in_child, prepare_object
from tests.viewer.client import MACHINE, elsewhere
from tests.viewer.conftest import REPOSITORY
from tests.viewer.objects import cube, soft_sheet


def assert_same_space(found: Kinematics, expected: Twists) -> None:
    """Equal transforms in drawn states, and equal priors in all fields."""
    assert type(found) is Twists and found.names == expected.names
    for q in expected.prior.sample(5, torch.Generator().manual_seed(0)):
        torch.testing.assert_close(found.transforms(q), expected.transforms(q), rtol=0, atol=1e-12)
    assert type(found.prior) is type(expected.prior)
    for field in fields(expected.prior):
        np.testing.assert_array_equal(getattr(found.prior, field.name), getattr(expected.prior, field.name))


@pytest.mark.parametrize(("category", "prior"), [("laptop", SparsePrior), ("fish", NormalPrior)])
def test_a_space_that_a_child_found_is_the_one_found_here(category, prior):
    asset = Asset(make(category, 0).mesh)
    found, expected = elsewhere(find_space_in_child(asset)), neurok.kinematics(asset)
    assert isinstance(expected, Twists) and type(expected.prior) is prior
    assert found.why and not found.note and found.space.mesh is asset.mesh
    assert_same_space(found.space, expected)


@pytest.mark.parametrize("is_split", [False, True])
def test_a_record_holds_all_of_a_space(tmp_path, is_split):
    """Penalties, axis corrections and names that are nobody's default; the mesh where it is not the asset's own."""
    sheet = soft_sheet(side=12, coordinates=3).space
    extent = np.array([[0.0, 1.0], [2.0, 3.0], [0.5, 0.5]])
    prior = sparse_prior(
        extent, typical=0.5 * extent, penalty=np.array([1.0, 3.0, 2.0]), corrects=np.array([-1, 0, -1])
    )
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
    async def refuse(asset):
        raise InputError("the faces of the object have no area", "give a mesh with a surface")

    monkeypatch.setattr(spaces, "find_space_in_child", refuse)
    *_, said = Session(elsewhere(prepare_object(Asset(cube()), "cube")), "token").introduce()
    assert not said.fault and said.text == "It moves as one rigid body: the faces of the object have no area."


def test_a_fault_while_a_space_is_restored_is_not_taken_for_a_rigid_body(monkeypatch):
    async def break_down(asset: Asset) -> Mesh:
        raise KeyError("SparsePrior")

    monkeypatch.setattr(spaces, "find_space_in_child", break_down)
    with pytest.raises(KeyError):
        elsewhere(prepare_object(Asset(cube()), "cube"))
