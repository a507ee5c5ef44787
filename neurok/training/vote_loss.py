"""What the votes of handles cost: how far they are from the motions that were observed."""

import torch
from torch import Tensor
from torch.nn import functional

from neurok.geometry.handle_metric import HandleMetric
from neurok.networks.proposals import TWISTS_PER_HANDLE, Votes, about_centre

PART_GAP = 0.1  # how far handles come apart, as a share of the whole motion, that no longer count as moving as one


def vote_losses(votes: Votes, observed: Tensor, metric: HandleMetric, size: Tensor) -> dict[str, Tensor]:
    """How far votes are from observed twists [b, h, s, 6]; size of each motion, [b, s]. Each loss is [b].

    together: cross entropy, in which pairs that part count as much in all as those that do not. own: the share of each
    handle's motion that does not lie in its twists, by how far it moves. amplitude: of the logarithm of how far.
    """
    with torch.no_grad():
        relative = observed / size[:, None, :, None].clamp_min(1e-3)
        alike = (-metric.pair_distances(relative) / PART_GAP**2).exp()
        apart_share = (1 - alike).mean((1, 2), keepdim=True).clamp(0.02, 0.98)
        balance = alike * 0.5 / (1 - apart_share) + (1 - alike) * 0.5 / apart_share
        far, vector = leading_twists(about_centre(observed, metric.centre))
        weight = far / (far.sum((1, 2), keepdim=True) + 1e-6)
    entropy = functional.binary_cross_entropy_with_logits(votes.together, alike, reduction="none")
    agree = (votes.own * vector).sum(-1).square()
    amplitude = functional.huber_loss((votes.amplitude + 0.01).log(), (far + 0.01).log(), reduction="none").mean()
    return {
        "together": (entropy * balance).mean((1, 2)),
        "own": (weight * (1 - agree)).sum((1, 2)),
        "amplitude": amplitude.expand(len(agree)),
    }


def leading_twists(own: Tensor) -> tuple[Tensor, Tensor]:
    """The leading directions of handles' twists over states [b, h, s, 6], in the network's units: how far handles go
    along each (RMS), [b, h, TWISTS_PER_HANDLE], and the unit directions, [b, h, TWISTS_PER_HANDLE, 6]."""
    # In double precision: of matrices with entries near the least float there is, LAPACK's gives no numbers.
    value, vector = torch.linalg.eigh((own.transpose(2, 3) @ own / own.shape[2]).double())
    value = value.flip(-1)[..., :TWISTS_PER_HANDLE].clamp_min(0)
    vector = vector.flip(-1)[..., :TWISTS_PER_HANDLE].transpose(2, 3)
    return value.to(own).sqrt(), vector.to(own)
