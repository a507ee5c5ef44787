"""Fit the ranker of proposals: python -m benchmarks.calibrate_proposals LISTS [--crossed].

LISTS holds what `python -m benchmarks.proposal_lists` gathered. Two perceptrons are fitted: one scores the options of
a drag against each other (the chance to be the best, by cross-entropy against a softmax of the recovered motion) and
says how much each explains; the other says which hypotheses are parts that move. Writes
neurok/proposals/ranker.safetensors; --crossed writes nothing: it fits without the kinds of one fold at a time
(neurok/data/kinds.toml) and prints the figures on these kinds, which is what choices are made by.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from neurok.data.folds import find_kind, load_folds
from neurok.geometry.arrays import Array
from neurok.proposals.ranker import FILE, LAYERS, Ranker

MEMBERS, WIDTH, RATE, DECAY, DROPOUT = 4, 48, 4e-3, 3e-3, 0.1
OPTION_EPOCHS, OPTION_BATCH = 14, 48
LIST_LENGTH = 96  # options that are kept of a long list, a quarter of them the best
PART_EPOCHS, PART_BATCH = 12, 16
TEMPERATURE = 0.06  # of the recovered motion, in the softmax that is learned
SUBSET_WEIGHT = 0.4  # of a list of some of the dragged points
OVERLAP_FROM, OVERLAP_TO = 0.6, 0.9  # no true part below, surely one above


@dataclass(frozen=True)
class OptionList:
    """Options that compete. gain: share of the squared motion explained, [n]. whole: whether all points are meant."""

    features: Array
    gain: Array
    whole: bool
    point_count: int

    @property
    def recovered(self) -> Array:
        return 1.0 - np.sqrt(np.maximum(1.0 - self.gain, 0.0))


@dataclass(frozen=True)
class ObjectLists:
    name: str
    fold: int  # that leaves it out, 0 where none does
    options: list[OptionList]
    parts: list[tuple[Array, Array]]  # features and overlaps of the hypotheses of one state


def read_lists(folder: Path) -> list[ObjectLists]:
    """All objects, by name."""
    found, folds = [], load_folds()
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            data = {name: file[name] for name in file.files}
        group = folds.find_group(find_kind(str(data["name"]), str(data["category"])))
        spans = zip(data["starts"][:-1], data["starts"][1:], data["point_counts"])
        options = [OptionList(data["features"][a:b], data["gain"][a:b].clip(-3.0), mine == all_, int(all_))
                   for a, b, (mine, all_) in spans]  # fmt: skip
        spans = zip(data["part_starts"][:-1], data["part_starts"][1:])
        parts = [(data["part_features"][a:b], data["overlap"][a:b]) for a, b in spans]
        found.append(ObjectLists(str(data["name"]), group.fold if group else 0, options, parts))
    return found


class Members(nn.Module):
    """Perceptrons side by side, which share nothing: [n, f] to [k, n, outputs]."""

    def __init__(self, features: Array, outputs: int) -> None:
        super().__init__()
        widths = (features.shape[1], WIDTH, WIDTH, outputs)
        self.mean = torch.tensor(features.mean(axis=0), dtype=torch.float32)
        self.spread = torch.tensor(features.std(axis=0) + 1e-6, dtype=torch.float32)
        self.weight = nn.ParameterList(torch.randn(MEMBERS, b, a) * (2 / a) ** 0.5 for a, b in zip(widths, widths[1:]))
        self.bias = nn.ParameterList(torch.zeros(MEMBERS, 1, b) for b in widths[1:])

    def standardise(self, x: Array) -> Tensor:
        return ((torch.tensor(x, dtype=torch.float32) - self.mean) / self.spread).clamp(-5.0, 5.0)

    def forward(self, x: Tensor) -> Tensor:
        h = x.expand(MEMBERS, *x.shape)
        for number, (weight, bias) in enumerate(zip(self.weight, self.bias)):
            h = torch.baddbmm(bias, h, weight.transpose(1, 2))
            if number < len(self.weight) - 1:
                h = functional.dropout(h.relu(), DROPOUT, self.training)
        return h

    def export(self, prefix: str) -> dict[str, Tensor]:
        """As `Ranker` reads it."""
        found = {"mean": self.mean.expand(MEMBERS, -1), "spread": self.spread.expand(MEMBERS, -1)}
        for layer, weight, bias in zip(LAYERS, self.weight, self.bias):
            found |= {f"{layer}.weight": weight.detach(), f"{layer}.bias": bias.detach()[:, 0]}
        return {f"{prefix}.{name}": value.contiguous() for name, value in found.items()}


def fit_ranker(objects: Sequence[ObjectLists], seed: int = 0) -> dict[str, Tensor]:
    """The weights of both perceptrons."""
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    options = fit_options([each for one in objects for each in one.options], generator)
    parts = fit_parts([each for one in objects for each in one.parts if each[1].max(initial=0.0) > 0], generator)
    return options.export("options") | parts.export("parts")


def fit_options(lists: Sequence[OptionList], generator: np.random.Generator) -> Members:
    """The perceptron that scores options, and says how much they explain."""
    kept = [_shorten(each, generator) for each in lists]
    net = Members(np.concatenate([each.features for each in kept]), 2)
    data = [(net.standardise(each.features), torch.tensor(each.recovered.clip(-1, 1)), torch.tensor(each.gain.clip(-1)),
             1.0 if each.whole else SUBSET_WEIGHT) for each in kept]  # fmt: skip

    def measure_loss(batch: Sequence[int]) -> Tensor:
        rows = [data[number] for number in batch]
        sizes = [len(row[0]) for row in rows]
        out, total = net(torch.cat([row[0] for row in rows])), torch.zeros(())
        for (_, recovered, gain, weight), answer in zip(rows, out.split(sizes, dim=1)):
            log_chance = answer[..., 0].log_softmax(dim=1)
            aim = (recovered / TEMPERATURE).softmax(dim=0)
            loss = -(aim * log_chance).sum(dim=1) - (log_chance.exp() * recovered).sum(dim=1)
            far = functional.smooth_l1_loss(answer[..., 1], gain.expand(MEMBERS, -1).float(), beta=0.1)
            total = total + weight * (loss.mean() + 2.0 * far)
        return total / len(rows)

    _descend(net, measure_loss, len(data), OPTION_EPOCHS, OPTION_BATCH, generator)
    return net


def fit_parts(states: Sequence[tuple[Array, Array]], generator: np.random.Generator) -> Members:
    """The perceptron that says which hypotheses are parts that move."""
    net = Members(np.concatenate([features for features, _ in states]), 1)
    data = [(net.standardise(features), torch.tensor(overlap, dtype=torch.float32)) for features, overlap in states]

    def measure_loss(batch: Sequence[int]) -> Tensor:
        total = torch.zeros(())
        for features, overlap in (data[number] for number in batch):
            aim = ((overlap - OVERLAP_FROM) / (OVERLAP_TO - OVERLAP_FROM)).clamp(0.0, 1.0)
            logit = net(features)[..., 0]
            loss = functional.binary_cross_entropy_with_logits(logit, aim.expand_as(logit), reduction="sum")
            total = total + loss / (MEMBERS * aim.sum().clamp_min(1.0))
        return total / len(batch)

    _descend(net, measure_loss, len(data), PART_EPOCHS, PART_BATCH, generator)
    return net


def _descend(net: Members, measure_loss, count: int, epochs: int, size: int, generator: np.random.Generator) -> None:
    descent = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    steps = epochs * max(count // size, 1)
    pace = torch.optim.lr_scheduler.OneCycleLR(descent, RATE, total_steps=steps + 1)
    for step in range(steps):
        if step % max(count // size, 1) == 0:
            order = generator.permutation(count)
        first = size * (step % max(count // size, 1))
        loss = measure_loss(order[first : first + size].tolist())
        descent.zero_grad()
        loss.backward()
        descent.step()
        pace.step()
    net.eval()


def _shorten(one: OptionList, generator: np.random.Generator) -> OptionList:
    """The best quarter and a random choice of the others."""
    count = len(one.gain)
    if count <= LIST_LENGTH:
        return one
    order = np.argsort(-one.gain, kind="stable")
    best, others = order[: LIST_LENGTH // 4], order[LIST_LENGTH // 4 :]
    chosen = np.concatenate([best, generator.choice(others, LIST_LENGTH - len(best), replace=False)])
    return OptionList(one.features[chosen], one.gain[chosen], one.whole, one.point_count)


def measure_crossed(objects: Sequence[ObjectLists]) -> None:
    """Print the figures on the kinds that each fold leaves out."""
    figures: dict[str, list[tuple[float, float]]] = {}
    recall: list[tuple[float, float]] = []
    for fold in load_folds().numbers:
        weights = fit_ranker([one for one in objects if one.fold != fold])
        ranker = Ranker({name: value.numpy().astype(np.float64) for name, value in weights.items()})
        for one in (one for one in objects if one.fold == fold):
            for each in (each for each in one.options if each.whole):
                chosen = each.recovered[int(ranker.judge_options(each.features)[0].argmax())]
                figures.setdefault(f"{each.point_count} points", []).append((chosen, each.recovered.max()))
            for features, overlap in one.parts:
                if overlap.max(initial=0.0) > OVERLAP_TO:
                    best = np.argsort(-ranker.judge_parts(features))[:10]
                    recall.append((float(overlap[best].max() > OVERLAP_TO), float(overlap[best[0]] > OVERLAP_TO)))
        _print_figures(f"up to fold {fold}", figures, recall)


def _print_figures(
    label: str, figures: dict[str, list[tuple[float, float]]], recall: list[tuple[float, float]]
) -> None:
    for name, pairs in sorted(figures.items()):
        (median, best_median), (mean, best_mean) = np.median(pairs, axis=0), np.mean(pairs, axis=0)
        print(f"{label}: {name} ({len(pairs)}) chosen {median:.3f} (mean {mean:.3f}), best {best_median:.3f} "
              f"({best_mean:.3f})", flush=True)  # fmt: skip
    if recall:
        ten, one = np.mean(recall, axis=0)
        print(f"{label}: a true part among the best ten {ten:.3f}, is the best {one:.3f}", flush=True)


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
