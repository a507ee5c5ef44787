"""Draws of spaces that are known: joints keep parts rigid, a stretch does not, and rest is the input."""

import json

import numpy as np
import pytest
import torch

from neurok.commands.main import main
from neurok.evaluate import jointed
from neurok.evaluate.loop import MeasureOptions
from neurok.evaluate.samples import (
    MIN_MOVED,
    evaluate_samples,
    find_kept_edges,
    find_moving_bodies,
    make_draw_rows,
    measure_draws,
)
from neurok.geometry.motion import Skin
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import UniformPrior, plain_fields
from neurok.kinematics.twists import Twists


@pytest.fixture
def pairs(cupboards):
    return jointed.make_jointed_pairs(cupboards, "1", "cupboard")


class Stretch(Kinematics):
    """All of a mesh scaled by 1 + q in one direction: no edge along it keeps its length."""

    def __init__(self, mesh) -> None:
        self.mesh = mesh
        self.rest = torch.zeros(1, dtype=torch.float64)
        self.upper = torch.ones(1, dtype=torch.float64)
        fields = plain_fields(np.array([0.25]), np.array([0.3]), np.array([0.8]))
        self.prior = UniformPrior(low=np.array([0.3]), **fields)
        self.lower, self.names = -self.upper, ("stretch",)

    def positions(self, q, where):
        x = torch.from_numpy(where.position)
        return x * (1.0 + torch.stack([0 * q[0], 0 * q[0], q[0]]))

    def admit(self, q):
        return q


def test_edges_that_keep_their_length():
    before = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    assert find_kept_edges(before, before).tolist() == [True] * 3
    longer = before * [1.03, 1.0, 1.0]
    assert find_kept_edges(before, longer).tolist() == [False, True, True]  # the slanting one grows by half as much
    assert find_kept_edges(np.zeros((1, 3, 3)), before).all()  # a face without edges has none that change


def test_the_moving_parts_are_door_and_drawer(pairs):
    moving = find_moving_bodies(pairs)
    assert len(moving) == 2
    for body in moving:
        assert any(np.abs((p.target - p.rest)[p.body == body]).max() > 0.05 for p in pairs)
    others = [np.abs((p.target - p.rest)[~np.isin(p.body, moving)]).max() for p in pairs]
    assert max(others) < 1e-9


def test_joints_move_their_parts_rigidly_and_differently(pairs):
    found = measure_draws(Articulated(pairs[0].truth), pairs[0], find_moving_bodies(pairs), 12)
    assert found.rest < 1e-12 and found.parts == found.reached == 2
    assert found.cases == found.rigid > 8 and found.edges == 1.0
    assert found.difference > MIN_MOVED


def test_a_stretch_is_not_rigid(pairs):
    found = measure_draws(Stretch(pairs[0].mesh), pairs[0], find_moving_bodies(pairs), 6)
    assert found.cases > 0 and found.rigid == 0 and found.edges < 0.9


def test_states_that_do_not_move_are_no_cases(pairs):
    mesh = pairs[0].mesh
    count = mesh.vertex_count
    skin = Skin(np.zeros((count, 1), dtype=int), np.ones((count, 1)), ("all",), np.array([-1]), np.eye(4)[None])
    still = Twists(mesh, skin, np.full((1, 6, 1), 1e-6), origin=np.zeros(3))
    found = measure_draws(still, pairs[0], find_moving_bodies(pairs), 4)
    assert (found.cases, found.reached, found.edges) == (0, 0, None) and found.difference < 1e-4
    (row,) = [r for r in make_draw_rows([found]) if r["group"] == "all"]
    assert row["rigid"] is None and row["edges"] is None


def test_the_verb_draws_and_reports(cupboards, tmp_path, capsys):
    words = ["evaluate", "samples", "--data", str(cupboards), "--split", "all", "--methods", "oracle", "-n", "6"]
    assert main([*words, "-o", str(tmp_path / "out"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    (row,) = [r for r in data["rows"] if r["group"] == "all"]
    assert row["rigid"] == 1.0 and row["reached"] == 1.0 and row["objects"] == 2
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == data
    assert "| oracle |" in (tmp_path / "out" / "report.md").read_text()
    assert main(words) == 0
    assert "100% of" in capsys.readouterr().out


def test_draws_of_the_learned_space_begin_at_the_input(cupboards):
    (found, *_) = evaluate_samples(MeasureOptions(str(cupboards), "all", limit=1), names=["learned"], count=4).results
    assert found.rest < 1e-6 and found.coordinates <= 16


@pytest.mark.parametrize(
    ("words", "says"),
    [([], "no data"), (["--data", "objects", "--split", "all", "-n", "1"], "at least two"),
     (["--data", "objects", "--split", "all", "--limit", "0"], "limit"),
     (["--data", "objects", "--split", "all", "--methods", "components"], "none of the objects")],
)  # fmt: skip
def test_faults_are_one_sentence(words, says, cupboards, capsys, monkeypatch):
    monkeypatch.chdir(cupboards.parent)
    assert main(["evaluate", "samples", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err
