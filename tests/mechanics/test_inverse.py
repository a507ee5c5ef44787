"""Inverse kinematics: states recovered from surfaces, corresponding or not, and from a few points."""

import numpy as np
import pytest
import torch

from neurok.errors import InputError
from neurok.geometry.primitives import box
from neurok.geometry.surface import at_vertices
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.choose import rigid_space
from neurok.kinematics.floating_base import FloatingBase
from neurok.kinematics.jet import forward_jet
from neurok.mechanics.carrier import carry
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.descent import Problem
from neurok.mechanics.inverse import Quadratic, fit, pose_mesh
from neurok.mechanics.simulate import animate
from tests.kinematics.particles import Particles
from tests.mechanics.objects import chain


def test_quadratic_is_the_weighted_squared_distance():
    rng = np.random.default_rng(0)
    from scipy.sparse import csr_matrix

    H, w, x, Y = rng.normal(size=(9, 4)), rng.random(9), rng.normal(size=(9, 3)), rng.normal(size=(4, 3))
    direct = np.sum(w * np.sum((H @ Y - x) ** 2, axis=1))
    assert Quadratic.from_targets(csr_matrix(H), w, x).evaluate(Y) == pytest.approx(direct)


@pytest.mark.parametrize("seed", range(3))
def test_corresponding_surface_gives_the_state_back(seed):
    space = Articulated(chain(4, lower=-2.0, upper=2.0))
    q = space.prior.sample(1, torch.Generator().manual_seed(seed))[0].numpy()
    found = fit(space, pose_mesh(space, q), corresponding=True)
    np.testing.assert_allclose(found.state, q, atol=1e-7)
    np.testing.assert_allclose(found.mesh.vertices, pose_mesh(space, q).vertices, atol=1e-7)
    assert found.residual < 1e-7


@pytest.mark.parametrize("seed", range(3))
def test_unordered_surface_gives_the_state_back(seed):
    space = Articulated(chain(2, lower=-1.0, upper=1.5))
    q = space.prior.sample(1, torch.Generator().manual_seed(seed))[0].numpy()
    target = pose_mesh(space, q)
    shuffled = np.random.default_rng(0).permutation(target.vertex_count)
    from dataclasses import replace

    from neurok.geometry.mesh import Mesh

    inverse = np.argsort(shuffled)
    mixed = Mesh(target.vertices[shuffled], inverse[target.faces][::-1])
    found = fit(space, replace(mixed), seed=seed)
    np.testing.assert_allclose(found.state, q, atol=2e-3)


def test_pulled_point_goes_where_it_can():
    space = Articulated(chain(1))
    found = fit(space, pulls=[((0.0, -0.5, 0.0), (0.3, 0.1, 0.0))])
    assert found.state[0] == pytest.approx(np.arctan2(0.3, 0.4), abs=1e-3)


def test_limits_hold():
    space = Articulated(chain(1, lower=-0.1, upper=0.1))
    found = fit(space, pulls=[((0.0, -0.5, 0.0), (0.5, 0.5, 0.0))])
    assert found.state[0] == pytest.approx(0.1)


def test_particles_fit_anything():
    mesh = box(0.3, 0.2, 0.1)
    target = mesh.with_vertices(mesh.vertices * [1.2, 0.8, 1.0] + 0.02)
    found = fit(Particles(mesh, mesh.vertex_count), target, corresponding=True)
    np.testing.assert_allclose(found.mesh.vertices, target.vertices, atol=1e-5)


def test_wrong_targets_are_refused():
    space = Articulated(chain(1))
    with pytest.raises(InputError, match="vertices"):
        fit(space, box(), corresponding=True)
    with pytest.raises(InputError, match="either"):
        fit(space)
    with pytest.raises(InputError, match="not finite"):
        fit(space, np.full_like(space.mesh.vertices, np.nan), corresponding=True)
    with pytest.raises(InputError, match="not finite"):
        fit(space, pulls=[((0.0, 0.0, 0.0), (np.nan, 0.0, 0.0))])
    with pytest.raises(InputError, match="one state only"):
        fit(rigid_space(box()), box())


def test_body_that_cannot_move_is_refused():
    with pytest.raises(InputError, match="no joints that can move"):
        animate(rigid_space(box()), Conditions())


def test_a_fit_is_never_worse_than_rest():
    space = Articulated(chain(2, lower=-1.0, upper=1.5))
    found = fit(space, space.mesh)
    np.testing.assert_allclose(found.state, 0.0, atol=1e-6)
    assert found.residual < 1e-6


class _Hidden(Articulated):
    """A chain whose derivatives are known by differentiating only, as a decoder's are; what is asked is counted."""

    def __init__(self, joints) -> None:
        super().__init__(joints)
        self.jacobians = 0

    def transforms_jet(self, q, velocity, *, rate=False):
        self.jacobians += 1
        return forward_jet(self.transforms, q, velocity, rate=rate)

    @property
    def has_closed_form(self) -> bool:
        return False


class _Counted(Problem):
    """A problem that counts the states on its way."""

    steps = 0

    def form_equations(self, *given, **options):
        _Counted.steps += 1
        return super().form_equations(*given, **options)


def test_a_decoder_is_asked_for_a_jacobian_only_where_a_step_is_taken():
    """The same state as with derivatives in closed form, by as many Jacobians as there are states on the way."""
    plain, hidden = Articulated(chain(3)), _Hidden(chain(3))
    where, goal = (
        at_vertices(plain.mesh),
        pose_mesh(plain, np.full(3, 1.3)).vertices,
    )  # far enough that steps are refused
    found, steps = [], []
    for space in (plain, hidden):
        carrier, (shares,) = carry(space, [where])
        form, _Counted.steps = Quadratic.from_targets(shares, np.full(len(goal), 1.0), goal), 0
        found.append(_Counted(space, carrier, 0.0).descend(space.rest.numpy(), form, step_tolerance=1e-3)[0])
        steps.append(_Counted.steps)
    assert np.allclose(found[0], found[1], atol=1e-8) and np.allclose(
        pose_mesh(hidden, found[1]).vertices, goal, atol=1e-6
    )
    # At the goal, whether a last step still gains anything is a matter of rounding.
    assert abs(steps[0] - steps[1]) <= 1 and hidden.jacobians <= steps[1] + 1
    assert not FloatingBase(hidden).has_closed_form and FloatingBase(plain).has_closed_form
