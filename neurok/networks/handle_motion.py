"""The variational autoencoder's handles: z holds six numbers for each, and each is moved by one twist.

The observed twist of a handle about its own centre goes straight into its part of z, and from there straight to its
motion; networks that attend to all handles and to the shape learn what has to be added.
"""

import torch
from torch import Tensor, nn

from neurok.geometry.rigid import left_jacobian, quaternion_multiply
from neurok.geometry.rotation import sine_ratios
from neurok.networks.attention import AttentionBlock, Perceptron, PlainNorm, embed_fourier
from neurok.networks.encoders import (
    INITIAL_LOG_VARIANCE,
    MAX_LOG_VARIANCE,
    MIN_LOG_VARIANCE,
    POINT_WIDTH,
    AutoencoderSize,
    point_inputs,
)
from neurok.networks.gaussian import Posterior
from neurok.networks.proposals import about_centre, about_origin
from neurok.networks.shapes import PAIR_WIDTH, HandleGeometry, Shapes, handle_geometry, pair_features
from neurok.networks.twist_field import observed_twists

CHANNELS_PER_HANDLE = 6  # of the latent
LATENT_GAIN = 10.0  # latent deviations per diagonal of motion: a handle that takes part moves a tenth of it or more


class HandleEncoder(nn.Module):
    """Shapes -> one token per handle, [b, h, w]: the trunk of the prior encoder."""

    def __init__(self, size: AutoencoderSize) -> None:
        super().__init__()
        w = size.width
        self.point = Perceptron(POINT_WIDTH + 3, w, w)
        self.token = Perceptron(w + 3 * 13 + 3 + 6 + 1, w, w)
        self.pair = Perceptron(PAIR_WIDTH, 32, size.heads * size.blocks)
        self.blocks = nn.ModuleList(AttentionBlock(w, size.heads) for _ in range(size.blocks))
        self.settle = nn.LayerNorm(w)

    def forward(self, shapes: Shapes) -> Tensor:
        geometry = handle_geometry(shapes)
        own = shapes.position - shapes.owned.mT @ geometry.centre
        points = self.point(torch.cat([point_inputs(shapes), 8.0 * own], dim=-1))
        upper = torch.triu_indices(3, 3, device=own.device)
        features = [
            geometry.mean @ points, embed_fourier(geometry.centre), geometry.normal,
            50.0 * geometry.moments[..., upper[0], upper[1]], (geometry.area[..., None] + 1e-4).log() * 0.2,
        ]  # fmt: skip
        tokens = self.token(torch.cat(features, dim=-1))
        bias = self.pair(pair_features(shapes, geometry)).movedim(-1, 1).chunk(len(self.blocks), dim=1)
        for block, each in zip(self.blocks, bias):
            tokens = block(tokens, bias=each)
        return self.settle(tokens)


class Exchange(nn.Module):
    """What handles add to their own numbers x [b, s, h, 6], knowing the shape and each other: [b, s, h, out]."""

    def __init__(self, size: AutoencoderSize, layers: int, out: int, *, smooth: bool) -> None:
        super().__init__()
        w = size.width
        self.own, self.shape = Perceptron(CHANNELS_PER_HANDLE, w, w, smooth=smooth), nn.Linear(w, w)
        self.blocks = nn.ModuleList(AttentionBlock(w, size.heads, smooth=smooth) for _ in range(layers))
        self.settle = PlainNorm(w) if smooth else nn.LayerNorm(w)
        self.out = nn.Linear(w, out)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor, tokens: Tensor) -> Tensor:
        b, s = x.shape[:2]
        mixed = (self.own(x) + self.shape(tokens)[:, None]).flatten(0, 1)
        for block in self.blocks:
            mixed = block(mixed)
        return self.out(self.settle(mixed)).unflatten(0, (b, s))


class HandleMotionEncoder(nn.Module):
    """The posterior encoder, pooled through the skin: z of a handle is first of all its observed twist."""

    def __init__(self, size: AutoencoderSize, *, dual_quaternion: bool) -> None:
        super().__init__()
        self.dual_quaternion = dual_quaternion
        self.exchange = Exchange(size, max(size.layers - 1, 1), 2 * CHANNELS_PER_HANDLE, smooth=False)

    def forward(self, shapes: Shapes, tokens: Tensor, displacement: Tensor, dual: Tensor) -> Posterior:
        """tokens: of the handles, [b, h, w]. displacement: [b, s, n, 3]. dual: [b, s, n, 8]."""
        geometry = handle_geometry(shapes)
        if self.dual_quaternion:
            observed = about_centre(observed_twists(dual, geometry, shapes.owner), geometry.centre).transpose(1, 2)
        else:
            shift = geometry.mean[:, None] @ displacement
            observed = torch.cat([shift, torch.zeros_like(shift)], dim=-1)
        direct = LATENT_GAIN * observed
        added, log_variance = self.exchange(direct, tokens).chunk(2, dim=-1)
        log_variance = (log_variance + INITIAL_LOG_VARIANCE).clamp(MIN_LOG_VARIANCE, MAX_LOG_VARIANCE)
        return Posterior((direct + added).flatten(2), log_variance.flatten(2))


class HandlesDecoder(nn.Module):
    """z [b, s, 6 h] -> the unit dual quaternions of handles, or of points through the handle that owns them.

    dual_quaternion: whether handles turn; else they shift only.
    """

    def __init__(self, size: AutoencoderSize, *, dual_quaternion: bool) -> None:
        super().__init__()
        self.dual_quaternion = dual_quaternion
        self.exchange = Exchange(size, size.layers, CHANNELS_PER_HANDLE, smooth=True)

    def forward(self, z: Tensor, tokens: Tensor, shapes: Shapes, count: int) -> Tensor:
        """Motions of the first `count` points of the shapes, [b, s, count, 8]."""
        handles = self.handles(z, tokens, handle_geometry(shapes))
        owner = shapes.owner[:, None, :count, None].expand(-1, z.shape[1], -1, 8)
        return handles.gather(2, owner)

    def handles(self, z: Tensor, tokens: Tensor, geometry: HandleGeometry) -> Tensor:
        """Motions of the handles about the canonical origin, [b, s, h, 8]."""
        x = z.unflatten(-1, (-1, CHANNELS_PER_HANDLE))
        own = (x + self.exchange(x, tokens)) / LATENT_GAIN
        if not self.dual_quaternion:
            own = torch.cat([own[..., :3], torch.zeros_like(own[..., 3:])], dim=-1)
        return dual_from_twist(about_origin(own.transpose(1, 2), geometry.centre).transpose(1, 2))


def dual_from_twist(twist: Tensor) -> Tensor:
    """The unit dual quaternion of exp(v, w), [..., 6] -> [..., 8]; smooth at zero and for turns of any size."""
    v, w = twist[..., :3], twist[..., 3:]
    quarter = 0.25 * (w * w).sum(-1, keepdim=True)  # the square of half the angle
    a, b = sine_ratios(quarter)
    real = torch.cat([1.0 - quarter * b, 0.5 * a * w], dim=-1)
    t = (left_jacobian(w) @ v[..., None])[..., 0]
    return torch.cat([real, 0.5 * quaternion_multiply(torch.cat([torch.zeros_like(t[..., :1]), t], -1), real)], dim=-1)
