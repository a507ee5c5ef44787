"""The handle metric against the plain mean over samples; its invariances; numpy and torch agree."""

import numpy as np
import pytest
import torch

from neurok.geometry.handle_metric import HandleMetric, measure_handles

HANDLES, SAMPLES, TWISTS = 5, 90, 4


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def surface(rng):
    """Samples, their areas and owners; one handle is a point, one a line."""
    position, area = rng.normal(size=(SAMPLES, 3)), rng.uniform(0.1, 1.0, SAMPLES)
    owner = np.concatenate([np.arange(HANDLES), rng.integers(HANDLES, size=SAMPLES - HANDLES)])
    position[owner == 0] = position[0]
    position[owner == 1] = position[1] + rng.normal(size=(SAMPLES, 1))[owner == 1] * [1.0, 2.0, -0.5]
    return position, area, owner


def displacements(twist, position, owner):
    """Of each sample under its handle's twists [h, k, 6], [n, k, 3]."""
    own = twist[owner]
    return own[..., :3] + np.cross(own[..., 3:], position[:, None])


def as_torch(metric):
    return HandleMetric(*(torch.from_numpy(x) for x in (metric.share, metric.centre, metric.moments)))


def test_the_size_of_a_twist_is_the_mean_over_the_handles_samples(rng):
    position, area, owner = surface(rng)
    metric, twist = measure_handles(position, area, owner, HANDLES), rng.normal(size=(HANDLES, TWISTS, 6))
    square = (displacements(twist, position, owner) ** 2).sum(-1)
    expected = np.stack([np.average(square[owner == h], axis=0, weights=area[owner == h]) for h in range(HANDLES)])
    forms, factors = metric.forms(), metric.factors()
    np.testing.assert_allclose(np.einsum("hka,hab,hkb->hk", twist, forms, twist), expected, rtol=1e-6)
    np.testing.assert_allclose(factors.swapaxes(1, 2) @ factors, forms, atol=1e-12)
    np.testing.assert_allclose(metric.sizes(twist) ** 2, expected, rtol=1e-6)
    assert as_torch(metric).sizes(torch.from_numpy(twist)).numpy() == pytest.approx(metric.sizes(twist), rel=1e-12)


def test_products_of_fields_are_the_mean_over_the_surface(rng):
    position, area, owner = surface(rng)
    metric = measure_handles(position, area, owner, HANDLES)
    one, other = rng.normal(size=(HANDLES, TWISTS, 6)), rng.normal(size=(HANDLES, 3, 6))
    x, y = (displacements(twist, position, owner) for twist in (one, other))
    expected = np.einsum("n,nka,nla->kl", area / area.sum(), x, y)
    np.testing.assert_allclose(metric.products(one, other), expected, atol=1e-6)
    np.testing.assert_allclose(metric.fields(one).T @ metric.fields(other), expected, atol=1e-6)
    tensors = [torch.from_numpy(twist)[None] for twist in (one, other)]
    batched = HandleMetric(*(torch.from_numpy(x)[None] for x in (metric.share, metric.centre, metric.moments)))
    np.testing.assert_allclose(batched.products(*tensors)[0].numpy(), expected, atol=1e-6)
    fields = [batched.fields(twist)[0] for twist in tensors]
    np.testing.assert_allclose((fields[0].T @ fields[1]).numpy(), expected, atol=1e-6)


def test_fields_of_no_twists_are_empty(rng):
    metric = measure_handles(*surface(rng), HANDLES)
    assert metric.fields(np.zeros((HANDLES, 0, 6))).shape == (6 * HANDLES, 0)


def test_splitting_handles_changes_no_product(rng):
    position, area, owner = surface(rng)
    twist = rng.normal(size=(HANDLES, TWISTS, 6))
    whole = measure_handles(position, area, owner, HANDLES)
    finer = np.arange(SAMPLES)  # every sample its own handle, with its former handle's twist
    split = measure_handles(position, area, finer, SAMPLES)
    np.testing.assert_allclose(
        split.products(twist[owner], twist[owner]), whole.products(twist, twist), rtol=1e-6, atol=1e-9
    )


def test_the_origin_does_not_matter(rng):
    position, area, owner = surface(rng)
    shift, twist = np.array([3.0, -1.0, 2.0]), rng.normal(size=(HANDLES, TWISTS, 6))
    moved = twist.copy()
    moved[..., :3] -= np.cross(twist[..., 3:], shift)  # the same motion, told about the other origin
    here = measure_handles(position, area, owner, HANDLES)
    there = measure_handles(position + shift, area, owner, HANDLES)
    np.testing.assert_allclose(there.sizes(moved), here.sizes(twist), rtol=1e-6)
    np.testing.assert_allclose(there.pair_distances(moved), here.pair_distances(twist), atol=1e-9)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_pair_distances_are_the_plain_double_loop(rng, library):
    position, area, owner = surface(rng)
    metric, twist = measure_handles(position, area, owner, HANDLES), rng.normal(size=(HANDLES, TWISTS, 6))
    if library == "torch":
        found = as_torch(metric).pair_distances(torch.from_numpy(twist)).numpy()
    else:
        found = metric.pair_distances(twist)
    for i in range(HANDLES):
        for j in range(HANDLES):
            gap = np.broadcast_to(twist[i] - twist[j], twist.shape)
            square = (displacements(gap, position, owner) ** 2).sum(-1).mean(1)
            on = [np.average(square[owner == h], weights=area[owner == h]) for h in (i, j)]
            assert found[i, j] == pytest.approx(0.5 * sum(on), rel=1e-6, abs=1e-9)


def test_inverse_factors_give_back_a_twist_that_moves_the_handle_alike(rng):
    position, area, owner = surface(rng)
    metric, twist = measure_handles(position, area, owner, HANDLES), rng.normal(size=(HANDLES, TWISTS, 6))
    back = np.einsum("hab,hbc,hkc->hka", metric.inverse_factors(), metric.factors(), twist)
    np.testing.assert_allclose(metric.sizes(back - twist), 0.0, atol=1e-6)
    np.testing.assert_allclose(back[2:], twist[2:], atol=1e-9)  # all but the point and the line have an inverse
    turn = np.linalg.norm(back[:2, :, 3:], axis=-1), np.linalg.norm(twist[:2, :, 3:], axis=-1)
    assert (turn[0] <= turn[1] + 1e-9).all() and np.abs(back[0, :, 3:]).max() < 1e-6


def test_even_shares_still_sum_to_one(rng):
    metric = measure_handles(*surface(rng), HANDLES)
    assert metric.even_shares(0.5).share.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(metric.even_shares(1.0).share, 1.0 / HANDLES)
    assert metric.even_shares(0.0).share == pytest.approx(metric.share)


def test_a_handle_without_area_has_a_place_and_hardly_any_share():
    position = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    metric = measure_handles(position, np.array([2.0, 0.0, 0.0]), np.array([0, 1, 1]), 2)
    assert metric.centre[1] == pytest.approx([2.0, 0.0, 0.0])
    assert metric.share == pytest.approx([1.0, 0.0], abs=1e-8)
