"""Encoders of the variational autoencoder: the tokens and the prior of a shape, and the posterior of its motions.

Points are read by learnable tokens through cross-attention, as 3DShape2VecSet does (Zhang et al. 2023): the number of
tokens is fixed whatever the number of points, and flattened they are the latent vector.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.geometry.regions import REGION_FEATURE_COUNT
from neurok.networks.attention import AttentionBlock, Perceptron, embed_fourier
from neurok.networks.gaussian import Posterior, Prior
from neurok.networks.shapes import Shapes

POINT_WIDTH = 3 * 13 + 3 + REGION_FEATURE_COUNT  # embedded position, normal, what its find_regions are like
DISPLACEMENT_GAIN = (
    8.0  # by which displacements are multiplied where a network reads them: an eighth of the diagonal is far
)
MIN_LOG_VARIANCE, MAX_LOG_VARIANCE = -10.0, 4.0  # logarithms of variances
INITIAL_LOG_VARIANCE = -4.0  # where the posterior's begin, so that noise does not drown what there is to learn


@dataclass(frozen=True)
class AutoencoderSize:
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


AUTOENCODER_SIZES = {
    "tiny": AutoencoderSize(48, 3, 8, 8, 1, 2),
    "base": AutoencoderSize(),
    "large": AutoencoderSize(256, 8, 32, 8, 6, 4),
}


def point_inputs(shapes: Shapes) -> Tensor:
    """The features of each point of a shape that encoders and decoders read, [b, n, POINT_WIDTH]."""
    return torch.cat([embed_fourier(shapes.position), shapes.normal, shapes.region], dim=-1)


class Perceiver(nn.Module):
    """Features of points [b, n, w] -> tokens [b, count, w]."""

    def __init__(self, width: int, heads: int, count: int, blocks: int) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(count, width) * 0.3)
        self.read = AttentionBlock(width, heads, cross=True)
        self.blocks = nn.ModuleList(AttentionBlock(width, heads) for _ in range(blocks))
        self.settle = nn.LayerNorm(width)

    def forward(self, points: Tensor) -> Tensor:
        tokens = self.read(self.queries.expand(len(points), -1, -1), points)
        for block in self.blocks:
            tokens = block(tokens)
        return self.settle(tokens)


class ShapeEncoder(nn.Module):
    """Shapes -> tokens [b, K, w]: the trunk of the prior encoder."""

    def __init__(self, size: AutoencoderSize) -> None:
        super().__init__()
        self.point = Perceptron(POINT_WIDTH, size.width, size.width)
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
        diagonal = self.diagonal(tokens).flatten(1).clamp(MIN_LOG_VARIANCE, MAX_LOG_VARIANCE).exp()
        factor = self.factor(tokens).unflatten(-1, (-1, self.rank)).flatten(1, 2)
        return Prior(rest, diagonal, factor)


class MotionEncoder(nn.Module):
    """Points of a shape with their deformation -> 2 K tokens -> mean and log-variance: the posterior encoder."""

    def __init__(self, size: AutoencoderSize, *, dual_quaternion: bool) -> None:
        super().__init__()
        self.dual_quaternion = dual_quaternion
        # One linear map of point and deformation side by side, in two halves: the point's is the same for all motions.
        self.point = nn.Linear(POINT_WIDTH, size.width)
        self.deformation = nn.Linear(11 if dual_quaternion else 3, size.width, bias=False)
        self.mix = nn.Linear(size.width, size.width)
        self.perceiver = Perceiver(size.width, size.heads, 2 * size.tokens, size.blocks)
        self.mean = nn.Linear(size.width, size.channels)
        self.log_variance = nn.Linear(size.width, size.channels)
        nn.init.constant_(self.log_variance.bias, INITIAL_LOG_VARIANCE)

    def forward(self, shapes: Shapes, tokens: Tensor, displacement: Tensor, dual: Tensor) -> Posterior:
        """displacement: [b, s, n, 3]. dual: [b, s, n, 8], scalar of the real part >= 0. tokens: not read."""
        b, s, n, _ = displacement.shape
        deformation = DISPLACEMENT_GAIN * displacement
        if self.dual_quaternion:
            deformation = torch.cat([deformation, dual - identity_dual(dual)], dim=-1)
        moved = self.point(point_inputs(shapes))[:, None] + self.deformation(deformation)
        tokens = self.perceiver(self.mix(functional.relu(moved)).reshape(b * s, n, -1))
        means, variances = tokens.chunk(2, dim=1)
        log_variance = self.log_variance(variances).clamp(MIN_LOG_VARIANCE, MAX_LOG_VARIANCE)
        return Posterior(self.mean(means).reshape(b, s, -1), log_variance.reshape(b, s, -1))


def identity_dual(like: Tensor) -> Tensor:
    """The dual quaternion of no motion, [8]."""
    return functional.pad(like.new_ones(1), (0, 7))
