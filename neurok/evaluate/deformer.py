"""A keypoint deformer in the manner of KeyPointDeformer: keypoints that nobody named move a cage, and it the shape.

    x' = x + sum_c w_c(x) sum_k W_ck d_k

with w the mean value coordinates of a cage around the shape, W the influence of keypoint k on cage vertex c, predicted
from the shape, and d how far the keypoints are displaced. The same network finds the keypoints of shape and target,
and their differences are the first guess of d.

After Jakab, Tucker, Makadia, Wu, Snavely and Kanazawa 2021; what differs: one network for all kinds of object instead
of one for each, the store's corresponding points instead of a Chamfer distance to learn from (which can only help it),
and a cage that is drawn in by direction instead of being optimised.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from neurok.errors import InputError
from neurok.evaluate.method import DEFORMER
from neurok.networks.weights import put_weights, read_weights

CAGE_VERTEX_COUNT = 42  # vertices
ERROR_FLOOR = 0.03  # added to the size of a motion [diagonals] by which its error is divided
COVER_WEIGHT = 0.1  # weight of the keypoints' lying where the shape is
INFLUENCE_WEIGHT = 1e-3  # weight of the influences' size


@dataclass(frozen=True)
class DeformerConfig:
    """keypoints: how many. width: of the point network. states: of each shape in a step; points: of each shape."""

    keypoints: int = 12
    width: int = 128
    shapes: int = 16
    states: int = 4
    points: int = 512
    rate: float = 1e-3
    seed: int = 0


class Deformer(nn.Module):
    """Points of shapes -> keypoints and their influence on the cage."""

    def __init__(self, config: DeformerConfig) -> None:
        super().__init__()
        k, w = config.keypoints, config.width
        self.keypoint_count = k
        self.each = nn.Sequential(nn.Linear(3, w // 2), nn.ReLU(), nn.Linear(w // 2, w), nn.ReLU(), nn.Linear(w, 2 * w))
        self.places = nn.Sequential(nn.Linear(2 * w, w), nn.ReLU(), nn.Linear(w, 3 * k))
        self.influence_of = nn.Sequential(nn.Linear(2 * w, w), nn.ReLU(), nn.Linear(w, CAGE_VERTEX_COUNT * k))
        self.usual = nn.Parameter(0.01 * torch.randn(CAGE_VERTEX_COUNT, k))

    def features(self, points: Tensor) -> Tensor:
        """What shapes are like, [b, 2 w], from points [b, n, 3]."""
        return self.each(points).amax(dim=1)

    def keypoints(self, features: Tensor) -> Tensor:
        """Where they are, [b, k, 3]."""
        return self.places(features).unflatten(-1, (self.keypoint_count, 3))

    def influence(self, features: Tensor) -> Tensor:
        """W, [b, c, k]."""
        return self.usual + self.influence_of(features).unflatten(-1, (CAGE_VERTEX_COUNT, self.keypoint_count))

    def forward(self, position: Tensor, displacement: Tensor, weights: Tensor, far: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of motions of shapes, and how much of each motion is recovered, [b, s].

        position [b, n, 3]; displacement [b, s, n, 3]; weights: of the cage, [b, n, c]; far: points all over each
        shape, [b, k, 3].
        """
        b, s, n, _ = displacement.shape
        features = self.features(position)
        here, W = self.keypoints(features), self.influence(features)
        goal = (position[:, None] + displacement).reshape(b * s, n, 3)
        there = self.keypoints(self.features(goal)).reshape(b, s, self.keypoint_count, 3)
        moved = torch.einsum("bnc,bck,bskx->bsnx", weights, W, there - here[:, None])
        off = (moved - displacement).square().sum(-1).mean(-1)
        size = displacement.square().sum(-1).mean(-1)
        apart = (here[:, :, None] - far[:, None]).square().sum(-1)
        cover = apart.amin(1).mean() + apart.amin(2).mean()
        loss = (off / (size + ERROR_FLOOR**2)).mean() + COVER_WEIGHT * cover + INFLUENCE_WEIGHT * W.square().mean()
        return loss, 1.0 - (off / size.clamp_min(1e-12)).sqrt().detach()


def save_deformer(folder: Path, model: Deformer, config: DeformerConfig, facts: dict[str, Any]) -> None:
    """Weights as those of state spaces are kept, with what is known of them."""
    put_weights(folder, model.state_dict(), {DEFORMER: asdict(config), **facts})


def load_deformer(folder: str) -> Deformer:
    """A trained deformer, ready to be asked."""
    state, record = read_weights(folder)
    try:
        model = Deformer(DeformerConfig(**record[DEFORMER]))
        model.load_state_dict(state)
    except (KeyError, TypeError, RuntimeError) as fault:
        told = str(fault).splitlines()[0]
        raise InputError(f"{folder} holds no weights of a keypoint deformer ({told})", "name others") from None
    return model.eval().requires_grad_(False)
