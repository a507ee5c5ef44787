"""Bounds of derivatives, shape by shape."""

from typing import Any

import torch
from torch import Tensor


class BoundedGradient(torch.autograd.Function):
    """The identity; the derivative by each shape's values is cut to a norm."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, bound: float) -> Tensor:
        ctx.bound = bound
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None]:
        most = ctx.bound / len(slope)
        norm = slope.flatten(1).norm(dim=1).clamp_min(most)
        return slope * (most / norm).reshape(-1, *[1] * (slope.ndim - 1)), None


def bound_gradient(values: Tensor, bound: float) -> Tensor:
    """The values [b, ...] as they are, with the norm of the derivative of a mean loss by each row at most bound / b.

    Where no mode fits, the evidence is steep out of all proportion, and a single such shape would drown the others.
    """
    bounded: Tensor = BoundedGradient.apply(values, bound)
    return bounded
