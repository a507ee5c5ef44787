"""The processes that train together, as torchrun starts them; alone, a process is its own company."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, distributed

from neurok.errors import OptionError


class Processes:
    """rank: which one this is. count: of how many. device: where this one computes."""

    def __init__(self, device: str = "cpu") -> None:
        self.count = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = device
        self._meet = "cpu"  # where messages have to lie
        if device == "cuda" and self.count > 1:
            self.device = self._meet = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
            torch.cuda.set_device(self.device)
        if self.count > 1 and not distributed.is_initialized():
            distributed.init_process_group("nccl" if device == "cuda" else "gloo")

    def check_share(self, shapes: int) -> None:
        """See that a batch of so many shapes can be shared: unequal shares would weigh shapes unequally."""
        if shapes % self.count:
            raise OptionError(
                f"{self.count} processes cannot share {shapes} shapes equally", f"start a divisor of {shapes} processes"
            )

    @contextmanager
    def let_first_begin(self) -> Iterator[None]:
        """What is within is done by the first process, and then by the others (who find it done)."""
        if self.count > 1 and self.rank:
            distributed.barrier()
        yield
        if self.count > 1 and not self.rank:
            distributed.barrier()

    def average_gradients(self, gradients: list[Tensor]) -> None:
        """Replace gradients by their means over all processes, in one message."""
        if self.count == 1:
            return
        flat = torch.cat([g.reshape(-1) for g in gradients]).to(self._meet)
        distributed.all_reduce(flat)
        flat /= self.count
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients])):
            gradient.copy_(part.view_as(gradient))

    def agree_on_first(self, value: float) -> float:
        """The first process's value, for all."""
        if self.count == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64, device=self._meet)
        distributed.broadcast(shared, 0)
        return float(shared)

    def average_values(self, values: dict[str, float]) -> dict[str, float]:
        """The means of all processes' values, in one message."""
        if self.count == 1:
            return values
        shared = torch.tensor(list(values.values()), dtype=torch.float64, device=self._meet)
        distributed.all_reduce(shared)
        return dict(zip(values, (shared / self.count).tolist()))
