"""Bodies that bend: fits in their space against a bar bent by formula, and what a hand takes along."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neurok.geometry.mesh import merge
from neurok.geometry.metrics import motion_recovered
from neurok.geometry.placement import transform
from neurok.geometry.primitives import box
from neurok.geometry.surface import at_vertices, find_nearest
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.learned.pipeline import learn_space
from neurok.kinematics.learned.soft import _smooth_skin
from neurok.mechanics.conditions import Conditions, Pin
from neurok.mechanics.inverse import fit
from neurok.mechanics.simulate import animate
from neurok.mechanics.springs import MAX_SAG
from neurok.networks.basis import BasisSize
from neurok.networks.handles import HandlesModel
from neurok.opening import kinematics

OPTIONS = LearnedOptions()


@pytest.fixture(scope="module")
def model():
    """A network that knows nothing but that everything bends."""
    torch.manual_seed(0)
    model = HandlesModel(BasisSize(32, 2, 1, 1)).eval().requires_grad_(False)
    model.network.bends.layers[-1].bias.fill_(100.0)
    return model


@pytest.fixture(scope="module")
def bar():
    return box(1.0, 0.12, 0.12, cells=12)


@pytest.fixture(scope="module")
def space(bar, model):
    return learn_space(bar, model, LearnedOptions(purpose="fit"))


def bent(bar, angle):
    """The bar as an arc of so many radians about y, its middle where it was and as it was."""
    x, y, z = bar.vertices.T
    radius = 1.0 / angle
    middle = 0.5 * (x.min() + x.max())
    turn = (x - middle) * angle
    arc = np.stack([middle + (radius - z) * np.sin(turn), y, radius - (radius - z) * np.cos(turn)], axis=1)
    # A body does not move as a whole: the mean of its surface stays.
    where = at_vertices(bar)
    return arc - np.average(arc - bar.vertices, axis=0, weights=where.area)


def test_coordinates_are_few_to_move_by_and_many_to_fit_by(bar, model, space):
    few = learn_space(bar, model)
    assert few.size == OPTIONS.coordinate_count
    assert OPTIONS.handle_count < space.size <= OPTIONS.handle_count + OPTIONS.coordinate_count
    assert few.skin.bone_count == OPTIONS.soft_handle_count < space.skin.bone_count == OPTIONS.handle_count
    assert not any(each.prior.is_sparse for each in (few, space, FloatingBase(few)))
    q = few.prior.sample(200, torch.Generator().manual_seed(0))
    assert (q.abs() > 1e-9).all() and (few.admit(q[0]) == q[0]).all()
    assert q.std(dim=0).numpy() == pytest.approx(np.ones(OPTIONS.coordinate_count), abs=0.2)


def test_a_bent_bar_is_met_by_corresponding_points(bar, space):
    target = bent(bar, 1.2)
    found = fit(space, target, corresponding=True)
    assert motion_recovered(bar.vertices, target, found.mesh.vertices) > 0.95


def test_a_bent_bar_is_met_by_its_surface_alone(bar, space):
    target = bar.with_vertices(bent(bar, 0.8))
    found = fit(space, target)
    assert motion_recovered(bar.vertices, target.vertices, found.mesh.vertices) > 0.85


def test_pieces_do_not_drag_each_other_by_their_skin(model):
    """Two sheets, one close above the other: each follows handles of its own."""
    sheet = box(1.0, 1.0, 0.002, cells=8)
    above = transform(sheet, np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.04], [0, 0, 0, 1.0]]))
    space = learn_space(merge([sheet, above]), model)
    seats = space.skin.frames[space.skin.joints][..., 2, 3] > 0.02
    mine = space.mesh.vertices[:, 2] > 0.02
    assert np.abs(np.where(seats == mine[:, None], 0.0, space.skin.weights)).max() == 0.0


def test_weights_change_without_a_jump():
    """Along a line past many handles, weights change half as much between points that lie half as far apart."""
    anchor = np.random.default_rng(0).uniform(-0.5, 0.5, (60, 3))
    changes = []
    for count in (4000, 8000):
        line = np.linspace([-0.5, -0.3, -0.2], [0.5, 0.3, 0.2], count)
        joints, weights = _smooth_skin(line, np.zeros(count, dtype=int), anchor, np.zeros(60, dtype=int))
        dense = np.zeros((count, 60))
        np.put_along_axis(dense, joints, weights, axis=1)
        assert dense.sum(axis=1) == pytest.approx(np.ones(count))
        changes.append(np.abs(np.diff(dense, axis=0)).max())
    assert changes[1] < 0.6 * changes[0]


def test_a_hand_takes_along_what_is_near(bar, space):
    end = find_nearest(bar, np.array([[0.5, 0.0, 0.0]]))
    move = np.array([[0.0, 0.0, 0.15]])
    found = fit(space, end.position + move, where=end)
    moved = np.linalg.norm(found.mesh.vertices - bar.vertices, axis=1)
    x = bar.vertices[:, 0]
    assert np.median(moved[x > 0.45]) > 0.1
    assert np.median(moved[np.abs(x) < 0.1]) < 0.3 * np.median(moved[x > 0.45])


def test_it_moves_and_keeps_its_energy(bar, model):
    """A conservative swing of the softest mode by implicit midpoint."""
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.simulate import animate

    space = kinematics(bar, model)
    start = np.zeros(space.size)
    start[OPTIONS.coordinate_count // 2] = 1.0  # the first after what was learned
    trajectory = animate(space, Conditions(seconds=2.0, damping=0.0, state=tuple(start)))
    assert trajectory.kinetic.max() > 0.3 * np.ptp(trajectory.potential)
    assert trajectory.drift < 0.01


def test_far_from_the_origin_of_its_file_it_moves_the_same(bar, model):
    """Rounding is larger there: steps must not be halved for it."""
    from neurok.mechanics.conditions import Conditions
    from neurok.mechanics.simulate import animate

    far = np.eye(4)
    far[:3, 3] = 300.0
    start = (
        (0.0,) * (OPTIONS.coordinate_count // 2)
        + (1.0,)
        + (0.0,) * (OPTIONS.coordinate_count - OPTIONS.coordinate_count // 2 - 1)
    )
    here, there = (
        animate(learn_space(mesh, model), Conditions(seconds=0.2, state=start)) for mesh in (bar, transform(bar, far))
    )
    assert "halved" not in there.status
    assert there.states == pytest.approx(here.states, abs=1e-3)


def test_how_far_a_body_sags_is_a_share_of_its_size(bar, model):
    """Under its own weight, at rest in the end: the same shape at any size, where one hertz would fold the small."""
    sags = []
    for size in (0.02, 0.3):
        small = learn_space(bar.with_vertices(size * bar.vertices), model)
        ends = [(x, 0.0, 0.0) for x in (-0.5 * size, 0.5 * size)]
        still = Conditions(
            gravity=(0, 0, -9.81), pins=tuple(map(Pin, ends)), seconds=40 * np.sqrt(size), fps=4, damping=4 / size**0.5
        )
        end = animate(small, still).motion()
        sags.append(np.abs(end.frame(end.frame_count - 1) - small.mesh.vertices).max() / small.mesh.diagonal)
    assert sags[0] == pytest.approx(sags[1], rel=0.05)
    assert 0.005 < sags[0] < 3 * MAX_SAG


def test_the_farther_a_pull_the_farther_it_goes(bar, model):
    """Beyond all reach it goes to the end of what it can, not back to rest."""
    space = learn_space(bar, model, LearnedOptions(purpose="fit"))
    went = []
    for far in (0.3, 1.0, 10.0, 1e6):
        found = fit(space, pulls=[((0.5, 0.0, 0.0), (0.0, 0.0, far))])
        went.append((found.mesh.vertices - bar.vertices)[:, 2].max())
    assert all(later > 0.98 * earlier > 0.1 for earlier, later in zip(went, went[1:]))


def test_what_stands_in_the_ground_is_not_held_up_by_it(bar, model):
    """A fixed body below the ground sags as with no ground at all; one that is half below it sags as well."""
    space, fall = learn_space(bar, model), Conditions(gravity=(0, -9.81, 0), seconds=0.2, fps=20)
    free, below, half = (
        animate(space, c) for c in (fall, *(replace(fall, ground=True, ground_height=h) for h in (1.0, 0.0)))
    )
    ends = [trajectory.motion().frame(4) for trajectory in (free, below, half)]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-12)
    assert "halved" not in half.status and "limited" not in half.status
    assert np.abs(ends[2] - bar.vertices).max() > 0.01
