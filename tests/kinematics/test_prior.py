"""Priors: their draws follow their densities, and wrappers transform all of what they say."""

import numpy as np
import pytest
import torch

from neurok.kinematics.prior import (
    BallPrior,
    NormalPrior,
    SparsePrior,
    StatePrior,
    UniformPrior,
    extend_prior,
    normal_prior,
    plain_fields,
    sparse_prior,
    with_base,
)


def draws(prior: StatePrior, count: int = 40_000) -> np.ndarray:
    return prior.sample(count, torch.Generator().manual_seed(0)).numpy()


EXTENT = np.array([[0.5, 2.0], [1.0, 1.0], [0.0, 3.0]])


def mechanism() -> SparsePrior:
    return sparse_prior(EXTENT, typical=EXTENT / 2, penalty=np.array([1.0, 3.0, 9.0]))


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
    odds = even.chance / (1 - even.chance)
    assert odds.sum() == pytest.approx(2.0) and odds * even.penalty == pytest.approx(np.full(4, odds[0]))
    assert moving.sum(axis=1).mean() == pytest.approx(even.chance.sum() + forced, abs=0.01)
    assert moving[:, 3].mean() == pytest.approx(even.chance[3], abs=0.05)

    prior = mechanism()
    assert prior.chance.tolist() == pytest.approx([18 / 31, 6 / 19, 2 / 15])
    one, none = prior.log_density(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    assert one - none == pytest.approx(np.log(18 / 13 / 2.5))
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
    np.testing.assert_array_equal(prior.typical[:, 2:], inner.typical)
    states = draws(prior, 50)
    assert np.all(states[:, :2] == 0.0)
    np.testing.assert_array_equal(states[:, 2:], draws(inner, 50))
    np.testing.assert_array_equal(prior.log_density(states + 0.1), inner.log_density(states[:, 2:] + 0.1))


def test_further_coordinates_are_as_unlikely_as_the_unlikeliest():
    prior = extend_prior(mechanism(), 2)
    assert prior.penalty.tolist() == [1.0, 3.0, 9.0, 9.0, 9.0]
    assert prior.low[3:].tolist() == [-3.0, -3.0] and prior.high[3:].tolist() == [3.0, 3.0]
    assert isinstance(extend_prior(normal_prior(EXTENT), 1), NormalPrior)
    with pytest.raises(TypeError, match="UniformPrior"):
        extend_prior(uniform(), 1)


def test_a_mechanism_without_coordinates_has_one_state():
    assert draws(sparse_prior(np.zeros((0, 2))), 3).shape == (3, 0)
