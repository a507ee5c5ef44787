"""Fitting the ranker of proposals: two perceptrons, of which one scores the options of a drag against each other (the
chance to be the best, by cross-entropy against a softmax of the recovered motion) and says how much each explains, and
the other says which hypotheses are parts that move."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from neurok.geometry.arrays import Array
from neurok.proposals.ranker import LAYERS
from neurok.training.ranker_lists import ObjectLists, OptionList

MEMBERS, WIDTH, RATE, DECAY, DROPOUT = 4, 48, 4e-3, 3e-3, 0.1
OPTION_EPOCHS, OPTION_BATCH = 14, 48
LIST_LENGTH = 96  # options that are kept of a long list, a quarter of them the best
PART_EPOCHS, PART_BATCH = 12, 16
TEMPERATURE = 0.06  # of the recovered motion, in the softmax that is learned
SUBSET_WEIGHT = 0.4  # of a list of some of the dragged points
OVERLAP_FROM, OVERLAP_TO = 0.6, 0.9  # no true part below, surely one above


class Members(nn.Module):
    """Perceptrons side by side, which share nothing: [n, f] to [k, n, outputs].

    compares: whether the second layer also sees the greatest and the mean of the first one's units over all rows of a
    list, so that an option is judged beside the others.
    """

    def __init__(self, features: Array, outputs: int, *, compares: bool = False) -> None:
        super().__init__()
        widths = (features.shape[1], WIDTH, WIDTH, outputs)
        self.mean = torch.tensor(features.mean(axis=0), dtype=torch.float32)
        self.spread = torch.tensor(features.std(axis=0) + 1e-6, dtype=torch.float32)
        self.weight = nn.ParameterList(torch.randn(MEMBERS, b, a) * (2 / a) ** 0.5 for a, b in zip(widths, widths[1:]))
        self.bias = nn.ParameterList(torch.zeros(MEMBERS, 1, b) for b in widths[1:])
        around = torch.randn(MEMBERS, WIDTH, 2 * WIDTH) * (0.5 / WIDTH) ** 0.5
        self.around = nn.Parameter(around) if compares else None

    def standardise(self, x: Array) -> Tensor:
        return ((torch.tensor(x, dtype=torch.float32) - self.mean) / self.spread).clamp(-5.0, 5.0)

    def forward(self, x: Tensor, owner: Tensor | None = None) -> Tensor:
        """owner: the list of each row, [n]; where it is not told, all rows are of one."""
        h = x.expand(MEMBERS, *x.shape)
        for number, (weight, bias) in enumerate(zip(self.weight, self.bias)):
            below, h = h, torch.baddbmm(bias, h, weight.transpose(1, 2))
            if number == 1 and self.around is not None:
                h = h + pool_lists(below, owner) @ self.around.transpose(1, 2)
            if number < len(self.weight) - 1:
                h = functional.dropout(h.relu(), DROPOUT, self.training)
        return h

    def export(self, prefix: str) -> dict[str, Tensor]:
        """As `Ranker` reads it."""
        found = {"mean": self.mean.expand(MEMBERS, -1), "spread": self.spread.expand(MEMBERS, -1)}
        for layer, weight, bias in zip(LAYERS, self.weight, self.bias):
            found |= {f"{layer}.weight": weight.detach(), f"{layer}.bias": bias.detach()[:, 0]}
        if self.around is not None:
            found["around"] = self.around.detach()
        return {f"{prefix}.{name}": value.contiguous() for name, value in found.items()}


def pool_lists(h: Tensor, owner: Tensor | None) -> Tensor:
    """For every row [m, n, w], the greatest (at least 0) and the mean over the rows of its list, [m, n, 2 w]."""
    owner = torch.zeros(h.shape[1], dtype=torch.long) if owner is None else owner
    count = int(owner.max()) + 1
    index, empty = owner[None, :, None].expand_as(h), h.new_zeros(len(h), count, h.shape[2])
    most, total = empty.scatter_reduce(1, index, h, "amax"), empty.scatter_add(1, index, h)
    mean = total / torch.bincount(owner, minlength=count)[None, :, None].clamp_min(1)
    return torch.cat([most, mean], dim=2)[:, owner]


def add_exponentials(score: Tensor, owner: Tensor, count: int) -> Tensor:
    """log sum exp of the scores [m, n] of each owner, [m, count]."""
    index = owner.expand_as(score)
    most = score.new_full((len(score), count), -torch.inf).scatter_reduce(1, index, score.detach(), "amax")
    total = score.new_zeros(len(score), count).scatter_add(1, index, (score - most.gather(1, index)).exp())
    return most + total.log()


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
    net = Members(np.concatenate([each.features for each in kept]).astype(np.float32), 2, compares=True)
    data = [(net.standardise(each.features), _as_tensor(each.recovered.clip(-1, 1)), _as_tensor(each.gain.clip(-1)))
            for each in kept]  # fmt: skip
    weights = torch.tensor([1.0 if each.whole else SUBSET_WEIGHT for each in kept])

    def measure_loss(batch: Sequence[int]) -> Tensor:
        rows, weight = [data[number] for number in batch], weights[list(batch)]
        size = torch.tensor([len(row[0]) for row in rows])
        owner = torch.repeat_interleave(torch.arange(len(rows)), size)
        score, gain = net(torch.cat([row[0] for row in rows]), owner).unbind(dim=2)
        recovered, truth = torch.cat([row[1] for row in rows]), torch.cat([row[2] for row in rows])

        def find_chance(log: Tensor) -> Tensor:
            return log - add_exponentials(log, owner, len(rows))[:, owner]

        log_chance, aim = find_chance(score), find_chance(recovered[None] / TEMPERATURE).exp()
        far = functional.smooth_l1_loss(gain, truth.expand_as(gain), reduction="none", beta=0.1) / size[owner]
        loss = -aim * log_chance - log_chance.exp() * recovered + 2.0 * far
        return (weight[owner] * loss).sum() / (MEMBERS * len(rows))

    descend(net, measure_loss, len(data), OPTION_EPOCHS, OPTION_BATCH, generator)
    return net


def _as_tensor(values: Array) -> Tensor:
    return torch.tensor(values, dtype=torch.float32)


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

    descend(net, measure_loss, len(data), PART_EPOCHS, PART_BATCH, generator)
    return net


def descend(
    net: Members, measure_loss: Callable[[Sequence[int]], Tensor], count: int, epochs: int, size: int,
    generator: np.random.Generator,
) -> None:  # fmt: skip
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
    return one.take(chosen)
