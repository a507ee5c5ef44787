"""Training: one plain loop. Read a batch, step, average, write down; a killed run goes on exactly where it was."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from neurok.data.augment import NO_AUGMENTATION, Augmentation
from neurok.data.pairs import MotionBatch, PairReader, Reading
from neurok.data.prepared import Prepared
from neurok.errors import InputError, OptionError
from neurok.networks.batch import TrainingBatch
from neurok.networks.config import Config, from_values, to_values
from neurok.networks.models import StateSpaceModel, build_model
from neurok.networks.shapes import shapes_from_input
from neurok.training import checkpoint
from neurok.training.losses import compute_loss
from neurok.training.optimiser import Optimiser
from neurok.training.processes import Processes
from neurok.training.stopping import Stopping

REPORT_STEPS = 50  # steps between reports
MAX_LOST_BATCHES = 20  # batches in a row without finite derivatives, after which there is no use in going on


@dataclass
class TrainingRun:
    """A training run: what changes while it goes on."""

    config: Config
    folder: Path
    model: StateSpaceModel
    averaged: dict[str, Tensor]
    optimiser: Optimiser
    pairs: PairReader
    processes: Processes
    step: int = 0
    seconds: float = 0.0  # of training, over all runs that were resumed
    lost: int = 0  # batches in a row whose derivatives were not finite
    before: tuple[int, float] = (0, 0.0)  # steps and minutes behind the weights that it began from


def begin_run(
    config: Config,
    data: Prepared,
    folder: Path,
    processes: Processes | None = None,
    weights: dict[str, Tensor] | None = None,
) -> TrainingRun:
    """A new run, from random weights or from given ones; alone on the CPU where no processes are given."""
    processes = processes or Processes()
    processes.check_share(config.shapes)
    torch.manual_seed(config.seed)
    model = build_model(config)
    if weights is not None:
        model.load_state_dict(weights)
    model.to(processes.device)
    optimiser = Optimiser(model, config.rate, config.decay)
    averaged = {k: v.detach().clone() for k, v in model.state_dict().items()}
    return TrainingRun(config, folder, model, averaged, optimiser, PairReader(data, reading_options(config)), processes)


def reading_options(config: Config) -> Reading:
    """How a configuration reads its batches."""
    how = Augmentation() if config.augmentation else NO_AUGMENTATION
    return Reading(
        config.shapes, config.states, config.points, config.handles, how, dict(config.repeats), config.seed
    )  # fmt: skip


def resume_run(data: Prepared, folder: Path, processes: Processes | None = None) -> TrainingRun:
    """The run as its last checkpoint has it."""
    state = checkpoint.read(folder)
    try:
        run = begin_run(from_values(state["config"]), data, folder, processes)
        run.model.load_state_dict(state["model"])
        run.averaged = {k: v.to(run.processes.device) for k, v in state["averaged"].items()}
        run.optimiser.load_state_dict(state["optimiser"])
        run.step, run.seconds, run.before = state["step"], state["seconds"], state.get("before", run.before)
        run.pairs.epoch, run.pairs.place = state["epoch"], state["place"]
    except (KeyError, RuntimeError, ValueError) as fault:
        reason = str(fault).splitlines()[0]
        raise InputError(
            f"the checkpoint in {folder} is of another version ({reason})", "start a new run, or one --from its weights"
        ) from None
    if run.pairs.place >= len(run.pairs.visits):
        raise InputError(f"{folder} was trained on another store than {data.folder.parent}", "name that one by --data")
    return run


def save_run(run: TrainingRun) -> None:
    """Write the checkpoint; one process does it for all."""
    if run.processes.rank == 0:
        state = {
            "model": run.model.state_dict(), "averaged": run.averaged, "optimiser": run.optimiser.state_dict(),
            "config": to_values(run.config), "step": run.step, "seconds": run.seconds,
            "epoch": run.pairs.epoch, "place": run.pairs.place, "before": run.before,
        }  # fmt: skip
        checkpoint.write(run.folder, state)


def train_run(
    run: TrainingRun,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    checkpoint_seconds: float = 180.0,
    report: Callable[[TrainingRun, dict[str, float], float], None] | None = None,
) -> int | None:
    """Go on until so many steps are done, or minutes used, in all; the signal by which it was stopped, or None.

    checkpoint_seconds: between two checkpoints; there is one at the end, too.
    report: called every 50 steps with figures averaged over them and the share of the budget that is used.
    """
    start = saved = time.monotonic()
    before = run.seconds
    gathered: list[dict[str, float]] = []
    with Stopping() as stopping:
        while True:
            # Of time, and of being stopped, all processes go by the first one.
            now = math.inf if stopping.asked else _used(run, steps, minutes, before + time.monotonic() - start)
            used = run.processes.agree_on_first(now)
            if used >= 1.0:
                break
            gathered.append(_step(run, used))
            run.seconds = before + time.monotonic() - start
            if run.step % REPORT_STEPS == 0:
                means = {k: float(np.mean([g[k] for g in gathered])) for k in gathered[0]}
                gathered = []
                if report is not None:
                    report(run, means, _used(run, steps, minutes, run.seconds))
            if time.monotonic() - saved > checkpoint_seconds:
                save_run(run)
                saved = time.monotonic()
        save_run(run)
    return stopping.asked if used == math.inf else None


def _used(run: TrainingRun, steps: int | None, minutes: float | None, seconds: float) -> float:
    """The share of the budget that is used; steps and seconds of all resumed runs count."""
    if steps is not None:
        return run.step / steps
    return seconds / (60.0 * minutes) if minutes is not None else 0.0


def learning_rate(config: Config, step: int, used: float) -> float:
    """The learning rate: a linear rise, a plateau, and a cosine down to a hundredth over the last share of the run."""
    warm = min(1.0, (step + 1) / config.warm)
    cooled = max(0.0, used - (1.0 - config.cool)) / config.cool if config.cool > 0 else 0.0
    return config.rate * warm * (0.01 + 0.99 * (0.5 + 0.5 * math.cos(math.pi * min(1.0, cooled))))


def _step(run: TrainingRun, used: float) -> dict[str, float]:
    config, model = run.config, run.model
    taken = run.pairs.take(run.processes.rank, run.processes.count)
    warmth = min(1.0, (run.step + 1) / (3 * config.warm))
    loss, figures = compute_loss(model, to_tensors(taken, run.processes.device), config, warmth)
    loss.backward()
    run.processes.average_gradients([p.grad for p in model.parameters() if p.grad is not None])
    norm = nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    if bool(torch.isfinite(norm)):
        run.optimiser.step(learning_rate(config, run.step, used))
        run.lost = 0
    else:  # a rare unlucky batch is passed over by all processes alike
        run.optimiser.clear_gradients()
        run.lost += 1
        if run.lost >= MAX_LOST_BATCHES:
            raise OptionError(f"the training went astray at step {run.step + 1}", "go on from the checkpoint, or anew")
    run.step += 1
    _average(run)
    found = {
        "loss": loss.detach(),
        "norm": norm,
        "lost": torch.tensor(float(run.lost > 0)),
        **{name: value.mean() for name, value in figures.items()},
    }
    found |= {f"{name}_median": value.median() for name, value in figures.items()}
    return run.processes.average_values({name: float(value) for name, value in found.items()})


@torch.no_grad()
def _average(run: TrainingRun) -> None:
    """Move the averaged weights towards the present ones; young averages forget faster."""
    keep = min(1.0 - 1.0 / run.config.average, run.step / (run.step + 9.0))
    for name, value in run.model.state_dict().items():
        run.averaged[name].lerp_(value, 1.0 - keep)


def to_tensors(batch: MotionBatch, device: str = "cpu") -> TrainingBatch:
    """A batch of the reader as tensors on a device."""
    targets = {f.name: torch.from_numpy(getattr(batch.targets, f.name)).to(device) for f in fields(batch.targets)}
    return TrainingBatch(shapes_from_input(batch.shapes, device), **targets)
