"""The runs of all folds, trained one after another; those that are there are left alone, cut off ones go on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neurok.data.folds import load_folds
from neurok.data.store import Store
from neurok.networks.weights import CONFIG, read_weights
from neurok.training import checkpoint
from neurok.training.runs import TrainingOptions, train_model

FINISHED_SHARE = 0.95  # of its minutes: a run that has trained this long is not worth going on with


@dataclass(frozen=True)
class FoldTraining:
    """minutes: of every fold. threads: to train with. config: values that differ from the defaults."""

    data: str
    out: str
    minutes: float
    threads: int | None = None
    config: dict[str, Any] = field(default_factory=dict)


def train_missing_folds(plan: FoldTraining, say: Callable[[str], None]) -> int | None:
    """Train every fold that has not had its minutes; the signal that stopped it, if one did."""
    recipe = Store(plan.data).index["recipe"]["name"]
    for number in load_folds().numbers:
        folder = Path(plan.out) / f"fold-{number}"
        left = plan.minutes - find_trained_minutes(folder)
        if left <= (1.0 - FINISHED_SHARE) * plan.minutes:
            say(f"fold {number} is trained")
            continue
        say(f"fold {number}: training for {left:.1f} minutes")
        begun = (folder / checkpoint.NAME).is_file()
        wanted = TrainingOptions(
            recipe, plan.data, str(folder), minutes=plan.minutes, resume=begun, threads=plan.threads,
            config=plan.config, fold=number,
        )  # fmt: skip
        stopped = train_model(wanted, say)["stopped"]
        if stopped is not None:
            return int(stopped)
    return None


def find_trained_minutes(folder: Path) -> float:
    """How long a run has been trained; zero where there is none that wrote weights."""
    if not (folder / "weights" / CONFIG).is_file():
        return 0.0
    return float(read_weights(folder / "weights")[1].get("minutes", 0.0))
