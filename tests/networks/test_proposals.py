"""Votes and proposals: pair gaps by brute force, and proposals of perfect votes."""

import pytest
import torch

from neurok.networks.proposals import (
    LEVER,
    about_centre,
    about_origin,
    pair_gap,
    propose,
)
from tests.networks.toy_votes import geometry, perfect, toy_centres


@pytest.fixture
def centre():
    return toy_centres()


def test_pair_gap_is_the_plain_double_loop(centre):
    twist = torch.randn(2, 6, 4, 6, generator=torch.Generator().manual_seed(1))
    found = pair_gap(twist, centre)
    for b in range(2):
        for i in range(6):
            for j in range(6):
                gap = twist[b, i] - twist[b, j]
                v, w = gap[:, :3], gap[:, 3:]
                at = [
                    (v + torch.linalg.cross(w, c.expand_as(w))).square().sum(-1) for c in (centre[b, i], centre[b, j])
                ]
                expected = (0.5 * (at[0] + at[1]) + LEVER**2 * w.square().sum(-1)).mean()
                assert found[b, i, j] == pytest.approx(expected.item(), rel=1e-4, abs=1e-5)


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
