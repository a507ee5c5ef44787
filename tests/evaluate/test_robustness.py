"""Turned pairs are the same pairs, changes are told pair by pair."""

import json

import numpy as np
import pytest

from neurok.commands.main import main
from neurok.evaluate import jointed
from neurok.evaluate.results import PairResult
from neurok.evaluate.robustness import AXES, UNCHANGED, compare_variants, list_variants, score_motion, turn_pair
from neurok.evaluate.targets import make_target
from neurok.geometry.canonical import canonical_place


@pytest.fixture
def pair(cupboards):
    return jointed.make_jointed_pairs(cupboards, "1", "cupboard")[1]


@pytest.mark.parametrize("way", [0, 1, 2])
def test_a_turn_is_a_rotation_that_keeps_up_up(pair, way):
    other = turn_pair(pair, way)
    ours, theirs = (np.cross(p.rest[:, 1] - p.rest[:, 0], p.rest[:, 2] - p.rest[:, 0]) for p in (pair, other))
    R = np.linalg.lstsq(ours, theirs, rcond=None)[0].T
    assert np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) == pytest.approx(1.0)
    assert np.trace(R) == pytest.approx(1.0)  # by 90 degrees
    assert np.allclose(R @ np.eye(3)[AXES.index(pair.mesh.up)], np.eye(3)[AXES.index(other.mesh.up)])
    assert np.allclose(other.target, pair.target @ R.T)
    # In the canonical place, heights are what they were.
    heights = [(p.mesh.vertices @ canonical_place(p.mesh.vertices, p.mesh.up)[:3, :3].T)[:, 2] for p in (pair, other)]
    assert np.allclose(*heights)


@pytest.mark.parametrize("way", [0, 1, 2])
def test_targets_and_scores_turn_with_the_pair(pair, way):
    other = turn_pair(pair, way)
    ours, theirs = (make_target(p, "drag3") for p in (pair, other))
    assert np.array_equal(ours.where.face, theirs.where.face)
    half = 0.5 * (pair.rest + pair.target)
    assert score_motion(pair, half, 0)["motion_recovered"] == pytest.approx(0.5)
    assert score_motion(other, 0.5 * (other.rest + other.target), 0)["motion_recovered"] == pytest.approx(0.5)


def test_changes_are_paired():
    generator = np.random.default_rng(0)
    results = []
    for i, value in enumerate(generator.uniform(size=40)):
        for name in list_variants():
            less = 0.25 if name == "512 points" else 0.0
            figures = {"moves": True, "motion_recovered": value - less}
            results.append(PairResult(str(i), "c", "fused", 0, name, "drag3", 0.0, figures))
    found = {(r["group"], r["variant"]): r for r in compare_variants(results)}
    assert found["all", UNCHANGED]["change"] == 0.0 and found["all", UNCHANGED]["interval"] == [0.0, 0.0]
    assert found["fused", "512 points"]["change"] == pytest.approx(-0.25)
    assert found["all", "512 points"]["interval"] == pytest.approx([-0.25, -0.25])


def test_the_verb_measures_all_variants(cupboards, capsys, monkeypatch, tmp_path):
    from neurok.evaluate import robustness

    monkeypatch.setattr(robustness, "POINT_COUNTS", (512,))
    words = ["evaluate", "robustness", "--data", str(cupboards), "--split", "all", "--limit", "1", "--targets", "drag3"]
    assert main([*words, "--json", str(tmp_path / "f.json"), "-o", str(tmp_path / "out")]) == 0
    assert "turned about up" in capsys.readouterr().out
    data = json.loads((tmp_path / "f.json").read_text())
    assert [r["variant"] for r in data["rows"] if r["group"] == "all"] == list_variants()
    assert "| 512 points |" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [([], "no data"), (["--data", "objects", "--split", "all", "--targets", "magic"], "unknown target"),
     (["--data", "objects", "--split", "all", "--weights", "objects"], "no weights")],
)  # fmt: skip
def test_faults_are_one_sentence(words, says, cupboards, capsys, monkeypatch):
    monkeypatch.chdir(cupboards.parent)
    assert main(["evaluate", "robustness", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err
