"""Handles of which it is known how they move, and votes that say so."""

import torch

from neurok.networks.proposals import Votes, about_centre
from neurok.networks.shapes import HandleGeometry


def toy_centres() -> torch.Tensor:
    """Centres of six handles of two shapes, [2, 6, 3]."""
    return torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0)) * 0.3


def geometry(centre):
    b, h, _ = centre.shape
    area = torch.full((b, h), 1.0 / h)
    return HandleGeometry(area, centre, torch.zeros(b, h, 3, 3), torch.zeros(b, h, 3), torch.zeros(b, h, 1))


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
    amplitude = own.norm(dim=-1)
    unit = own / amplitude.clamp_min(1e-9)[..., None]
    sign = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0, 1.0])[None, :, None, None]
    other = torch.eye(6)[0].expand(len(centre), h, 1, 6)
    together = torch.where(part[:, None] == part[None], 12.0, -12.0).expand(len(centre), h, h)
    votes = Votes(together, torch.cat([unit * sign, other], dim=2), torch.cat([amplitude, 0 * amplitude], dim=2))
    return votes, truth, part
