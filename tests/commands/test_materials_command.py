"""neurok materials on the laptop that comes with neurok: the table, files that are read back, faults."""

import json

import pytest

from neurok.commands.main import main
from neurok.files.registry import load

LAPTOP = "neurok/assets/laptop/laptop.urdf"


def test_every_part_is_told_and_corrected(tmp_path, capsys):
    out, shown = tmp_path / "laptop.json", tmp_path / "laptop.glb"
    assert main(["materials", LAPTOP, "-o", str(out), "-o", str(shown)]) == 0
    assert "told by" in capsys.readouterr().out
    content = json.loads(out.read_text())
    row = content["parts"][0]
    assert 0 < row["chance"] <= row["behaviour_chance"] <= 1
    young = row["properties"]["young"]
    assert young["low"] <= young["typical"] <= young["high"]
    assert {m.name for m in load(shown).mesh.materials} == {part["material"] for part in content["parts"]}
    row["material"] = "oak"
    out.write_text(json.dumps(content))
    assert main(["materials", LAPTOP, "--edit", str(out), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["parts"][0]["material"] == "hardwood" and again["parts"][0]["why"] == "stated"
    assert "hardwood" in {each["material"] for each in again["conditions"]["parts"].values()}


@pytest.mark.parametrize("material", ["oke", "water", 3])
def test_a_wrong_correction_is_one_sentence(tmp_path, capsys, material):
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({"parts": [{"part": "lid", "material": material}]}))
    assert main(["materials", LAPTOP, "--edit", str(wrong), "-o", str(tmp_path / "x.glb")]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / "x.glb").exists()


def test_an_output_that_is_no_mesh_is_refused(tmp_path):
    assert main(["materials", LAPTOP, "-o", str(tmp_path / "x.mp4")]) == 2
