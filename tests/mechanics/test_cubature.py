"""Few points that stand for the mass of many: kinetic energy, momentum and total mass are kept."""

import numpy as np
import torch

from neurok.geometry.surface import sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.cubature import cubature
from neurok.mechanics.masses import mass_points
from tests.kinematics.test_kinematics import twists


def _energies(space, where, mass, seed):
    """Kinetic energies of random states and rates that the cubature has not seen."""
    rng = torch.Generator().manual_seed(seed)
    found = []
    for q in space.prior.sample(20, rng):
        rate = torch.randn(space.size, generator=rng, dtype=torch.float64)
        _, u = torch.func.jvp(lambda s: space.positions(s, where), (q,), (rate,))
        found.append(0.5 * float((torch.from_numpy(mass) * (u**2).sum(dim=1)).sum()))
    return np.array(found)


def test_kinetic_energy_is_that_of_all_points_within_one_per_cent():
    space = twists()
    where = sample_even(space.mesh, 1024, np.random.default_rng(0))
    mass = where.area * 3.0
    kept, weights = cubature(space, where, mass)
    assert len(kept) < 0.25 * where.count and weights.min() > 0
    np.testing.assert_allclose(weights.sum(), mass.sum(), rtol=1e-12)
    few, all_points = _energies(space, where.subset(kept), weights, 9), _energies(space, where, mass, 9)
    np.testing.assert_allclose(few, all_points, rtol=0.01)


def test_a_skin_takes_enough_points_for_one_per_cent():
    """Its mass matrix costs the same for any number, so it has no need of a cubature."""
    space = twists()
    default = mass_points(space, Conditions(), stiffness=1.0)
    many = mass_points(space, Conditions(), stiffness=1.0, count=65536)
    one, other = (_energies(space, m.where, m.mass, 4) for m in (default, many))
    np.testing.assert_allclose(one, other, rtol=0.01)


class Bare(Kinematics):
    """A kinematics of which nothing but its positions is known."""

    def __init__(self, inner):
        self.inner, self.mesh, self.skin = inner, inner.mesh, None
        self.rest, self.prior, self.names = inner.rest, inner.prior, inner.names
        self.lower, self.upper = inner.lower, inner.upper

    def positions(self, q, where):
        return self.inner.positions(q, where)

    def admit(self, q):
        return self.inner.admit(q)


def test_what_is_no_skin_is_simulated_with_few_points():
    space = Bare(twists())
    few, many = (mass_points(space, Conditions(), stiffness=1.0, count=count) for count in (None, 1024))
    assert few.where.count < 256
    np.testing.assert_allclose(few.total, many.total, rtol=1e-9)
    energies = [_energies(space, m.where, m.mass, 5) for m in (few, many)]
    np.testing.assert_allclose(*energies, rtol=0.01)
