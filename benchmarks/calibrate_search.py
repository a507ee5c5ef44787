"""Fit the ranking of candidate motions: python -m benchmarks.calibrate_search STORE [--crossed].

STORE holds the examples of `python -m neurok.articulate.examples`; those of annotated shapes with their true parts are
taken. A conditional logit over staying and all candidates of a part; every candidate that agrees with the annotation
counts as right, so that none of several equal ones is picked arbitrarily. Writes
neurok/articulate/ranking.safetensors; --crossed writes nothing: it fits four fifths of the objects at a time, and
prints the figures on the fifth that is left, which is what choices are made by.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from neurok.articulate import examples
from neurok.articulate.facing import FACING, PartPlacement, measure_hits
from neurok.articulate.heldout import score_answer, summarise_scores
from neurok.articulate.labels import MotionType
from neurok.articulate.losses import reduce_logsumexp
from neurok.articulate.ranking import FILE, FIXED_LEAD, Ranking
from neurok.articulate.training import FOLD_COUNT, find_fold, load_examples
from neurok.geometry.arrays import Array

MEMBERS, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 4, 30, 128, 4e-3, 0.03, 0.2
FRONT_EPOCHS, FRONT_BATCH = 60, 48  # over shapes
HIDDEN = {"moves": 48, "stays": 16, "front": 32}


@dataclass(frozen=True)
class Example:
    """One part: its features, those of its candidates, which of them are right (None: it stays), and its weight."""

    part: Tensor
    features: Tensor
    right: Tensor | None
    weight: float


def parts_of(shapes: Sequence[examples.Example]) -> list[Example]:
    """All parts that there is something to choose for, with something right among it."""
    found = []
    for one in shapes:
        for number in np.flatnonzero(one.tried.studied):
            mine = one.tried.part == number
            right = (
                None
                if one.labels.kind[number] == MotionType.FIXED
                else torch.tensor(one.tried.right[mine].astype(bool))
            )
            if right is None or right.any():
                part, features = (torch.tensor(x, dtype=torch.float32) for x in compute_row(one, number, FACING[0]))
                # Shapes of a hundred keys should not outweigh all others.
                found.append(Example(part, features, right, one.observation.count**-0.5))
    return found


def compute_row(one: examples.Example, number: int, R: Array) -> tuple[Array, Array]:
    """The features of a part [f] and of its candidates [c, g], with their places after x' = R x."""
    seen, tried = one.observation, one.tried
    mine = tried.part == number
    turns, features = tried.turns[mine].astype(bool), tried.features[mine]
    hits = measure_hits(turns, features, seen.box[number].mean(axis=0))
    place = PartPlacement.of(seen.box, seen.area, seen.near[number] >= 1.0, hits, number, R)
    motions = place.motions(turns, tried.axis[mine], tried.pivot[mine])
    return np.concatenate([tried.part_features[number], place.part()]), np.hstack([features, motions])


def front_rows(one: examples.Example) -> Array:
    """The features of all studied parts for each way in which the object may face, [p, 4, f]."""
    numbers = np.flatnonzero(one.tried.studied)
    return np.stack([[compute_row(one, number, R)[0] for R in FACING] for number in numbers])


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


def fit(shapes: Sequence[examples.Example], seed: int) -> dict[str, Layers]:
    """The functions of one member."""
    data = parts_of(shapes)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    parts, rows = torch.stack([e.part for e in data]), torch.cat([e.features[::4] for e in data])
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
    return nets | {"front": fit_front(shapes, seed)}


def fit_front(shapes: Sequence[examples.Example], seed: int) -> Layers:
    """A conditional logit over four ways to face, of which that of the file is right: all these objects face alike."""
    rng = np.random.default_rng(seed)
    data = [torch.tensor(front_rows(one), dtype=torch.float32) for one in shapes if one.tried.studied.any()]
    rows = torch.cat(data).flatten(0, 1)
    net = Layers(HIDDEN["front"], rows.mean(0), rows.std(0) + 1e-3)
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    batches = -(-len(data) // FRONT_BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=FRONT_EPOCHS * batches + 1)
    for _ in range(FRONT_EPOCHS):
        for batch in np.array_split(rng.permutation(len(data)), batches):
            some = [data[i] for i in batch]
            owner = torch.repeat_interleave(torch.arange(len(some)), torch.tensor([len(rows) for rows in some]))
            weight = torch.tensor([len(rows) ** -0.5 for rows in some])[owner]
            evidence = net(torch.cat(some).flatten(0, 1)).unflatten(0, (-1, 4)) * weight[:, None]
            ways = evidence.new_zeros(len(some), 4).index_add(0, owner, evidence)
            loss = -ways.log_softmax(1)[:, 0].mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return net


def batch_loss(nets: dict[str, Layers], batch: Sequence[Example]) -> Tensor:
    """-log of the share of exp(score) that is right, weighted."""
    counts = torch.tensor([len(e.features) for e in batch])
    owner = torch.repeat_interleave(torch.arange(len(batch)), counts)
    parts = torch.stack([e.part for e in batch])
    moves = nets["moves"](torch.cat([parts[owner], torch.cat([e.features for e in batch])], dim=1))
    stays = nets["stays"](parts)
    none = torch.zeros(1, dtype=torch.bool)
    right = torch.cat([none.expand(len(e.features)) if e.right is None else e.right for e in batch])
    whole = torch.logaddexp(stays, reduce_logsumexp(moves, owner, len(batch)))
    good = reduce_logsumexp(moves.masked_fill(~right, -1e4), owner, len(batch))
    still = torch.tensor([e.right is None for e in batch])
    weight = torch.tensor([e.weight for e in batch])
    return ((whole - torch.where(still, stays, good)) * weight).sum() / weight.sum()


def stacked(members: Sequence[dict[str, Layers]]) -> dict[str, np.ndarray]:
    """The members' weights, as ranking.py reads them."""
    found: dict[str, np.ndarray] = {}
    for name in HIDDEN:
        nets = [member[name] for member in members]
        for index in range(3):
            for key in ("weight", "bias"):
                values = [getattr(net.layers[index], key).detach().numpy() for net in nets]
                found[f"{name}.{index}.{key}"] = np.stack(values).astype(np.float32)
        found |= {f"{name}.{key}": np.stack([getattr(net, key).numpy() for net in nets]) for key in ("mean", "spread")}
    return found


def crossed(shapes: Sequence[examples.Example], members: int) -> dict[str, float]:
    """Figures on each fifth of the shapes by members that were fitted to the others."""
    rows = []
    for number in range(FOLD_COUNT):
        learned = [one for one in shapes if find_fold(one) != number]
        weights = stacked([fit(learned, seed) for seed in range(members)])
        ranking = Ranking({key: value.astype(np.float64) for key, value in weights.items()})
        for one in shapes:
            if find_fold(one) == number and one.tried.studied.any():
                fronts = ranking.fronts(front_rows(one))
                rows += [answered(ranking, one, part, fronts) for part in np.flatnonzero(one.tried.studied)]
    return summarise_scores(rows)


def answered(ranking: Ranking, one: examples.Example, part: int, fronts: Array) -> tuple[int, int, float, float]:
    """True and said kind, axis and centre error of a part, as the search alone has them."""
    mine = np.flatnonzero(one.tried.part == part)
    turns = one.tried.turns[mine].astype(bool)
    scores = np.stack([ranking.scores(*compute_row(one, part, R)) for R in FACING])
    scores = np.logaddexp.reduce(scores + fronts[:, None], axis=0)
    stays, scores = scores[0] - FIXED_LEAD, scores[1:]
    chances = [stays, np.logaddexp.reduce(scores[turns]), np.logaddexp.reduce(scores[~turns])]
    kind = int(np.argmax(chances))
    best = {turning: mine[np.argmax(np.where(turns == turning, scores, -np.inf))] for turning in (True, False)}
    turning = kind == 1 if kind else bool(chances[1] >= chances[2])
    return score_answer(one, part, kind, one.tried.axis[best[turning]], one.tried.pivot[best[True]])


def main() -> None:
    from safetensors.numpy import save_file

    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--crossed", action="store_true", help="print figures on shapes that were left out")
    arguments.add_argument("--members", type=int, default=MEMBERS)
    arguments.add_argument("--out", default=str(Path(__file__).parents[1] / "neurok" / "articulate" / FILE))
    options = arguments.parse_args()
    torch.set_num_threads(1)
    shapes = [one for one in load_examples(options.store) if one.source == "partnet"]
    if options.crossed:
        print("  ".join(f"{key} {value:.4g}" for key, value in crossed(shapes, options.members).items()))
        return
    members = [fit(shapes, seed) for seed in range(options.members)]
    save_file(stacked(members), options.out, metadata={"fitted_on": f"PartNet-Mobility train, {len(shapes)} objects"})
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
