"""A data set of generated objects: whole, described, and resumed where it was cut off."""

import json

import pytest

from neurok.commands.main import main
from neurok.errors import InputError
from neurok.generate.dataset import write_dataset

pytest.importorskip("mujoco")
pytest.importorskip("pxr")


def test_a_data_set_is_written_and_resumed(tmp_path, capsys):
    prompts, folder = tmp_path / "prompts.txt", tmp_path / "set"
    prompts.write_text("a red bucket\n\n# a remark\na sofa\n")
    command = ["data", "generate", "--prompts", str(prompts), "-o", str(folder), "--json"]
    assert main([*command, "-n", "2"]) == 0
    assert {p.name for p in (folder / "000000").iterdir()} >= {
        "object.urdf", "object.xml", "object.usd", "object.glb", "object.json"
    }  # fmt: skip
    facts = json.loads((folder / "000000" / "object.json").read_text())
    assert facts["kind"] == "bucket" and facts["mass"] > 0 and facts["joints"]
    assert "sofa" in json.loads((folder / "000001" / "object.json").read_text())["refused"]
    kept = (folder / "000000" / "object.glb").stat().st_mtime_ns
    capsys.readouterr()
    assert main([*command, "-n", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["objects"] == 2
    assert (folder / "000000" / "object.glb").stat().st_mtime_ns == kept
    assert "2 objects" in (folder / "README.md").read_text()


def test_a_folder_goes_on_with_its_own_prompts_only(tmp_path):
    write_dataset(["a red bucket"], 1, tmp_path)
    with pytest.raises(InputError, match="other prompts"):
        write_dataset(["a blue bucket"], 1, tmp_path)
