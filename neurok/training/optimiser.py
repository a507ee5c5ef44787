"""The optimiser: orthogonalised momentum for the matrices between tokens, AdamW for everything else.

A matrix's momentum M = U S V^T is replaced by about U V^T, so that every direction of it is learned at the same pace
(Muon: Jordan et al. 2024). It is scaled to the size of an AdamW step, so that one learning rate serves both.
"""

from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
# Coefficients of the odd polynomial that, applied five times, takes singular values 0.01 .. 1 into 0.7 .. 1.2.
POLYNOMIAL, ITERATIONS = (3.4445, -4.7750, 2.0315), 5
MIN_MATRIX_SIZE = 24  # rows and columns of a matrix that is worth it


class Optimiser:
    """Both optimisers as one."""

    def __init__(self, model: nn.Module, rate: float, decay: float) -> None:
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self.matrices = [p for _, p in named if p.ndim == 2 and min(p.shape) >= MIN_MATRIX_SIZE]
        chosen = {id(p) for p in self.matrices}
        # Biases, gains and queries are not pulled to zero: they are few and say where things are.
        self.others = torch.optim.AdamW([p for _, p in named if id(p) not in chosen], rate, (0.9, 0.98), weight_decay=0)
        self.momenta = [torch.zeros_like(p) for p in self.matrices]
        self.decay = decay

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Move all weights by their gradients, and forget these."""
        for group in self.others.param_groups:
            group["lr"] = rate
        self.others.step()
        self.others.zero_grad(set_to_none=True)
        for matrix, momentum in zip(self.matrices, self.momenta):
            if matrix.grad is None:
                continue
            momentum.lerp_(matrix.grad, 1 - MOMENTUM)
            ahead = matrix.grad.lerp(momentum, MOMENTUM)
            matrix.mul_(1 - rate * self.decay)
            matrix.add_(orthogonalise(ahead), alpha=-0.2 * rate * max(matrix.shape) ** 0.5)
            matrix.grad = None

    def clear_gradients(self) -> None:
        """Leave all weights as they are, and forget the gradients."""
        self.others.zero_grad(set_to_none=True)
        for matrix in self.matrices:
            matrix.grad = None

    def state_dict(self) -> dict[str, Any]:
        return {"others": self.others.state_dict(), "momenta": self.momenta}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.others.load_state_dict(state["others"])
        for mine, saved in zip(self.momenta, state["momenta"]):
            mine.copy_(saved)


def orthogonalise(matrix: Tensor) -> Tensor:
    """About U V^T of a matrix U S V^T, by Newton and Schulz's iteration."""
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = x / (x.norm() + 1e-7)
    a, b, c = POLYNOMIAL
    for _ in range(ITERATIONS):
        square = x @ x.T
        x = torch.addmm(x, torch.addmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.T if matrix.shape[0] > matrix.shape[1] else x
