"""Votes and proposals: twists about centres, and proposals of perfect votes."""

import pytest
import torch

from neurok.networks.proposals import (
    about_centre,
    about_origin,
    propose,
)
from tests.networks.toy_votes import geometry, perfect, toy_centres


@pytest.fixture
def centre():
    return toy_centres()


def test_twists_go_to_the_centre_and_back(centre):
    twist = torch.randn(2, 6, 3, 6, generator=torch.Generator().manual_seed(2))
    assert about_origin(about_centre(twist, centre), centre) == pytest.approx(twist, abs=1e-5)


def test_perfect_votes_propose_the_true_joints(centre):
    votes, truth, part = perfect(centre)
    found = propose(votes, geometry(centre), 2)
    for b in range(len(centre)):
        parts = part[found.seat[b]]
        assert set(parts.tolist()) == {0, 1}
        for mode in range(2):
            screw, expected = found.screw[b, mode], truth[found.seat[b, mode]]
            assert torch.nn.functional.cosine_similarity(screw, expected, dim=0).abs() > 0.9999
            assert screw.norm() == pytest.approx(expected.norm().item(), rel=1e-3)
            gate = found.gate[b, :, mode].sigmoid()
            assert gate == pytest.approx((part == parts[mode]).float(), abs=1e-4)
