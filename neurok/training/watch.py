"""Watching a run: a line every few steps, a validation on held-out objects every few minutes, both written down."""

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from neurok.data.prepared import Prepared
from neurok.data.store import Store
from neurok.errors import NeurokError
from neurok.training.loop import TrainingRun, reading_options
from neurok.training.records import Records
from neurok.training.sheet import ShownObject, can_draw, choose_objects, write_sheet
from neurok.training.validation import HeldOutViews

# The figures that a person reads while a model is trained, and their names; the records hold all figures.
FIGURE_WORDS = {"fit": "states met", "drag3": "by three points", "drag1": "by one", "kl": "nats"}


LEGEND = (
    "states met: the share of a motion that the nearest state recovers (1 all of it, 0 as if nothing moved); "
    "by three points, by one: the same, where only so many dragged points are known"
)


class Watch:
    """Reports and records the progress of a run; every so many `seconds` it validates on objects that are held out."""

    def __init__(
        self, run: TrainingRun, seconds: float, store: Store, data: Prepared, say: Callable[[str], None]
    ) -> None:
        self.seconds, self.say = seconds, say
        self.records = Records(run.folder, run.step)
        self.held: HeldOutViews | None = None
        if any(entry["split"] == "dev" for entry in data.entries):
            self.held = HeldOutViews(data, reading_options(run.config), device=run.processes.device)
        else:
            say("the store has no held-out objects, so nothing is measured while training")
        say(LEGEND)
        self.shown: list[ShownObject] = choose_objects(store) if can_draw(run.model) else []
        self._validated, self._validated_step = time.monotonic(), -1
        self._last = (time.monotonic(), run.step)

    def report(self, run: TrainingRun, means: dict[str, float], used: float) -> None:
        """Called every few steps with figures averaged over them, and the share of the budget that is used."""
        self.records.log(run.step, run.seconds, means)
        self.say(self._line(run, means, used))
        if time.monotonic() - self._validated > self.seconds:
            self.validate(run)

    def _line(self, run: TrainingRun, means: dict[str, float], used: float) -> str:
        now = time.monotonic()
        then, step = self._last
        self._last = (now, run.step)
        pace = (now - then) / max(run.step - step, 1)
        words = [f"loss {means['loss']:.3f}"]
        # Of many motions the median: a few wild ones say little of the others.
        words += [
            f"{name} {means[f'{key}_median']:.2f}" for key, name in FIGURE_WORDS.items() if f"{key}_median" in means
        ]
        share = f" ({used:.0%})" if used > 0 else ""
        return f"step {run.step:,}{share}, {pace:.2f} s each: {', '.join(words)}"

    def validate(self, run: TrainingRun) -> None:
        """Figures and a sheet of held-out objects, by the averaged weights; once a step."""
        if run.step == self._validated_step:
            return
        self._validated_step = run.step
        with use_averaged(run):
            if self.held is not None:
                figures = self.held.figures(run.model, run.config)
                self.records.held(run.step, run.seconds, figures)
                self.say(f"  held out after {run.seconds / 60:.0f} minutes: {_by_source(figures)}")
            if self.shown:
                self._draw(run)
        self._validated = time.monotonic()
        self._last = (self._validated, run.step)

    def _draw(self, run: TrainingRun) -> None:
        try:
            # State spaces are on the CPU, wherever the model is trained.
            model = run.model if run.processes.device == "cpu" else copy.deepcopy(run.model).to("cpu")
            if can_draw(model):
                self.say(f"  wrote {write_sheet(self.shown, model, run.folder, run.step)}")
        except NeurokError as fault:  # pictures need a GL library, training does not
            self.shown = []
            self.say(f"  no more sheets: {fault}")


def _by_source(figures: dict[str, float]) -> str:
    """'partnet: states met 0.71, by three points 0.55; procedural: ...'"""
    sources = dict.fromkeys(name.split("/")[0] for name in figures)
    words = []
    for source in sources:
        mine = [
            f"{word} {figures[f'{source}/{key}']:.2f}"
            for key, word in FIGURE_WORDS.items()
            if f"{source}/{key}" in figures
        ]
        words.append(f"{source}: {', '.join(mine)}")
    return "; ".join(words)


@contextmanager
def use_averaged(run: TrainingRun) -> Iterator[None]:
    """Within, the run's model has the averaged weights; afterwards its own again, to the bit."""
    present = {name: value.clone() for name, value in run.model.state_dict().items()}
    run.model.load_state_dict(run.averaged)
    try:
        yield
    finally:
        run.model.load_state_dict(present)
