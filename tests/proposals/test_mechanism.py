"""What moves where nothing is dragged: round axes, candidates about them, choice, fitting, and truths known by make."""

import numpy as np
import pytest
import torch

from neurok.data import procedural
from neurok.evaluate.pairs import make_plain_mesh
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.primitives import box, cylinder
from neurok.geometry.rigid import exp_twist
from neurok.geometry.surface import sample_even
from neurok.proposals.candidates import join_candidates, propose_candidates, propose_lines
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.mechanism import PartMotion, choose_likely, is_carried_alike
from neurok.proposals.motion_ranker import sum_log_odds
from neurok.proposals.possible_motions import POSSIBLE_FEATURES, list_possible_motions
from neurok.proposals.ranker import load_ranker
from neurok.proposals.round_axes import find_round_axes, fit_round_axis
from neurok.proposals.selection import label_units, relate_parts, select_members
from neurok.training.ranker_fitting import add_exponentials
from tests.boxes import make_open_case, place_box


def _scatter(mesh: Mesh, twist: list[float], count: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples of a moved mesh, their normals, and the motion."""
    T = exp_twist(np.array([twist]))[0]
    where = sample_even(mesh, count, np.random.default_rng(0))
    return where.position @ T[:3, :3].T + T[:3, 3], where.normal @ T[:3, :3].T, T


@pytest.mark.parametrize("twist", [[0.0] * 6, [1.0, -2.0, 0.5, 0.3, 0.9, -0.4]])
def test_a_cylinder_is_round_about_its_axis_wherever_it_lies(twist):
    points, normals, T = _scatter(cylinder(0.1, 0.5, segments=48), twist)
    axis, point, radius = fit_round_axis(points, normals)
    assert abs(axis @ T[:3, 2]) > 0.999
    assert np.linalg.norm(np.cross(point - T[:3, 3], T[:3, 2])) < 0.005
    assert radius == pytest.approx(0.1, abs=0.02)  # of all samples, the caps among them


def test_boxes_and_planes_are_not_round():
    assert fit_round_axis(*_scatter(box(1.0, 1.0, 2.0), [0.0] * 6)[:2]) is None
    flat = np.random.default_rng(0).uniform(size=(100, 3)) * [1, 1, 0]
    assert fit_round_axis(flat, np.tile([0.0, 0.0, 1.0], (100, 1))) is None


def test_a_pin_through_two_plates_is_an_axis_that_is_tried():
    pin = cylinder(0.05, 0.5, segments=32)
    mesh = merge([place_box(1.0, 0.2, 0.1, 0.3, 0, -0.06), place_box(0.2, 1.0, 0.1, 0, 0.3, 0.06), pin])
    found = Hypotheses.of(Mesh(mesh.vertices, mesh.faces, up="z"))
    lines = find_round_axes(found.units)
    assert any(abs(axis[2]) > 0.999 for axis in lines.axis)
    label = np.repeat([0, 1, 2], [12, 12, pin.face_count])
    plate = np.array([(label[found.units.face == unit] == 1).all() for unit in range(found.units.count)])
    part = int(np.flatnonzero((found.members == plate).all(axis=1))[0])
    study = found.study(part)
    centre = found.units.to_canonical(np.zeros((1, 3)))[0]
    upright = study.tried.turns & (np.abs(study.tried.axis[:, 2]) > 0.999)
    apart = np.linalg.norm((study.tried.pivot - centre)[upright][:, :2], axis=1)
    assert apart.min() < 0.005
    listed = list_possible_motions(found, np.array([part]))
    own = listed.features[:, POSSIBLE_FEATURES.index("round_rest")]
    rows = np.flatnonzero(upright)
    assert own[rows[apart.argmin()]] > 0  # the pin belongs to the rest, and the turn slips along it
    assert np.all(own[~study.tried.turns] == 0)


def test_lines_that_are_tried_already_are_not_tried_again():
    found = Hypotheses.of(merge([make_open_case(), place_box(0.9, 0.9, 0.3, 0, 0, 0)]))
    part = next(part for part in range(len(found.members)) if found.study(part) is not None)
    study = found.study(part)
    tried = propose_candidates(study.piece, study.contact)
    turn = int(np.flatnonzero(tried.turns)[0])
    again = propose_lines(study.piece, tried, tried.axis[[turn]], tried.pivot[[turn]])
    assert again.count == 0
    away = propose_lines(study.piece, tried, tried.axis[[turn]], tried.pivot[[turn]] + [0.31, 0.17, 0.23])
    assert away.count == 1 and join_candidates(tried, away).count == tried.count + 1


def test_parts_that_overlap_exclude_each_other_and_inner_ones_need_better_odds():
    area = np.ones(6)
    whole, left, right, across, inner = (
        np.isin(np.arange(6), units) for units in ([0, 1, 2, 3, 4], [0, 1, 2], [3, 4], [2, 3], [0])
    )
    assert relate_parts(left, right, area) == "apart"
    assert relate_parts(left, across, area) == "overlap"
    assert relate_parts(inner, left, area) == "nested" == relate_parts(whole, left, area)
    members = np.stack([left, right, across, inner])
    assert select_members(np.array([2.0, 1.0, 1.5, 0.5]), members, area, 0.0, 0.0).tolist() == [0, 1, 3]
    assert select_members(np.array([2.0, 1.0, 1.5, 0.5]), members, area, 0.0, 1.0).tolist() == [0, 1]
    assert select_members(np.array([-2.0, -1.0, -1.5, -0.5]), members, area, 0.0, 1.0).tolist() == []
    assert label_units(np.stack([left, inner]), area).tolist() == [2, 1, 1, 0, 0, 0]


def test_hypotheses_that_are_tried_are_the_likeliest_and_no_two_are_nearly_the_same():
    thing = procedural.make("drawer_cabinet", 1).articulation
    found = Hypotheses.of(Mesh(thing.mesh.vertices, thing.mesh.faces, up="z"))
    chosen, odds = choose_likely(found), load_ranker().judge_parts(found.features)
    assert chosen[0] == odds.argmax() and np.all(np.diff(odds[chosen]) <= 0)
    area, members = found.units.area, found.members[chosen]
    overlap = (members * area) @ members.T / np.array([[area[a | b].sum() for a in members] for b in members])
    assert np.all(overlap[~np.eye(len(chosen), dtype=bool)] < 0.9)


def test_a_piece_that_moves_as_what_carries_it_is_no_part_of_its_own():
    def move(units: list[int], turns: bool, axis: list[float], pivot: list[float]) -> PartMotion:
        members = np.isin(np.arange(5), units)
        return PartMotion(members, turns, np.array(axis), np.array(pivot), 0.0, (1.0, 0.0), 0.1, 0.2, 0.5)

    cap, x, z = [0, 1, 2], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    outer, slide = move(cap, True, z, [0.2, 0, 0]), move(cap, False, x, [0, 0, 0])
    assert is_carried_alike(move([0], True, [0.0, 0.0, -1.0], [0.2, 0, 0.4]), outer)
    assert is_carried_alike(move([0, 1], False, x, [0.3, 0.3, 0]), slide)
    others = [move([0], True, z, [0.3, 0, 0]), move([0], True, x, [0.2, 0, 0]), move([0], False, z, [0.2, 0, 0]), outer,
              move([3], True, z, [0.2, 0, 0])]  # fmt: skip
    assert not any(is_carried_alike(other, outer) for other in others)


def test_odds_are_sums_of_exponentials_in_numpy_and_torch():
    generator = np.random.default_rng(0)
    score, owner = generator.normal(size=40) * 5, np.sort(generator.integers(0, 5, 40))
    plain = [np.log(np.exp(score[owner == k]).sum()) for k in range(5)]
    assert np.allclose(sum_log_odds(score, owner, np.arange(5)), plain)
    assert np.allclose(add_exponentials(torch.tensor(score)[None], torch.tensor(owner), 5)[0], plain)


def test_the_true_motion_of_a_made_drawer_is_among_those_that_are_tried():
    from neurok.evaluate.rankers.motion_lists import gather_motions

    thing = procedural.make("drawer_cabinet", 1).articulation
    lists = gather_motions(thing.mesh, thing)
    assert lists["overlap"].shape == (len(lists["reachable"]), len(lists["starts"]) - 1)
    best = lists["overlap"].argmax(axis=1)
    assert (lists["overlap"].max(axis=1) > 0.9).any()
    hypothesis = int(best[lists["overlap"].max(axis=1).argmax()])
    mine = slice(lists["starts"][hypothesis], lists["starts"][hypothesis + 1])
    share, turns = lists["share"][mine], lists["turns"][mine]
    assert share.max() > 0.99 and not turns[share.argmax()]
    rest = gather_motions(
        make_plain_mesh(thing.mesh.vertices, thing.mesh.faces, "z", np.random.default_rng(0)).mesh, None
    )
    assert rest["overlap"].shape[0] == 0 and not rest["share"].any()
