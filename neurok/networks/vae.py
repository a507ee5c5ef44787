"""The conditional variational autoencoder of motions: the paper's model, with two decoders and two priors.

    loss = |delta - delta'|^2 + lambda KL(q(z | motion, shape) || p(z | shape))

Normalisation: the first term is a mean over points, relative to the same mean of the motion itself (plus a floor), so
that not moving costs 1 at most; the second is in nats per token (or handle). Where deformations are told as dual
quaternions, the first term is the mean of the error of displacements and that of dual quaternions, each so taken.
"""

import zlib
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from neurok.geometry.rigid import dual_apply
from neurok.networks.batch import TrainingBatch
from neurok.networks.config import Config
from neurok.networks.encoders import SIZES, MotionEncoder, PriorHead, ShapeEncoder, identity
from neurok.networks.gaussian import Posterior, Prior
from neurok.networks.handle_motion import CHANNELS, HandleEncoder, HandleMotionEncoder, HandlesDecoder
from neurok.networks.points import PointsDecoder, since_rest
from neurok.networks.shapes import Shapes

FLOOR = 0.03  # added to the size of a motion [diagonals, and half radians] by which its error is divided


@dataclass(frozen=True)
class Encoded:
    """b shapes as the model knows them. tokens: [b, K, w]. rest: the latent of no motion, [b, d]. prior: of z."""

    shapes: Shapes
    tokens: Tensor
    rest: Tensor
    prior: Prior


class VaeModel(nn.Module):
    """Encoders, decoder and objective of one configuration."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        size, dual = SIZES[config.size], config.dual_quaternion
        points = config.decoder == "points"
        self.size, self.weight, self.dual_quaternion = size, config.weight, dual
        self.trunk = ShapeEncoder(size) if points else HandleEncoder(size)
        self.prior = PriorHead(config.prior, size.width, size.channels if points else CHANNELS, size.rank)
        self.posterior = (MotionEncoder if points else HandleMotionEncoder)(size, dual_quaternion=dual)
        self.decoder = (PointsDecoder if points else HandlesDecoder)(size, dual_quaternion=dual)

    def forward(self, batch: TrainingBatch, warmth: float = 1.0) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, and figures of each of its motions, [b, s].

        warmth: the share of the KL divergence that counts.
        fit: motion_recovered by the posterior's mean; sampled: by a sample of it, as the loss sees it; kl: in nats.
        """
        encoded, posterior = self.encode(batch.shapes, batch.displacement, batch.dual)
        count = min(self.size.queries, batch.shapes.position.shape[1])
        kl = encoded.prior.kl(posterior)
        motion = self.decode(encoded, posterior.at(_noise(batch.draw, posterior.mean)), count)
        error, sampled = self._missed(motion, batch)
        with torch.no_grad():
            # Queries do not look at each other: fewer of them are the same motion, in less time.
            probe = count // 4 if torch.is_grad_enabled() else batch.shapes.position.shape[1]
            fit = self._missed(self.decode(encoded, posterior.mean, max(probe, 1)), batch)[1]
        tokens = encoded.tokens.shape[1]
        loss = error.mean() + warmth * self.weight * kl.mean() / tokens
        return loss, {"fit": fit, "sampled": sampled.detach(), "kl": kl.detach()}

    def encode(self, shapes: Shapes, displacement: Tensor, dual: Tensor) -> tuple[Encoded, Posterior]:
        """The shapes, and the posterior of motions of all their points, [b, s, n, 3] and [b, s, n, 8]."""
        tokens = self.trunk(shapes)
        # No motion at all is one more motion; its posterior mean is where the state space rests.
        still = torch.zeros_like(shapes.position)[:, None]
        stays = identity(dual).expand(*still.shape[:-1], 8)
        every = self.posterior(shapes, tokens, torch.cat([still, displacement], 1), torch.cat([stays, dual], 1))
        rest = every.mean[:, 0]
        posterior = Posterior(every.mean[:, 1:], every.log_variance[:, 1:])
        return Encoded(shapes, tokens, rest, self.prior(tokens, rest)), posterior

    def decode(self, encoded: Encoded, z: Tensor, count: int) -> Tensor:
        """What z [b, s, d] does to the first `count` points, since rest: [b, s, count, 8 or 3]."""
        motion = self.decoder(torch.cat([encoded.rest[:, None], z], dim=1), encoded.tokens, encoded.shapes, count)
        return since_rest(motion[:, 1:], motion[:, :1])

    def space(self, shapes: Shapes) -> Encoded:
        """The state spaces of shapes alone."""
        with torch.no_grad():
            b, n, _ = shapes.position.shape
            none = shapes.position.new_zeros(b, 0, n, 3)
            return self.encode(shapes, none, none.new_zeros(b, 0, n, 8))[0]

    def _missed(self, motion: Tensor, batch: TrainingBatch) -> tuple[Tensor, Tensor]:
        """The error of each motion as the loss counts it, and its motion_recovered, [b, s]."""
        count = motion.shape[2]
        target = batch.displacement[:, :, :count]
        x = batch.shapes.position[:, None, :count]
        shift = motion if motion.shape[-1] == 3 else dual_apply(motion, x.expand_as(target)) - x
        off, size = (shift - target).square().sum(-1).mean(-1), target.square().sum(-1).mean(-1)
        recovered = 1.0 - (off / size.clamp_min(1e-12)).sqrt()
        error = off / (size + FLOOR**2)
        if not self.dual_quaternion:
            return error, recovered
        dual = batch.dual[:, :, :count]
        # A motion has two dual quaternions, of opposite signs: the nearer one counts.
        sign = torch.where((motion[..., :4] * dual[..., :4]).sum(-1, keepdim=True) < 0, -1.0, 1.0)
        turned = (motion - sign * dual).square().sum(-1).mean(-1)
        whole = (dual - identity(dual)).square().sum(-1).mean(-1)
        return 0.5 * (error + turned / (whole + FLOOR**2)), recovered


def _noise(draw: Tensor, like: Tensor) -> Tensor:
    """Standard normal numbers of the shape of `like` [b, s, d] that depend on each shape's own draw [b, s, c] only.

    So they are the same however the shapes of a batch are shared among processes.
    """
    rows = []
    for each in draw.detach().cpu().contiguous():
        generator = torch.Generator().manual_seed(zlib.crc32(each.numpy().tobytes()))
        rows.append(torch.randn(like.shape[1:], generator=generator))
    return torch.stack(rows).to(like)
