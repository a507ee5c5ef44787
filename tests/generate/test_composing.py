"""What generated objects are made of, read from the exported files by UsdPhysics and by MuJoCo."""

import json

import mujoco
import numpy as np
import pytest

from neurok.commands.main import main
from neurok.files.registry import load, save
from neurok.generate import making
from neurok.generate.composing import state_substance
from neurok.generate.delivery import make_content
from neurok.generate.looks import LIBRARY_NAMES, SUBSTANCES
from neurok.generate.making import generate
from neurok.materials.library import load_library

LIBRARY = load_library()


@pytest.fixture(scope="module")
def cabinet():
    return generate("a pine cabinet with a steel door", seed=1)


def test_every_substance_is_a_material_of_the_library():
    for name in SUBSTANCES:
        stated = state_substance(name)
        row = LIBRARY.find(stated.material)
        assert (stated.density is None) == (name in LIBRARY_NAMES)
        assert row.density.low > 0


def test_mujoco_reads_masses_and_friction_of_what_was_asked(tmp_path, cabinet):
    path = save(make_content(cabinet, ".xml"), tmp_path / "cabinet.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    facts = sum(link.inertia.mass for link in cabinet.articulation.links if link.inertia is not None)
    assert model.body_mass.sum() == pytest.approx(facts, rel=1e-5)
    stated = {part.properties.get("material") for part in cabinet.made.thing.mesh.parts if part.properties}
    assert {"softwood", "stainless_steel"} <= stated
    rubs = {LIBRARY.find(name).friction.typical for name in stated}
    slides = np.unique(model.geom_friction[model.geom_contype > 0, 0].round(9))
    assert min(rubs) - 1e-6 <= slides.min() and slides.max() <= max(rubs) + 1e-6 and len(slides) > 1


def test_usd_binds_physics_materials_of_what_was_asked(tmp_path, cabinet):
    from pxr import Usd, UsdPhysics

    stage = Usd.Stage.Open(str(save(make_content(cabinet, ".usd"), tmp_path / "cabinet.usda")))
    found = {
        UsdPhysics.MaterialAPI(prim).GetDensityAttr().Get(): UsdPhysics.MaterialAPI(prim).GetDynamicFrictionAttr().Get()
        for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.MaterialAPI)
    }  # fmt: skip
    for name in ("softwood", "stainless_steel"):
        row = LIBRARY.find(name)
        near = min(found, key=lambda density: abs(density - row.density.typical))
        assert near == pytest.approx(row.density.typical) and found[near] == pytest.approx(row.friction.typical)


def test_a_generated_cushion_deforms_when_it_is_dropped(tmp_path, capsys):
    cushion, out = tmp_path / "cushion.glb", tmp_path / "drop.npz"
    assert main(["generate", "a cushion", "-o", str(cushion)]) == 0
    assert {part.properties["material"] for part in load(cushion).mesh.parts if part.properties} == {"fibre_filling"}
    capsys.readouterr()
    assert main(["test", "drop", str(cushion), "--seconds", "0.8", "--json", "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert "materials: " not in said.err and "elastic" in json.loads(said.out)["kinematics"]
    motion = load(out).motions[0] if load(out).motions else None
    frames = motion.frames if motion is not None else np.load(out)["frames"]
    lengths = np.linalg.norm(np.diff(frames[:, ::7], axis=1), axis=2)  # between points of the surface, frame by frame
    assert np.ptp(lengths, axis=0).max() > 1e-4 * motion.mesh.diagonal


def test_what_fails_the_check_is_not_delivered(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(making, "find_gate_faults", lambda thing: ["the lid falls off."])
    monkeypatch.setattr(making, "MAX_REDRAWS", 1)
    out = tmp_path / "box.glb"
    assert main(["generate", "a box", "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "the lid falls off" in said and not out.exists()
    assert main(["generate", "a box", "--keep-failing", "-o", str(out)]) == 0 and out.exists()
