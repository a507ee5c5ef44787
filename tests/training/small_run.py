"""A training run of a small model on a small store, as a process of its own: `python -m tests.training.small_run ...`.

Killed, stopped or started by torchrun, it is the run of the tests beside it.
"""

import json
import sys
from dataclasses import replace
from typing import Any

import torch

from neurok.networks.batch import TrainingBatch
from neurok.training import loop, watch
from neurok.training.runs import TrainingOptions, train_model

SMALL = {"size": "tiny", "shapes": 4, "states": 2, "points": 48, "handles": 8, "warm": 3, "average": 5}


def train_small(data: object, out: object, **wishes: Any) -> dict[str, Any]:
    """Reports every second step; draws no sheets. double: in double precision."""
    loop.REPORT_STEPS = 2
    watch.can_draw = lambda model: False
    config = SMALL | wishes.pop("config", {})
    usual, double = loop.to_tensors, wishes.pop("double", False)
    if double:
        torch.set_default_dtype(torch.float64)
        loop.to_tensors = lambda *given: _doubled(usual(*given))
    try:
        wanted = TrainingOptions("tiny", str(data), str(out), threads=1, config=config, **wishes)
        return train_model(wanted, say=lambda text: None)
    finally:
        torch.set_default_dtype(torch.float32)
        loop.to_tensors = usual


def _doubled(batch: TrainingBatch) -> TrainingBatch:
    def doubled(part: object) -> dict[str, Any]:
        return {name: value.double() for name, value in vars(part).items() if _is_real(value)}

    return replace(batch, **doubled(batch), shapes=replace(batch.shapes, **doubled(batch.shapes)))


def _is_real(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


if __name__ == "__main__":
    train_small(sys.argv[1], sys.argv[2], **json.loads(sys.argv[3]))
