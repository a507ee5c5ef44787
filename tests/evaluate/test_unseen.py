"""Categories left out of training are left out of every source, written down, and measured beside the others."""

import json

import pytest

from neurok.commands.main import main
from neurok.data.prepared import Prepared, prepare
from neurok.errors import InputError, NeurokError
from neurok.evaluate.loop import MeasureOptions
from neurok.evaluate.unseen import find_categories, group_objects, read_left_out
from neurok.networks.weights import read_weights
from neurok.training import loop, runs, watch
from tests.small_store import OBJECTS, make_store
from tests.training.small_run import SMALL, train_small

KNOWN = ["Laptop", "laptop", "drawer_cabinet", "StorageFurniture", "Table", "Door", "gate", "lamp"]


def test_a_category_means_all_its_kin():
    assert find_categories(["laptop"], KNOWN) == ["Laptop", "laptop"]
    assert find_categories(["Storage Furniture"], KNOWN) == ["StorageFurniture", "Table", "drawer_cabinet"]
    assert find_categories(["door", "LAPTOP"], KNOWN) == ["Door", "Laptop", "gate", "laptop"]
    with pytest.raises(NeurokError, match="unknown category 'boat'"):
        find_categories(["boat"], KNOWN)
    with pytest.raises(NeurokError, match="no category"):
        find_categories([], KNOWN)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = make_store(tmp_path_factory.mktemp("unseen") / "store")
    prepare(store)
    return store


@pytest.fixture(scope="module")
def weights(store, tmp_path_factory):
    run = tmp_path_factory.mktemp("unseen") / "run"
    train_small(store.folder, run, steps=2, without=("laptop",))
    return run / "weights"


def test_nothing_is_learned_from_what_is_left_out(store, tmp_path, monkeypatch):
    read = []
    usual = Prepared.read
    monkeypatch.setattr(Prepared, "read", lambda self, n: (read.append(self.entries[n]), usual(self, n))[1])
    monkeypatch.setattr(watch.Watch, "validate", lambda self, run: None)
    monkeypatch.setattr(watch, "HeldOutViews", lambda *given, **how: None)
    train_small(store.folder, tmp_path / "run", steps=3, without=("laptop",))
    seen = {entry["category"] for entry in read}
    assert seen and seen <= {category for category, _, _ in OBJECTS} - {"laptop"}


def test_weights_say_what_they_never_saw(weights, store, tmp_path):
    assert read_weights(weights)[1]["without"] == ["laptop"] and read_left_out(str(weights)) == ["laptop"]
    train_small(store.folder, tmp_path / "run", steps=1)
    with pytest.raises(InputError, match="names no categories"):
        read_left_out(str(tmp_path / "run" / "weights"))


def test_unseen_objects_are_of_every_split_and_seen_ones_of_one(store):
    found = group_objects(MeasureOptions(str(store.folder), "train"), ["laptop"])
    assert [e.category for e in found["unseen"]] == ["laptop", "laptop"]
    assert {e.category for e in found["seen"]} == {"drawer_cabinet", "plant", "chair_cushion"}
    with pytest.raises(InputError, match="of other categories"):
        group_objects(MeasureOptions(str(store.folder), "dev"), ["laptop"])
    with pytest.raises(InputError, match="left out"):
        group_objects(MeasureOptions(str(store.folder), "train"), ["boat"])


def test_the_verb_measures_weights(store, weights, capsys, tmp_path):
    words = ["evaluate", "unseen", "--data", str(store.folder), "--weights", str(weights), "--split", "train"]
    words += ["--methods", "still,components,learned", "--targets", "drag3", "--limit", "1"]
    assert main([*words, "--json", "-o", str(tmp_path / "out")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["settings"]["unseen"] == ["laptop"]
    assert {(r["group"], r["method"]) for r in data["rows"]} == {
        (group, method) for group in ("seen", "unseen") for method in ("still", "components", "learned")
    }
    assert "trained 0" in json.dumps(data) or data["settings"]["weights"]["learned"]["without"] == ["laptop"]
    assert "## unseen" in (tmp_path / "out" / "report.md").read_text()


def test_the_verb_trains_first(store, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "REPORT_STEPS", 2)
    monkeypatch.setattr(watch, "can_draw", lambda model: False)
    usual = runs.Config
    monkeypatch.setattr(runs, "Config", lambda **values: usual(**(SMALL | values)))
    words = ["evaluate", "unseen", "--data", store.folder, "--categories", "laptop", "--out", tmp_path / "run"]
    words += [
        "--minutes",
        "0.005",
        "--size",
        "tiny",
        "--threads",
        "1",
        "--split",
        "train",
        "--methods",
        "still,learned",
    ]
    words += ["--targets", "drag3", "--limit", "1", "--sources", "procedural"]
    assert main([str(word) for word in words]) == 0
    said = capsys.readouterr().out
    assert "left out of training: laptop (1 objects)" in said and "unseen" in said
    assert read_left_out(str(tmp_path / "run" / "weights")) == ["laptop"]


@pytest.mark.parametrize(
    ("words", "says"),
    [([], "missing"), (["--data", "s", "--categories", "laptop"], "missing"), (["--weights", "w"], "measure on"),
     (["--weights", "w", "--data", "s", "--minutes", "1"], "trained already"),
     (["--weights", "w", "--data", "s"], "no weights"),
     (["--data", "s", "--categories", "a", "--out", "r", "--minutes", "1"], "not a data store")],
)  # fmt: skip
def test_faults_are_one_sentence(words, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "unseen", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1, err
