"""Votes and proposals: pair gaps by brute force, and proposals of perfect votes."""

import pytest
import torch

from neurok.networks.proposals import (
    LEVER,
    Votes,
    about_centre,
    about_origin,
    pair_gap,
    propose,
    vote_loss,
)
from neurok.networks.shapes import HandleGeometry


def geometry(centre):
    b, h, _ = centre.shape
    area = torch.full((b, h), 1.0 / h)
    return HandleGeometry(area, centre, torch.zeros(b, h, 3, 3), torch.zeros(b, h, 3), torch.zeros(b, h, 1))


@pytest.fixture
def centre():
    return torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0)) * 0.3


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


def perfect(centre):
    """Handles 0-2 turn about a hinge, 3-4 slide, 5 stays; votes that say so, with arbitrary signs."""
    h = centre.shape[1]
    part = torch.tensor([0, 0, 0, 1, 1, 2])
    hinge, slide = torch.zeros(6), torch.zeros(6)
    pivot, axis = torch.tensor([0.1, 0.2, 0.0]), torch.tensor([0.0, 0.0, 1.0])
    hinge[:3], hinge[3:] = torch.linalg.cross(pivot, axis), axis
    slide[1] = 1.0
    truth = torch.stack([hinge, slide, torch.zeros(6)])[part]
    own = about_centre(truth[None, :, None].expand(len(centre), h, 1, 6), centre)
    reach = own.norm(dim=-1)
    unit = own / reach.clamp_min(1e-9)[..., None]
    sign = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0, 1.0])[None, :, None, None]
    other = torch.eye(6)[0].expand(len(centre), h, 1, 6)
    together = torch.where(part[:, None] == part[None], 12.0, -12.0).expand(len(centre), h, h)
    votes = Votes(together, torch.cat([unit * sign, other], dim=2), torch.cat([reach, 0 * reach], dim=2))
    return votes, truth, part


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


def test_perfect_votes_lose_least(centre):
    votes, truth, _ = perfect(centre)
    angle = torch.tensor([0.5, -1.0, 0.8])
    observed = truth[None, :, None] * angle[:, None]
    observed = observed.expand(len(centre), -1, -1, -1)
    size = about_centre(observed, centre).square().sum((1, 3)).sqrt() / 6**0.5
    good = vote_loss(votes, observed, geometry(centre), size)
    wrong = Votes(-votes.together, votes.own.flip(-1), votes.reach + 1.0)
    bad = vote_loss(wrong, observed, geometry(centre), size)
    assert good["together"].max() < 1e-3 < bad["together"].min()
    assert good["own"].max() < 1e-4 < bad["own"].min()
    assert good["reach"].mean() < bad["reach"].mean()
