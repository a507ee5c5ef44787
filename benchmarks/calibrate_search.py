"""Fit the ranking of candidate motions on annotated shapes: python -m benchmarks.calibrate_search DIR [--split train].

A conditional logit over staying and all candidates of a part; every candidate that agrees with the annotation counts
as right, so that none of several equal ones is picked arbitrarily. Writes neurok/articulate/ranking.safetensors.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from neurok.articulate.pieces import Shape, shape
from neurok.articulate.ranking import FILE
from neurok.articulate.reasons import Study, study
from neurok.errors import NeurokError
from neurok.evaluate.articulation import annotated
from neurok.evaluate.objects import find
from neurok.evaluate.truths import Truth

# Agreement with the annotation: degrees, and shares of the diagonal.
ANGLE, CENTRE, SLACK, FARTHEST = 10.0, 0.015, 0.008, 0.08
MEMBERS, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 4, 40, 64, 3e-3, 0.03, 0.15
HIDDEN = {"moves": 48, "stays": 16}


@dataclass(frozen=True)
class Example:
    """One part: its reasons, those of its candidates, which of them are right (None: it stays), and its weight."""

    part: Tensor
    reasons: Tensor
    right: Tensor | None
    weight: float


def examples(data: str, split: str) -> Iterator[Example]:
    for entry in find(data, split):
        try:
            mesh, parts, truths = annotated(entry)
        except NeurokError as fault:
            print(f"{entry.name} is left out: {fault}")
            continue
        whole = shape(mesh, parts)
        for number, truth in enumerate(truths):
            found = study(whole, number)
            right = None if found is None else agreeing(whole, found, truth)
            if found is None or (right is not None and not right.any()):
                continue  # nothing to choose from, or nothing right among it
            # Shapes of a hundred keys should not outweigh all others.
            yield Example(
                torch.tensor(found.part, dtype=torch.float32), torch.tensor(found.reasons, dtype=torch.float32),
                None if right is None else torch.tensor(right), len(truths) ** -0.5,
            )  # fmt: skip


def agreeing(whole: Shape, found: Study, truth: Truth) -> np.ndarray | None:
    """Which candidates agree with the annotation, [c]; None where the part stays."""
    if truth.kind == "fixed":
        return None
    axis, point = whole.frame.turn @ truth.axis, whole.frame.points(truth.point[None])[0]
    angle = np.degrees(np.arccos(np.clip(np.abs(found.tried.axis @ axis), 0.0, 1.0)))
    right = (found.tried.turns == (truth.kind == "revolute")) & (angle < ANGLE)
    if truth.kind == "revolute" and right.any():
        arm = found.tried.pivot - point
        distance = np.linalg.norm(arm - (arm @ axis)[:, None] * axis, axis=1)
        right &= (distance < max(distance[right].min() + SLACK, CENTRE)) & (distance < FARTHEST)
    return right


class Layers(nn.Module):
    def __init__(self, hidden: int, mean: Tensor, spread: Tensor) -> None:
        super().__init__()
        self.mean, self.spread = mean, spread
        sizes = [len(mean), hidden, hidden, 1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x: Tensor) -> Tensor:
        x = ((x - self.mean) / self.spread).clamp(-5.0, 5.0)
        x = nn.functional.dropout(x, DROPOUT / 2, self.training)
        for layer in self.layers[:-1]:
            x = nn.functional.dropout(torch.relu(layer(x)), DROPOUT, self.training)
        return self.layers[-1](x)[:, 0]


def fit(data: Sequence[Example], seed: int) -> dict[str, Layers]:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    parts, rows = torch.stack([e.part for e in data]), torch.cat([e.reasons[::4] for e in data])
    mean, spread = torch.cat([parts.mean(0), rows.mean(0)]), torch.cat([parts.std(0), rows.std(0)]) + 1e-3
    width = parts.shape[1]
    nets = {"moves": Layers(HIDDEN["moves"], mean, spread)}
    nets["stays"] = Layers(HIDDEN["stays"], mean[:width], spread[:width])
    optimiser = torch.optim.AdamW([p for n in nets.values() for p in n.parameters()], RATE, weight_decay=DECAY)
    batches = -(-len(data) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * batches + 1)
    for _ in range(EPOCHS):
        for batch in np.array_split(rng.permutation(len(data)), batches):
            loss = batch_loss(nets, [data[i] for i in batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return nets


def batch_loss(nets: dict[str, Layers], batch: Sequence[Example]) -> Tensor:
    """-log of the share of exp(score) that is right, weighted."""
    rows = [torch.cat([e.part.expand(len(e.reasons), -1), e.reasons], dim=1) for e in batch]
    moves = torch.split(nets["moves"](torch.cat(rows)), [len(r) for r in rows])
    stays = nets["stays"](torch.stack([e.part for e in batch]))
    losses = []
    for example, score, still in zip(batch, moves, stays):
        whole = torch.logsumexp(torch.cat([still[None], score]), 0)
        good = still if example.right is None else torch.logsumexp(score[example.right], 0)
        losses.append(example.weight * (whole - good))
    return torch.stack(losses).sum() / sum(e.weight for e in batch)


def stacked(members: Sequence[dict[str, Layers]]) -> dict[str, np.ndarray]:
    """The members' weights, as ranking.py reads them."""
    found: dict[str, np.ndarray] = {}
    for name in HIDDEN:
        nets = [member[name] for member in members]
        for index in range(3):
            for key in ("weight", "bias"):
                values = [getattr(net.layers[index], key).detach().numpy() for net in nets]
                found[f"{name}.{index}.{key}"] = np.stack(values).astype(np.float32)
        found[f"{name}.mean"], found[f"{name}.spread"] = nets[0].mean.numpy(), nets[0].spread.numpy()
    return found


def main() -> None:
    from safetensors.numpy import save_file

    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", help="a folder in the SAPIEN layout, or a store")
    arguments.add_argument("--split", default="train")
    arguments.add_argument("--out", default=str(Path(__file__).parents[1] / "neurok" / "articulate" / FILE))
    options = arguments.parse_args()
    torch.set_num_threads(1)
    data = list(examples(options.data, options.split))
    print(f"{len(data)} parts")
    members = [fit(data, seed) for seed in range(MEMBERS)]
    save_file(stacked(members), options.out, metadata={"fitted_on": f"{Path(options.data).name} {options.split}"})
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
