"""Encoders of the variational autoencoder: a shape's tokens and prior, and what a motion of it says of the latent.

Points are read by learnable tokens through cross-attention, as 3DShape2VecSet does (Zhang et al. 2023): the number of
tokens is fixed whatever the number of points, and flattened they are the latent vector.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.geometry.regions import REGION_FEATURE_COUNT
from neurok.networks.attention import Block, Perceptron, fourier
from neurok.networks.gaussian import Posterior, Prior
from neurok.networks.shapes import Shapes

POINT = 3 * 13 + 3 + REGION_FEATURE_COUNT  # embedded position, normal, what its regions are like
FAR = 8.0  # by which displacements are multiplied where a network reads them: an eighth of the diagonal is far
LEAST_LOG, MOST_LOG = -10.0, 4.0  # logarithms of variances
FIRST_LOG = -4.0  # where the posterior's begin, so that noise does not drown what there is to learn


@dataclass(frozen=True)
class Size:
    """width of the tokens, heads of attention, tokens (K) and channels of each (F), self-attention blocks of an
    encoder, layers of the decoder, rank of the low-rank prior, points at which a training step decodes."""

    width: int = 160
    heads: int = 5
    tokens: int = 16
    channels: int = 8
    blocks: int = 4
    layers: int = 3
    rank: int = 16
    queries: int = 128


SIZES = {
    "tiny": Size(48, 3, 8, 8, 1, 2),
    "base": Size(),
    "large": Size(256, 8, 32, 8, 6, 4),
}


def point_inputs(shapes: Shapes) -> Tensor:
    """What an encoder or a decoder is told of each point of a shape, [b, n, POINT]."""
    return torch.cat([fourier(shapes.position), shapes.normal, shapes.region], dim=-1)


class Perceiver(nn.Module):
    """Features of points [b, n, w] -> tokens [b, count, w]."""

    def __init__(self, width: int, heads: int, count: int, blocks: int) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(count, width) * 0.3)
        self.read = Block(width, heads, cross=True)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.settle = nn.LayerNorm(width)

    def forward(self, points: Tensor) -> Tensor:
        tokens = self.read(self.queries.expand(len(points), -1, -1), points)
        for block in self.blocks:
            tokens = block(tokens)
        return self.settle(tokens)


class ShapeEncoder(nn.Module):
    """Shapes -> tokens [b, K, w]: the trunk of the prior encoder."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.point = Perceptron(POINT, size.width, size.width)
        self.perceiver = Perceiver(size.width, size.heads, size.tokens, size.blocks)

    def forward(self, shapes: Shapes) -> Tensor:
        return self.perceiver(self.point(point_inputs(shapes)))


class PriorHead(nn.Module):
    """Tokens of a shape -> p(z | shape).

    unit: N(mu_cond, 1), mu_cond the tokens' channels, flattened. lowrank: N(z_rest, D + L L^T), D and L predicted.
    """

    def __init__(self, kind: str, width: int, channels: int, rank: int) -> None:
        super().__init__()
        self.kind, self.rank = kind, rank
        if kind == "unit":
            self.mean = nn.Linear(width, channels)
        else:
            self.diagonal = nn.Linear(width, channels)
            self.factor = nn.Linear(width, channels * rank)
            nn.init.zeros_(self.diagonal.weight)
            nn.init.zeros_(self.diagonal.bias)

    def forward(self, tokens: Tensor, rest: Tensor) -> Prior:
        """tokens: [b, K, w]. rest: latent of no motion, [b, d]."""
        if self.kind == "unit":
            mean = self.mean(tokens).flatten(1)
            return Prior(mean, torch.ones_like(mean), mean.new_zeros(*mean.shape, 0))
        diagonal = self.diagonal(tokens).flatten(1).clamp(LEAST_LOG, MOST_LOG).exp()
        factor = self.factor(tokens).unflatten(-1, (-1, self.rank)).flatten(1, 2)
        return Prior(rest, diagonal, factor)


class MotionEncoder(nn.Module):
    """Points of a shape with their deformation -> 2 K tokens -> mean and log-variance: the posterior encoder."""

    def __init__(self, size: Size, *, dual_quaternion: bool) -> None:
        super().__init__()
        self.dual_quaternion = dual_quaternion
        # One linear map of point and deformation side by side, in two halves: the point's is the same for all motions.
        self.point = nn.Linear(POINT, size.width)
        self.deformation = nn.Linear(11 if dual_quaternion else 3, size.width, bias=False)
        self.mix = nn.Linear(size.width, size.width)
        self.perceiver = Perceiver(size.width, size.heads, 2 * size.tokens, size.blocks)
        self.mean = nn.Linear(size.width, size.channels)
        self.log_variance = nn.Linear(size.width, size.channels)
        nn.init.constant_(self.log_variance.bias, FIRST_LOG)

    def forward(self, shapes: Shapes, tokens: Tensor, displacement: Tensor, dual: Tensor) -> Posterior:
        """displacement: [b, s, n, 3]. dual: [b, s, n, 8], scalar of the real part >= 0. tokens: not read."""
        b, s, n, _ = displacement.shape
        told = [FAR * displacement, dual - identity(dual)] if self.dual_quaternion else [FAR * displacement]
        moved = self.point(point_inputs(shapes))[:, None] + self.deformation(torch.cat(told, dim=-1))
        seen = self.perceiver(self.mix(functional.relu(moved)).reshape(b * s, n, -1))
        means, variances = seen.chunk(2, dim=1)
        mean, log_variance = self.mean(means), self.log_variance(variances)
        return Posterior(mean.reshape(b, s, -1), log_variance.reshape(b, s, -1).clamp(LEAST_LOG, MOST_LOG))


def identity(like: Tensor) -> Tensor:
    """The dual quaternion of no motion, [8]."""
    return functional.pad(like.new_ones(1), (0, 7))
