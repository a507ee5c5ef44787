"""What targets mean, where the answer is known: closed forms, exact motions, and a drawer that was pulled."""

import numpy as np
import pytest

from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.rigid import exp_twist
from neurok.geometry.surface import sample_even
from neurok.proposals.assignment import AssignedPart, Assignment, carry_points
from neurok.proposals.candidates import Candidates
from neurok.proposals.choice import TEMPERATURE, choose_option, compare_options
from neurok.proposals.correspondence import assign_corresponding
from neurok.proposals.drag import assign_drag, list_partitions
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.options import Options, fit_amounts
from neurok.proposals.registration import SurfaceTarget, register_surface
from tests.boxes import make_open_case, place_box


@pytest.fixture(scope="module")
def chest() -> tuple[Hypotheses, np.ndarray]:
    """A case with a drawer, and which of its units are the drawer's."""
    pieces = [make_open_case(), place_box(0.9, 0.9, 0.3, 0, 0, 0)]
    mesh = merge(pieces)
    found = Hypotheses.of(Mesh(mesh.vertices, mesh.faces, up="z"))
    label = np.repeat([0, 1], [p.face_count for p in pieces])
    drawer = np.array([label[found.units.face == unit].all() for unit in range(found.units.count)])
    return found, drawer


def _pull(found: Hypotheses, drawer: np.ndarray, twist: list[float]) -> tuple[np.ndarray, ...]:
    units = found.units
    moved = Assignment((AssignedPart(drawer, np.array(twist)),), units.count)
    return units.points, units.owner, moved.move_points(units.points, units.owner)


def test_amounts_are_the_best_of_a_fine_grid():
    generator = np.random.default_rng(1)
    axis = generator.normal(size=(6, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    pivot = generator.normal(size=(6, 3))
    turns = np.array([True, True, True, True, False, False])
    tried = Candidates(turns, axis, pivot, np.zeros((6, 2)), np.zeros(6, dtype=bool))
    points, goals = generator.normal(size=(2, 3, 3))
    best = fit_amounts(tried, points, goals)
    grid = np.linspace(-np.pi, np.pi, 20001)
    for number, screw in enumerate(tried.screws()):
        error = ((carry_points(grid[:, None] * screw, points) - goals) ** 2).sum(axis=(1, 2))
        assert abs(grid[error.argmin()] - best[number]) < 1e-3


def test_corresponding_points_give_the_exact_motion(chest):
    found, drawer = chest
    twist = [0.05, -0.3, 0.02, 0.2, 0.1, -0.3]
    points, unit, goals = _pull(found, drawer, twist)
    moved = assign_corresponding(found, unit, points, goals, 16)
    assert len(moved.moved) == 1
    assert np.array_equal(moved.moved[0].members, drawer)
    assert np.abs(exp_twist(moved.moved[0].twist[None]) - exp_twist(np.array([twist]))).max() < 1e-9


def test_a_surface_tells_how_far_the_drawer_is_open(chest):
    found, drawer = chest
    pulled = Assignment((AssignedPart(drawer, np.array([0.0, -0.2, 0.0, 0.0, 0.0, 0.0])),), found.units.count)
    corners = found.units.mesh.vertices[found.units.mesh.faces].reshape(-1, 3)
    there = pulled.move_points(corners, np.repeat(found.units.face, 3))
    surface = Mesh(there, np.arange(len(there)).reshape(-1, 3))
    samples = sample_even(surface, 8192, np.random.default_rng(3))
    moved = register_surface(found, SurfaceTarget.of(samples.position, samples.normal), 4)
    expected = pulled.move_points(found.units.points, found.units.owner)
    error = np.linalg.norm(moved.move_points(found.units.points, found.units.owner) - expected, axis=1)
    assert np.sqrt((error**2).mean()) < 0.01


def test_a_surface_at_rest_moves_nothing(chest):
    found, _ = chest
    samples = sample_even(found.units.mesh, 8192, np.random.default_rng(3))
    assert register_surface(found, SurfaceTarget.of(samples.position, samples.normal), 4).moved == ()


def test_a_pulled_point_of_the_drawer_opens_the_drawer(chest):
    found, drawer = chest
    front = int(np.flatnonzero(drawer[found.units.owner])[found.units.points[drawer[found.units.owner], 1].argmin()])
    point, unit = found.units.points[[front]], found.units.owner[[front]]
    moved = assign_drag(found, unit, point, point + [0.0, -0.2, 0.0])
    assert [part.members.tolist() for part in moved.moved] == [drawer.tolist()]
    assert np.abs(moved.moved[0].twist - [0.0, -0.2, 0.0, 0.0, 0.0, 0.0]).max() < 1e-6


def test_points_are_shared_out_in_all_ways():
    found = Hypotheses.of(make_open_case())
    ways = list_partitions(found, np.array([0, 1, 2]))
    assert sorted(sorted(way) for way in ways) == [
        [(0,), (1,), (2,)], [(0,), (1, 2)], [(0, 1), (2,)], [(0, 1, 2)], [(0, 2), (1,)],
    ]  # fmt: skip


def test_the_last_part_lies_over_the_others():
    inner, outer = np.array([True, False, False]), np.array([True, True, False])
    moved = Assignment((AssignedPart(outer, np.array([1.0, 0, 0, 0, 0, 0])), AssignedPart(inner, np.zeros(6))), 3)
    assert moved.owner.tolist() == [1, 0, -1]
    assert moved.move_points(np.zeros((3, 3)), np.arange(3))[:, 0].tolist() == [0.0, 1.0, 0.0]


def test_options_are_compared_by_the_motion_that_each_recovers_of_another():
    still, half, whole, back = np.zeros(6), np.full(6, 0.5), np.ones(6), np.full(6, -3.0)
    found = compare_options(np.stack([half, whole, back, still]))
    assert np.allclose(found[:, 1], [0.5, 1.0, -1.0, 0.0])  # where the whole way is the truth; back is cut off
    assert np.allclose(np.diag(found)[:3], 1.0)


def test_options_that_agree_outvote_one_that_is_a_little_likelier(chest):
    """Two options of one motion have a chance of .29 each, a third, that goes the other way, of .42."""
    found, drawer = chest
    part = int(np.flatnonzero((found.members == drawer).all(axis=1))[0])
    way = np.array([[0.0, -0.3, 0.0, 0, 0, 0], [0.0, -0.31, 0.0, 0, 0, 0], [0.0, 0.3, 0.0, 0, 0, 0]])
    options = Options(np.full(3, part), way, np.zeros((3, 1)))
    chance = np.array([0.29, 0.29, 0.42])
    assert choose_option(found, options, TEMPERATURE * np.log(chance)) in (0, 1)
    sure = np.array([0.01, 0.01, 0.98])
    assert choose_option(found, options, TEMPERATURE * np.log(sure)) == 2
