"""The active subspace: directions known by construction come out, ordered, orthonormal, and Twists stay Twists."""

import numpy as np
import pytest
import torch

from neurok.errors import OptionError
from neurok.geometry.motion import Skin
from neurok.geometry.primitives import box
from neurok.geometry.surface import sample_even
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.jet import forward_jet
from neurok.kinematics.reduced import Reduced, active_subspace, reduced
from neurok.kinematics.twists import Twists
from tests.kinematics.test_kinematics import twists
from tests.mechanics.objects import chain


def slides(scales) -> Twists:
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
    found = active_subspace(space, count=3)
    np.testing.assert_allclose(np.abs(found.W.T @ wanted), np.eye(3), atol=1e-9)
    np.testing.assert_allclose(found.energies[:3], np.square([0.3, 0.1, 0.02]), rtol=1e-9)
    np.testing.assert_allclose(found.energies[3:], 0.0, atol=1e-12)


def test_count_follows_the_energy():
    space, _ = slides([0.3, 0.1, 0.02])
    assert active_subspace(space, energy=0.85).W.shape[1] == 1
    assert active_subspace(space, energy=0.99).W.shape[1] == 2
    assert active_subspace(space, energy=1.0).W.shape[1] == 3
    assert active_subspace(space, energy=0.85).retained == pytest.approx(0.09 / 0.1004)


def test_norm_is_the_mean_square_of_its_gradients():
    space = twists()
    found = active_subspace(space, kind="norm", count=4, seed=3)
    where = sample_even(space.mesh, 512, np.random.default_rng(3))
    gradients = []
    for q in space.prior.sample(32, torch.Generator().manual_seed(3)):
        jet = forward_jet(
            lambda s: (space.positions(s, where) - torch.from_numpy(where.position)).norm(), q.numpy(), 0 * q.numpy()
        )
        gradients.append(jet.jacobian)
    C = np.mean([np.outer(g, g) for g in gradients], axis=0) / where.count
    np.testing.assert_allclose(found.W @ np.diag(found.energies) @ found.W.T, C, atol=1e-9 * C.max())


@pytest.mark.parametrize("kind", ["matrix", "norm"])
def test_twists_stay_twists(kind):
    space = twists()
    small, found = reduced(space, kind=kind, count=2)
    assert isinstance(small, Twists) and small.size == 2
    np.testing.assert_allclose(found.W.T @ found.W, np.eye(2), atol=1e-12)
    u = torch.tensor([0.7, -0.4], dtype=torch.float64)
    torch.testing.assert_close(small.transforms(u), space.transforms(torch.from_numpy(found.W) @ u))


def test_reduced_joints_keep_rest_and_their_closed_form():
    inner = Articulated(chain(4))
    space, found = reduced(inner, count=3)
    assert isinstance(space, Reduced)
    torch.testing.assert_close(space.transforms(space.rest), inner.transforms(inner.rest))
    q, v = np.array([0.3, -0.5, 0.2]), np.array([1.0, 0.4, -0.7])
    fast, slow = space.transforms_jet(q, v, rate=True), forward_jet(space.transforms, q, v, rate=True)
    for name in ("value", "jacobian", "second", "rate"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), atol=1e-11, err_msg=name)
    for state in space.prior.sample(20, torch.Generator().manual_seed(0)):
        torch.testing.assert_close(space.admit(state), state)
    energies = np.linalg.norm(found.W, axis=0)
    np.testing.assert_allclose(energies, 1.0)
    assert np.all(np.diff(found.energies) <= 0)


def test_senseless_reductions_are_refused():
    with pytest.raises(OptionError, match="coordinates"):
        reduced(twists(), count=5)
    with pytest.raises(OptionError, match="energy"):
        reduced(twists(), energy=1.5)
    with pytest.raises(OptionError, match="reduction"):
        reduced(twists(), kind="pca")
