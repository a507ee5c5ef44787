"""Motions as fields of twists over handles, in the metric of how far points go; and how likely a basis makes them.

A handle's twist is written as (velocity of its centre, turning as it moves the handle's own points), weighted by its
share of the surface, so that the squared length of a field is the mean square displacement it gives to first order.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from neurok.geometry.rigid import dual_to_rigid, log_twist
from neurok.networks.shapes import HandleGeometry

LEAST_RADIUS = 0.02  # of a handle [diagonal]: below it a turn counts as if the handle were this large
EVEN = 0.5  # how much of a handle's weight is the same for all, so that small parts count


@dataclass(frozen=True)
class Metric:
    """What makes twists about the origin comparable: weight [b, h], centre [b, h, 3], lever [b, h, 3, 3]."""

    weight: Tensor
    centre: Tensor
    lever: Tensor

    def field(self, twist: Tensor) -> Tensor:
        """Twists (v, w) [b, h, k, 6] as columns of fields [b, h * 6, k]."""
        v, w = twist[..., :3], twist[..., 3:]
        centre = self.centre[:, :, None].expand_as(w)
        shift = v + torch.linalg.cross(w, centre)
        turn = w @ self.lever
        scaled = torch.cat([shift, turn], dim=-1) * self.weight[:, :, None, None].sqrt()
        return scaled.transpose(2, 3).flatten(1, 2)


def metric(geometry: HandleGeometry) -> Metric:
    """The metric of each shape's handles."""
    area = geometry.area / geometry.area.sum(-1, keepdim=True)
    weight = (1 - EVEN) * area + EVEN / area.shape[-1]
    eye = torch.eye(3, dtype=area.dtype, device=area.device)
    trace = geometry.moments.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]
    inertia = trace * eye - geometry.moments + LEAST_RADIUS**2 * eye
    return Metric(weight, geometry.centre, torch.linalg.cholesky(inertia))


def observed_twists(dual: Tensor, geometry: HandleGeometry, owner: Tensor) -> Tensor:
    """What each handle was seen to do: the twist of its points' mean dual quaternion, [b, s, n, 8] -> [b, h, s, 6]."""
    b, s, n, _ = dual.shape
    h = geometry.area.shape[1]
    leader = geometry.mean.argmax(-1)
    lead = dual.gather(2, leader[:, None, :, None].expand(b, s, h, 8))[..., :4]
    own = lead.gather(2, owner[:, None, :, None].expand(b, s, n, 4))
    sign = torch.where((dual[..., :4] * own).sum(-1, keepdim=True) < 0, -1.0, 1.0)
    # All states side by side: one product a shape instead of one for each state.
    flat = (dual * sign).transpose(1, 2).flatten(2)
    mean = (geometry.mean @ flat).unflatten(-1, (s, 8)).transpose(1, 2)
    real = mean[..., :4]
    mean = torch.where(real.norm(dim=-1, keepdim=True) > 1e-3, mean, torch.cat([lead, mean[..., 4:]], dim=-1))
    return log_twist(dual_to_rigid(_unit(mean))).transpose(1, 2)


def _unit(dual: Tensor) -> Tensor:
    real, rest = dual[..., :4], dual[..., 4:]
    size = real.norm(dim=-1, keepdim=True).clamp_min(1e-6)
    real, rest = real / size, rest / size
    return torch.cat([real, rest - real * (real * rest).sum(-1, keepdim=True)], dim=-1)
