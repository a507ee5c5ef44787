"""Observed motions as twists of handles, and the metric in which fields of twists are compared."""

import torch
from torch import Tensor

from neurok.geometry.handle_metric import HandleMetric
from neurok.geometry.rigid import dual_to_rigid, log_twist
from neurok.networks.shapes import HandleGeometry


def metric_of(geometry: HandleGeometry) -> HandleMetric:
    """The metric of each shape's handles, in diagonals; shares are those of the area."""
    return HandleMetric(geometry.area / geometry.area.sum(-1, keepdim=True), geometry.centre, geometry.moments)


def observed_twists(dual: Tensor, geometry: HandleGeometry, owner: Tensor) -> Tensor:
    """The observed twist of each handle, that of its points' mean dual quaternion, [b, s, n, 8] -> [b, h, s, 6]."""
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
