"""neurok data procedural: files that hold the object, and sentences for what cannot be."""

import json

import numpy as np
import pytest

from neurok.data import procedural
from neurok.files.registry import load


def test_the_list_names_every_category(neurok):
    code, out, err = neurok("data", "procedural", "--list")
    assert (code, err) == (0, "") and out.split() == procedural.list_categories()


def test_a_glb_holds_the_sweep_of_the_joints(neurok, tmp_path):
    code, out, _ = neurok("data", "procedural", "bucket", "--seed", "7", "-o", str(tmp_path / "a.glb"))
    assert code == 0 and "bucket 7: 2 links" in out
    asset, thing = load(tmp_path / "a.glb"), procedural.make("bucket", 7)
    frames = asset.motions[0].frames
    assert np.ptp(frames, axis=0).max() > 0.1 * thing.mesh.diagonal
    assert asset.mesh.face_count == thing.mesh.face_count


def test_a_urdf_holds_the_joints(neurok, tmp_path):
    code, out, _ = neurok("data", "procedural", "pliers", "-o", str(tmp_path / "a.urdf"), "--json")
    assert code == 0 and json.loads(out)["links"] == ["left", "right"]
    read, thing = load(tmp_path / "a.urdf").articulation, procedural.make("pliers", 0)
    assert read.joints[0].upper == pytest.approx(thing.articulation.joints[0].upper)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["spoon", "-o", "a.glb"], "unknown category 'spoon'; use one of: "),
        (["plant", "-o", "a.urdf"], "plant is soft, and .urdf holds rigid links only; use .glb or .usdc."),
        (["bucket", "--variant", "fused", "-o", "a.urdf"], "use .glb or .usdc."),
        (["bucket"], "there is no output; name one with -o"),
        ([], "data procedural needs CATEGORY"),
        (["bucket", "--seed", "x", "-o", "a.glb"], "--seed is 'x'; give a whole number"),
        (["bucket", "--seed", "-1", "-o", "a.glb"], "a seed of -1"),
        (["bucket", "--sed", "1", "-o", "a.glb"], "did you mean --seed?"),
    ],
)
def test_faults_are_one_line(neurok, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = neurok("data", "procedural", *words)
    assert code == 2 and out == "" and said in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())
