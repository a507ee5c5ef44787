"""Merge trees hold the parts that a thing was made of, and nothing that is the whole."""

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh, merge
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.hypothesis_features import HYPOTHESIS_FEATURES
from neurok.proposals.trees import merge_clusters
from neurok.proposals.units import find_units
from tests.boxes import make_open_case, place_box


def _overlap(found: Hypotheses, faces: np.ndarray) -> float:
    """How well the best hypothesis meets a set of faces [m], by area."""
    units = found.units
    count = np.bincount(units.face, minlength=units.count)
    inside = units.area * np.bincount(units.face, faces, units.count) / count
    common = found.members @ inside
    return float((common / (found.members @ units.area + inside.sum() - common)).max())


@pytest.fixture(scope="module")
def chest() -> tuple[Mesh, np.ndarray]:
    """A case with a drawer and a knob on it; the drawer and its knob are faces of label 1 and 2."""
    pieces = [make_open_case(), place_box(0.9, 0.9, 0.3, 0, 0, 0), place_box(0.08, 0.06, 0.08, 0, -0.48, 0)]
    mesh = merge(pieces)
    return Mesh(mesh.vertices, mesh.faces, up="z"), np.repeat([0, 1, 2], [p.face_count for p in pieces])


def test_a_drawer_is_proposed_with_and_without_its_knob(chest):
    mesh, label = chest
    found = Hypotheses.of(mesh)
    assert _overlap(found, label == 1) > 0.999
    assert _overlap(found, label == 2) > 0.999
    assert _overlap(found, label >= 1) > 0.999  # the knob rides on the drawer


def test_the_whole_is_no_hypothesis_and_each_is_there_once(chest):
    found = Hypotheses.of(chest[0])
    assert not found.members.all(axis=1).any()
    assert len(np.unique(found.members, axis=0)) == len(found.members)


def test_two_boxes_fused_at_a_groove_are_told_apart():
    """One closed surface: a slab that stands on a wider one; where they meet, all edges are concave."""
    lower = np.array([[x, y, z] for z in (0, 1) for y in (0, 4) for x in (0, 4)], dtype=float)
    upper = np.array([[x, y, z] for z in (1, 3) for y in (1, 3) for x in (1, 3)], dtype=float)
    sides = [(0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
    quads = [(2, 3, 1, 0), *sides, *[tuple(8 + i for i in side) for side in sides], (12, 13, 15, 14)]
    quads += [(4, 5, 9, 8), (5, 7, 11, 9), (7, 6, 10, 11), (6, 4, 8, 10)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    mesh = Mesh(np.concatenate([lower, upper]), faces, up="z")
    on_top = np.repeat([5 <= number <= 9 for number in range(len(quads))], 2)
    assert _overlap(Hypotheses.of(mesh), on_top) > 0.999


def test_same_mesh_same_hypotheses(chest):
    first, second = (Hypotheses.of(chest[0]) for _ in range(2))
    assert np.array_equal(first.members, second.members)
    assert np.array_equal(first.features, second.features)
    assert first.features.shape == (len(first.members), len(HYPOTHESIS_FEATURES))


def test_strong_bonds_merge_first_by_hand():
    hold = np.array([[0, 3.0, 0, 0], [3.0, 0, 1.0, 0], [0, 1.0, 0, 2.0], [0, 0, 2.0, 0]])
    nodes = merge_clusters(hold, np.ones(4))
    assert nodes.astype(int).tolist() == [[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]]


def test_units_know_what_touches(chest):
    mesh, label = chest
    units = find_units(mesh)
    knob = np.unique(units.face[label == 2])
    others = np.unique(units.face[units.contact[knob][:, units.face].sum(axis=0) > 0])
    touched = {int(label[units.face == unit][0]) for unit in others}
    assert 1 in touched and 0 not in touched
