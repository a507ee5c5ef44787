"""Fit the ranker of proposals: python -m benchmarks.calibrate_proposals LISTS [--crossed].

LISTS holds what `python -m benchmarks.proposal_lists` gathered. Writes neurok/proposals/ranker.safetensors; --crossed
writes nothing: it fits without the kinds of one fold at a time (neurok/data/kinds.toml) and prints the figures on these
kinds, which is what choices are made by.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from neurok.data.folds import load_folds
from neurok.geometry.arrays import Array
from neurok.proposals.choice import expect_recovered
from neurok.proposals.ranker import FILE, Ranker
from neurok.training.ranker_fitting import OVERLAP_FROM, OVERLAP_TO, fit_ranker
from neurok.training.ranker_lists import ObjectLists, OptionList, read_lists


def measure_crossed(objects: Sequence[ObjectLists]) -> None:
    """Print the figures on the kinds that each fold leaves out."""
    found: dict[str, list[float]] = {}
    judged: list[tuple[Array, Array]] = []
    for fold in load_folds().numbers:
        weights = fit_ranker([one for one in objects if one.fold != fold])
        ranker = Ranker({name: value.numpy().astype(np.float64) for name, value in weights.items()})
        for one in (one for one in objects if one.fold == fold):
            for each in (each for each in one.options if each.whole):
                for how, value in _choose(ranker, each).items():
                    found.setdefault(f"{each.point_count} points, {how}", []).append(value)
            judged += [(ranker.judge_parts(features), overlap) for features, overlap in one.parts]
        _print_figures(f"up to fold {fold}", found, judged)


def _choose(ranker: Ranker, one: OptionList) -> dict[str, float]:
    """The motion recovered by the likeliest option, by the one that promises most, and by the best."""
    score, recovered = ranker.judge_options(one.features)[0], one.recovered
    promising = int(expect_recovered(score, one.displacement).argmax())
    return {"likeliest": recovered[score.argmax()], "chosen": recovered[promising], "best": recovered.max()}


def _print_figures(label: str, found: dict[str, list[float]], judged: Sequence[tuple[Array, Array]]) -> None:
    for name, values in sorted(found.items()):
        print(f"{label}: {name} ({len(values)}) {np.median(values):.3f} (mean {np.mean(values):.3f}), "
              f"{np.mean(np.array(values) < -0.1):.1%} below -.1", flush=True)  # fmt: skip
    known = [(odds, overlap) for odds, overlap in judged if overlap.max(initial=0.0) > OVERLAP_TO]
    best = [overlap[np.argsort(-odds)[:10]] for odds, overlap in known]
    print(f"{label}: a true part among the best ten {np.mean([b.max() > OVERLAP_TO for b in best]):.3f}, is the best "
          f"{np.mean([b[0] > OVERLAP_TO for b in best]):.3f}")  # fmt: skip
    odds, overlap = (np.concatenate(each) for each in zip(*judged))
    error, rate = measure_calibration(odds, overlap)
    print(f"{label}: expected calibration error of parts {error:.4f}, of always the mean {rate:.4f}", flush=True)


def measure_calibration(odds: Array, overlap: Array, bins: int = 10) -> tuple[float, float]:
    """The expected calibration error of log odds [h] of a part (overlap above the middle of what is learned), and
    twice the variance of truth, which is the mean error of always saying the share of parts; bins hold equal counts."""
    chance, truth = 1.0 / (1.0 + np.exp(-odds)), overlap > (OVERLAP_FROM + OVERLAP_TO) / 2.0
    groups = np.array_split(np.argsort(chance, kind="stable"), bins)
    error = sum(len(g) * abs(chance[g].mean() - truth[g].mean()) for g in groups) / len(odds)
    return float(error), float(2.0 * truth.mean() * (1.0 - truth.mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--crossed", action="store_true")
    parser.add_argument("--without-fold", type=int, help="leave out the kinds of a fold, for `evaluate --folds`")
    parser.add_argument("--out", type=Path, default=Path("neurok/proposals") / FILE)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    objects = [one for one in read_lists(asked.lists) if one.fold != asked.without_fold]
    if asked.crossed:
        measure_crossed(objects)
    else:
        save_file(fit_ranker(objects), asked.out)


if __name__ == "__main__":
    main()
