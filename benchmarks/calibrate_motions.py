"""Fit the ranker of motions: python -m benchmarks.calibrate_motions LISTS [--data DATA --more DIR ...] [--crossed].

With --data, the lists that LISTS lacks are gathered first, from the train objects of a folder, further folders of
jointed objects, animals, of which no part moves rigidly, and with --made 3 --assemblies 128 from objects of our own.
Writes neurok/proposals/motion_ranker.safetensors; --crossed writes nothing: it fits without the kinds of one fold at a
time (neurok/data/kinds.toml) and prints the figures on these kinds, which is what choices are made by.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from neurok.data.folds import load_folds
from neurok.evaluate.objects import Entry, find_objects
from neurok.evaluate.rankers.fold_rankers import MADE, make_objects
from neurok.evaluate.rankers.gathering import find_teachers
from neurok.evaluate.rankers.motion_lists import gather_missing_motions
from neurok.geometry.arrays import Array
from neurok.proposals.motion_ranker import FILE, MotionRanker, sum_log_odds
from neurok.proposals.selection import select_members
from neurok.training.motion_fitting import MotionList, fit_motions, read_motion_lists

ANIMALS = ("fish", "quadruped", "biped", "insect", "bird")
LEAST = (-3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0)  # log odds that are tried
FOUND_OVERLAP, RIGHT_SHARE = 0.5, 0.8  # from which a part counts as found, and a motion as right


def make_teachers(folder: Path, made: int, assemblies: int) -> list[Entry]:
    """So many procedural objects of every kind with joints, and so many assemblies, which are of no kind."""
    make_objects(folder, made)
    make_objects(folder, assemblies, ("assembly",))
    return find_objects(str(folder), "all") if made or assemblies else []


def find_all_teachers(data: str, more: Sequence[str], per_kind: int) -> list[Entry]:
    """Jointed objects, and every third animal among them."""
    animals = [entry for entry in find_objects(data, "animated-train") if entry.category in ANIMALS][::3]
    found: list[Entry] = []
    for number, entry in enumerate(find_teachers(data, more, per_kind)):
        found += [entry, *([animals.pop(0)] if number % 8 == 0 and animals else [])]
    return found


def fit_ranker(lists: Sequence[MotionList]) -> dict[str, torch.Tensor]:
    """The weights of the perceptron."""
    torch.manual_seed(0)
    return fit_motions(lists, np.random.default_rng(0)).export("motions")


def measure_crossed(lists: Sequence[MotionList]) -> None:
    """Print the figures on the kinds that each fold leaves out."""
    judged = []
    for fold in load_folds().numbers:
        weights = fit_ranker([one for one in lists if one.fold != fold])
        ranker = MotionRanker({name: value.numpy().astype(np.float64) for name, value in weights.items()})
        judged += [(one, ranker.score(one.features.astype(np.float64))) for one in lists if one.fold == fold]
        print(f"fitted without fold {fold}", flush=True)
    for least in LEAST:
        print_choice(judged, least)


def print_choice(judged: Sequence[tuple[MotionList, Array]], least: float) -> None:
    """What is chosen from some log odds on."""
    met, parts, extra, right, still = 0, 0, 0, [], []
    for one, score in judged:
        owner = np.repeat(np.arange(len(one.starts) - 1), np.diff(one.starts))
        odds = sum_log_odds(score, owner, np.arange(len(one.starts) - 1))
        chosen = select_members(odds, one.members, one.area, least, least)
        overlap = one.overlap[:, chosen]
        if not len(overlap):
            still.append(len(chosen) == 0)
            continue
        # A part is listed alone and with what it carries; either will do.
        best = overlap.max(axis=1, initial=0.0)
        met, parts = met + int((best > FOUND_OVERLAP).sum()), parts + len(best)
        extra += int((overlap.max(axis=0, initial=0.0) <= FOUND_OVERLAP).sum())
        for place in np.flatnonzero(overlap.max(axis=0, initial=0.0) > FOUND_OVERLAP):
            mine = slice(one.starts[chosen[place]], one.starts[chosen[place] + 1])
            right.append(one.share[mine][score[mine].argmax()] > RIGHT_SHARE)
    print(f"log odds from {least:4.1f}: parts met {met / max(parts, 1):.3f} of {parts}, right motions "
          f"{np.mean(right):.3f} of {len(right)}, {extra} parts too many in {len(judged) - len(still)} objects; "
          f"things without moving parts left alone {np.mean(still):.3f} of {len(still)}", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--data", help="the folder with partnet_mobility/ and animated/")
    parser.add_argument("--more", nargs="*", default=(), help="further folders of jointed objects")
    parser.add_argument("--per-kind", type=int, default=8, help="objects of a kind and folder, at most")
    parser.add_argument("--made", type=int, default=0, help="procedural objects of each kind, made beside LISTS")
    parser.add_argument("--assemblies", type=int, default=0, help="assemblies, made beside LISTS")
    parser.add_argument("--crossed", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("neurok/proposals") / FILE)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if asked.data:
        entries = find_all_teachers(asked.data, asked.more, asked.per_kind)
        entries += make_teachers(asked.lists.with_name(MADE), asked.made, asked.assemblies)
        gather_missing_motions(asked.lists, entries, partial(print, flush=True))
    lists = read_motion_lists(asked.lists)
    if asked.crossed:
        measure_crossed(lists)
    else:
        save_file(fit_ranker(lists), asked.out)


if __name__ == "__main__":
    main()
