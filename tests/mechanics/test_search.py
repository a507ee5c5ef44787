"""The inference recipe on objects whose true state is known: sparse states are found, wrong ones are not."""

import numpy as np
import pytest
import torch

from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.motion import Skin
from neurok.geometry.primitives import box, cylinder
from neurok.geometry.surface import at_vertices, find_nearest, sample_even
from neurok.kinematics.prior import sparse_prior
from neurok.kinematics.twists import Twists
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Quadratic, pose_mesh
from neurok.mechanics.inverse import fit
from neurok.mechanics.search import Beam, list_single_moves, search_states


def chest(spurious: int = 0) -> Twists:
    """A chest: body, lid on a hinge, two drawers; and modes that no joint has, on random parts."""
    rng = np.random.default_rng(4)
    parts = [(box(1.0, 0.6, 0.5), (0, 0, 0)), (box(1.0, 0.1, 0.5), (0, 0.36, 0))]
    parts += [(box(0.4, 0.2, 0.1), (x, 0.0, 0.31)) for x in (-0.25, 0.25)]
    mesh = merge([m.with_vertices(m.vertices + np.array(at)) for m, at in parts])
    part = np.repeat(np.arange(4), [m.vertex_count for m, _ in parts])
    skin = Skin(part[:, None], np.ones((len(part), 1)), tuple("abcd"), np.full(4, -1), np.tile(np.eye(4), (4, 1, 1)))
    basis = np.zeros((4, 6, 3 + spurious))
    hinge = np.array([0.0, 0.31, -0.25])
    basis[1, :3, 0] = -0.8, 0, 0
    basis[1, 3:, 0] = -np.cross(basis[1, :3, 0], hinge)
    basis[2, 5, 1] = basis[3, 5, 2] = 0.15
    for m in range(3, 3 + spurious):
        basis[rng.choice(4, 2, replace=False), :, m] = 0.2 * rng.normal(size=6)
    return Twists(mesh, skin, basis, origin=np.zeros(3))


def state(space: Twists, *values: float) -> np.ndarray:
    return np.concatenate([values, np.zeros(space.size - len(values))])


def test_quadratics_of_many_states_and_sums():
    space = chest(2)
    where = sample_even(space.mesh, 50, np.random.default_rng(0))
    carrier, (shares,) = carry(space, [where])
    goal = Quadratic.from_targets(shares, np.full(50, 0.02), where.position + 0.1)
    states = space.prior.sample(7, torch.Generator().manual_seed(0)).numpy()
    rows = carrier.compute_rows(space, states)
    one_by_one = [goal.evaluate(carrier.compute_jet(space, q, 0 * q).value) for q in states]
    np.testing.assert_allclose(goal.evaluate_many(rows), one_by_one, rtol=1e-9)
    np.testing.assert_allclose((goal + goal * 2.0).evaluate_many(rows), 3 * goal.evaluate_many(rows), rtol=1e-9)


def test_single_moves_change_one_coordinate_and_are_admissible():
    space, q = chest(), np.array([0.5, 0.0, 0.0])
    moves = list_single_moves(space, q, (1.0, 2.0, 99.0))
    assert np.all(moves >= space.lower.numpy()) and np.all(moves <= space.upper.numpy())
    assert np.all((moves != q).sum(axis=1) == 1)
    assert any(np.array_equal(m, np.zeros(3)) for m in moves)


def test_search_finds_the_least_of_a_separable_cost():
    space = chest(5)
    wanted = np.array([0.0, 1.0, 0.0, -2.0, 0.0, 0.0, 0.25, 0.0])
    found = search_states(space, lambda states: np.abs(states - wanted).sum(axis=1), Beam(width=2, depth=4))
    np.testing.assert_allclose(found[0], wanted)


@pytest.mark.parametrize("truth", [(1.2, 0.0, 0.0), (0.0, -1.0, 0.0), (-0.04, 0.0, 0.0)])
@pytest.mark.parametrize("count", [1, 3])
def test_drag_moves_the_one_joint_that_explains_it(truth, count):
    space = chest(8)
    q = state(space, *truth)
    where = find_nearest(space.mesh, [[0.4, 0.41, 0.2], [-0.4, 0.36, 0.25], [0.0, 0.41, 0.2]][:count])
    if truth[1]:
        where = find_nearest(space.mesh, [[-0.2, 0.05, 0.36], [-0.4, -0.05, 0.36], [-0.3, 0.09, 0.36]][:count])
    target = space.positions(torch.from_numpy(q), where).numpy()
    found = fit(space, target, where=where)
    np.testing.assert_allclose(found.state, q, atol=0.03)
    assert np.array_equal(np.abs(found.state) > 1e-6, q != 0)


def test_dragging_two_parts_moves_two_coordinates():
    space = chest(8)
    q = state(space, 0.9, 0.0, 1.3)
    where = find_nearest(space.mesh, [[0.4, 0.41, 0.2], [0.2, 0.05, 0.36], [-0.3, 0.41, 0.25]])
    found = fit(space, space.positions(torch.from_numpy(q), where).numpy(), where=where)
    np.testing.assert_allclose(found.state, q, atol=0.03)


def test_corresponding_points_give_every_coordinate_back():
    space = chest(6)
    q = space.prior.sample(1, torch.Generator().manual_seed(1))[0].numpy()
    where = sample_even(space.mesh, 400, np.random.default_rng(0))
    found = fit(space, space.positions(torch.from_numpy(q), where).numpy(), where=where, corresponding=True)
    np.testing.assert_allclose(found.state, q, atol=1e-6)


def test_half_a_turn_is_found():
    mesh = box(1.0, 0.2, 0.1)
    skin = Skin(
        np.zeros((mesh.vertex_count, 1), int), np.ones((mesh.vertex_count, 1)), ("a",), np.array([-1]), np.eye(4)[None]
    )
    basis = np.zeros((1, 6, 1))
    basis[0, 1, 0] = np.pi / 2
    space = Twists(mesh, skin, basis, origin=np.zeros(3))
    q = np.array([2.0])
    found = fit(space, pose_mesh(space, q), corresponding=True)
    np.testing.assert_allclose(found.mesh.vertices, pose_mesh(space, q).vertices, atol=1e-6)


@pytest.mark.parametrize("truth", [(1.3, 0.0, 0.0), (0.0, 1.5, 0.0), (0.8, 0.0, 1.6)])
def test_unordered_surface_gives_the_moving_coordinates_back(truth):
    space = chest(6)
    q = state(space, *truth)
    there = pose_mesh(space, q)
    order = np.random.default_rng(0).permutation(there.face_count)
    corners = there.vertices[there.faces[order]].reshape(-1, 3)
    found = fit(space, Mesh(corners, np.arange(len(corners)).reshape(-1, 3)))
    np.testing.assert_allclose(found.mesh.vertices, there.vertices, atol=0.01)


def test_no_pull_is_rest():
    space = chest(2)
    where = at_vertices(space.mesh).subset(np.array([3, 20]))
    np.testing.assert_array_equal(fit(space, where.position, where=where).state, 0.0)


def test_a_cap_that_turns_nearly_into_itself_is_seen_by_exact_distances():
    """A cap out of round by two hundredths turns by 20 degrees: less than a tenth of what samples are apart."""
    body, cap = cylinder(0.3, 1.0, 64), cylinder(0.2, 0.2, 64)
    cap = cap.with_vertices(cap.vertices * [1.02, 1.0, 1.0] + [0.0, 0.0, 0.6])
    mesh = merge([body, cap])
    part = np.repeat([0, 1], [body.vertex_count, cap.vertex_count])
    skin = Skin(part[:, None], np.ones((len(part), 1)), tuple("ab"), np.full(2, -1), np.tile(np.eye(4), (2, 1, 1)))
    basis = np.zeros((2, 6, 1))
    basis[1, 2, 0] = 0.5  # radians a deviation, about z
    space = Twists(mesh, skin, basis, origin=np.zeros(3), prior=sparse_prior(np.array([[0.0, 2.0]])))
    true = np.array([np.radians(20.0) / 0.5])
    target = pose_mesh(space, true)
    order = np.random.default_rng(0).permutation(target.face_count)
    found = fit(space, Mesh(target.vertices, target.faces[order])).state
    assert found == pytest.approx(true, rel=0.02)
