"""The trial of motions agrees with what is known of boxes: which way is free, and about which edge a lid turns."""

import numpy as np

from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.proposals.candidates import propose_candidates
from neurok.proposals.sampling import find_contact, sample_shape
from neurok.proposals.simulator import Surroundings, find_survivors, simulate_candidates
from tests.boxes import join_parts, make_open_case, place_box


def _trials(mesh: Mesh, parts: Parts, number: int):
    whole = sample_shape(mesh, parts)
    points, normals, _ = whole.rest(number)
    piece = whole.pieces[number]
    meeting = find_contact(piece, points, normals)
    tried = propose_candidates(piece, meeting)
    return whole, tried, simulate_candidates(piece, meeting, Surroundings(points, normals), tried)


def test_a_drawer_may_only_leave_through_the_open_side():
    """An independent answer: five sides are closed, so of six senses along the axes only -y is free."""
    mesh, parts = join_parts(make_open_case(), place_box(0.9, 0.9, 0.34, 0, -0.01, 0))
    _, tried, trials = _trials(mesh, parts, 1)
    slides = np.flatnonzero(~tried.turns)[:3]
    free = trials.worst[slides, :, 2] < 0.05  # a third of the part's size
    assert np.array_equal(tried.axis[slides], np.eye(3))
    assert free.tolist() == [[False, False], [False, True], [False, False]]


def test_a_lid_survives_on_its_edge_and_not_through_its_middle():
    mesh, parts = join_parts(place_box(1, 1, 0.5, 0, 0, -0.25), place_box(1, 1, 0.05, 0, 0, 0.03))
    _, tried, trials = _trials(mesh, parts, 1)
    along_x = tried.turns & (np.abs(tried.axis[:, 0]) > 0.99)
    edge = along_x & (np.abs(tried.box - 1.0).max(axis=1) < 0.01)
    middle = along_x & (tried.box.max(axis=1) < 0.01)
    assert edge.any() and middle.any()
    assert find_survivors(trials)[edge].any()
    assert not find_survivors(trials)[middle].any()
