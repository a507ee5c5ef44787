"""Rankers as they are fitted and as they are asked: the same numbers, and options that are judged beside others."""

import numpy as np
import torch

from neurok.proposals.ranker import Ranker
from neurok.training.ranker_fitting import Members, pool_lists


def _make(compares: bool) -> tuple[Members, np.ndarray]:
    torch.manual_seed(0)
    features = np.random.default_rng(0).normal(size=(30, 7))
    return Members(features, 2, compares=compares).eval(), features


def test_what_was_fitted_is_what_is_asked():
    for compares in (False, True):
        net, features = _make(compares)
        ranker = Ranker({name: value.numpy().astype(np.float64) for name, value in net.export("options").items()})
        expected = net(net.standardise(features)).mean(dim=0).detach().numpy()
        assert np.abs(np.stack(ranker.judge_options(features), axis=1) - expected).max() < 1e-4


def test_lists_are_judged_apart_from_each_other():
    net, features = _make(True)
    owner = torch.tensor([0] * 12 + [1] * 18)
    together = net(net.standardise(features), owner)
    apart = torch.cat([net(net.standardise(features[:12])), net(net.standardise(features[12:]))], dim=1)
    assert torch.allclose(together, apart, atol=1e-5)
    assert not torch.allclose(together, net(net.standardise(features)), atol=1e-3)


def test_pools_are_the_greatest_and_the_mean_of_a_list():
    h = torch.rand(2, 5, 3)
    found = pool_lists(h, torch.tensor([1, 0, 1, 0, 1]))
    own = h[:, [0, 2, 4]]
    assert torch.allclose(found[:, 2], torch.cat([own.amax(dim=1), own.mean(dim=1)], dim=1))


def test_options_in_another_order_are_judged_the_same():
    net, features = _make(True)
    order = np.random.default_rng(1).permutation(len(features))
    straight = net(net.standardise(features)).detach()
    assert torch.allclose(net(net.standardise(features[order])).detach(), straight[:, order], atol=1e-5)
