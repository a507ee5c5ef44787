"""The decoder `points`: each query point's own motion, from the latent's tokens; the paper's.

Queries do not attend to each other, so that the motion of a point depends on the point, the shape and the latent
alone, whichever other points are decoded.
"""

import torch
from torch import Tensor, nn

from neurok.geometry.rigid import dual_conjugate, dual_multiply, dual_normalise
from neurok.networks.attention import AttentionBlock, Perceptron, PlainNorm
from neurok.networks.encoders import POINT_WIDTH, AutoencoderSize, identity_dual, point_inputs
from neurok.networks.shapes import Shapes


class PointsDecoder(nn.Module):
    """z [b, s, d], tokens of the shapes [b, K, w] and query points -> their motions.

    dual_quaternion: motions are unit dual quaternions about the canonical origin; else displacements [diagonals].
    """

    def __init__(self, size: AutoencoderSize, *, dual_quaternion: bool) -> None:
        super().__init__()
        w = size.width
        self.tokens, self.dual_quaternion = size.tokens, dual_quaternion
        self.point = Perceptron(POINT_WIDTH, w, w, smooth=True)
        self.latent = nn.Linear(size.channels, w)
        self.shape = nn.Linear(w, w)
        self.talk = nn.ModuleList(AttentionBlock(w, size.heads, smooth=True) for _ in range(size.layers))
        self.look = nn.ModuleList(AttentionBlock(w, size.heads, cross=True, smooth=True) for _ in range(size.layers))
        self.settle = PlainNorm(w)
        self.motion = Perceptron(w, w, 8 if dual_quaternion else 3, smooth=True)
        with torch.no_grad():  # points begin nearly at rest
            self.motion.last.weight.mul_(0.1)

    def forward(self, z: Tensor, shape_tokens: Tensor, shapes: Shapes, count: int) -> Tensor:
        """Motions of the first `count` points of the shapes, [b, s, count, 8 or 3]."""
        return self.at(z, shape_tokens, self.point(point_inputs(shapes)[:, :count]))

    def at(self, z: Tensor, shape_tokens: Tensor, queries: Tensor) -> Tensor:
        """Motions of query points, given as `point` embeds them, [b, m, w] -> [b, s, m, 8 or 3]."""
        b, s, _ = z.shape
        tokens = self.latent(z.unflatten(-1, (self.tokens, -1))) + self.shape(shape_tokens)[:, None]
        tokens = tokens.flatten(0, 1)
        x = queries[:, None].expand(-1, s, -1, -1).flatten(0, 1)
        for talk, look in zip(self.talk, self.look):
            tokens = talk(tokens)
            x = look(x, tokens)
        motion = self.motion(self.settle(x)).unflatten(0, (b, s))
        return dual_normalise(motion + identity_dual(motion)) if self.dual_quaternion else motion


def since_rest(motion: Tensor, at_rest: Tensor) -> Tensor:
    """Decoded motions less what the decoder gives at rest, so that rest is exact; [..., 8] or [..., 3].

    A dual quaternion is composed with the inverse of the one at rest; a displacement is a difference.
    """
    if motion.shape[-1] == 3:
        return motion - at_rest
    return dual_multiply(motion, dual_conjugate(at_rest).expand_as(motion))
