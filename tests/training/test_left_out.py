"""Kinds that a run learns nothing from: chosen once, kept when it is resumed, named by its weights."""

from pathlib import Path

import pytest

from neurok.commands.main import main
from neurok.data.folds import kinds_left_out
from neurok.errors import OptionError
from neurok.networks.weights import read_weights
from neurok.training.left_out import (
    LeftOut,
    check_begun_weights,
    choose_left_out,
    find_unknown_kinds,
    hide_left_out,
    write_left_out,
)
from tests.small_store import make_store

SMALL = ["--size", "tiny", "--shapes", "2", "--states", "2", "--threads", "1"]


class _Entries:
    """The entries of a prepared store, which is all that is looked at here."""

    def __init__(self, *rows):
        self.entries = [dict(zip(("name", "category", "split"), row)) for row in rows]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("left_out") / "store"
    make_store(folder)
    return str(folder)


def test_objects_of_the_kinds_left_out_leave_the_training_split_only():
    data = _Entries(("partnet/1", "table", "train"), ("partnet/2", "table", "dev"), ("partnet/3", "safe", "train"),
                    ("partnet/100366", "unknown", "train"))  # fmt: skip
    assert hide_left_out(data, LeftOut(tuple(kinds_left_out(1)), 1)) == 1
    assert [entry["split"] for entry in data.entries] == ["left out", "dev", "train", "train"]
    assert hide_left_out(data, LeftOut(tuple(kinds_left_out(4)), 4)) == 1
    assert data.entries[3]["split"] == "left out"


def test_new_kinds_are_named():
    assert find_unknown_kinds(_Entries(("a", "submarine", "train"), ("b", "assembly", "train"))) == ["submarine"]


def test_a_resumed_run_leaves_out_what_it_left_out_before(tmp_path):
    begun = choose_left_out(tmp_path, fold=2, kinds=(), resume=False)
    write_left_out(tmp_path, begun)
    assert begun == LeftOut(tuple(kinds_left_out(2)), 2)
    assert choose_left_out(tmp_path, fold=None, kinds=(), resume=True) == begun
    assert choose_left_out(tmp_path, fold=2, kinds=(), resume=True) == begun
    with pytest.raises(OptionError, match="other kinds left out"):
        choose_left_out(tmp_path, fold=3, kinds=(), resume=True)


def test_weights_that_know_a_kind_cannot_be_begun_from():
    left_out = LeftOut(tuple(kinds_left_out(2)), 2)
    check_begun_weights(left_out.to_record(), left_out, "w")
    check_begun_weights({}, LeftOut(), "w")
    with pytest.raises(OptionError, match="have learned from kinds that are to be left out"):
        check_begun_weights({}, left_out, "w")


def test_train_with_a_fold_says_so_in_its_weights(store, tmp_path, capsys):
    out = tmp_path / "fold-1"
    command = ["train", "tiny", "--data", store, "--out", str(out), *SMALL]
    assert main([*command, "--steps", "1", "--fold", "1"]) in (0, None)
    assert "2 of them are of kinds left out by fold 1" in capsys.readouterr().out
    record = read_weights(out / "weights")[1]
    assert record["fold"] == 1
    assert record["without"] == sorted(kinds_left_out(1))
    assert main([*command, "--steps", "2", "--resume"]) in (0, None)
    assert read_weights(out / "weights")[1]["fold"] == 1


def test_a_fold_that_is_not_there(store, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["train", "tiny", "--data", store, "--out", str(out), "--fold", "9"]) == 2
    assert "there is no fold 9" in capsys.readouterr().err
    assert not Path(out).exists()
