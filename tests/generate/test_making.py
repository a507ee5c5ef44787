"""Generated objects: what was asked, from the file by other code; the same seed; masses by material."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import neurok
from neurok.commands.main import main
from neurok.data.procedural.shapes import tube
from neurok.generate.looks import find_density
from neurok.generate.solids import SLICE_COUNT, hull_pieces
from neurok.generate.weighing import weigh_mesh
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Material, Mesh, merge
from neurok.geometry.primitives import box

pytest.importorskip("mujoco")


def test_a_cabinet_has_the_drawers_and_the_glass_door_that_were_asked(tmp_path, capsys):
    file = tmp_path / "cabinet.urdf"
    assert main(["generate", "a wooden cabinet with two drawers and a glass door", "-o", str(file), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["objects"][0]
    assert all(a["met"] for a in facts["asked"]) and not facts["faults"]
    robot = ET.parse(file).getroot()
    slides = [j.find("child").get("link") for j in robot.iter("joint") if j.get("type") == "prismatic"]
    assert sorted(slides) == ["drawer_1", "drawer_2"]
    door = next(link for link in robot.iter("link") if link.get("name").startswith("door"))
    text = "".join(
        (tmp_path / mesh.get("filename")).with_suffix(".mtl").read_text()
        for mesh in door.iter("mesh") if (tmp_path / mesh.get("filename")).with_suffix(".mtl").exists()
    )  # fmt: skip
    assert "glass" in text


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_object(tmp_path):
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        assert main(["generate", "a red bucket", "--seed", seed, "-o", str(tmp_path / f"{name}.glb")]) == 0
    a, b, c = ((tmp_path / f"{name}.glb").read_bytes() for name in "abc")
    assert a == b != c


def test_a_size_is_met_to_two_per_cent():
    made = neurok.generate("a kettle 30 cm tall")
    assert np.ptp(made.made.thing.mesh.vertices[:, 2]) == pytest.approx(0.30, rel=0.02)


def test_what_is_not_met_is_named():
    made = neurok.generate("a bucket with two wheels")
    assert [a.part for a in made.unmet] == ["wheel"]


def test_what_is_left_out_is_gone_and_what_is_painted_is_of_it():
    made = neurok.generate("a copper kettle without a lid", seed=1)
    thing = made.made.thing
    assert not made.unmet and not any("lid" in link.name for link in thing.articulation.links)
    assert "copper" in {thing.mesh.materials[row].name for row in thing.mesh.face_material}


def test_pieces_weigh_what_they_are_made_of():
    steel, glass = Material("steel"), Material("glass")
    one, two = box(0.1, 0.1, 0.1), box(0.2, 0.1, 0.1)
    pair = merge([_paint(one, steel), _paint(Mesh(two.vertices + (1, 0, 0), two.faces), glass)])
    found = weigh_mesh(pair)
    a, b = 1e-3 * find_density(steel), 2e-3 * find_density(glass)
    assert found.mass == pytest.approx(a + b)
    assert found.centre[0] == pytest.approx(b / (a + b))
    assert found.tensor[1, 1] == pytest.approx(a * 0.02 / 12 + b * 0.05 / 12 + a * b / (a + b))


def test_a_bow_collides_where_it_is_and_not_in_the_hollow_below_it():
    path = np.stack([np.cos(np.linspace(0, np.pi, 25)), np.zeros(25), np.sin(np.linspace(0, np.pi, 25))], axis=1)
    hulls = hull_pieces(tube(path, 0.05))
    assert len(hulls) == SLICE_COUNT
    assert sum(abs(compute_volume(hull)) for hull in hulls) < 0.5 * 0.1 * np.pi / 2


def _paint(mesh, material):
    none = np.zeros(mesh.face_count, dtype=int)
    return Mesh(mesh.vertices, mesh.faces, materials=(material,), face_material=none)


@pytest.mark.parametrize("prompt", ("a sofa", "a cabinet with -3 drawers", "", "no legs and four legs"))
def test_a_refusal_leaves_no_file(tmp_path, capsys, prompt):
    assert main(["generate", prompt, "-o", str(tmp_path / "x.glb")]) == 2
    assert not list(tmp_path.iterdir()) and capsys.readouterr().err.count("\n") == 1


def test_a_program_says_what_it_can_be_asked(capsys):
    assert main(["generate", "--describe", "lamp"]) == 0
    assert "arms: 1 to 3" in capsys.readouterr().out
