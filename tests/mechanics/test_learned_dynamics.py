"""Dynamics in the learned space of plain meshes, with the shipped weights: energy, strange meshes, wild conditions."""

import numpy as np
import pytest
import torch

from neurok.data import procedural
from neurok.geometry.mesh import Mesh
from neurok.kinematics.choose import learned_space
from neurok.mechanics.conditions import Conditions
from neurok.mechanics.simulate import animate
from neurok.networks.weights import load_model
from tests.kinematics.test_kinematics import twists

# Leaves of the plant meet each other where they swing, which takes energy: here the smooth dynamics are meant.
CONSERVATIVE = Conditions(gravity=(0.0, 0.0, 0.0), stiffness=1.0, damping=0.0, dt=1 / 120, self_contact=False)


@pytest.fixture(scope="module")
def model():
    return load_model()


def _space(category: str, model):
    mesh = procedural.make(category, 3).mesh
    return learned_space(Mesh(mesh.vertices, mesh.faces, up=mesh.up), model)


@pytest.mark.slow
@pytest.mark.parametrize("category", ["laptop", "plant", "cushion"])
def test_swings_over_half_a_coordinates_range_keep_their_energy(category, model):
    """Ten seconds from a third of a coordinate's range: it goes nearly as far to the other side, over half of it."""
    torch.set_num_threads(1)
    space = _space(category, model)
    # Springs are even to both sides of rest, priors need not be: the swing goes as far as the narrower side lets it.
    reach = torch.minimum(-space.lower, space.upper).numpy()
    chosen = int(reach.argmax())
    first = np.zeros(space.size)
    width, most = float(space.upper[chosen] - space.lower[chosen]), 0.98 * reach[chosen]
    first[chosen] = min(0.32 * width, most)
    conditions = Conditions(**{**vars(CONSERVATIVE), "state": tuple(first), "seconds": 10.0})
    found = animate(space, conditions)
    exchanged = np.ptp(found.potential)
    assert np.ptp(found.states[:, chosen]) >= 1.8 * first[chosen]
    assert np.ptp(found.states[:, chosen]) >= min(0.5 * width, 1.8 * most)
    assert found.kinetic.max() >= 0.3 * exchanged
    assert np.abs(found.total - found.total[0]).max() <= 0.01 * exchanged
    assert "limited" not in found.status


def test_all_ways_an_elastic_body_deforms_swing_at_rates_of_one_order():
    """The heaviest at one hertz; others faster, but no more than LIGHTEST allows, though two modes nearly cancel."""
    from scipy.linalg import eigh

    from neurok.kinematics.twists import Twists
    from neurok.mechanics.armature import MIN_INERTIA_SHARE
    from neurok.mechanics.lagrangian import compute_pose_terms
    from neurok.mechanics.scene import build_scene

    space = twists()
    basis = space.basis.copy()
    basis[..., 1] = basis[..., 0] + 1e-6 * basis[..., 1]
    space = Twists(space.mesh, space.skin, basis, origin=space.origin)
    system = build_scene(space, CONSERVATIVE).system
    mass = compute_pose_terms(system, space, np.zeros(space.size)).mass
    rates = np.sqrt(eigh(system.springs.stiffness, mass, eigvals_only=True)) / (2 * np.pi)
    assert rates.min() == pytest.approx(1.0, rel=1e-6)
    assert rates.max() == pytest.approx(MIN_INERTIA_SHARE**-0.25, rel=1e-3)


def test_the_push_back_beyond_the_prior_is_the_slope_of_its_energy():
    from neurok.mechanics.lagrangian import evaluate
    from neurok.mechanics.scene import build_scene

    space = twists()
    system = build_scene(space, CONSERVATIVE).system
    q = 1.7 * space.upper.numpy() * np.array([0.1, 0.7, -0.9, 0.8])
    still, step = np.zeros(4), 1e-6
    slope = [
        (evaluate(system, space, q + step * e, still, 0.0).potential
         - evaluate(system, space, q - step * e, still, 0.0).potential) / (2 * step)
        for e in np.eye(4)
    ]  # fmt: skip
    np.testing.assert_allclose(evaluate(system, space, q, still, 0.0).force, -np.array(slope), rtol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_soups_unlike_anything_give_finite_and_bounded_motions(seed, model):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(20, 400))
    size = 10.0 ** rng.uniform(-3, 3)
    corners = rng.normal(size=(count, 1, 3)) * rng.uniform(0.05, 1, 3) + 10 ** rng.uniform(-3, 0) * rng.normal(
        size=(count, 3, 3)
    )
    mesh = Mesh(size * corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))
    space = learned_space(mesh, model)
    found = animate(space, Conditions(seconds=0.4, dt=1 / 60, fps=10, seed=seed))
    motion = found.motion()
    assert np.isfinite(found.states).all() and np.isfinite(found.total).all()
    reach = torch.maximum(-space.lower, space.upper).numpy()
    assert (np.abs(found.states).max(axis=0) <= 2 * reach + 1e-6).all()
    far = max(np.abs(motion.frame(i) - mesh.vertices).max() for i in range(motion.frame_count))
    assert far < 5 * mesh.diagonal


def test_a_state_beyond_the_space_is_brought_back_and_said_so():
    space = twists()
    found = animate(space, Conditions(state=(100.0, 0.0, 0.0, 0.0), seconds=0.1))
    assert found.states[0, 0] == pytest.approx(float(space.upper[0])) and not found.states[0, 1:].any()
    assert "beyond what the object can take" in found.status
    assert "beyond" not in animate(space, Conditions(state=(1.0, 0.0, 0.0, 0.0), seconds=0.1)).status


@pytest.mark.parametrize("wild", [{"gravity": (0.0, -1e6, 0.0)}, {"wind": (1e4, 0.0, 0.0)}, {"rates": (1e6, 0, 0, 0)}])
def test_wild_wishes_stay_finite_and_bounded(wild):
    space = twists()
    found = animate(space, Conditions(seconds=0.2, **wild))
    assert np.isfinite(found.states).all()
    assert np.abs(found.states).max() < 10 * float(space.upper.max())
