"""Rankers by folds: what they learn from is true, leaves the kinds of a fold out, and the table comes of it."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibrate_proposals import measure_calibration
from neurok.commands.main import main
from neurok.data import procedural
from neurok.errors import InputError
from neurok.evaluate import folds
from neurok.evaluate.fold_runs import RANKER, FoldOptions, find_fold_runs, is_set_aside, select_fold_objects
from neurok.evaluate.methods.proposals import ProposalsMethod
from neurok.evaluate.objects import find_objects, read_pairs
from neurok.evaluate.rankers import fold_rankers
from neurok.evaluate.rankers.gains import find_true_parts, measure_gains, measure_overlap
from neurok.evaluate.rankers.gathering import find_teachers, gather_lists, gather_missing, list_subsets
from neurok.evaluate.results import PairResult
from neurok.evaluate.targets import make_target
from neurok.files.registry import save
from neurok.geometry.triangles import face_areas
from neurok.networks.weights import read_weights
from neurok.proposals.assignment import AssignedPart, Assignment
from neurok.proposals.hypotheses import Hypotheses
from neurok.training.ranker_lists import read_lists

KINDS = ("drawer_cabinet", "safe", "laptop")


@pytest.fixture(scope="module")
def objects(tmp_path_factory) -> Path:
    """A folder of three procedural objects of three folds."""
    folder = tmp_path_factory.mktemp("rankers") / "objects"
    for kind in KINDS:
        place = folder / f"{kind}_0"
        place.mkdir(parents=True)
        save(procedural.make(kind, 0).articulation, place / "mobility.urdf")
        (place / "meta.json").write_text(json.dumps({"model_cat": kind}))
    rows = [{"id": f"{kind}_0", "category": kind} for kind in KINDS]
    (folder / "index.json").write_text(json.dumps({"partnet_mobility": {"train": rows}}))
    return folder


@pytest.fixture(scope="module")
def lists(objects, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("rankers") / "lists"
    gather_missing(folder, find_teachers(str(objects), (), 5), lambda text: None)
    return folder


def _read_first_pair(objects: Path, kind: str):
    return read_pairs(next(entry for entry in find_objects(str(objects), "train") if entry.category == kind))[0]


def test_the_true_motion_explains_all_and_its_reverse_costs_three_times_as_much(objects):
    """|x|^2 - |x - 2x|^2 is 0, and |x|^2 - |2x|^2 is -3 |x|^2."""
    pair = _read_first_pair(objects, "drawer_cabinet")
    found = Hypotheses.of(pair.mesh)
    areas = face_areas(found.units.mesh.vertices, found.units.mesh.faces)
    moved = (np.abs(pair.target - pair.rest).max(axis=(1, 2)) > 1e-6).nonzero()[0]
    mask = np.isin(np.arange(len(pair.target)), moved)
    part = int(measure_overlap(found, areas, mask).argmax())
    slide = found.units.place[:3, :3] @ (pair.target - pair.rest)[moved[0], 0]
    twist = np.concatenate([slide, np.zeros(3)])
    gains = measure_gains(found, pair, np.full(4, part), np.outer([1.0, 0.0, 2.0, -1.0], twist))
    assert np.allclose(gains, [1.0, 0.0, 0.0, -3.0], atol=1e-6)


def test_true_parts_hold_all_that_a_joint_carries(objects):
    pair = _read_first_pair(objects, "laptop")
    parts = find_true_parts(pair.truth)
    moved = np.abs(pair.target - pair.rest).max(axis=(1, 2)) > 1e-6
    assert any(np.array_equal(part, moved) for part in parts)


def test_subsets_are_all_and_the_whole_comes_first():
    assert list_subsets(3) == [(0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,)]


def test_lists_come_back_from_their_files(objects, lists):
    entry = next(e for e in find_objects(str(objects), "train") if e.category == "safe")
    pairs = read_pairs(entry)
    number = [e.name for e in find_teachers(str(objects), (), 5)].index(entry.name)
    made = gather_lists([pairs[0], pairs[1 + number % 3]])
    read = read_lists(lists, lambda name: name == entry.name)[0]
    assert read.fold == 2
    assert np.array_equal(np.concatenate([each.gain for each in read.options]),
                          np.concatenate(made.options["gain"]).clip(-3.0))  # fmt: skip
    assert np.array_equal(np.concatenate([overlap for _, overlap in read.parts]), np.concatenate(made.overlaps))
    assert max(overlap.max() for _, overlap in read.parts) > 0.9  # the door is among the hypotheses


def test_lists_that_are_there_are_left_alone_and_others_are_refused(objects, lists, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in lists.iterdir()}
    said = []
    gather_missing(lists, find_teachers(str(objects), (), 5), said.append)
    assert not said and before == {path: path.stat().st_mtime_ns for path in lists.iterdir()}
    with np.load(lists / "safe_0.npz") as file:
        data = {name: file[name] for name in file.files}
    np.savez(tmp_path / "safe_0.npz", **data | {"features": data["features"][:, 1:]})
    with pytest.raises(InputError, match="other numbers"):
        read_lists(tmp_path)


def test_one_fold_of_all_sets_an_object_aside(objects):
    names = [str(number) for number in range(1000)]
    shares = [sum(is_set_aside(name, fold) for name in names) for fold in (1, 2, 3, 4, 5)]
    assert sum(shares) == 1000 and min(shares) > 150
    found = select_fold_objects(FoldOptions(str(objects), "train", set_aside=True), (1, 2, 3, 4, 5))
    assert [e.category for e in found[2]["unseen"]] == ["safe"]
    for fold, groups in found.items():
        assert all(is_set_aside(entry.name, fold) for entry in groups["seen"])


def test_the_verb_fits_rankers_without_the_kinds_of_a_fold_and_measures(objects, lists, tmp_path, monkeypatch, capsys):
    learned, usual = {}, fold_rankers.fit_ranker

    def fit(some, seed):
        learned[len(learned) + 1] = {one.name for one in some}
        return usual(some[:1], seed)

    def measure(pairs, rows, targets, seed):
        return [PairResult(pairs[0].name, pairs[0].category, "separable", 0, row.name, target, 0.1,
                           {"moves": True, "motion_recovered": 0.5}) for row in rows for target in targets]  # fmt: skip

    monkeypatch.setattr(fold_rankers, "fit_ranker", fit)
    monkeypatch.setattr(folds, "measure_object", measure)
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "lists").symlink_to(lists)
    words = ["evaluate", "folds", "--ranker", "--data", objects, "--more", objects, "--out", runs, "--made", "0",
             "--targets", "drag3"]  # fmt: skip
    assert main([str(word) for word in words]) == 0
    assert "proposals" in capsys.readouterr().out
    assert set(learned) == {1, 2, 3, 4, 5}
    for fold, kind in ((1, "drawer_cabinet"), (2, "safe"), (3, "laptop")):
        assert f"{kind}_0" not in learned[fold]
        aside = {f"{each}_0" for each in KINDS if is_set_aside(f"{each}_0", fold)}
        assert learned[fold] == {f"{each}_0" for each in KINDS} - {f"{kind}_0"} - aside
    record = read_weights(find_fold_runs(str(runs), RANKER)[2].weights)[1]
    assert record["fold"] == 2 and "Safe" in record["without"]
    assert main([str(word) for word in words]) == 0  # nothing is fitted again
    assert len(learned) == 5 and capsys.readouterr().out.count("is fitted") == 5


def test_the_method_moves_what_is_dragged_and_reads_no_other_weights(objects, tmp_path):
    pair = _read_first_pair(objects, "drawer_cabinet")
    method = ProposalsMethod()
    space = method.make_space(pair.mesh, None)
    found = method.fit(space, make_target(pair, "corresponding"))
    assert np.abs(found - pair.target).max() < 1e-3
    moved = Assignment((AssignedPart(space.proposals.members[0], np.zeros(6)),), space.proposals.units.count)
    assert space._make_state(moved) is None  # what moves nothing is no state
    with pytest.raises(InputError, match="holds no weights"):
        _ = ProposalsMethod(str(tmp_path)).ranker


def test_calibration_is_exact_where_chances_are_the_shares_of_truth():
    """Of each hundred hypotheses of a chance c, c hundred are parts: no error; log odds that are twice too sure err."""
    chance = np.repeat([0.1, 0.3, 0.5, 0.8], 100)
    overlap = np.concatenate([(np.arange(100) < 100 * each).astype(float) for each in (0.1, 0.3, 0.5, 0.8)])
    odds = np.log(chance / (1.0 - chance))
    error, usual = measure_calibration(odds, overlap, bins=4)
    assert error < 1e-12 and np.isclose(usual, 2.0 * 0.425 * 0.575)
    sure = 1.0 / (1.0 + np.exp(-2.0 * np.array([odds[0], odds[100], odds[200], odds[300]])))
    expected = np.abs(sure - [0.1, 0.3, 0.5, 0.8]).mean()
    assert np.isclose(measure_calibration(2.0 * odds, overlap, bins=4)[0], expected)
