"""Training of the keypoint deformer, on the same prepared store as the state spaces, for as many minutes."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from neurok.data.pairs import MotionBatch, PairReader, Reading
from neurok.data.prepared import prepare
from neurok.data.store import Store
from neurok.evaluate.cage import compute_mean_value_coordinates, make_cage
from neurok.evaluate.deformer import Deformer, DeformerConfig, save_deformer
from neurok.geometry.surface import farthest_points

WARM_UP_STEPS = 100  # steps until the learning rate is reached
REPORT_STEPS = 100  # steps between reports
DEFAULT = DeformerConfig()


def train_deformer(
    data: str, out: str, *, minutes: float | None = None, steps: int | None = None,
    config: DeformerConfig = DEFAULT, say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:  # fmt: skip
    """Train for so many minutes or steps, and write the weights to `out`/weights; what became of it."""
    store = Store(data)
    reading = Reading(config.shapes, config.states, config.points, 8, seed=config.seed)
    pairs = PairReader(prepare(store), reading)
    torch.manual_seed(config.seed)
    model = Deformer(config)
    optimiser = torch.optim.AdamW(model.parameters(), config.rate)
    say(f"a deformer of {sum(p.numel() for p in model.parameters()):,} weights, {config.keypoints} keypoints")
    start, step, gathered = time.monotonic(), 0, []
    while (used := _compute_progress(step, steps, time.monotonic() - start, minutes)) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = config.rate * min(1.0, (step + 1) / WARM_UP_STEPS) * (0.51 + 0.49 * math.cos(math.pi * used))
        loss, recovered = model(*make_inputs(pairs.take(), config))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        step += 1
        gathered.append((float(loss.detach()), float(recovered.median())))
        if step % REPORT_STEPS == 0:
            mean = np.mean(gathered[-REPORT_STEPS:], axis=0)
            say(f"step {step:,} ({used:.0%}): loss {mean[0]:.3f}, motion recovered {mean[1]:.2f}")
    facts = {"steps": step, "minutes": round((time.monotonic() - start) / 60.0, 1),
             "recipe": store.index["recipe"].get("name", "unknown")}  # fmt: skip
    save_deformer(Path(out) / "weights", model, config, facts)
    losses = [loss for loss, _ in gathered]
    return facts | {"weights": str(Path(out) / "weights"), "losses": losses, "config": asdict(config)}


def make_inputs(batch: MotionBatch, config: DeformerConfig) -> tuple[torch.Tensor, ...]:
    """What the deformer's loss takes, of a batch of the reader's."""
    weights, far = [], []
    for points in batch.shapes.position.astype(np.float64):
        weights.append(compute_mean_value_coordinates(points, *make_cage(points)))
        far.append(points[farthest_points(points, config.keypoints)])
    arrays = (batch.shapes.position, batch.targets.displacement, np.stack(weights), np.stack(far))
    return tuple(torch.from_numpy(np.ascontiguousarray(a, dtype=np.float32)) for a in arrays)


def _compute_progress(step: int, steps: int | None, seconds: float, minutes: float | None) -> float:
    """The share of the budget that is used."""
    if steps is not None:
        return step / steps
    return seconds / (60.0 * minutes) if minutes else 1.0
