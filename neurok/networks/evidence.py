"""How well a basis explains motions: the Bayesian evidence of a motion, and how well a few of its points predict it.

A motion is y = B q + noise. Each coordinate q has heavy tails, those of Student's t with nu degrees of freedom, cut off
by a normal of precision beta, since most of an object's joints rest while one moves far:

    -log p(q) = ((nu + 1) log(1 + q^2 / nu) + beta q^2) / 2 + constant.

Noise is a share of the motion's own size, so that a small part's motion counts as much as a large one's.
"""

import torch
from torch import Tensor

NOISE_SHARE = 0.1  # of a motion's size
DEGREES_OF_FREEDOM = 1.0  # nu
TAIL_PRECISION = 0.1  # beta: no state lies tens of deviations out
REWEIGHTING_ROUNDS = 4
MIN_SIZE = 0.005  # the size of a motion counts as at least this [diagonals]


def compute_evidence(basis: Tensor, motion: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Negative log evidence of each motion in nats, up to a constant, and the share of it that is not explained.

    basis: fields [b, d, m]. motion: fields [b, d, s]. Returns [b, s] twice, and the states found, [b, m, s].
    In the manner of Laplace: q is the most likely state, found by reweighted least squares, and the curvature there is
    that of the reweighted problem. No derivative goes through the search: the fit and the prior do not depend on q to
    first order there; that the precisions do is left out.
    """
    size = motion.square().sum(1).sqrt().clamp_min(MIN_SIZE)
    scale = (1.0 / (NOISE_SHARE * size)).square()
    gram = basis.transpose(1, 2) @ basis
    with torch.no_grad():
        projection = basis.transpose(1, 2) @ motion
        q, weight = find_sparse_state(gram, projection, scale)
    missed = (motion - basis @ q).square().sum(1)
    curvature = gram[:, None] * scale[..., None, None] + torch.diag_embed(weight)
    root = torch.linalg.cholesky(curvature)
    volume = root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    nu = DEGREES_OF_FREEDOM
    cost = 0.5 * ((nu + 1.0) * (q.square() / nu).log1p() + TAIL_PRECISION * q.square()).sum(1)
    return 0.5 * missed * scale + cost + volume, missed / size.square(), q


def find_sparse_state(gram: Tensor, projection: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """The most likely states [b, m, s] under heavy tails and their precisions [b, s, m], by reweighting.

    gram: B^T B, [b, m, m] (or [b, s, m, m]). projection: B^T y, [b, m, s].
    scale: inverse variance of the noise, [b, s].
    """
    full = (gram[:, None] if gram.ndim == 3 else gram) * scale[..., None, None]
    right = (projection * scale[:, None]).transpose(1, 2)[..., None]
    nu = DEGREES_OF_FREEDOM
    weight = torch.full_like(right[..., 0], (nu + 1.0) / nu * 0.2)
    for _ in range(REWEIGHTING_ROUNDS):
        q = torch.linalg.solve(full + torch.diag_embed(weight), right)[..., 0]
        weight = TAIL_PRECISION + (nu + 1.0) / (nu + q.square())
    return q.transpose(1, 2), weight


def drag_share(basis: Tensor, motion: Tensor, lens: Tensor, velocity: Tensor) -> Tensor:
    """The share of each motion that stays unexplained when only the velocities of a few points are known, [b, s].

    basis: fields [b, d, m]. motion: fields [b, d, s]. velocity: of the known points, [b, s, r]. lens: the same per unit
    of each coordinate, [b, s, r, m]. The state is the most likely one given these velocities; unlike in
    `compute_evidence`, derivatives go through it, since it was not found for the error that is measured here.
    """
    size = motion.square().sum(1).sqrt().clamp_min(MIN_SIZE)
    strength = (1.0 / (NOISE_SHARE * velocity.square().mean(2).sqrt().clamp_min(MIN_SIZE))).square()
    gram = lens.transpose(2, 3) @ lens
    right = (lens.transpose(2, 3) @ velocity[..., None])[..., 0]
    with torch.no_grad():
        _, weight = find_sparse_state(gram, right.transpose(1, 2), strength)
    full = gram * strength[..., None, None] + torch.diag_embed(weight)
    q = torch.linalg.solve(full, right * strength[..., None])
    return (motion - basis @ q.transpose(1, 2)).square().sum(1) / size.square()


def observe_drag(
    twist: Tensor, observed: Tensor, centre: Tensor, motion: Tensor, draw: Tensor
) -> tuple[Tensor, Tensor]:
    """Velocities of c handles that move much: by the basis [b, s, 3 c, m], and as observed [b, s, 3 c].

    twist: of the basis, [b, h, m, 6]. observed: [b, h, s, 6]. centre: [b, h, 3]. motion: size of each handle's motion,
    [b, h, s]. draw: uniform random numbers, [b, s, c]. Handles are drawn among those that move more than half as far
    as the one that moves farthest.
    """
    far = (motion > 0.5 * motion.amax(1, keepdim=True)).to(motion.dtype).transpose(1, 2)
    b, s, count = draw.shape
    steps = far.cumsum(-1)
    chosen = torch.searchsorted(steps, draw * steps[..., -1:], right=True).clamp_max(far.shape[-1] - 1)
    chosen = chosen.reshape(b, s * count)
    m = twist.shape[2]
    modes = twist.gather(1, chosen[..., None, None].expand(b, s * count, m, 6))
    x = centre.gather(1, chosen[..., None].expand(b, s * count, 3))
    lens = _velocity(modes, x[:, :, None]).unflatten(1, (s, count)).transpose(3, 4).flatten(2, 3)
    states = torch.arange(s, device=chosen.device).repeat_interleave(count).expand(b, -1)
    took = observed[torch.arange(b, device=chosen.device)[:, None], chosen, states]
    return lens, _velocity(took, x).reshape(b, s, 3 * count)


def _velocity(twist: Tensor, x: Tensor) -> Tensor:
    """Velocity of points x under twists (v, w)."""
    w = twist[..., 3:]
    return twist[..., :3] + torch.linalg.cross(w, x.expand_as(w))
