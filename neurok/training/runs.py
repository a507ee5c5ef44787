"""A training run from its options: store, views, model, loop, weights."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch

from neurok.data.build import build
from neurok.data.prepared import FOLDER, Prepared, prepare
from neurok.data.store import Store
from neurok.errors import InputError, OptionError, OutputError
from neurok.networks.config import Config, from_values, to_values
from neurok.networks.weights import open_weights, save_weights
from neurok.training import checkpoint
from neurok.training.left_out import (
    LeftOut,
    check_begun_weights,
    choose_left_out,
    find_unknown_kinds,
    hide_left_out,
    write_left_out,
)
from neurok.training.loop import TrainingRun, begin_run, resume_run, train_run
from neurok.training.processes import Processes
from neurok.training.watch import Watch

VALIDATION_SECONDS = 300.0  # between two validations on held-out objects
CHECKPOINT_SECONDS = 180.0  # between two checkpoints


@dataclass(frozen=True)
class TrainingOptions:
    """What was asked for; see commands.train for what each means. config: values that differ from the defaults.
    checkpoint_seconds, validation_seconds: between two checkpoints, and between two validations on held-out objects.
    without: kinds that nothing is learned from. fold: or those of this fold of kinds.toml."""

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
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    validation_seconds: float = VALIDATION_SECONDS
    without: tuple[str, ...] = ()
    fold: int | None = None


def train_model(options: TrainingOptions, say: Callable[[str], None]) -> dict[str, Any]:
    """Train, and write the averaged weights; what became of it. `say` is for the first process only."""
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    _check_device(options.device)
    with _open_folder(options) as folder:
        processes = Processes(options.device)
        with processes.let_first_begin():
            left_out = choose_left_out(folder, fold=options.fold, kinds=options.without, resume=options.resume)
            store, data = _prepare_views(options, left_out, say)
        run = _open_run(options, data, folder, processes, left_out)
    if not (options.resume or processes.rank):
        write_left_out(folder, left_out)
    seconds = options.checkpoint_seconds
    go_on = partial(train_run, run, steps=options.steps, minutes=options.minutes, checkpoint_seconds=seconds)
    if processes.rank:
        stopped = go_on()
    else:
        say(f"{_describe_size(run)}; {'going on' if options.resume else 'beginning'} at step {run.step:,}")
        watch = Watch(run, options.validation_seconds, store, data, say)
        stopped = go_on(report=watch.report)
        if stopped is None:  # who stops it does not want to wait
            watch.validate(run)
        write_weights(run, options, left_out)
    return {
        "steps": run.step, "minutes": run.seconds / 60.0, "weights": str(folder / "weights"), "stopped": stopped,
    }  # fmt: skip


def write_weights(run: TrainingRun, options: TrainingOptions, left_out: LeftOut) -> None:
    """The averaged weights, with how they came to be; steps and minutes include those of what they began from."""
    steps, minutes = run.before
    facts = {
        "steps": steps + run.step, "minutes": round(minutes + run.seconds / 60.0, 1), "recipe": options.recipe,
        **left_out.to_record(),
    }  # fmt: skip
    save_weights(run.folder / "weights", run.averaged, run.config, facts)


def _describe_size(run: TrainingRun) -> str:
    weights = sum(p.numel() for p in run.model.parameters()) / 1e6
    batch = f"{run.config.shapes} shapes with {run.config.states} states a step"
    return f"a model of {weights:.2f} million weights, {batch}"


@contextmanager
def _open_folder(options: TrainingOptions) -> Iterator[Path]:
    """The folder of the run, made where it is not there, and removed again where the run does not begin."""
    folder = Path(options.out)
    if options.resume and not (folder / checkpoint.NAME).is_file():
        raise InputError(f"{folder} has no checkpoint to resume from", "start it without --resume")
    if not options.resume and (folder / checkpoint.NAME).exists():
        raise OutputError(f"{folder} holds a run already", "go on with it by --resume, or name another folder")
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"{folder} cannot be made ({fault.strerror})", "choose another place") from None
    try:
        yield folder
    except BaseException:
        with suppress(OSError):  # something is in it, so it stays
            for each in missing:
                each.rmdir()
        raise


def _prepare_views(options: TrainingOptions, left_out: LeftOut, say: Callable[[str], None]) -> tuple[Store, Prepared]:
    """The store's views; store and views are made where they are not there."""
    if not Path(options.data).exists():
        say(f"building the store {options.data} by the recipe {options.recipe}")
        build(options.recipe, options.data, partnet=options.partnet, animated=options.animated)
    store = Store(options.data)
    made = store.index["recipe"]["name"]
    if made != options.recipe:
        raise OptionError(f"{options.data} was built by the recipe '{made}'", f"say: neurok train {made} ...")
    held = len(store.names("dev"))
    say(f"{options.data}: {len(store) - held:,} objects to learn from, {held:,} held out")
    if not (store.folder / FOLDER / "index.json").is_file():
        say("sampling their surfaces; this is done once")
    data = prepare(store)
    if left_out.kinds:
        hidden = hide_left_out(data, left_out)
        say(f"{hidden:,} of them are of kinds left out{f' by fold {left_out.fold}' if left_out.fold else ''}")
        unknown = find_unknown_kinds(data)
        if left_out.fold and unknown:
            say(f"kinds that no fold knows, which are learned from: {', '.join(unknown)}")
    return store, data


def _open_run(
    options: TrainingOptions, data: Prepared, folder: Path, processes: Processes, left_out: LeftOut
) -> TrainingRun:
    if options.resume:
        return resume_run(data, folder, processes)
    weights, values, before = None, options.config, (0, 0.0)
    if options.begin is not None:
        model, record = open_weights(options.begin)
        check_begun_weights(record, left_out, options.begin)
        weights, values = model.state_dict(), record["config"] | {"seed": options.config.get("seed", 0)}
        before = (int(record.get("steps", 0)), float(record.get("minutes", 0.0)))
    run = begin_run(from_values(to_values(Config()) | values), data, folder, processes, weights)
    run.before = before
    return run


def _check_device(device: str) -> None:
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[device]:
        raise OptionError(f"this machine has no device '{device}'", "train with --device cpu")
