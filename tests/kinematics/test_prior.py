"""Priors: their draws follow their densities, and wrappers transform all of what they say."""

import numpy as np
import pytest
import torch

from neurok.kinematics.ball import ball_radius
from neurok.kinematics.prior import (
    BallPrior,
    NormalPrior,
    SparsePrior,
    StatePrior,
    UniformPrior,
    extend_prior,
    normal_prior,
    plain_fields,
    project_prior,
    reduce_prior,
    sparse_prior,
    with_base,
)


def draws(prior: StatePrior, count: int = 40_000) -> np.ndarray:
    return prior.sample(count, torch.Generator().manual_seed(0)).numpy()


EXTENT = np.array([[0.5, 2.0], [1.0, 1.0], [0.0, 3.0]])


def mechanism() -> SparsePrior:
    return sparse_prior(EXTENT, typical=EXTENT / 2, penalty=np.array([1.0, 3.0, 9.0]), corrects=np.array([-1, -1, 0]))


def uniform() -> UniformPrior:
    low = np.array([-1.0, 0.2])
    return UniformPrior(low=low, **plain_fields(np.array([0.5, 2.0]), low, low + [1.0, 4.0]))


CONTINUOUS = {
    "uniform": uniform,
    "normal": lambda: normal_prior(np.full((2, 2), 30.0)),
    "ball": lambda: BallPrior(radius=1.5, **plain_fields(np.ones(2), np.full(2, -1.5), np.full(2, 1.5))),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_draws_fall_into_cells_as_the_density_says(name):
    prior = CONTINUOUS[name]()
    states = draws(prior)
    assert np.isfinite(prior.log_density(states)).all()
    low, high = np.quantile(states, 0.02, axis=0), np.quantile(states, 0.98, axis=0)
    edges = [np.linspace(a, b, 7) for a, b in zip(low, high)]
    counts = np.histogram2d(*states.T, bins=edges)[0]
    fine = [np.linspace(a, b, 6 * 40 + 1) for a, b in zip(low, high)]
    middles = np.stack(np.meshgrid(*((e[1:] + e[:-1]) / 2 for e in fine), indexing="ij"), axis=-1)
    mass = np.exp(prior.log_density(middles)).reshape(6, 40, 6, 40).sum(axis=(1, 3))
    expected = mass * counts.sum() / mass.sum()
    assert np.abs(counts - expected).max() < 5.0 * np.sqrt(expected.max())


def test_a_mechanism_leaves_rest_as_often_as_its_chances_say():
    even = sparse_prior(np.tile(EXTENT[:1], (4, 1)), penalty=np.array([1.0, 1.0, 1.5, 2.0]))
    moving = draws(even) != 0.0
    assert moving.any(axis=1).all()
    forced = np.prod(1 - even.chance)  # where none would leave rest, the most eager one does
    assert even.chance.sum() == pytest.approx(2.0) and even.chance.max() < 0.75
    assert moving.sum(axis=1).mean() == pytest.approx(2.0 + forced, abs=0.01)
    assert moving[:, 3].mean() == pytest.approx(even.chance[3], abs=0.05)

    prior = mechanism()
    assert prior.chance.tolist() == [0.75, pytest.approx(0.5), 0.0]  # what only corrects an axis is never drawn
    assert np.all(draws(prior)[:, 2] == 0.0)
    one, none = prior.log_density(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    assert one - none == pytest.approx(np.log(0.75 / 2.5) - np.log(0.25))
    assert prior.log_density(np.array([2.5, 0.0, 0.0])) == -np.inf


def test_prices_count_what_left_rest_by_its_penalty():
    prior = mechanism()
    states = np.array([[0.0, 0.0, 0.0], [1e-3, 0.5, 0.0], [0.5, 0.5, 0.5]])
    assert prior.price(states, 0.1).tolist() == [0.0, 3.0, 13.0]
    assert prior.clip_to_typical(np.array([2.0, -2.0, 1.0])).tolist() == [1.0, -0.5, 1.0]


def test_a_free_base_keeps_all_that_the_inner_prior_says():
    inner = mechanism()
    prior = with_base(inner, np.array([2.0, 3.0]))
    for name in ("rest", "deviation", "penalty"):
        np.testing.assert_array_equal(getattr(prior, name)[2:], getattr(inner, name))
    assert prior.corrects.tolist() == [-1, -1, -1, -1, 2]
    np.testing.assert_array_equal(prior.typical[:, 2:], inner.typical)
    states = draws(prior, 50)
    assert np.all(states[:, :2] == 0.0)
    np.testing.assert_array_equal(states[:, 2:], draws(inner, 50))
    np.testing.assert_array_equal(prior.log_density(states + 0.1), inner.log_density(states[:, 2:] + 0.1))


def test_a_permuted_and_reversed_prior_says_the_same_of_the_same_coordinates():
    """A signed permutation is a subspace that loses nothing: every field must be found again."""
    inner = mechanism()
    W = np.zeros((3, 3))
    W[0, 2], W[1, 0], W[2, 1] = 1.0, -1.0, 1.0
    prior = reduce_prior(inner, W)
    assert isinstance(prior, SparsePrior)
    assert prior.penalty.tolist() == [3.0, 9.0, 1.0]
    assert prior.corrects.tolist() == [-1, 2, -1]  # what corrected the first coordinate still does, and is not drawn
    assert np.all(draws(prior, 500)[:, 1] == 0.0)
    np.testing.assert_allclose([prior.low, prior.high], [[-1.0, 0.0, -0.5], [1.0, 3.0, 2.0]])
    np.testing.assert_allclose(prior.typical, [[-0.5, 0.0, -0.25], [0.5, 1.5, 1.0]])
    round_about = project_prior(inner, W, ball_radius(3))
    states = draws(inner, 100)
    np.testing.assert_allclose(round_about.log_density(inner.whiten(states) @ W), inner.log_density(states))
    np.testing.assert_allclose(round_about.penalty, prior.penalty)
    assert np.all(np.linalg.norm(draws(round_about, 500), axis=1) <= ball_radius(3) * (1 + 1e-12))


def test_further_coordinates_are_as_unlikely_as_the_unlikeliest():
    prior = extend_prior(mechanism(), 2)
    assert prior.penalty.tolist() == [1.0, 3.0, 9.0, 9.0, 9.0]
    assert prior.low[3:].tolist() == [-3.0, -3.0] and prior.high[3:].tolist() == [3.0, 3.0]
    assert prior.corrects.tolist() == [-1, -1, 0, -1, -1]
    assert isinstance(extend_prior(normal_prior(EXTENT), 1), NormalPrior)
    with pytest.raises(TypeError, match="UniformPrior"):
        extend_prior(uniform(), 1)


def test_a_joint_without_limits_stays_out_of_directions_that_leave_it_out():
    inner = with_base(mechanism(), np.ones(2))
    W = np.eye(5)[:, 2:4]
    prior = project_prior(inner, W, 5.0)
    np.testing.assert_allclose(prior.typical, mechanism().typical[:, :2])
    assert np.isinf(project_prior(inner, np.eye(5)[:, :1], 5.0).typical).all()


def test_a_mechanism_without_coordinates_has_one_state():
    assert draws(sparse_prior(np.zeros((0, 2))), 3).shape == (3, 0)
