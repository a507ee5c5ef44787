"""Parts that are alike are of one type, whatever is thought of one of them; the two halves of a thing are no twins."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurok.articulate import fusion
from neurok.articulate.opinion import Opinion
from neurok.articulate.selection import study_parts
from neurok.articulate.similar_parts import average_over_similar, find_similar_parts
from neurok.articulate.weights import load_shipped_networks
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.parts import Parts
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, cylinder
from neurok.proposals.sampling import sample_shape


def _box(sides, place, turned: bool = False) -> Mesh:
    T = np.eye(4)
    if turned:
        T[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    T[:3, 3] = place
    return transform(box(*sides), T)


def _parts(meshes: list[Mesh]) -> tuple[Mesh, Parts]:
    mesh = merge(meshes)
    face = np.repeat(np.arange(len(meshes)), [m.face_count for m in meshes])
    return Mesh(mesh.vertices, mesh.faces, up="z"), Parts(face, tuple(f"part {i}" for i in range(len(meshes))))


@pytest.fixture(scope="module")
def keypad():
    """A plate with five keys, one of them turned by 90 degrees, a wider key and a flat one."""
    keys = [_box((0.1, 0.06, 0.05), (0.2 * i - 0.4, 0.2, 0.07), turned=i == 3) for i in range(5)]
    others = [_box((0.2, 0.06, 0.05), (0.0, -0.1, 0.07)), _box((0.1, 0.06, 0.02), (0.3, -0.1, 0.055))]
    return sample_shape(*_parts([_box((1.2, 0.8, 0.1), (0, 0, 0)), *keys, *others]))


def test_keys_of_one_size_are_twins_however_they_lie(keypad):
    expected = np.eye(8, dtype=bool)
    expected[1:6, 1:6] = True
    np.testing.assert_array_equal(find_similar_parts(keypad), expected)


def test_a_row_in_which_each_is_like_the_next_is_of_one_kind():
    keys = [_box((0.1 * 1.025**i, 0.06, 0.05), (0.2 * i - 0.4, 0.2, 0.07)) for i in range(5)]
    found = find_similar_parts(sample_shape(*_parts([_box((1.2, 0.8, 0.1), (0, 0, 0)), *keys])))
    assert found[1:, 1:].all() and not found[0, 1:].any()


def test_two_halves_are_no_twins():
    whole = sample_shape(*_parts([_box((1, 1, 0.05), (0, 0, 0)), _box((1, 1, 0.05), (0, 0, 0.06))]))
    np.testing.assert_array_equal(find_similar_parts(whole), np.eye(2, dtype=bool))


def test_what_is_agreed_upon_is_the_normalised_mean_and_leaves_others_alone():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(3), 4)
    alike = np.eye(4, dtype=bool)
    alike[:3, :3] = True
    found = np.exp(average_over_similar(np.log(chances), alike))
    mean = chances[:3].prod(axis=0) ** (1 / 3)
    np.testing.assert_allclose(found[:3], np.tile(mean / mean.sum(), (3, 1)), rtol=1e-12)
    np.testing.assert_allclose(found[3], chances[3], rtol=1e-12)


@pytest.mark.parametrize("predictor", ["network", "both"])
def test_a_key_that_one_network_misjudges_moves_as_the_others(keypad, predictor, monkeypatch):
    """One key's chances are turned upside down: alone it would be of another type than its twins."""
    networks, asked, judged = load_shipped_networks(), fusion.ask_networks, fusion.judge_candidates

    def mislead(opinion: Opinion) -> Opinion:
        kind = opinion.type.copy()
        kind[1:6] = np.log([0.1, 0.1, 0.8])
        kind[2] = np.log([0.8, 0.1, 0.1])
        return replace(opinion, type=kind)

    def mislead_both(*args):
        opinion, scores = judged(*args)
        fixed = np.where(np.isin(np.arange(8), range(1, 6)), np.log(0.2), scores.fixed)
        return mislead(opinion), replace(scores, fixed=fixed)

    monkeypatch.setattr(fusion, "ask_networks", lambda *args: mislead(asked(*args)))
    monkeypatch.setattr(fusion, "judge_candidates", mislead_both)
    torch.set_num_threads(1)
    if predictor == "network":
        moves = fusion.predict_by_network(keypad, networks)
    else:
        moves = fusion.predict_by_both(keypad, networks, study_parts(keypad))
    kinds, sure = [move.kind for move in moves], {round(move.confidence, 9) for move in moves[1:6]}
    assert len(set(kinds[1:6])) == 1 == len(sure)


def test_wheels_turn_without_end_though_they_graze_what_they_carry():
    """Faceted discs sunk into a chassis: as samples fall, one or the other seems to be stopped after a few degrees."""
    turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # a disc's own axis is z, an axle's y
    meshes = [_box((2.0, 0.8, 0.12), (0, 0, 0.5)), _box((0.6, 0.8, 0.5), (0.6, 0, 0.8))]
    for x in (-0.65, 0.65):
        for y in (-0.42, 0.42):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = turn, (x, y, 0.3)
            meshes.append(transform(cylinder(0.25, 0.12, 24), T))
    whole = sample_shape(*_parts(meshes))
    moves = fusion.predict_by_both(whole, load_shipped_networks(), study_parts(whole))
    assert [move.kind for move in moves[2:]] == ["continuous"] * 4
    for move in moves[2:]:
        assert abs(move.axis[1]) == pytest.approx(1.0, abs=1e-6)
