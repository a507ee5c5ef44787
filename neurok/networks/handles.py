"""The model of handles: a shape's state space F(q) = skin o exp(B q), learned by the evidence of observed motions.

It is a variational autoencoder whose decoder is linear in twist coordinates, so that nothing need be sampled: the most
likely state is found by reweighted least squares, and the evidence is approximated about it (see `evidence`).
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.networks.basis import Basis, BasisNetwork, Size
from neurok.networks.batch import TrainingBatch
from neurok.networks.evidence import drag, dragged, evidence, side_loss
from neurok.networks.proposals import vote_loss
from neurok.networks.shapes import HandleGeometry, Shapes, handle_geometry
from neurok.networks.twist_field import Metric, metric, observed_twists

DRAG = 2.0  # a drag without any effect costs three times this, in nats
VOTES = {"together": 40.0, "own": 60.0, "reach": 10.0}  # what votes without any sense cost, roughly, in nats
SIDES = 4.0  # nats per deviation that a side lies wrong, roughly, times the share of states beyond it
BENDS = 3.0  # nats per nat of doubt about whether a shape is a body or a mechanism
STEEPEST = 60.0  # norm of the derivative by one shape's twists, beyond which it is cut


class Tamed(torch.autograd.Function):
    """The identity; derivatives are cut to a norm per shape.

    Where no mode fits, the evidence is steep out of all proportion, and a single such shape would drown the others.
    """

    @staticmethod
    def forward(ctx: Any, twist: Tensor) -> Tensor:
        return twist.view_as(twist)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> Tensor:
        most = STEEPEST / len(slope)
        norm = slope.flatten(1).norm(dim=1).clamp_min(most)
        return slope * (most / norm)[:, None, None, None]


@dataclass(frozen=True)
class Fitted:
    """What a batch of shapes and their motions come to in a basis: fields and what they were made of."""

    shapes: Shapes
    geometry: HandleGeometry
    metric: Metric
    basis: Basis
    observed: Tensor  # twists, [b, h, s, 6]
    motion: Tensor  # fields, [b, d, s]
    modes: Tensor  # fields, [b, d, m]


class HandlesModel(nn.Module):
    """The basis network with its loss."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.network = BasisNetwork(size)

    def forward(self, batch: TrainingBatch, warmth: float = 1.0) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, and figures of each of its motions, [b, s].

        fit: motion_recovered, to first order, by the best state; drag1, drag3: by the state that one and three
        dragged points tell; bends: whether a body was told from a mechanism.
        """
        fitted = self.fit(batch)
        cost, missed, state = evidence(fitted.modes, fitted.motion)
        sides = side_loss(fitted.basis.reach, state)
        reach = (fitted.motion.unflatten(1, (-1, 6)).square().sum(2) / fitted.metric.weight[..., None]).sqrt()
        shares = {"fit": missed}
        for name, draw in (("drag1", batch.draw[..., :1]), ("drag3", batch.draw[..., 1:4])):
            lens, seen = dragged(fitted.basis.twist, fitted.observed, fitted.geometry.centre, reach, draw)
            shares[name] = drag(fitted.modes, fitted.motion, lens, seen)
        votes = vote_loss(fitted.basis.votes, fitted.observed, fitted.geometry, fitted.motion.square().sum(1).sqrt())
        # A logarithm: a drag that goes wildly astray is to be mended, but not to drown the others.
        pulled = sum((shares[name] / 0.05).log1p().mean() for name in ("drag1", "drag3"))
        figures = {name: 1.0 - share.detach().clamp_min(0.0).sqrt() for name, share in shares.items()}
        figures |= {name: value.detach()[:, None] for name, value in votes.items()}
        told = sum(VOTES[name] * value.mean() for name, value in votes.items())
        bends = functional.binary_cross_entropy_with_logits(fitted.basis.bends, batch.is_soft, reduction="none")
        told = told + BENDS * bends.mean()
        figures["bends"] = ((fitted.basis.bends.detach() > 0) == (batch.is_soft > 0.5)).float()[:, None]
        # Modes are weighed once votes begin to make sense; before, the cheapest mode is none at all.
        return warmth * (cost.mean() + DRAG * pulled + SIDES * sides.mean()) + told, figures | {
            "evidence": -cost.detach(), "sides": sides.detach()[:, None],
        }  # fmt: skip

    def fit(self, batch: TrainingBatch) -> Fitted:
        """The bases of a batch of shapes, and its motions in the same terms."""
        shapes = batch.shapes
        geometry = handle_geometry(shapes)
        measure = metric(geometry)
        observed = observed_twists(batch.dual, geometry, shapes.owner)
        basis = self.network(shapes, geometry)
        basis = replace(basis, twist=Tamed.apply(basis.twist))
        return Fitted(
            shapes, geometry, measure, basis, observed, measure.field(observed), measure.field(basis.twist)
        )  # fmt: skip

    def basis(self, shapes: Shapes) -> Basis:
        """The modes of shapes alone."""
        with torch.inference_mode():
            return self.network(shapes)
