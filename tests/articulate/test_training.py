"""What the articulation network learns from when a fold over kinds is left out."""

import sys

import pytest

from neurok.articulate import heldout, training
from neurok.articulate.examples import Example
from neurok.data.folds import kinds_left_out


def example_of(name, source, category):
    return Example(name, source, category, observation=None, labels=None, tried=None)


@pytest.fixture
def trained(monkeypatch, tmp_path):
    """Run the training with made-up examples; the names it learned from, and the facts beside its weights."""
    examples = [
        example_of("1", "partnet", "Table"), example_of("1-found", "found", "Table"),
        example_of("drawer_cabinet-0", "made", "drawer_cabinet"), example_of("assembly-0", "made", "assembly"),
        example_of("2", "partnet", "Safe"), example_of("pliers-0", "made", "pliers"),
    ]  # fmt: skip
    found = {}
    monkeypatch.setattr(training, "load_examples", lambda folder: examples)
    monkeypatch.setattr(training, "train_network", lambda used, *rest: found.update(used=[one.name for one in used]))
    monkeypatch.setattr(
        heldout, "measure_held_out", lambda networks, kept: found.update(kept=[k.name for k in kept]) or {}
    )
    monkeypatch.setattr(training, "save_networks", lambda folder, networks, facts: found.update(facts=facts))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["training", str(tmp_path), "--out", str(tmp_path / "run"), *words])
        training.main()
        return found

    return run


def test_a_fold_leaves_out_related_kinds_of_every_source(trained):
    found = trained("--fold", "1")
    assert found["used"] == ["assembly-0", "2"]
    assert found["kept"] == ["1"]
    assert found["facts"]["fold"] == 1
    assert found["facts"]["without"] == sorted(kinds_left_out(1))


def test_without_a_fold_all_is_learned_from(trained):
    found = trained()
    assert len(found["used"]) == 6 and found["facts"]["fold"] is None and found["facts"]["without"] == []
