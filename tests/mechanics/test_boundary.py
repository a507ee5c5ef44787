"""State and rate recovered from a few points of a decoded motion."""

import numpy as np
import pytest
import torch

from neurok.data import procedural
from neurok.errors import InputError
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import farthest_points, sample_even
from neurok.kinematics.choose import learned_space
from neurok.mechanics.boundary import boundary
from tests.kinematics.test_kinematics import twists


def _decoded(space, q, v, where):
    """Positions and velocities of points in state q at rate v."""
    return torch.func.jvp(
        lambda s: space.positions(s, where), (torch.from_numpy(q),), (torch.from_numpy(v),)
    )  # fmt: skip


def _eight(space, seed=0):
    """Eight points far apart, as a person would mark them."""
    where = sample_even(space.mesh, 512, np.random.default_rng(seed))
    return where.subset(farthest_points(where.position, 8))


def test_eight_points_of_a_twisted_body_give_state_and_rate():
    space, rng = twists(), np.random.default_rng(3)
    where = _eight(space)
    for _ in range(5):
        q, v = 0.8 * rng.normal(size=(2, space.size))
        x, u = _decoded(space, q, v, where)
        found = boundary(space, where, x.numpy(), u.numpy())
        np.testing.assert_allclose(found.state, q, atol=1e-3)
        np.testing.assert_allclose(found.rate, v, atol=1e-3)
        assert found.residual < 1e-6 * space.mesh.diagonal and found.open == 0


@pytest.mark.parametrize("category", ["laptop", "plant"])
def test_eight_points_of_a_learned_motion_give_state_and_rate(category):
    mesh = procedural.make(category, 3).mesh
    space = learned_space(Mesh(mesh.vertices, mesh.faces, up=mesh.up))
    where, rng = _eight(space), np.random.default_rng(0)
    q, v = 0.6 * rng.normal(size=(2, space.size))
    x, u = _decoded(space, q, v, where)
    found = boundary(space, where, x.numpy(), u.numpy())
    assert found.residual < 1e-3 * space.mesh.diagonal
    if found.open == 0:
        np.testing.assert_allclose(found.state, q, atol=1e-3)
        np.testing.assert_allclose(found.rate, v, atol=1e-3)
    # Whatever the eight points leave open, they themselves move as was seen.
    again, speed = _decoded(space, found.state, found.rate, where)
    np.testing.assert_allclose(again, x, atol=1e-3 * space.mesh.diagonal)
    np.testing.assert_allclose(speed, u, atol=1e-3 * max(float(u.abs().max()), space.mesh.diagonal))


def test_points_may_be_places_and_velocities_left_out():
    space = twists()
    q = np.array([0.3, -0.2, 0.1, 0.4])
    where = _eight(space)
    x, _ = _decoded(space, q, np.zeros(4), where)
    found = boundary(space, where.position.tolist(), x.numpy())
    np.testing.assert_allclose(found.state, q, atol=1e-3)
    assert not found.rate.any()


def test_what_is_not_points_is_refused():
    space = twists()
    with pytest.raises(InputError, match="velocities"):
        boundary(space, _eight(space), np.zeros((8, 3)), np.zeros((7, 3)))
    with pytest.raises(InputError, match="positions"):
        boundary(space, _eight(space), np.full((8, 3), np.nan))
