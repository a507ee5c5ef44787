"""What parts are made of: features against closed forms, the network against torch, files read back, inputs absent."""

import json
from dataclasses import replace

import numpy as np
import pytest

from neurok.errors import NeurokError
from neurok.geometry.mesh import Material, Mesh, Part, merge
from neurok.geometry.parts import Parts
from neurok.geometry.primitives import box
from neurok.materials.library import load_library
from neurok.materials.part_properties import PartProperties
from neurok.materials.prediction.coats import find_outer_twins, split_coats
from neurok.materials.prediction.document import correct_prediction, describe_prediction, read_corrections
from neurok.materials.prediction.driving import state_driving
from neurok.materials.prediction.looks import compose_color, observe_looks, to_linear, to_srgb
from neurok.materials.prediction.network import MatterNetwork, encode_inputs, join_inputs, leave_out
from neurok.materials.prediction.observation import INPUTS, observe_matter
from neurok.materials.prediction.painting import paint_materials
from neurok.materials.prediction.prediction import find_quantile, find_ranges, predict_matter
from neurok.materials.prediction.shapes import SHAPE_FEATURES, observe_shapes
from neurok.materials.prediction.words import split_words

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
MATERIALS = ("abs", "glass", "mild_steel")


def make_block(size, at, color, name):
    block = box(*size)
    mesh = block.with_vertices(block.vertices + at)
    label = np.zeros(mesh.face_count, dtype=np.int64)
    return replace(mesh, materials=(Material(name, color),), face_material=label, parts=(Part(name),), face_part=label)


@pytest.fixture
def table():
    """A flat board on one leg, up along z."""
    mesh = merge(
        [make_block((1, 1, 0.02), (0, 0, 0.5), RED, "board"), make_block((0.1, 0.1, 0.49), (0, 0, 0.245), BLUE, "leg")]
    )
    return replace(mesh, up="z"), Parts(mesh.face_part, ("board", "leg"))


@pytest.fixture
def network():
    """Random weights; vocabulary of two words."""
    rng = np.random.default_rng(3)
    width = len(SHAPE_FEATURES) + 10 + 2 + 3 * 2 + len(INPUTS)
    tensors = {"mean": np.zeros(40), "scale": np.ones(40)}
    for member in range(2):
        for layer, (m, n) in enumerate(((width, 8), (8, 7), (7, 3)), 1):
            tensors[f"{member}.W{layer}"] = rng.normal(size=(m, n))
            tensors[f"{member}.b{layer}"] = rng.normal(size=n)
    return MatterNetwork(tensors, ("board", "leg"), MATERIALS, 1.3, 2)


def test_shapes_are_those_of_boxes(table):
    values = dict(zip(SHAPE_FEATURES, observe_shapes(*table).T))
    size = np.linalg.norm((1, 1, 0.51))
    assert np.allclose(np.exp(values["thin"]), np.array([0.02, 0.1]) / size, rtol=0.05)
    assert np.allclose(np.exp(values["slim"]), (1.0, 0.1 / 0.49), rtol=0.05)
    areas = np.array([2 + 4 * 0.02, 4 * 0.1 * 0.49 + 0.02])
    assert np.allclose(np.exp(values["area"]), areas / areas.sum(), rtol=1e-3)
    assert values["bottom"].tolist() == [0, 1] and values["top"].tolist() == [1, 0]
    assert values["largest"].tolist() == [1, 0] and np.allclose(np.exp(values["count"]), 2)


def test_shapes_do_not_depend_on_size_place_or_the_upward_axis(table):
    mesh, parts = table
    moved = mesh.with_vertices(7.0 * mesh.vertices + (3.0, -2.0, 5.0))
    turned = replace(mesh.with_vertices(mesh.vertices[:, [1, 2, 0]]), up="y")
    assert np.allclose(observe_shapes(moved, parts), observe_shapes(mesh, parts), atol=1e-6)
    assert np.allclose(observe_shapes(turned, parts), observe_shapes(mesh, parts), atol=1e-6)


def test_colors_are_those_of_the_surfaces(table):
    looks = observe_looks(*table)
    assert np.allclose(looks.color[:, :3], [RED[:3], BLUE[:3]]) and looks.colored.all() and not looks.glossed.any()
    values = np.random.default_rng(0).random((20, 3))
    assert np.allclose(to_srgb(to_linear(values)), values)
    hue = compose_color(np.array([[0.2, 0.6, 0.2]]), *np.zeros((3, 1)))[0, 3:5]
    assert np.allclose(np.degrees(np.arctan2(hue[1], hue[0])), 120) and np.allclose(np.hypot(*hue), 2 / 3)


def test_white_that_nobody_chose_is_no_color(table):
    mesh, parts = table
    bare = replace(mesh, materials=(), face_material=np.full(mesh.face_count, -1))
    assert not observe_looks(bare, parts).colored.any()


def test_a_part_of_two_surfaces_is_two_coats_and_twins_count_once(table):
    mesh, _ = table
    pieces = split_coats(mesh, Parts(np.zeros(mesh.face_count, dtype=np.int64), ("thing",)))
    assert pieces.names == ("thing/0", "thing/1") and np.array_equal(pieces.face, mesh.face_part)
    same = replace(mesh, materials=(mesh.materials[0],) * 2)
    assert split_coats(same, Parts(np.zeros(mesh.face_count, dtype=np.int64), ("thing",))).names == ("thing",)
    block = box(1, 2, 3)
    doubled = Mesh(block.vertices, np.concatenate([block.faces[:, ::-1], block.faces]))
    assert find_outer_twins(doubled).tolist() == [False] * block.face_count + [True] * block.face_count


def test_names_become_words():
    assert split_words("drawer_front-31") == split_words("DrawerFronts.002") == ["drawer", "front"]
    assert split_words("glass lens") == ["glass", "lens"] and split_words("a1") == []


def test_the_network_is_the_mean_of_its_members_in_torch(table, network):
    torch = pytest.importorskip("torch")
    seen = observe_matter(*table, "table")
    x = join_inputs(
        encode_inputs(seen, network.vocabulary), seen.present, *(network.tensors[k] for k in ("mean", "scale"))
    )
    chances = []
    for member in range(2):
        h = torch.from_numpy(x)
        for layer in (1, 2, 3):
            w, b = (torch.from_numpy(network.tensors[f"{member}.{n}{layer}"]) for n in "Wb")
            h = torch.nn.functional.linear(torch.relu(h) if layer > 1 else h, w.T, b)
        chances.append(torch.softmax(h / 1.3, dim=1))
    assert np.allclose(np.exp(network.answer(seen)), torch.stack(chances).mean(0).numpy())


def test_an_input_that_is_left_out_does_not_speak(table, network):
    mesh, parts = table
    seen, other = observe_matter(mesh, parts, ""), observe_matter(mesh, Parts(parts.face, ("leg", "board")), "")
    hidden = leave_out(2, "name", "neighbours")
    assert np.allclose(network.answer(seen, hidden), network.answer(other, hidden))
    assert not np.allclose(network.answer(seen), network.answer(other))
    assert not seen.present[:, INPUTS.index("object")].any()


def test_ranges_hold_the_typical_value_and_grow_with_doubt():
    library = load_library()
    sure, unsure = (find_ranges(np.array(p), MATERIALS, library)["young"] for p in ((1, 0, 0), (0.6, 0.2, 0.2)))
    row = library.find("abs").young
    assert (sure.low, sure.typical, sure.high) == (row.low, row.typical, row.high)
    assert unsure.low == row.low and unsure.high > 1e9 * 50 and unsure.typical == row.typical
    assert find_quantile([3.0, 1.0, 2.0], np.array([0.2, 0.5, 0.3]), 0.6) == 2.0


def test_a_document_is_read_back_and_corrections_count(tmp_path, table, network):
    mesh, parts = table
    library = load_library()
    prediction = predict_matter(parts, observe_matter(mesh, parts), network, library)
    content = describe_prediction(prediction, state_driving(mesh, None, prediction, {}, PartProperties(), library))
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    assert correct_prediction(prediction, read_corrections(path), library).matter == prediction.matter
    assert {n: said["material"] for n, said in content["conditions"]["parts"].items()} == {
        n: m.material for n, m in zip(parts.names, prediction.matter)
    }
    mended = correct_prediction(prediction, {"board": "oak"}, library)
    assert (
        mended.matter[0].material == "hardwood" and mended.matter[0].stated and mended.matter[1] == prediction.matter[1]
    )
    painted = paint_materials(mesh, mended, library)
    assert painted.materials[painted.face_material[0]].name == "hardwood"
    for wrong in ({"bord": "oak"}, {"board": "oke"}, {"board": "water"}):
        with pytest.raises(NeurokError):
            correct_prediction(prediction, wrong, library)
    path.write_text('{"parts": [{"part": 3}]}')
    with pytest.raises(NeurokError, match="no list of parts"):
        read_corrections(path)


def test_behaviour_and_material_never_contradict(table, network):
    library = load_library()
    prediction = predict_matter(table[1], observe_matter(*table), network, library)
    for part in prediction.matter:
        assert library.find(part.material).behaviour == part.behaviour
        assert part.behaviour_chance >= part.chance > 0
