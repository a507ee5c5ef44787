"""The rankers of all folds, fitted one after another; lists and rankers that are there are left alone."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

from neurok.data import procedural
from neurok.data.folds import kinds_left_out, load_folds
from neurok.errors import InputError
from neurok.evaluate.fold_runs import is_set_aside
from neurok.evaluate.rankers.gathering import find_teachers, gather_missing
from neurok.files.registry import save
from neurok.networks.weights import CONFIG, put_weights, read_weights
from neurok.training.ranker_fitting import fit_ranker
from neurok.training.ranker_lists import read_lists

LISTS, MADE = "lists", "made"  # folders beside the runs


@dataclass(frozen=True)
class RankerTraining:
    """data: a folder of objects, of whose train split is learned. more: further folders of jointed objects.
    made: procedural objects of each kind. per_kind: objects of a kind and folder, at most."""

    data: str
    out: str
    more: tuple[str, ...] = ()
    made: int = 2
    per_kind: int = 14
    seed: int = 0


def train_missing_rankers(plan: RankerTraining, say: Callable[[str], None]) -> None:
    """Gather the lists that are missing, and fit a ranker for every fold whose lists have changed since."""
    out = Path(plan.out)
    make_objects(out / MADE, plan.made)
    more = (*plan.more, *([str(out / MADE)] if plan.made else []))
    gather_missing(out / LISTS, find_teachers(plan.data, more, plan.per_kind), say)
    for fold in load_folds().numbers:
        _train_fold(out, fold, plan.seed, say)


def make_objects(folder: Path, count: int, kinds: Iterable[str] = procedural.CATEGORIES) -> None:
    """So many procedural objects of every kind with joints, as folders of URDF files."""
    for kind in kinds if count else ():
        for seed in range(count):
            place = folder / f"{kind}_{seed}"
            if (place / "meta.json").is_file():
                continue
            thing = procedural.make(kind, seed)
            if thing.is_soft:
                break
            place.mkdir(parents=True, exist_ok=True)
            save(thing.articulation, place / "mobility.urdf")
            (place / "meta.json").write_text(json.dumps({"model_cat": kind}))


def _train_fold(out: Path, fold: int, seed: int, say: Callable[[str], None]) -> None:
    """The ranker that has learned nothing from the kinds of a fold, nor from objects that are set aside by it."""
    weights = out / f"fold-{fold}" / "weights"
    learned = [one for one in read_lists(out / LISTS, lambda name: not is_set_aside(name, fold)) if one.fold != fold]
    if not learned:
        raise InputError(
            f"nothing is left to learn from without fold {fold}", "give more objects with --more or --made"
        )
    digest = hashlib.sha256("\n".join(one.name for one in learned).encode()).hexdigest()[:16]
    if (weights / CONFIG).is_file() and read_weights(weights)[1].get("ranker", {}).get("objects_hash") == digest:
        say(f"the ranker of fold {fold} is fitted")
        return
    say(f"fold {fold}: fitting a ranker to {len(learned)} objects")
    with torch.random.fork_rng():
        state = fit_ranker(learned, seed)
    facts = {"objects": len(learned), "objects_hash": digest}
    put_weights(weights, state, {"ranker": facts, "fold": fold, "without": kinds_left_out(fold)})
