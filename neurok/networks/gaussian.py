"""Gaussians over latent vectors: a diagonal posterior, and a prior of unit or low-rank plus diagonal covariance."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Posterior:
    """b x s Gaussians N(mean, exp(log_variance)), both [b, s, d]."""

    mean: Tensor
    log_variance: Tensor

    def at(self, noise: Tensor) -> Tensor:
        """mean + deviation * noise, [b, s, d]: a sample where the noise is standard normal."""
        return self.mean + (0.5 * self.log_variance).exp() * noise


@dataclass(frozen=True)
class Prior:
    """b Gaussians N(mean, diag(diagonal) + factor factor^T): [b, d], [b, d] and [b, d, r]; r may be 0."""

    mean: Tensor
    diagonal: Tensor
    factor: Tensor

    def kl(self, posterior: Posterior) -> Tensor:
        """KL(posterior || prior) in nats, [b, s].

        ½ (tr P^-1 S + g^T P^-1 g - d + ln|P| - ln|S|) with P^-1 = D^-1/2 (1 - U U^T) D^-1/2 by Woodbury's identity:
        A = D^-1/2 L, 1 + A^T A = R R^T, U = A R^-T; then |P| = |D| |R|^2.
        """
        A = self.factor / self.diagonal.sqrt()[..., None]
        R = torch.linalg.cholesky(torch.eye(A.shape[-1], dtype=A.dtype, device=A.device) + A.mT @ A)
        U = torch.linalg.solve_triangular(R, A.mT, upper=False).mT  # [b, d, r]
        gap = (posterior.mean - self.mean[:, None]) / self.diagonal.sqrt()[:, None]
        variance = posterior.log_variance.exp() / self.diagonal[:, None]
        trace = (variance * (1.0 - U.square().sum(-1))[:, None]).sum(-1)
        far = gap.square().sum(-1) - (gap @ U).square().sum(-1)
        volume = self.diagonal.log().sum(-1) + 2.0 * R.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return 0.5 * (trace + far - gap.shape[-1] + volume[:, None] - posterior.log_variance.sum(-1))

    def root(self) -> Tensor:
        """The symmetric square root of the covariance, [b, d, d]; mean + root xi is a sample for standard normal xi."""
        covariance = torch.diag_embed(self.diagonal) + self.factor @ self.factor.mT
        value, vector = torch.linalg.eigh(covariance)
        return (vector * value.clamp_min(0.0).sqrt()[..., None, :]) @ vector.mT
