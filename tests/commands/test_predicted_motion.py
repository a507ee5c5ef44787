"""Predictions drive motions: the verbs do by themselves what `neurok materials` and its file make them do."""

import json

import numpy as np
import pytest

from neurok.commands.main import main
from neurok.data.procedural import make
from neurok.files.registry import load, save
from neurok.mechanics.conditions import Conditions


@pytest.fixture(scope="module")
def bear(tmp_path_factory):
    """A teddy bear whose file names its pieces and states no material."""
    return str(save(make("teddy_bear", 0).mesh, tmp_path_factory.mktemp("bear") / "teddy_bear.glb"))


def _positions(path) -> np.ndarray:
    with np.load(path) as stored:
        return stored["vertices"] if "vertices" in stored.files else stored[stored.files[0]]


FALL = ["--base", "free", "--ground", "--ground-height", "-0.1", "--seconds", "0.4"]


@pytest.mark.parametrize("kind", ["named", "nameless"])
def test_animate_does_what_the_file_of_materials_says(tmp_path, capsys, bear, kind):
    thing = bear
    if kind == "nameless":
        thing = str(save(make("cushion", 0).mesh, tmp_path / "pillow.stl"))
    said, first, second = (str(tmp_path / name) for name in ("F.json", "a.npz", "b.npz"))
    assert main(["animate", thing, *FALL, "-o", first]) == 0
    assert capsys.readouterr().err.count("materials: ") == 1
    assert main(["materials", thing, "-o", said]) == 0
    conditions = json.loads((tmp_path / "F.json").read_text())["conditions"]
    assert conditions["parts"] or conditions["material"]
    (tmp_path / "C.json").write_text(json.dumps(conditions))
    capsys.readouterr()
    assert main(["animate", thing, "--conditions", str(tmp_path / "C.json"), *FALL, "-o", second]) == 0
    assert "materials: " not in capsys.readouterr().err
    with np.load(first) as a, np.load(second) as b:
        assert a.files == b.files and all(np.array_equal(a[name], b[name]) for name in a.files)


def test_nothing_is_predicted_where_it_is_not_wanted(tmp_path, capsys, bear):
    out = str(tmp_path / "a.glb")
    for aside in (["--no-predict"], ["--material", "oak"]):
        assert main(["test", "drop", bear, "--seconds", "0.2", *aside, "-o", out]) == 0
        assert "materials: " not in capsys.readouterr().err


def test_a_laptop_with_masses_moves_as_before(tmp_path, capsys):
    """The URDF states the masses of its links, so that a prediction changes nothing."""
    where = "neurok/assets/laptop/laptop.urdf"
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for out, more in zip(files, ([], ["--no-predict"])):
        assert main(["animate", where, "--gravity", "0,0,-9.81", "--seconds", "0.3", *more, "-o", str(out)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "materials: " not in capsys.readouterr().err


def test_the_conditions_of_a_test_keep_what_was_predicted(tmp_path, bear):
    kept, out = tmp_path / "drop.json", tmp_path / "drop.glb"
    drop = ["test", "drop", bear, "--seconds", "0.2", "--save-conditions", str(kept), "-o", str(out)]
    assert main(drop) == 0
    parts = Conditions.load(kept).parts
    said = {part.name: part.properties for part in load(out).mesh.parts if part.properties}
    assert (
        parts
        and {name: part.material for name, part in parts.items()}.items()
        <= {name: own.get("material") for name, own in said.items()}.items()
    )
