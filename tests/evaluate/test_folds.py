"""Folds over kinds: each run is measured on what it never saw and on what it saw, once, and all come to one table."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import torch

from neurok.commands.main import main
from neurok.data.folds import kinds_left_out
from neurok.data.prepared import prepare
from neurok.errors import InputError, OptionError
from neurok.evaluate import fold_results, fold_training, folds
from neurok.evaluate.fold_results import FoldResult
from neurok.evaluate.fold_runs import (
    FoldOptions,
    draw_objects,
    find_fold_runs,
    find_missing_folds,
    select_fold_objects,
    select_groups,
)
from neurok.evaluate.fold_tables import compute_means, compute_ratio, make_deformation_tables
from neurok.evaluate.fold_texts import format_folds, format_folds_page
from neurok.evaluate.folds import evaluate_folds
from neurok.evaluate.measured_file import MeasuredFile, MeasuredKey
from neurok.evaluate.methods.learned import LearnedMethod
from neurok.evaluate.objects import Entry
from neurok.evaluate.results import PairResult
from neurok.evaluate.tables import resample_objects
from neurok.geometry.primitives import box
from neurok.kinematics.learned.proposed import Proposing
from neurok.networks.weights import put_weights
from neurok.proposals.ranker import FILE as RANKER_FILE
from neurok.training import checkpoint
from tests.small_store import make_store
from tests.training.small_run import train_small


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = make_store(tmp_path_factory.mktemp("folds") / "store")
    prepare(store)
    return store


@pytest.fixture(scope="module")
def runs_folder(store, tmp_path_factory):
    """The runs of two folds: one without laptops, one without cabinets and plants."""
    folder = tmp_path_factory.mktemp("folds") / "runs"
    for fold in (1, 3):
        train_small(store.folder, folder / f"fold-{fold}", steps=2, fold=fold)
        # The ranker of the package stands in for one that was fitted without the fold.
        ranker = files("neurok.proposals").joinpath(RANKER_FILE).read_bytes()
        (folder / f"fold-{fold}" / "weights" / RANKER_FILE).write_bytes(ranker)
    return folder


@pytest.fixture
def kept_runs(runs_folder):
    """The runs without results of earlier tests."""
    for path in runs_folder.rglob("measured-*.jsonl"):
        path.unlink()
    return runs_folder


@pytest.fixture
def quick(monkeypatch):
    """Figures made up from the names of methods and objects in place of fits; the names of the objects as they come."""
    read = []

    def read_entry(entry, *, seed):
        read.append(entry.name)
        return entry

    def make_results(entry, rows, targets, seed):
        return [
            PairResult(entry.name, entry.category, "separable", 0, row.name, target, 0.1,
                   {"moves": True, "motion_recovered": len(row.name) / 10.0})
            for row in rows for target in targets
        ]  # fmt: skip

    monkeypatch.setattr(folds, "read_pairs", read_entry)
    monkeypatch.setattr(folds, "measure_object", make_results)
    return read


def options_of(store, **others):
    return FoldOptions(str(store.folder), "train", **others)


def entry_of(name, category, made_by="partnet"):
    return Entry("store", "folder", name, name, category, "train", made_by)


# ---------------------------------------------------------------- runs and objects


def test_runs_are_found_by_the_fold_that_their_weights_name(runs_folder):
    found = find_fold_runs(str(runs_folder))
    assert list(found) == [1, 3]
    assert [run.folder.name for run in found.values()] == ["fold-1", "fold-3"]
    assert find_missing_folds(found) == [2, 4, 5]
    assert find_fold_runs(str(runs_folder), "networks") == {}


def test_weights_of_folds_that_have_changed_since_are_refused(store, tmp_path, monkeypatch):
    train_small(store.folder, tmp_path / "fold-1", steps=1, fold=1)
    monkeypatch.setattr("neurok.evaluate.fold_runs.kinds_left_out", lambda fold: ["Table", "Microwave"])
    with pytest.raises(InputError, match="they have seen Microwave"):
        find_fold_runs(str(tmp_path))


def test_two_runs_of_one_fold_are_refused(runs_folder, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).symlink_to(runs_folder / "fold-1")
    with pytest.raises(InputError, match="both left out fold 1"):
        find_fold_runs(str(tmp_path))


def test_unseen_objects_are_of_every_split_and_seen_ones_of_one(store):
    found = select_groups(options_of(store), kinds_left_out(3))
    assert [entry.name for entry in found["unseen"]] == ["procedural/laptop-0", "procedural/laptop-1"]
    assert {entry.category for entry in found["seen"]} == {"drawer_cabinet", "plant", "chair_cushion"}
    found = select_groups(options_of(store), kinds_left_out(1))
    assert {entry.category for entry in found["unseen"]} == {"drawer_cabinet", "plant"}


def test_objects_of_large_kinds_are_drawn_the_same_each_time():
    many = [entry_of(f"partnet/{i}", "laptop") for i in range(20)] + [entry_of("partnet/99", "safe")]
    many += [entry_of(f"procedural/laptop-{i}", "laptop", "procedural") for i in range(20)]
    found = draw_objects(many, 3)
    assert [(e.made_by, e.category) for e in found].count(("partnet", "laptop")) == 3
    assert [(e.made_by, e.category) for e in found].count(("procedural", "laptop")) == 3
    assert sum(e.category == "safe" for e in found) == 1
    assert draw_objects(many[::-1], 3)[::-1] == found
    assert draw_objects(many, None) == many
    assert len(draw_objects(many, 3, limit=4)) == 4


def test_objects_without_a_category_count_as_what_they_are():
    switches = [entry_of(name, "unknown") for name in ("partnet/100366", "partnet/100367")]
    assert len(draw_objects([*switches, entry_of("partnet/1", "switch")], 1)) == 1


def test_an_object_that_several_folds_have_seen_is_measured_by_one(store):
    alone = select_fold_objects(options_of(store), [5])[5]["seen"]
    assert {entry.category for entry in alone} == {"laptop", "drawer_cabinet", "plant"}
    found = select_fold_objects(options_of(store), [2, 4, 5])
    seen = [entry.name for groups in found.values() for entry in groups["seen"]]
    assert sorted(seen) == sorted(set(seen)) and len(seen) == 4
    more = select_fold_objects(options_of(store), [1, 2, 4, 5])
    for fold in (2, 4, 5):  # a further fold takes some away, and moves none between the others
        assert {e.name for e in more[fold]["seen"]} <= {e.name for e in found[fold]["seen"]}
        assert more[fold]["unseen"] == found[fold]["unseen"]


@pytest.mark.parametrize("wrong", [{"per_kind": 0}, {"limit": 0}])
def test_counts_are_positive(store, wrong):
    with pytest.raises(OptionError, match="from one on"):
        options_of(store, **wrong)


# ---------------------------------------------------------------- what is kept


def test_results_are_found_again_and_a_torn_line_is_not(tmp_path):
    path, key = tmp_path / "measured.jsonl", MeasuredKey("store", "a", "still", 0)
    MeasuredFile(path).add_results(key, ["drag1", "drag3"], [{"target": "drag1"}, {"target": "drag3"}])
    with open(path, "a") as stream:
        stream.write('{"key": {"data"')
    again = MeasuredFile(path)
    assert again.find_results(key, ["drag3"], "target") == [{"target": "drag3"}]
    assert again.find_results(key, ["drag3", "drag8"], "target") is None
    assert again.find_results(MeasuredKey("store", "a", "still", 1), ["drag3"], "target") is None
    assert MeasuredFile(path).find_fault(key) == ""


def test_a_refused_object_is_not_tried_again(tmp_path):
    path, key = tmp_path / "measured.jsonl", MeasuredKey("store", "a", "still", 0)
    MeasuredFile(path).add_results(key, ["drag1"], [], "it is broken.")
    assert MeasuredFile(path).find_results(key, ["drag8"], "target") == []
    assert MeasuredFile(path).find_fault(key) == "it is broken."


# ---------------------------------------------------------------- measuring


def test_every_fold_is_measured_on_its_own_kinds_and_others(store, kept_runs, quick):
    found = evaluate_folds(str(kept_runs), options_of(store), methods=["still", "learned"], targets=["drag3"])
    groups = {(r.fold, r.group, r.result.category) for r in found.results}
    by_one = {(fold, "seen", "chair_cushion") for fold in (1, 3)} & groups
    assert len(by_one) == 1
    assert groups - by_one == {
        (1, "unseen", "drawer_cabinet"), (1, "unseen", "plant"), (1, "seen", "laptop"),
        (3, "unseen", "laptop"), (3, "seen", "drawer_cabinet"), (3, "seen", "plant"),
    }  # fmt: skip
    plain = found.plain()
    assert plain["settings"]["missing_folds"] == [2, 4, 5]
    rows = {(r["method"], r["objects"], r["group"]): r for r in plain["rows"]}
    assert rows["still", "all", "unseen"]["median"]["value"] == 0.5
    assert rows["learned", "all", "unseen"]["object_count"] == 4
    assert rows["learned", "all", "seen"]["object_count"] == 4
    assert any("there is no run of fold 2, 4, 5" in line for line in format_folds(plain))
    page = format_folds_page(plain)
    assert "| learned | unseen / seen |" in page and "## By fold" in page and "## Unseen kinds" in page
    json.dumps(plain)


def test_a_measurement_goes_on_where_it_was_cut_off(store, kept_runs, quick, monkeypatch):
    """Some objects are measured, then it breaks; the second time only the others are measured."""
    how = {"methods": ["still", "learned"], "targets": ["drag3"]}
    usual = folds.read_pairs

    def breaking(entry, *, seed):
        if len(quick) == 4:
            raise KeyboardInterrupt
        return usual(entry, seed=seed)

    monkeypatch.setattr(folds, "read_pairs", breaking)
    with pytest.raises(KeyboardInterrupt):
        evaluate_folds(str(kept_runs), options_of(store), **how)
    assert len(quick) == 4
    monkeypatch.setattr(folds, "read_pairs", usual)
    found = evaluate_folds(str(kept_runs), options_of(store), **how)
    assert len(quick) == 8  # a laptop and the cabinet and plant by both folds, the cushion by one, a laptop as unseen
    again = evaluate_folds(str(kept_runs), options_of(store), **how)
    assert len(quick) == 8 and again.results == found.results


def test_methods_without_weights_are_measured_once_for_all_folds(store, kept_runs, quick):
    evaluate_folds(str(kept_runs), options_of(store), methods=["still"], targets=["drag3"])
    assert sorted(quick) == sorted(set(quick))
    evaluate_folds(str(kept_runs), options_of(store), methods=["learned"], targets=["drag3"])
    assert len(quick) == 5 + 8


def test_other_code_or_another_tag_is_measured_anew(store, kept_runs, quick, monkeypatch):
    how = {"methods": ["learned"], "targets": ["drag3"]}
    evaluate_folds(str(kept_runs), options_of(store), **how)
    evaluate_folds(str(kept_runs), options_of(store, tag="trial"), **how)
    assert len(quick) == 16
    monkeypatch.setattr(fold_results, "hash_code", lambda rooms: "another")
    evaluate_folds(str(kept_runs), options_of(store), **how)
    assert len(quick) == 24


def test_a_folder_without_runs(store, tmp_path):
    with pytest.raises(InputError, match="no run trained with --fold"):
        evaluate_folds(str(tmp_path), options_of(store))
    with pytest.raises(InputError, match="there is no folder"):
        evaluate_folds(str(tmp_path / "none"), options_of(store))


# ---------------------------------------------------------------- tables


def result_of(fold, group, name, value, method="learned", kind="separable"):
    figures = {"moves": True, "motion_recovered": value, "chamfer_l1_recovered": value}
    return FoldResult(fold, group, PairResult(name, "laptop", kind, 0, method, "drag1", 0.1, figures))


def test_the_table_is_over_all_folds():
    results = [result_of(1, "seen", f"s{i}", 0.8) for i in range(4)]
    results += [result_of(2, "unseen", f"u{i}", value) for i, value in enumerate((0.2, 0.4, 0.6, -0.5))]
    plain = make_deformation_tables(results)
    rows = {(r["objects"], r["group"]): r for r in plain["rows"]}
    assert set(rows) == {("all", "seen"), ("all", "unseen"), ("separable", "seen"), ("separable", "unseen")}
    unseen = rows["all", "unseen"]
    assert unseen["median"]["value"] == pytest.approx(0.3)
    assert unseen["mean"]["value"] == pytest.approx(0.175)
    assert unseen["harmed"] == 0.25
    low, high = unseen["mean"]["interval"]
    assert low < 0.175 < high
    (ratio,) = [r for r in plain["ratios"] if r["objects"] == "all"]
    assert ratio["ratio"] == pytest.approx(0.375)
    assert ratio["interval"][0] <= 0.375 <= ratio["interval"][1]
    assert {r["fold"] for r in plain["folds"]} == {1, 2}
    assert [r["kinds"] for r in plain["kinds"]] == ["clamshells"]


def test_pairs_that_hardly_move_do_not_count():
    still = FoldResult(1, "seen", PairResult("a", "laptop", "soft", 0, "learned", "drag1", 0.1, {"moves": False}))
    rows = make_deformation_tables([still, result_of(1, "seen", "b", 0.5)])["rows"]
    assert [r["pair_count"] for r in rows] == [1, 1]


def test_a_ratio_to_nothing_is_none():
    seen, unseen = (np.zeros(3), ["a", "b", "c"]), (np.ones(3), ["d", "e", "f"])
    assert compute_ratio(unseen, seen) == {"ratio": None, "interval": None}
    assert compute_ratio(unseen, unseen) == {"ratio": 1.0, "interval": [1.0, 1.0]}


def test_means_of_resamplings_are_means_of_their_values():
    values, owners = np.array([1.0, 2.0, 4.0, 8.0, 16.0]), ["a", "a", "b", "c", "c"]
    for index in resample_objects(owners):
        plain = [np.mean(values[row[row >= 0]]) for row in index]
        np.testing.assert_allclose(compute_means(values, index), plain)


# ---------------------------------------------------------------- verbs


def test_the_verb_deformation_measures_folds(store, kept_runs, capsys, tmp_path):
    words = ["evaluate", "deformation", "--data", store.folder, "--folds", kept_runs, "--split", "train"]
    words += ["--methods", "still,learned", "--targets", "drag1", "--limit", "1", "--json", "-o", tmp_path / "out"]
    assert main([str(word) for word in words]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["settings"]["folds"] == [1, 3]
    assert {(r["method"], r["group"]) for r in data["rows"]} == {
        (method, group) for method in ("still", "learned") for group in ("seen", "unseen")
    }
    assert "# Kinds left out: deformation" in (tmp_path / "out" / "report.md").read_text()


def test_a_ranker_that_saw_the_kinds_of_a_fold_is_not_asked(runs_folder, tmp_path):
    weights = tmp_path / "weights"
    shutil.copytree(runs_folder / "fold-1" / "weights", weights)
    assert LearnedMethod(str(weights)).proposes
    (weights / RANKER_FILE).unlink()
    alone = LearnedMethod(str(weights), is_soft=False)
    assert not alone.proposes and LearnedMethod().proposes
    assert not isinstance(alone.make_space(box(), None), Proposing)


def test_folds_take_no_other_weights(store, runs_folder, capsys):
    for verb in ("deformation", "articulation"):
        words = ["evaluate", verb, "--data", store.folder, "--folds", runs_folder, "--weights", "w"]
        assert main([str(word) for word in words]) == 2
        assert "weights of its own" in capsys.readouterr().err


def test_the_verb_articulation_needs_no_run_for_what_is_not_trained(store, tmp_path, capsys):
    words = ["evaluate", "articulation", "--data", store.folder, "--folds", tmp_path, "--split", "train"]
    words += ["--predictors", "edge,majority", "--parts", "given", "-o", tmp_path / "out", "--json"]
    assert main([str(word) for word in words]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["settings"]["folds"] == [1, 2, 3, 4, 5]
    assert {(r["predictor"], r["group"]) for r in data["rows"]} == {
        (name, group) for name in ("edge", "majority") for group in ("seen", "unseen")
    }
    assert all(r["axis_error"]["mean"]["interval"] for r in data["rows"])
    assert "## Parts given" in (tmp_path / "out" / "report.md").read_text()
    assert main([str(w) for w in [*words[:-5], "--predictors", "network", "--parts", "given"]]) == 2
    assert "unknown predictor 'network'" in capsys.readouterr().err


def test_the_verb_folds_trains_what_is_missing_and_measures(store, tmp_path, capsys, monkeypatch, quick):
    asked = []

    def train(wanted, say):
        asked.append((wanted.fold, wanted.resume, wanted.minutes))
        record = {"config": {}, "fold": wanted.fold, "without": kinds_left_out(wanted.fold), "minutes": 25.0}
        put_weights(Path(wanted.out) / "weights", {"w": torch.zeros(1)}, record)
        (Path(wanted.out) / checkpoint.NAME).touch()
        return {"stopped": None}

    monkeypatch.setattr(fold_training, "train_model", train)
    words = ["evaluate", "folds", "--data", store.folder, "--out", tmp_path / "runs", "--split", "train"]
    words = [str(word) for word in [*words, "--methods", "still,learned", "--targets", "drag3"]]
    assert main([*words, "--minutes", "25"]) == 0
    assert asked == [(fold, False, 25.0) for fold in (1, 2, 3, 4, 5)]
    assert "unseen" in capsys.readouterr().out
    assert main([*words, "--minutes", "25"]) == 0
    assert len(asked) == 5 and capsys.readouterr().out.count("is trained") == 5
    assert main([*words, "--minutes", "40"]) == 0
    assert asked[5:] == [(fold, True, 40.0) for fold in (1, 2, 3, 4, 5)]  # minutes count from the beginning


@pytest.mark.parametrize(
    ("words", "says"),
    [([], "no store or no folder"), (["--data", "s", "--out", "r"], "not a data store"),
     (["--data", "s", "--out", "r", "--minutes", "0"], "above zero")],
)  # fmt: skip
def test_faults_are_one_sentence(words, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "folds", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err
