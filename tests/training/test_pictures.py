"""Heads of pictures from drawn features whose answers are known, and examples that are read back."""

import numpy as np
import pytest
import torch

from neurok.files.renderer import Renderer
from neurok.generate.kinds import list_kinds
from neurok.generate.pictures.heads import PictureHeads
from neurok.training.pictures import training
from neurok.training.pictures.augment import make_subject
from neurok.training.pictures.examples import PictureFacts, draw_example, load_example, read_facts, save_example
from neurok.training.pictures.features import FeatureTable
from neurok.training.pictures.real import list_right_kinds, mark_right

WIDTH = 40


@pytest.fixture
def drawn(monkeypatch):
    """Features of fans and pots with 3 or 4 blades: each told by a direction of its own, beside noise."""
    monkeypatch.setattr(training, "EPOCH_COUNT", 20)
    monkeypatch.setattr(training, "BATCH_SIZE", 16)
    rng = np.random.default_rng(0)
    facts, rows = [], []
    for seed in range(160):
        kind, blades = ("fan", "pot")[seed % 2], 3 + (seed // 2) % 2
        choices = (("blades", "count", blades),) if kind == "fan" else ()
        facts.append(PictureFacts(kind, seed, np.zeros((1, 2)), choices, np.ones(3)))
        row = 0.3 * rng.normal(size=WIDTH)
        row[0] += 2.0 * (kind == "fan")
        row[1] += 2.0 * (blades == 4)
        rows.append(row)
    n = np.arange(160)
    table = FeatureTable(tuple(f"x-{i}" for i in n), np.array(rows, dtype=np.float16), n, np.zeros_like(n))
    return table, facts


def test_what_features_say_is_learned_and_packed(drawn):
    table, facts = drawn
    questions = training.list_questions(facts)
    assert [(q.kind, q.name, q.answers) for q in questions] == [("fan", "blades", ("3", "4"))]
    targets = training.make_targets(table, facts, questions)
    reduced = training.reduce_features(table)
    network = training.fit_heads(reduced.rows, targets, questions)
    with torch.no_grad():
        outputs = network(reduced.rows)
    temperature, kept = training.choose_questions(outputs, targets, questions)
    assert kept == [0] and temperature in training.TEMPERATURES
    assert (outputs[:, : len(list_kinds())].argmax(dim=1) == targets.kind).float().mean() > 0.95
    arrays = {k: v.double().numpy() for k, v in training.pack_heads(network, reduced, questions, kept).items()}
    heads = PictureHeads(arrays, tuple(list_kinds()), tuple(questions), 1.0, temperature, 0.0)
    np.testing.assert_allclose(heads.apply(table.rows.astype(float)), outputs.numpy(), atol=0.05)


def test_main_directions_are_orthogonal_and_hold_what_varies(drawn):
    reduced = training.reduce_features(drawn[0])
    gram = reduced.directions.T @ reduced.directions
    torch.testing.assert_close(gram, torch.eye(len(gram)) * gram[0, 0], rtol=1e-3, atol=1e-3 * float(gram[0, 0]))
    assert float(reduced.rows.var(dim=0).mean()) == pytest.approx(1.0, rel=0.05)


def test_the_loss_is_that_of_its_parts_one_by_one(drawn):
    table, facts = drawn
    questions = training.list_questions(facts)
    targets = training.make_targets(table, facts, questions)
    k = len(list_kinds())
    outputs = torch.randn(160, k + 2 + 5, generator=torch.Generator().manual_seed(0))
    rows = torch.arange(160)
    found = training.measure_loss(outputs, targets, rows, training.locate_answers(questions))
    logs, answers = outputs[:, :k].log_softmax(1), outputs[:, k : k + 2].log_softmax(1)
    kind = np.mean([float(-0.95 * logs[i, targets.kind[i]] - 0.05 * logs[i].mean()) for i in range(160)])
    blades = np.mean([float(-answers[i, targets.answers[i, 0]]) for i in range(160) if targets.answers[i, 0] >= 0])
    squares = ((outputs[:, -5:-3] - targets.shape) ** 2).mean() + ((outputs[:, -3:] - targets.view) ** 2).mean()
    assert float(found) == pytest.approx(kind + blades + float(squares), rel=1e-4)


def test_the_mixing_that_fits_is_chosen():
    """z alone says what is right: a greater share of it is better, and without it the other way."""
    right = torch.eye(3)[torch.arange(30) % 3].bool()
    noise = torch.randn(30, 3, generator=torch.Generator().manual_seed(1))
    assert training.choose_mixing([(noise, 9.0 * right.float(), right)])[1] == max(training.SHARES)
    assert training.choose_mixing([(9.0 * right.float(), noise, right)]) == (min(training.TEMPERATURES), 0.0)


def test_an_example_is_read_back_and_found_in_its_picture(tmp_path):
    with Renderer(160, 160) as renderer:
        example = draw_example("bucket", 3, renderer)
    save_example(example, tmp_path / "bucket-3.npz")
    again, facts = load_example(tmp_path / "bucket-3.npz"), read_facts(tmp_path / "bucket-3.npz")
    assert np.array_equal(again.pictures, example.pictures) and again.choices == example.choices == facts.choices
    rng, alike = np.random.default_rng(0), []
    for cutout in example.pictures:
        subject, own = make_subject(cutout, rng, own_colours=True), cutout[:, :, 3] > 127
        alike.append((subject.mask & own).sum() / (subject.mask | own).sum())
    assert max(alike) > 0.95  # a background may have the object's colour


def test_categories_stand_for_our_kinds():
    assert list_right_kinds("TrashCan") == ("trash_can",) and list_right_kinds("clamp") == ()
    assert "office_chair" in list_right_kinds("Chair") and list_right_kinds("Table") == ()
    kinds = list_kinds()
    assert mark_right(["kettle", "Table"], kinds).sum(axis=1).tolist() == [1, 0]
