"""A training run from its wishes: store, views, model, loop, weights."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from neurok.data.build import build
from neurok.data.prepared import Prepared, prepare
from neurok.data.store import Store
from neurok.errors import InputError, OptionError, OutputError
from neurok.networks.config import Config, from_values, to_values
from neurok.networks.weights import read_weights, save_weights
from neurok.training import checkpoint
from neurok.training.loop import Run, begin, reading, resume, train
from neurok.training.validation import Held

LOOK = 300.0  # seconds between looks at held-out objects


@dataclass(frozen=True)
class Wanted:
    """What was asked for; see commands.train for what each means. config: values that differ from the defaults."""

    recipe: str
    data: str
    out: str
    minutes: float | None = None
    steps: int | None = None
    resume: bool = False
    begin: str | None = None
    partnet: str | None = None
    animated: str | None = None
    device: str = "cpu"
    threads: int | None = None
    config: dict[str, Any] = field(default_factory=dict)


def train_model(wanted: Wanted, say: Callable[[str], None]) -> dict[str, Any]:
    """Train, and write the averaged weights; what became of it."""
    if wanted.threads is not None:
        torch.set_num_threads(wanted.threads)
    _check_device(wanted.device)
    folder = _folder(wanted)
    data = _views(wanted, say)
    run = _run(wanted, data, folder)
    held = _held(data, run.config, say)
    looked = [time.monotonic()]

    def report(run: Run, means: dict[str, float], used: float) -> None:
        if run.processes.rank:
            return
        say(f"step {run.step}, {used:.0%}: " + ", ".join(f"{k} {v:.3f}" for k, v in sorted(means.items())))
        if held is not None and time.monotonic() - looked[0] > LOOK:
            looked[0] = time.monotonic()
            _look(run, held, say)

    train(run, steps=wanted.steps, minutes=wanted.minutes, report=report)
    if run.processes.rank == 0:
        if held is not None:
            _look(run, held, say)
        write_weights(run, wanted)
    return {"steps": run.step, "minutes": run.seconds / 60.0, "weights": str(folder / "weights")}


def write_weights(run: Run, wanted: Wanted) -> None:
    """The averaged weights, with how they came to be."""
    facts = {"steps": run.step, "minutes": round(run.seconds / 60.0, 1), "recipe": wanted.recipe}
    save_weights(run.folder / "weights", run.averaged, run.config, facts)


def _look(run: Run, held: Held, say: Callable[[str], None]) -> None:
    """Figures of the averaged weights on held-out objects, said and written down."""
    import json

    present = {k: v.clone() for k, v in run.model.state_dict().items()}
    run.model.load_state_dict(run.averaged)
    figures = held.figures(run.model)
    run.model.load_state_dict(present)
    say("held out: " + ", ".join(f"{k} {v:.3f}" for k, v in figures.items() if not k.endswith("evidence")))
    with open(run.folder / "held.jsonl", "a", encoding="utf-8") as stream:
        stream.write(json.dumps({"step": run.step, "seconds": round(run.seconds, 1), **figures}) + "\n")


def _held(data: Prepared, config: Config, say: Callable[[str], None]) -> Held | None:
    if not any(entry["split"] == "dev" for entry in data.entries):
        say("the store has no held-out objects, so nothing is measured while training")
        return None
    return Held(data, reading(config))


def _folder(wanted: Wanted) -> Path:
    folder = Path(wanted.out)
    if wanted.resume and not (folder / checkpoint.NAME).is_file():
        raise InputError(f"{folder} has no checkpoint to resume from", "start it without --resume")
    if not wanted.resume and (folder / checkpoint.NAME).exists():
        raise OutputError(f"{folder} holds a run already", "go on with it by --resume, or name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"{folder} cannot be made ({fault.strerror})", "choose another place") from None
    return folder


def _views(wanted: Wanted, say: Callable[[str], None]) -> Prepared:
    """The store's views; store and views are made where they are not there."""
    if not Path(wanted.data).exists():
        say(f"building the store {wanted.data} by the recipe {wanted.recipe}")
        build(wanted.recipe, wanted.data, partnet=wanted.partnet, animated=wanted.animated)
    store = Store(wanted.data)
    made = store.index["recipe"]["name"]
    if made != wanted.recipe:
        raise OptionError(f"{wanted.data} was built by the recipe '{made}'", f"say: neurok train {made} ...")
    say(f"{wanted.data}: {len(store)} objects")
    return prepare(store)


def _run(wanted: Wanted, data: Prepared, folder: Path) -> Run:
    if wanted.resume:
        config = from_values(checkpoint.read(folder)["config"])
        return resume(config, data, folder, wanted.device)
    weights, values = None, wanted.config
    if wanted.begin is not None:
        weights, record = read_weights(wanted.begin)
        values = record["config"] | {"seed": wanted.config.get("seed", 0)}
    return begin(from_values(to_values(Config()) | values), data, folder, wanted.device, weights)


def _check_device(device: str) -> None:
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[device]:
        raise OptionError(f"this machine has no device '{device}'", "train with --device cpu")
