"""The objectives of training: what a model's predictions of a batch cost, and figures of each motion.

The handles model is learned by the Bayesian evidence of observed motions in its modes (see `networks.evidence`), and by
what its handles vote (see `networks.proposals`). The autoencoders are learned by

    loss = |delta - delta'|^2 + lambda KL(q(z | motion, shape) || p(z | shape)).

Normalisation: the first term is a mean over points, relative to the same mean of the motion itself (plus a floor), so
that not moving costs 1 at most; the second is in nats per token (or handle). Where deformations are given as dual
quaternions, the first term is the mean of the error of displacements and that of dual quaternions, each so taken.
The weights are in `Config.losses`, lambda is `Config.weight`.
"""

import zlib
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from neurok.geometry.handle_metric import HandleMetric
from neurok.geometry.rigid import dual_apply
from neurok.networks.basis import Basis
from neurok.networks.batch import TrainingBatch
from neurok.networks.config import Config, LossWeights
from neurok.networks.encoders import identity_dual
from neurok.networks.evidence import compute_evidence, drag_share, observe_drag
from neurok.networks.handles import HandlesModel
from neurok.networks.models import StateSpaceModel
from neurok.networks.shapes import handle_geometry
from neurok.networks.twist_field import metric_of, observed_twists
from neurok.networks.vae import VaeModel
from neurok.training.gradients import bound_gradient
from neurok.training.vote_loss import vote_losses

Figures = dict[str, Tensor]

OUTSIDE_SHARE = 0.03  # of the states that leave rest, beyond a coordinate's lower bound, and beyond its upper one
REST_RADIUS = 0.1  # deviations, from which on a state counts as having left rest
DRAG_SCALE = 0.05  # share of a motion that a drag leaves unexplained, above which its cost grows as a logarithm


def compute_loss(
    model: StateSpaceModel, batch: TrainingBatch, config: Config, warmth: float = 1.0
) -> tuple[Tensor, Figures]:
    """The loss of a batch, and figures of each of its motions, [b, s] or [b, 1].

    warmth: the share, 0 to 1, by which terms count that would lead astray while a training begins: those of the handles
    model's modes before its votes make sense (the cheapest mode is none at all then), and an autoencoder's divergence.
    """
    if isinstance(model, HandlesModel):
        return handles_loss(model, batch, config, warmth)
    return autoencoder_loss(model, batch, config, warmth)


@dataclass(frozen=True)
class FittedBatch:
    """The bases of b shapes and their s observed motions, as fields of the same metric.

    basis: with the derivative by its twists bounded. observed: twists of the handles, [b, h, s, 6].
    motion: the observed motions as fields, [b, d, s]. modes: those of the basis, [b, d, m].
    """

    metric: HandleMetric
    basis: Basis
    observed: Tensor
    motion: Tensor
    modes: Tensor


def fit_batch(model: HandlesModel, batch: TrainingBatch, weights: LossWeights) -> FittedBatch:
    """Predict the bases of a batch, and bring its motions into the same terms."""
    geometry = handle_geometry(batch.shapes)
    metric = metric_of(geometry).even_shares(weights.even_share)
    observed = observed_twists(batch.dual, geometry, batch.shapes.owner)
    basis: Basis = model.network(batch.shapes, geometry)
    basis = replace(basis, twist=bound_gradient(basis.twist, weights.max_gradient))
    return FittedBatch(metric, basis, observed, metric.fields(observed), metric.fields(basis.twist))


def handles_loss(model: HandlesModel, batch: TrainingBatch, config: Config, warmth: float) -> tuple[Tensor, Figures]:
    """The negative log evidence of motions, with drags, bounds, votes and the kind of the object.

    fit: motion_recovered, to first order, by the best state; drag1, drag3: by the state that one and three dragged
    points predict; is_soft: whether soft and articulated objects were told apart.
    """
    weights, fitted = config.losses, fit_batch(model, batch, config.losses)
    logit = fitted.basis.soft_logit
    cost, missed, state = compute_evidence(fitted.modes, fitted.motion)
    drags = drag_shares(fitted, batch.draw)
    bounds = bounds_loss(fitted.basis.bounds, state)
    votes = vote_losses(fitted.basis.votes, fitted.observed, fitted.metric, fitted.motion.square().sum(1).sqrt())
    kind = functional.binary_cross_entropy_with_logits(logit, batch.is_soft)
    # A logarithm: a drag that goes wildly astray is to be corrected, but not to drown the others.
    astray = torch.stack([(share / DRAG_SCALE).log1p().mean() for share in drags.values()]).sum()
    modes = cost.mean() + weights.drag * astray + weights.bounds * bounds.mean()
    vote_weights = {"together": weights.together, "own": weights.own, "amplitude": weights.amplitude}
    voted = torch.stack([vote_weights[name] * value.mean() for name, value in votes.items()]).sum()
    figures = {name: 1.0 - share.detach().clamp_min(0.0).sqrt() for name, share in ({"fit": missed} | drags).items()}
    figures |= {name: value.detach()[:, None] for name, value in (votes | {"bounds": bounds}).items()}
    figures["evidence"] = -cost.detach()
    figures["is_soft"] = ((logit.detach() > 0) == (batch.is_soft > 0.5)).float()[:, None]
    return warmth * modes + voted + weights.kind * kind, figures


def drag_shares(fitted: FittedBatch, draw: Tensor) -> Figures:
    """The share of each motion that stays unexplained where one, and three, dragged handles are known, [b, s] each."""
    amplitude, centre = fitted.metric.sizes(fitted.observed), fitted.metric.centre
    shares = {}
    for name, numbers in (("drag1", draw[..., :1]), ("drag3", draw[..., 1:4])):
        lens, velocity = observe_drag(fitted.basis.twist, fitted.observed, centre, amplitude, numbers)
        shares[name] = drag_share(fitted.modes, fitted.motion, lens, velocity)
    return shares


def bounds_loss(bounds: Tensor, q: Tensor) -> Tensor:
    """How far the bounds of coordinates [b, m, 2] are from the quantiles of the states [b, m, s] that leave rest, [b].

    The pinball loss: least where a share OUTSIDE_SHARE of them lies beyond.
    """
    beyond = torch.stack([-q, q], dim=2) - bounds[..., None]  # [b, m, 2, s]
    cost = torch.where(beyond > 0, (1.0 - OUTSIDE_SHARE) * beyond, -OUTSIDE_SHARE * beyond)
    moves = (q.abs() > REST_RADIUS)[:, :, None].expand_as(cost).to(cost.dtype)
    return (cost * moves).sum((1, 2, 3)) / moves.sum((1, 2, 3)).clamp_min(1.0)


def autoencoder_loss(model: VaeModel, batch: TrainingBatch, config: Config, warmth: float) -> tuple[Tensor, Figures]:
    """The error of decoded motions and the KL divergence.

    fit: motion_recovered by the posterior's mean; sampled: by a sample of it, as the loss sees it; kl: in nats.
    """
    points = batch.shapes.position.shape[1]
    encoded, posterior = model.encode(batch.shapes, batch.displacement, batch.dual)
    count = min(model.size.queries, points)
    kl = encoded.prior.kl(posterior)
    motion = model.decode(encoded, posterior.at(draw_noise(batch.draw, posterior.mean)), count)
    error, sampled = motion_error(motion, batch, config)
    with torch.no_grad():
        # Queries do not attend to each other: fewer of them are the same motion, in less time.
        probe = count // 4 if torch.is_grad_enabled() else points
        _, fit = motion_error(model.decode(encoded, posterior.mean, max(probe, 1)), batch, config)
    loss = error.mean() + warmth * config.weight * kl.mean() / encoded.tokens.shape[1]
    return loss, {"fit": fit, "sampled": sampled.detach(), "kl": kl.detach()}


def motion_error(motion: Tensor, batch: TrainingBatch, config: Config) -> tuple[Tensor, Tensor]:
    """The error of motions [b, s, count, 8 or 3] of the first points as the loss counts it, and motion_recovered, both
    [b, s]."""
    count, floor = motion.shape[2], config.losses.motion_floor**2
    target = batch.displacement[:, :, :count]
    x = batch.shapes.position[:, None, :count]
    shift = motion if motion.shape[-1] == 3 else dual_apply(motion, x.expand_as(target)) - x
    off, size = (shift - target).square().sum(-1).mean(-1), target.square().sum(-1).mean(-1)
    recovered = 1.0 - (off / size.clamp_min(1e-12)).sqrt()
    error = off / (size + floor)
    if not config.dual_quaternion:
        return error, recovered
    dual = batch.dual[:, :, :count]
    # A motion has two dual quaternions, of opposite signs: the nearer one counts.
    sign = torch.where((motion[..., :4] * dual[..., :4]).sum(-1, keepdim=True) < 0, -1.0, 1.0)
    turned = (motion - sign * dual).square().sum(-1).mean(-1)
    whole = (dual - identity_dual(dual)).square().sum(-1).mean(-1)
    return 0.5 * (error + turned / (whole + floor)), recovered


def draw_noise(draw: Tensor, like: Tensor) -> Tensor:
    """Standard normal numbers of the shape of `like` [b, s, d] that depend on each shape's own draw [b, s, c] only.

    So they are the same however the shapes of a batch are shared among processes.
    """
    rows = []
    for each in draw.detach().cpu().contiguous():
        generator = torch.Generator().manual_seed(zlib.crc32(each.numpy().tobytes()))
        rows.append(torch.randn(like.shape[1:], generator=generator))
    return torch.stack(rows).to(like)
