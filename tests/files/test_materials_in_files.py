"""What parts are made of travels through files, read by independent readers."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from neurok.articulate.physics import add_physics
from neurok.files.registry import load, save
from neurok.geometry.articulation import Articulation, Link
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.stated_parts import keep_known, state_parts

LIBRARY = load_library()
STATED = {"seat": PartProperties(material="foam", young=2e5), "legs": PartProperties(material="oak")}


def stool() -> Mesh:
    """A seat on a block, of one decimetre cubed each, with z up; its parts state their materials."""
    cube = box(0.1, 0.1, 0.1)
    mesh = merge([cube, cube.with_vertices(cube.vertices + [0, 0, 0.1])], names=["legs", "seat"])
    return state_parts(replace(mesh, up="z"), STATED, PartProperties(), LIBRARY)


def articulated(mesh: Mesh) -> Articulation:
    return Articulation(
        mesh, np.zeros(mesh.vertex_count, dtype=np.int64), (Link("stool", np.eye(4)),), (), floating=True
    )


def test_gltf_keeps_them_in_the_extras_of_nodes(tmp_path):
    path = save(stool(), tmp_path / "stool.gltf")
    nodes = {node["name"]: node.get("extras", {}) for node in json.loads(path.read_text())["nodes"]}
    assert nodes["seat"]["neurok:material"] == "foam" and nodes["seat"]["neurok:young"] == 2e5
    assert nodes["legs"]["neurok:material"] == "hardwood"
    back = {part.name: part.properties for part in load(path).mesh.parts}
    assert back["seat"] == {"material": "foam", "young": 2e5} and back["legs"] == {"material": "hardwood"}


def test_usd_binds_physics_materials_and_they_are_read_again(tmp_path):
    from pxr import Usd, UsdPhysics, UsdShade

    mesh = replace(stool(), unit=0.01)  # a stage in centimetres
    path = save(mesh, tmp_path / "stool.usda")
    stage = Usd.Stage.Open(str(path))
    found = {}
    for prim in stage.Traverse():
        material = UsdShade.MaterialBindingAPI(prim).GetDirectBinding("physics").GetMaterial()
        if material:
            found[prim.GetName()] = UsdPhysics.MaterialAPI(material.GetPrim())
    oak, foam = LIBRARY.find("oak"), LIBRARY.find("foam")
    for name, row in (("legs", oak), ("seat", foam)):
        assert found[name].GetDensityAttr().Get() == pytest.approx(row.density.typical * 1e-6)  # kg/cm^3
        assert found[name].GetDynamicFrictionAttr().Get() == pytest.approx(row.friction.typical)
        assert found[name].GetRestitutionAttr().Get() == pytest.approx(row.restitution.typical)
    back = {part.name: part.properties for part in load(path).mesh.parts}
    assert back["seat"] == {"material": "foam", "young": 2e5} and back["legs"] == {"material": "hardwood"}


def test_physics_materials_of_other_programs_are_read(tmp_path):
    from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

    stage = Usd.Stage.CreateNew(str(tmp_path / "other.usda"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    mesh = UsdGeom.Mesh.Define(stage, "/seat")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    material = UsdShade.Material.Define(stage, "/wood")
    api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    api.CreateDensityAttr(700.0)
    api.CreateDynamicFrictionAttr(0.4)
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material, materialPurpose="physics")
    stage.Save()
    (part,) = load(tmp_path / "other.usda").mesh.parts
    assert part.properties == {"density": pytest.approx(700.0), "friction": pytest.approx(0.4)}


def test_a_material_of_a_users_file_is_written_with_its_numbers(tmp_path):
    extra = tmp_path / "more.toml"
    extra.write_text(
        '[materials.balsa]\nbehaviour = "rigid"\ndensity = 160\nyoung = 3.4e9\npoisson = 0.23\nfriction = 0.4\n'
        "restitution = 0.3\nloss = 0.01\n"
    )
    mesh = state_parts(stool(), {"seat": PartProperties(material="balsa")}, PartProperties(), load_library(extra))
    back = load(save(mesh, tmp_path / "stool.glb")).mesh
    said = next(part.properties for part in back.parts if part.name == "seat")
    assert said["material"] == "balsa" and said["density"] == 160 and said["friction"] == 0.4


def test_mujoco_weighs_links_and_gives_them_friction_as_stated(tmp_path):
    thing = add_physics(articulated(stool()))
    density = 0.5 * (LIBRARY.find("foam").density.typical + LIBRARY.find("oak").density.typical)
    friction = 0.5 * (LIBRARY.find("foam").friction.typical + LIBRARY.find("oak").friction.typical)
    model = mujoco.MjModel.from_xml_path(str(save(thing, tmp_path / "stool.xml")))
    assert model.body("stool").mass[0] == pytest.approx(2e-3 * density, rel=1e-6)
    colliding = model.geom_contype > 0
    np.testing.assert_allclose(model.geom_friction[colliding, 0], friction, rtol=1e-6)
    assert np.all(model.geom_priority[colliding] == 1)
    plain = mujoco.MjModel.from_xml_path(str(save(articulated(box(0.1, 0.1, 0.1)), tmp_path / "plain.xml")))
    assert np.all(plain.geom_friction[plain.geom_contype > 0, 0] == 1)


def test_urdf_states_friction_and_restitution_and_they_are_read_again(tmp_path):
    path = save(add_physics(articulated(stool())), tmp_path / "stool.urdf")
    contact = ET.parse(path).getroot().find("link[@name='stool']/contact")
    friction = 0.5 * (LIBRARY.find("foam").friction.typical + LIBRARY.find("oak").friction.typical)
    assert float(contact.find("lateral_friction").get("value")) == pytest.approx(friction)
    said = load(path).mesh.parts[0].properties
    assert said["friction"] == pytest.approx(friction) and 0 < said["restitution"] < 1


def test_a_sheet_weighs_by_its_thickness(tmp_path):
    mesh = state_parts(replace(box(0.5, 0.5, 0.5), up="z"), {}, PartProperties(material="leather"), LIBRARY)
    leather = LIBRARY.find("leather")
    thing = add_physics(articulated(mesh))
    wanted = 1.5 * leather.thickness.typical * leather.density.typical
    assert thing.links[0].inertia.mass == pytest.approx(wanted, rel=1e-9)


def test_what_other_programs_say_is_left_aside():
    assert keep_known({"material": 3, "young": "soft", "poisson": 0.7, "colour": 1, "density": 900}) == {"density": 900}
