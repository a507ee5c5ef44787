"""Reduction: directions known by construction come out, orthonormal and by effect; rest and derivatives are the
inner space's."""

import numpy as np
import pytest
import torch

from neurok.errors import OptionError
from neurok.evaluate.methods import reduction
from neurok.evaluate.methods.reduction import Reduced, average_products, find_active_directions, reduce_space
from neurok.geometry.motion import Skin
from neurok.geometry.primitives import box
from neurok.geometry.surface import sample_even
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.ball import ball_radius
from neurok.kinematics.jet import forward_jet
from neurok.kinematics.twists import Twists
from tests.kinematics.test_kinematics import twists
from tests.mechanics.objects import chain


def slides(scales) -> tuple[Twists, np.ndarray]:
    """A box that slides along coordinates of different reach, mixed by a rotation: what moves it most is known."""
    mesh = box(0.3, 0.2, 0.1)
    n = mesh.vertex_count
    skin = Skin(np.zeros((n, 1), dtype=int), np.ones((n, 1)), ("all",), np.array([-1]), np.eye(4)[None])
    mix, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))
    basis = np.zeros((1, 6, 5))
    basis[0, 3:] = np.diag(scales) @ mix[:3]
    space = Twists(mesh, skin, basis, origin=np.zeros(3))
    return space, mix[:3].T


def test_known_directions_come_out_in_order():
    space, wanted = slides([0.3, 0.1, 0.02])
    W = find_active_directions(space, 3)
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(wanted.T @ W, axis=0), 1.0, atol=1e-9)  # they span what moves the box
    np.testing.assert_allclose(np.abs(np.diag(W.T @ wanted)), 1.0, atol=0.05)
    energies = np.linalg.eigvalsh(average_products(space, 0))[::-1]
    np.testing.assert_allclose(energies[:3], np.square([0.3, 0.1, 0.02]), rtol=0.25)
    np.testing.assert_allclose(energies[3:], 0.0, atol=1e-12)


def test_the_sketch_is_the_mean_of_squared_jacobians(monkeypatch):
    """Its slow twin: whole Jacobians, differentiated forwards."""
    space, count = twists(), 512
    where = sample_even(space.mesh, reduction.POINT_COUNT, np.random.default_rng(0))
    whole = np.zeros((space.size, space.size))
    for q in space.prior.sample(count, torch.Generator().manual_seed(0)).numpy():  # the states of the sketch
        J = forward_jet(lambda s: space.positions(s, where), q, 0 * q).jacobian.reshape(space.size, -1)
        whole += J @ J.T / (count * where.count)
    monkeypatch.setattr(reduction, "STATE_COUNT", count)
    np.testing.assert_allclose(average_products(space, 0), whole, atol=0.2 * np.abs(whole).max())


def test_reduced_joints_keep_rest_and_their_derivatives():
    inner = Articulated(chain(4))
    space = reduce_space(inner, 3)
    assert isinstance(space, Reduced)
    torch.testing.assert_close(space.transforms(space.rest), inner.transforms(inner.rest))
    q, v = np.array([0.3, -0.5, 0.2]), np.array([1.0, 0.4, -0.7])
    lift = inner.prior.deviation[:, None] * space.W
    fast = inner.transforms_jet(space.inner_state(torch.from_numpy(q)).numpy(), lift @ v)
    slow = space.transforms_jet(q, v)
    np.testing.assert_allclose(slow.jacobian, np.tensordot(lift.T, fast.jacobian, axes=1), atol=1e-11)
    np.testing.assert_allclose(slow.second, fast.second, atol=1e-11)


def test_a_whole_rotation_of_the_coordinates_keeps_what_is_likely():
    inner = Articulated(chain(3))
    W = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    prior = Reduced(inner, W).prior
    states = inner.prior.sample(100, torch.Generator().manual_seed(0)).numpy()
    np.testing.assert_allclose(prior.log_density(inner.prior.whiten(states) @ W), inner.prior.log_density(states))
    drawn = prior.sample(500, torch.Generator().manual_seed(1)).numpy()
    assert np.all(np.linalg.norm(drawn, axis=1) <= ball_radius(3) * (1 + 1e-12))


def test_senseless_reductions_are_refused():
    with pytest.raises(OptionError, match="coordinates"):
        reduce_space(twists(), 5)
