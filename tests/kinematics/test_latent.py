"""The learned state space of plain meshes: exact at rest, whatever the mesh; skins, modes and groups by hand."""

import numpy as np
import pytest
import torch

from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, sphere
from neurok.geometry.surface import at_vertices, sample_stratified
from neurok.kinematics.bilateral import bilateral_skin, rigid_groups, torn_corners, vertex_handles
from neurok.kinematics.latent import LearnedOptions, latent
from neurok.kinematics.modes import LEAST_RADIUS, Modes, completed, mode_products, ordered_modes, twist_roots
from neurok.networks.basis import Size
from neurok.networks.handles import HandlesModel


@pytest.fixture(scope="module", params=["mechanism", "body"])
def model(request):
    """A small network of random weights: what it says is nonsense, and must still be a state space; of either kind."""
    return random_model(bends=request.param == "body")


def random_model(*, bends: bool) -> HandlesModel:
    torch.manual_seed(6)
    model = HandlesModel(Size(32, 2, 1, 1)).eval().requires_grad_(False)
    model.network.bends.layers[-1].bias.fill_(100.0 if bends else -100.0)
    return model


def two_boxes() -> Mesh:
    lid = transform(box(1.0, 0.8, 0.1), np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.4], [0, 0, 0, 1.0]]))
    return merge([box(1.0, 0.8, 0.5), lid])


MESHES = {
    "two boxes": two_boxes(),
    "a sphere": sphere(1.0),
    "one triangle": Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])),
    "a soup": Mesh(np.random.default_rng(0).normal(size=(300, 3)), np.arange(300).reshape(-1, 3)),
    "two triangles far apart": Mesh(
        np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1000, 0, 0], [1001, 0, 0], [1000, 1, 0]]),
        np.arange(6).reshape(2, 3),
    ),
    "far away and tiny": Mesh(two_boxes().vertices * 1e-4 + 1e3, two_boxes().faces),
}


def test_a_vertex_left_behind_changes_no_state(model):
    plain = two_boxes()
    stray = Mesh(np.concatenate([plain.vertices, [[9.0, 9.0, 9.0]]]), plain.faces, up=plain.up)
    one, other = (latent(mesh, model, LearnedOptions(point_count=256)) for mesh in (plain, stray))
    for q in one.prior.sample(3, torch.Generator().manual_seed(0)):
        shapes = [space.positions(q, at_vertices(space.mesh)).numpy() for space in (one, other)]
        np.testing.assert_allclose(shapes[1][:-1], shapes[0], atol=1e-9)


@pytest.mark.parametrize("name", MESHES)
def test_rest_is_the_mesh_and_all_states_are_finite(name, model):
    mesh = MESHES[name]
    space = latent(mesh, model, LearnedOptions(point_count=256))
    where = at_vertices(mesh)
    rest = space.positions(space.rest, where).numpy()
    assert np.abs(rest - mesh.vertices).max() < 1e-6 * mesh.diagonal
    for q in space.prior.sample(4, torch.Generator().manual_seed(0)):
        assert np.all(np.isfinite(space.positions(q, where).numpy()))
    assert space.skin.weights.sum(axis=1) == pytest.approx(np.ones(mesh.vertex_count))
    assert (space.skin.weights > 0).sum(axis=1).max() <= 4


def test_place_and_size_of_the_file_do_not_matter(model):
    """Moved and scaled, the same object has the same states, moved and scaled."""
    mesh = two_boxes()
    T = np.diag([20.0, 20.0, 20.0, 1.0])
    T[:3, 3] = [3.0, -5.0, 7.0]
    one, other = (
        latent(mesh, model, LearnedOptions(point_count=256)),
        latent(transform(mesh, T), model, LearnedOptions(point_count=256)),
    )
    q = one.prior.sample(1, torch.Generator().manual_seed(1))[0]
    here, there = (s.positions(q, at_vertices(s.mesh)).numpy() for s in (one, other))
    assert np.abs(here * 20.0 + T[:3, 3] - there).max() < 1e-5 * other.mesh.diagonal


def test_up_axis_does_not_matter(model):
    """The same object with another upward axis is the same object turned."""
    from neurok.geometry.placement import quarter_turn

    mesh = two_boxes()
    turn = quarter_turn("z", "y")
    z_up = Mesh(mesh.vertices, mesh.faces, up="z")
    y_up = Mesh(mesh.vertices @ turn.T, mesh.faces, up="y")
    one, other = (
        latent(z_up, model, LearnedOptions(point_count=256)),
        latent(y_up, model, LearnedOptions(point_count=256)),
    )
    q = one.prior.sample(1, torch.Generator().manual_seed(1))[0]
    here, there = (s.positions(q, at_vertices(s.mesh)).numpy() for s in (one, other))
    assert np.abs(here @ turn.T - there).max() < 1e-5 * mesh.diagonal


# ---------------------------------------------------------------- modes, groups and skins by hand


@pytest.fixture(scope="module")
def sampled():
    """Two boxes, one handle on each half of either: 4 handles."""
    mesh = two_boxes()
    mesh = Mesh(mesh.vertices / mesh.diagonal, mesh.faces)
    patch = np.where(mesh.vertices[mesh.faces][:, :, 2].mean(axis=1) > 0.2, 1, 0)
    where = sample_stratified(mesh, patch, 400, np.random.default_rng(0))
    owner = 2 * patch[where.face] + (where.position[:, 0] > 0)
    anchor = np.array([np.flatnonzero(owner == h)[0] for h in range(4)])
    return mesh, patch, where, Handles(anchor, owner)


def test_modes_that_say_the_same_become_one(sampled):
    _, _, where, placed = sampled
    twist = np.zeros((4, 3, 6))
    twist[2:, 0, 0] = 0.3  # the lid slides
    twist[2:, 1, 0] = -0.4  # the lid slides, told once more
    twist[:2, 2, 1] = 0.1  # the box slides
    sides = np.array([[0.0, 2.0], [3.0, 0.0], [1.0, 1.0]])
    modes = ordered_modes(Modes(twist, sides, np.array([0.5, 0.25, 0.25])), where, placed)
    assert modes.count == 2
    assert np.abs(modes.twist[2:, 0, 0]) == pytest.approx(0.5)  # independent draws add up as squares
    assert np.abs(modes.twist[:2, 1, 1]) == pytest.approx(0.1)
    products = mode_products(modes.twist, where, placed)
    share = where.area[placed.owner >= 2].sum() / where.area.sum()
    assert products[0, 0] == pytest.approx(0.25 * share)
    assert products[0, 1] == pytest.approx(0.0, abs=1e-12)
    # One went 0.6 that way, the other, told the other way round, 1.2: by their weights 9 : 16, in deviations of 0.5.
    ahead = modes.sides[0] if modes.twist[2, 0, 0] > 0 else modes.sides[0][::-1]
    assert ahead == pytest.approx([0.0, (9 * 0.6 + 16 * 1.2) / 25 / 0.5])
    assert modes.support.tolist() == [0.75, 0.25]


def test_what_modes_leave_out_is_completed_by_its_leading_directions(sampled):
    _, _, where, placed = sampled
    area = np.bincount(placed.owner, where.area, 4)
    centre = np.stack([np.bincount(placed.owner, where.area * x, 4) for x in where.position.T], axis=1) / area[:, None]
    root = twist_roots(centre, np.zeros((4, 3, 3)), area)
    first, others = np.zeros((4, 1, 6)), np.zeros((4, 4, 6))
    first[2:, 0, 0] = 0.3  # the lid slides
    others[2:, 0, 0] = -0.02  # told once more: nothing new
    others[2:, 1, 1] = 0.04  # across
    others[2:, 2, 1] = 0.03  # across, once more: independent draws, 0.05 in all
    others[:2, 3, 2] = 0.01  # the box rises
    modes = completed(Modes(first, np.ones((1, 2)), np.ones(1)), others, root, 16)
    assert modes.count == 3 and modes.support.tolist() == [1.0, 0.0, 0.0]
    want = np.zeros((4, 2, 6))
    want[2:, 0, 1], want[:2, 1, 2] = 0.05, 0.01
    sign = np.sign([modes.twist[2, 1, 1], modes.twist[0, 2, 2]])
    np.testing.assert_allclose(modes.twist[:, 1:] * sign[:, None], want, atol=1e-12)
    assert completed(Modes(first, np.ones((1, 2)), np.ones(1)), others, root, 2).count == 2
    none = Modes(first[:, :0], np.ones((0, 2)), np.ones(0))  # sure of nothing: all of it is only possible
    assert completed(none, others, root, 16).support.tolist() == [0.0, 0.0, 0.0]


def test_roots_of_twists_measure_how_far_a_ball_of_points_goes(sampled):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5000, 3)) * [0.1, 0.05, 0.2] + [0.3, -0.2, 0.1]
    centre = x.mean(axis=0)
    root = twist_roots(centre[None], np.cov(x.T, bias=True)[None], np.ones(1))[0]
    twist = rng.normal(size=6)
    moved = twist[:3] + np.cross(twist[3:], x)
    small = LEAST_RADIUS**2 * (twist[3:] ** 2).sum()
    assert ((root @ twist) ** 2).sum() == pytest.approx((moved**2).sum(axis=1).mean() + small, rel=1e-9)


def test_handles_that_move_alike_move_as_one(sampled):
    _, _, where, placed = sampled
    twist = np.zeros((4, 1, 6))
    twist[2, 0, 0], twist[3, 0, 0] = 0.30, 0.31
    found, group = rigid_groups(twist, where, placed)
    assert group[2] == group[3] != group[0] == group[1]
    assert np.array_equal(found[2], found[3]) and 0.30 < found[2, 0, 0] < 0.31
    assert np.array_equal(found[0], found[1])
    twist[3, 0, 0] = 0.6  # too different to be one
    assert len(set(rigid_groups(twist, where, placed)[1])) == 3


def test_a_skin_blends_what_moves_alike_and_keeps_apart_what_does_not(sampled):
    mesh, patch, where, placed = sampled
    top = mesh.vertices[:, 2] > 0.2
    own, anchor = vertex_handles(mesh, patch, where, placed), where.position[placed.anchor]
    twist = np.zeros((4, 1, 6))
    twist[2:, 0, 0] = 0.5
    joints, weights = bilateral_skin(mesh.vertices, own, anchor, twist)
    on_lid = np.where(joints >= 2, weights, 0.0).sum(axis=1)
    assert on_lid == pytest.approx(top.astype(float), abs=1e-12)
    bend = twist.copy()
    bend[3, 0, 0] = 0.53  # the lid's halves hardly differ: it bends instead of breaking
    joints, weights = bilateral_skin(mesh.vertices, own, anchor, bend)
    assert np.all((np.where(joints >= 2, weights, 0.0) > 0).sum(axis=1)[top] == 2)


def test_faces_of_two_parts_come_apart_where_they_share_vertices():
    """A box whose upper half slides: its middle ring of vertices is doubled, all else stays."""
    mesh = box(1.0, 1.0, 1.0, cells=4)
    mesh = Mesh(mesh.vertices / mesh.diagonal, mesh.faces)
    high = mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 0
    patch = high.astype(int)
    where = sample_stratified(mesh, patch, 200, np.random.default_rng(0))
    owner = patch[where.face]
    placed = Handles(np.array([np.flatnonzero(owner == h)[0] for h in range(2)]), owner)
    twist = np.zeros((2, 1, 6))
    twist[1, 0, 0] = 0.5
    own = vertex_handles(mesh, patch, where, placed)
    corners = torn_corners(mesh, patch, where, placed, twist, np.array([0, 1]), own)
    ring = np.abs(mesh.vertices[:, 2]) < 1e-9
    assert ring.sum() == 16
    leaving = np.unique(mesh.faces[corners > 0])
    assert set(leaving) == set(np.flatnonzero(ring))
    assert np.all(corners[(corners > 0).any(axis=1)].max(axis=1) == (patch + 1)[(corners > 0).any(axis=1)])


def test_what_mends_axes_is_for_fits_and_never_drawn():
    space = latent(
        two_boxes(), random_model(bends=False), LearnedOptions(point_count=256, handle_count=96, purpose="fit")
    )
    mends = space.prior.is_correction
    assert mends.any() and not mends.all() and not mends[space.prior.corrects[mends]].any()
    draws = space.prior.sample(200, torch.Generator().manual_seed(0)).numpy()
    assert np.all(draws[:, mends] == 0.0) and np.all(np.any(draws != 0.0, axis=1))
    assert not latent(two_boxes(), random_model(bends=False), LearnedOptions(point_count=256)).prior.is_correction.any()
