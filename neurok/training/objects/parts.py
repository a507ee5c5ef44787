"""Training of the codes of parts.

    python -m neurok.training.objects.parts EXAMPLES.npz RUN [--minutes 20] [--streams joint] [--resume]

For comparison --bare tells the coder nothing of materials, and --after RUN trains only what reads materials, from the
codes of such a coder, which stays as it is: a decoder after the fact.
"""

import argparse
import math
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from neurok.networks.part_code import NOISE, CodeSize, PartCoder, PartField
from neurok.training import checkpoint
from neurok.training.memory import keep_memory
from neurok.training.objects.examples import load_objects
from neurok.training.objects.matter import TOLD
from neurok.training.objects.part_batches import REACH, PartBatch, PartStore, draw_batch, store_parts
from neurok.training.records import Records

BATCH = 24  # parts
RATE, WARM = 1.5e-3, 100
# Weights of the losses, set by hand.
COLOR_WEIGHT, MATTER_WEIGHT, QUANTITY_WEIGHT = 1.0, 0.1, 0.2
LOG_STEPS = 50
SAVE_STEPS = 250


def compute_losses(told: PartField, batch: PartBatch) -> dict[str, Tensor]:
    """Mean errors of distance, colour, material and quantities; the last two where the material is known."""
    wanted = (batch.distance / REACH).clamp(-1.0, 1.0)
    known = batch.known.float()
    share = known.sum().clamp(min=1.0)
    matter = -(batch.chance * torch.log_softmax(told.logits, dim=-1)).sum(-1)
    off = (told.quantities - batch.quantities).abs() * batch.has
    return {
        "distance": (told.distance - wanted).abs().mean(),
        "color": (told.color - batch.color).abs().mean(),
        "matter": (matter * known).sum() / share,
        "quantities": (off.sum(-1) * known).sum() / (batch.has.sum(-1) * known).sum().clamp(min=1.0),
    }


def weigh_losses(losses: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """What shape and colour cost, and what materials do."""
    return (
        losses["distance"] + COLOR_WEIGHT * losses["color"],
        MATTER_WEIGHT * losses["matter"] + QUANTITY_WEIGHT * losses["quantities"],
    )


def find_rate(step: int, progress: float) -> float:
    """Of RATE: a short rise, then the fall of a cosine over the run; progress: from 0 to 1."""
    return min(1.0, (step + 1) / WARM) * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * min(progress, 1.0))))


def train_coder(
    store: PartStore, size: CodeSize, folder: Path, *, minutes: float, resume: bool = False, seed: int = 0,
    steps: int | None = None, bare: bool = False, after: PartCoder | None = None,
) -> PartCoder:  # fmt: skip
    """Train for some minutes, or so many steps if these are given, with a checkpoint to go on from.

    bare: without materials. after: a coder whose codes are taken as they are, and only their materials are learned.
    """
    torch.manual_seed(seed)
    coder = PartCoder(size)
    optimiser = torch.optim.AdamW(coder.parameters(), lr=RATE, weight_decay=1e-4)
    step, spent = 0, 0.0
    folder.mkdir(parents=True, exist_ok=True)
    if resume:
        state = checkpoint.read(folder)
        coder.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
    records, begin = Records(folder, step), time.perf_counter() - spent
    chance = torch.from_numpy(store.weight)
    while True:
        spent = time.perf_counter() - begin
        progress = spent / (60.0 * minutes) if steps is None else step / steps
        if progress >= 1.0:
            break
        rng = np.random.default_rng([seed, step])
        rows = torch.multinomial(chance, BATCH, replacement=True, generator=torch.Generator().manual_seed(step))
        batch = draw_batch(store, rows, rng)
        for group in optimiser.param_groups:
            group["lr"] = RATE * find_rate(step, progress)
        surface = replace(batch.surface, matter=0 * batch.surface.matter) if bare or after else batch.surface
        code = coder.encode(surface) if after is None else after.encode(surface)
        told = coder.decode(code + NOISE * torch.randn_like(code), batch.surface.aspect, batch.points)
        losses = compute_losses(told, batch)
        optimiser.zero_grad()
        shape, matter = weigh_losses(losses)
        (shape if bare else matter if after is not None else shape + matter).backward()
        torch.nn.utils.clip_grad_norm_(coder.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % LOG_STEPS == 0:
            records.log(step, spent, {name: float(value.detach()) for name, value in losses.items()})
        if step % SAVE_STEPS == 0:
            _write(folder, coder, optimiser, step, spent)
    _write(folder, coder, optimiser, step, spent)
    return coder


def _write(folder: Path, coder: PartCoder, optimiser: torch.optim.Optimizer, step: int, spent: float) -> None:
    state = {
        "model": coder.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "spent": spent,
        "size": asdict(coder.size),
    }  # fmt: skip
    checkpoint.write(folder, state)


def load_coder(folder: Path) -> PartCoder:
    """The coder of a run."""
    state = checkpoint.read(folder)
    coder = PartCoder(CodeSize(**state["size"]))
    coder.load_state_dict(state["model"])
    return coder.eval().requires_grad_(False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--streams", default="joint", choices=("joint", "apart", "fused"))
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--after", type=Path)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--resume", action="store_true")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    store = store_parts(load_objects(chosen.examples))
    size = CodeSize(width=chosen.width, streams=chosen.streams, matter=TOLD, materials=store.chance.shape[1])
    with keep_memory():
        train_coder(
            store, size, chosen.run, minutes=chosen.minutes, resume=chosen.resume, steps=chosen.steps,
            bare=chosen.bare, after=None if chosen.after is None else load_coder(chosen.after),
        )  # fmt: skip


if __name__ == "__main__":
    main()
