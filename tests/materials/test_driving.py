"""What drives a motion: a person before the file before a prediction; soft only where that is sure."""

from dataclasses import replace

import numpy as np
import pytest

from neurok.assets.laptop import laptop
from neurok.elastic.assigned import read_materials
from neurok.geometry.articulation import Inertia
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.primitives import box
from neurok.materials.assignment import assign_properties
from neurok.materials.library import load_library
from neurok.materials.material import Behaviour
from neurok.materials.part_properties import PartProperties
from neurok.materials.prediction.driving import NO_DRIVING, predict_driving, state_driving
from neurok.materials.prediction.prediction import MatterPrediction, PartMatter
from neurok.materials.stated_parts import state_parts

LIBRARY = load_library()
NOTHING = PartProperties()


def _stool(**stated: PartProperties) -> Mesh:
    """A seat on legs and a band, of one decimetre cubed each; the file states what it does of them."""
    cube = box(0.1, 0.1, 0.1)
    cubes = [cube.with_vertices(cube.vertices + [0, 0, 0.1 * at]) for at in range(3)]
    return state_parts(replace(merge(cubes, names=["legs", "seat", "band"]), up="z"), stated, NOTHING, LIBRARY)


def _predict(mesh: Mesh, *rows: tuple[str, bool]) -> MatterPrediction:
    """A made-up prediction: the material of each part, and whether it is surely elastic."""
    matter = tuple(
        PartMatter(name, material, 0.7, LIBRARY.find(material).behaviour, 0.8, {}, {}, (), {}, deforms=deforms)
        for name, (material, deforms) in zip(("legs", "seat", "band"), rows)
    )
    return MatterPrediction(Parts(mesh.face_part, ("legs", "seat", "band")), matter, np.zeros((3, 1)))


GUESS = (("hardwood", False), ("leather", False), ("rubber", True))


def _drive(mesh: Mesh, stated=None, whole=NOTHING):
    return state_driving(mesh, None, _predict(mesh, *GUESS), stated or {}, whole, LIBRARY)


def test_every_part_gets_a_weight_and_only_the_sure_one_deforms():
    mesh = _stool()
    made = assign_properties(mesh, _drive(mesh).parts, NOTHING, LIBRARY)
    for name in ("density", "friction", "restitution"):
        expected = [getattr(LIBRARY.find(material), name).typical for material, _ in GUESS]
        np.testing.assert_allclose(made.read(name, np.nan)[[0, 12, 24]], expected)
    hooke = read_materials(mesh, made)
    assert hooke is not None and [hooke.materials[i].is_rigid for i in (0, 1, 2)] == [True, True, False]
    assert "band rubber (predicted, 0.70, deforms)" in _drive(mesh).describe()


def test_the_file_comes_before_the_prediction_and_a_person_before_the_file():
    mesh = _stool(seat=PartProperties(material="foam"), band=PartProperties(density=70.0))
    found = _drive(mesh, {"legs": PartProperties(friction=0.9)})
    assert "seat" not in found.parts and "seat" not in found.told
    assert found.parts["band"] == PartProperties(material="rubber", density=70.0)
    assert found.parts["legs"] == PartProperties(material="hardwood", friction=0.9)
    assert _drive(mesh, {name: PartProperties(material="oak") for name in ("legs", "band")}) == NO_DRIVING
    assert _drive(mesh, whole=PartProperties(material="steel")) == NO_DRIVING


def test_whoever_names_a_material_or_a_stiffness_means_that_it_deforms():
    rigid = PartProperties(material="leather", deforms=False)
    assert rigid.merge(PartProperties(material="leather")).deforms is None
    assert rigid.merge(PartProperties(young=1e6)).deforms is None
    assert rigid.merge(PartProperties(friction=0.1)) == replace(rigid, friction=0.1)


def test_a_file_that_states_masses_is_left_as_it_is():
    machine = laptop()
    links = tuple(replace(link, inertia=Inertia(1.0, np.zeros(3), np.eye(3))) for link in machine.links)
    assert predict_driving(machine.mesh, replace(machine, links=links), "laptop") == NO_DRIVING
    bare = replace(machine, links=tuple(replace(link, inertia=None) for link in machine.links))
    assert predict_driving(bare.mesh, bare, "laptop").told


def test_a_file_without_names_is_predicted_as_a_whole():
    mesh = box(0.3, 0.3, 0.3)
    found = predict_driving(mesh, None, "crate")
    assert not found.parts and found.whole.material == found.told[""].material
    assert found.told[""].behaviour in set(Behaviour)


@pytest.mark.parametrize("again", [False, True])
def test_what_was_driven_once_is_settled(again):
    mesh = _stool()
    first = _drive(mesh)
    if again:
        assert _drive(mesh, first.parts) == NO_DRIVING
    kept = state_parts(mesh, first.parts, NOTHING, LIBRARY)
    assert _drive(kept) == NO_DRIVING
