"""The conditional variational autoencoder of motions: the paper's model, with two decoders and two priors.

    z ~ p(z | shape),   motion = decoder(z, shape),   z | motion, shape ~ q(z | motion, shape);

what it is learned by is in training.losses.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from neurok.networks.config import Config
from neurok.networks.encoders import AUTOENCODER_SIZES, MotionEncoder, PriorHead, ShapeEncoder, identity_dual
from neurok.networks.gaussian import Posterior, Prior
from neurok.networks.handle_motion import CHANNELS_PER_HANDLE, HandleEncoder, HandleMotionEncoder, HandlesDecoder
from neurok.networks.points import PointsDecoder, since_rest
from neurok.networks.shapes import Shapes


@dataclass(frozen=True)
class Encoded:
    """b shapes as the model knows them. tokens: [b, K, w]. rest: the latent of no motion, [b, d]. prior: of z."""

    shapes: Shapes
    tokens: Tensor
    rest: Tensor
    prior: Prior


class VaeModel(nn.Module):
    """Encoders and decoder of one configuration."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        size, dual = AUTOENCODER_SIZES[config.size], config.dual_quaternion
        points = config.decoder == "points"
        self.size, self.dual_quaternion = size, dual
        self.trunk = ShapeEncoder(size) if points else HandleEncoder(size)
        self.prior = PriorHead(config.prior, size.width, size.channels if points else CHANNELS_PER_HANDLE, size.rank)
        self.posterior = (MotionEncoder if points else HandleMotionEncoder)(size, dual_quaternion=dual)
        self.decoder = (PointsDecoder if points else HandlesDecoder)(size, dual_quaternion=dual)

    def encode(self, shapes: Shapes, displacement: Tensor, dual: Tensor) -> tuple[Encoded, Posterior]:
        """The shapes, and the posterior of motions of all their points, [b, s, n, 3] and [b, s, n, 8]."""
        tokens = self.trunk(shapes)
        # No motion at all is one more motion; its posterior mean is where the state space rests.
        still = torch.zeros_like(shapes.position)[:, None]
        stays = identity_dual(dual).expand(*still.shape[:-1], 8)
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
