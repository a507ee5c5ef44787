"""The figures of told materials against closed forms, and the baselines against counting by hand."""

import numpy as np

from neurok.evaluate.materials.baselines import MaterialLookup
from neurok.evaluate.materials.figures import measure_calibration, measure_error, measure_matter
from neurok.evaluate.materials.known import read_labels
from neurok.materials.library import load_library
from neurok.materials.prediction.observation import INPUTS
from neurok.training.materials.examples import (
    MatterExample,
    assemble_plain,
    list_solids,
    load_examples,
    make_examples,
    save_examples,
)
from neurok.training.materials.looks import convert_hsv, draw_looks, weigh_by_color
from neurok.training.materials.names import FLOOR
from neurok.training.materials.training import drop_inputs, recolor, split_fold, train_network

MATERIALS = ("abs", "glass", "mild_steel", "stainless_steel")


def test_figures_of_a_table_done_by_hand():
    library = load_library()
    chance = np.array([[0.7, 0.1, 0.1, 0.1], [0.4, 0.1, 0.2, 0.3], [0.1, 0.6, 0.2, 0.1]])
    target = np.eye(4)[[0, 3, 0]]
    found = measure_matter(np.log(chance), target, MATERIALS, library)
    # The second is told to be a metal, .5 against .4, and its likeliest metal is right; the third is not.
    assert np.isclose(found.behaviour, 2 / 3) and np.isclose(found.fine, 2 / 3)
    wrong = np.log10(library.find("glass").young.typical / library.find("abs").young.typical)
    assert np.isclose(found.errors["young"], wrong / 3)
    assert np.isclose(found.log_likelihood, np.log([0.7, 0.3, 0.1]).mean())
    disputed = measure_matter(np.log(chance), np.array([[0, 0, 0.5, 0.5], *target[1:]]), MATERIALS, library)
    assert np.isclose(disputed.behaviour, 1 / 3) and np.isclose(disputed.fine, 1 / 2)


def test_calibration_error_by_hand():
    assert np.isclose(measure_calibration(np.full(4, 0.75), np.array([1, 1, 1, 0])), 0.0)
    assert np.isclose(measure_calibration(np.array([0.95, 0.95, 0.15]), np.array([1, 0, 0])), (0.9 + 0.15) / 3)


def test_a_quantity_that_none_has_is_no_figure():
    assert np.isnan(measure_error("friction_angle", np.array([0]), np.array([1]), MATERIALS, load_library()))


def make_example(category, names, truth):
    words = tuple((name,) for name in names)
    seen = assemble_plain(np.zeros((len(names), 28)), words, (category.lower(),))
    return MatterExample("x", "made", category, seen, np.eye(4)[truth])


def test_look_ups_fall_back_to_coarser_keys():
    trained = [make_example("Lamp", ("shade", "shade", "foot"), [1, 0, 2])]
    lookup = MaterialLookup(trained, ("category", "name", "majority"))
    shade, foot, strange = np.exp(lookup.answer(make_example("Lamp", ("shade", "foot", "cord"), [0, 0, 0])))
    assert np.isclose(shade[0], shade[1]) and shade[0] > shade[2] and np.argmax(foot) == 2
    assert np.allclose(strange[:3], 1 / 3, atol=10 * FLOOR) and np.allclose([shade.sum(), strange.sum()], 1)
    other = np.exp(lookup.answer(make_example("Fan", ("foot",), [0])))[0]
    assert np.argmax(other) == 2


def test_examples_are_read_back_and_colours_are_those_of_the_material(tmp_path, monkeypatch):
    monkeypatch.setattr("neurok.training.materials.examples.list_categories", lambda: ["bucket"])
    examples = list(make_examples(2))
    save_examples(examples, tmp_path / "x.npz")
    again = load_examples(tmp_path / "x.npz")
    assert [one.observation.names for one in again] == [one.observation.names for one in examples]
    assert np.allclose(again[1].observation.shape, examples[1].observation.shape, atol=1e-5)
    assert not again[0].observation.present[:, INPUTS.index("color")].any()  # the palette's colour is not kept
    painted = recolor(again[0], list_solids(), np.random.default_rng(0))
    assert painted.present[:, INPUTS.index("color")].all()
    assert again[0].fold == 4 and split_fold(again, 4)[0] == []


def test_drawn_colours_are_taken_for_their_material():
    rng = np.random.default_rng(5)
    color = draw_looks("leaf", 200, rng)[0]
    weight = weigh_by_color(color, np.ones(200, dtype=bool), ("leaf", "porcelain"))
    assert np.mean(weight[:, 0] > weight[:, 1]) > 0.9
    assert np.allclose(weigh_by_color(color[:3], np.zeros(3, dtype=bool), ("leaf", "porcelain")), 1.0)
    assert np.allclose(convert_hsv(np.array([[1 / 3, 1.0, 0.5]])), [[0.0, 0.5, 0.0]])


def test_a_dropped_input_takes_its_flag_along():
    import torch

    x = torch.ones(400, 12 + len(INPUTS))
    column = torch.from_numpy(np.repeat(np.arange(6), 2))
    kept = drop_inputs(x, column, np.random.default_rng(1))
    for index in range(6):
        gone = kept[:, 12 + index] == 0
        values = kept[:, :12][:, column == index]
        assert 0 < gone.sum() < 400 and (values[gone] == 0).all() and (values[~gone] != 0).all()


def test_training_learns_names(monkeypatch):
    monkeypatch.setattr("neurok.training.materials.training.MIN_WORD_COUNT", 1)
    solids = list_solids()
    words = {"pane": "glass", "tyre": "rubber"}
    examples = [
        MatterExample(
            f"{i}_0_0", "real", "Door",
            assemble_plain(np.random.default_rng(i).normal(size=(1, 28)), ((word,),), ()),
            np.eye(len(solids))[[solids.index(material)]],
        )
        for i, (word, material) in enumerate([*words.items()] * 8)
    ]  # fmt: skip
    network = train_network(examples, members=1, steps=150)
    told = [network.materials[int(np.argmax(network.answer(one.observation)))] for one in examples[:2]]
    assert told == ["glass", "rubber"]


def test_labels_name_materials_that_behave_alike():
    library = load_library()
    labels = read_labels()
    assert sum(map(len, labels.values())) >= 250
    for parts in labels.values():
        for materials in parts.values():
            assert len({library.find(name).behaviour for name in materials}) == 1
