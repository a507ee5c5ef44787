"""The learned state space of plain meshes: exact at rest, whatever the mesh; skins, modes and groups by hand."""

import numpy as np
import pytest
import torch

from neurok.geometry.handle_metric import measure_handles
from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Mesh, merge
from neurok.geometry.observation import Observation
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box, sphere
from neurok.geometry.surface import at_vertices, sample_stratified
from neurok.kinematics.learned.groups import compare_handles, group_handles
from neurok.kinematics.learned.modes import choose_sure_modes, make_modes, merge_modes
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.learned.pipeline import learn_space
from neurok.kinematics.learned.skin import blend_handles, find_split_corners, find_vertex_handles
from neurok.networks.basis import BasisSize
from neurok.networks.handles import HandlesModel


@pytest.fixture(scope="module", params=["mechanism", "body"])
def model(request):
    """A small network of random weights: what it says is nonsense, and must still be a state space; of either kind."""
    return random_model(bends=request.param == "body")


def random_model(*, bends: bool) -> HandlesModel:
    torch.manual_seed(6)
    model = HandlesModel(BasisSize(32, 2, 1, 1)).eval().requires_grad_(False)
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
    one, other = (learn_space(mesh, model, LearnedOptions(point_count=256)) for mesh in (plain, stray))
    for q in one.prior.sample(3, torch.Generator().manual_seed(0)):
        shapes = [space.positions(q, at_vertices(space.mesh)).numpy() for space in (one, other)]
        np.testing.assert_allclose(shapes[1][:-1], shapes[0], atol=1e-9)


@pytest.mark.parametrize("name", MESHES)
def test_rest_is_the_mesh_and_all_states_are_finite(name, model):
    mesh = MESHES[name]
    space = learn_space(mesh, model, LearnedOptions(point_count=256))
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
        learn_space(mesh, model, LearnedOptions(point_count=256)),
        learn_space(transform(mesh, T), model, LearnedOptions(point_count=256)),
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
        learn_space(z_up, model, LearnedOptions(point_count=256)),
        learn_space(y_up, model, LearnedOptions(point_count=256)),
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
    surface = Observation(np.eye(4), mesh, where, patch, patch, np.zeros((2, 2, 4)))
    return surface, Handles(anchor, owner), measure_handles(where.position, where.area, owner, 4)


OPTIONS = LearnedOptions()


def test_modes_that_say_the_same_become_one(sampled):
    surface, handles, metric = sampled
    where = surface.samples
    twist = np.zeros((4, 3, 6))
    twist[2:, 0, 0] = 0.3  # the lid slides
    twist[2:, 1, 0] = -0.4  # the lid slides, told once more
    twist[:2, 2, 1] = 0.1  # the box slides
    extent = np.array([[0.0, 2.0], [3.0, 0.0], [1.0, 1.0]])
    modes = merge_modes(make_modes(twist, extent, np.array([0.5, 0.25, 0.25])), metric, OPTIONS)
    assert modes.count == 2
    assert np.abs(modes.twist[2:, 0, 0]) == pytest.approx(0.5)  # independent draws add up as squares
    assert np.abs(modes.twist[:2, 1, 1]) == pytest.approx(0.1)
    products = metric.products(modes.twist, modes.twist)
    share = where.area[handles.owner >= 2].sum() / where.area.sum()
    assert products[0, 0] == pytest.approx(0.25 * share, rel=1e-6)
    assert products[0, 1] == pytest.approx(0.0, abs=1e-12)
    # One went 0.6 that way, the other, told the other way round, 1.2: by their weights 9 : 16, in deviations of 0.5.
    ahead = modes.extent[0] if modes.twist[2, 0, 0] > 0 else modes.extent[0][::-1]
    assert ahead == pytest.approx([0.0, (9 * 0.6 + 16 * 1.2) / 25 / 0.5])
    assert modes.support.tolist() == [0.75, 0.25]


def test_what_few_views_see_is_taken_only_where_nothing_is_sure():
    seen = make_modes(np.ones((4, 3, 6)), np.ones((3, 2)), np.array([1.0, 0.25, 0.5]))
    assert choose_sure_modes(seen, OPTIONS).support.tolist() == [1.0, 0.5]
    assert choose_sure_modes(seen, LearnedOptions(coordinate_count=1)).support.tolist() == [1.0]
    assert choose_sure_modes(seen.take(slice(1, 2)), OPTIONS).support.tolist() == [0.25]


def test_handles_that_move_alike_move_as_one(sampled):
    metric = sampled[2]
    twist = np.zeros((4, 1, 6))
    twist[2, 0, 0], twist[3, 0, 0] = 0.30, 0.31
    modes, group = group_handles(metric, make_modes(twist, np.ones((1, 2)), np.ones(1)), OPTIONS)
    found = modes.twist
    assert group[2] == group[3] != group[0] == group[1]
    assert np.array_equal(found[2], found[3]) and 0.30 < found[2, 0, 0] < 0.31
    assert np.array_equal(found[0], found[1])
    twist[3, 0, 0] = 0.6  # too different to be one
    assert len(set(group_handles(metric, make_modes(twist, np.ones((1, 2)), np.ones(1)), OPTIONS)[1])) == 3


def test_a_skin_blends_what_moves_alike_and_keeps_apart_what_does_not(sampled):
    surface, handles, metric = sampled
    mesh = surface.mesh
    top = mesh.vertices[:, 2] > 0.2
    own, anchor = find_vertex_handles(surface, handles.anchor), surface.samples.position[handles.anchor]
    twist = np.zeros((4, 1, 6))
    twist[2:, 0, 0] = 0.5
    joints, weights = blend_handles(mesh.vertices, own, anchor, compare_handles(metric, twist, OPTIONS), 0.1)
    on_lid = np.where(joints >= 2, weights, 0.0).sum(axis=1)
    assert on_lid == pytest.approx(top.astype(float), abs=1e-12)
    bend = twist.copy()
    bend[3, 0, 0] = 0.53  # the lid's halves hardly differ: it bends instead of breaking
    joints, weights = blend_handles(mesh.vertices, own, anchor, compare_handles(metric, bend, OPTIONS), 0.1)
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
    surface = Observation(np.eye(4), mesh, where, patch, patch, np.zeros((2, 2, 4)))
    unlike = compare_handles(measure_handles(where.position, where.area, owner, 2), twist, OPTIONS)
    own = find_vertex_handles(surface, placed.anchor)
    corners = find_split_corners(surface, placed.anchor, unlike, np.array([0, 1]), own, 0.1)
    ring = np.abs(mesh.vertices[:, 2]) < 1e-9
    assert ring.sum() == 16
    leaving = np.unique(mesh.faces[corners > 0])
    assert set(leaving) == set(np.flatnonzero(ring))
    assert np.all(corners[(corners > 0).any(axis=1)].max(axis=1) == (patch + 1)[(corners > 0).any(axis=1)])
