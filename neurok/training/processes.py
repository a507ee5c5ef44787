"""The processes that train together, as torchrun starts them; alone, a process is its own company."""

import os

import torch
from torch import Tensor, distributed


class Processes:
    """rank: which one this is. count: of how many."""

    def __init__(self) -> None:
        self.count = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        if self.count > 1 and not distributed.is_initialized():
            distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")

    def average(self, gradients: list[Tensor]) -> None:
        """Replace gradients by their means over all processes, in one message."""
        if self.count == 1:
            return
        flat = torch.cat([g.reshape(-1) for g in gradients])
        distributed.all_reduce(flat)
        flat /= self.count
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients])):
            gradient.copy_(part.view_as(gradient))

    def agree(self, value: float) -> float:
        """The first process's value, for all."""
        if self.count == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64)
        distributed.broadcast(shared, 0)
        return float(shared)

    def agree_mean(self, value: float) -> float:
        """The mean of all processes' values."""
        if self.count == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64)
        distributed.all_reduce(shared)
        return float(shared) / self.count
