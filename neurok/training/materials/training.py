"""Training of the network that tells materials: a small perceptron over inputs of which any may be absent.

    python -m neurok.training.materials.training EXAMPLES.npz OUT [--fold K] [--members 3] [--temperature T]
        [--mixing U K S] [--sure P]

Loss: cross-entropy with the chances of each part, -sum_k t_k log p_k, every source and category with its share. Inputs
are dropped at random, part by part for shape, colour and gloss, object by object for names. Colours of our own objects
are drawn anew for every member from what their materials look like (looks.toml), never from the palette.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from neurok.geometry.arrays import Array, Mask
from neurok.materials.prediction.network import MatterNetwork, NameMixing, encode_inputs, join_inputs
from neurok.materials.prediction.observation import INPUTS, MatterObservation
from neurok.training.materials.examples import MatterExample, list_solids, load_examples
from neurok.training.materials.looks import draw_looks
from neurok.training.materials.names import tabulate_names

# Sources and their weight in the loss; widths, steps and dropping were set by hand.
SOURCE_WEIGHTS = {"made": 1.0, "real": 1.0, "lists": 0.5}
WIDTHS = (128, 64)
DROP = {"shape": 0.10, "color": 0.25, "gloss": 0.5, "name": 0.3, "neighbours": 0.4, "object": 0.4}
STEPS, BATCH, RATE, DECAY = 1500, 256, 2e-3, 2e-2
MIN_WORD_COUNT = 12  # objects in which a word must occur to enter the vocabulary
GRADED_COUNT = 3  # inputs that are numbers, not words, and bear a little noise
RESAMPLINGS = 3  # colours drawn for each part of our own objects


@dataclass(frozen=True)
class MatterTable:
    """All parts of many objects: inputs [n, d] each, present [n, 6], target [n, k], weight [n], object [n]."""

    blocks: tuple[Array, ...]
    present: Mask
    target: Array
    weight: Array
    thing: Array


def choose_vocabulary(examples: Sequence[MatterExample]) -> tuple[str, ...]:
    """The words that occur in several objects."""
    counts: Counter[str] = Counter()
    for one in examples:
        counts.update({word for name in (*one.observation.names, one.observation.title) for word in name})
    return tuple(sorted(word for word, count in counts.items() if count >= MIN_WORD_COUNT))


def recolor(one: MatterExample, materials: Sequence[str], rng: np.random.Generator) -> MatterObservation:
    """Parts of one of our own objects in colours drawn for their materials; parts that were alike stay alike."""
    seen = one.observation
    if one.source != "made":
        return seen
    color, gloss = seen.color.copy(), seen.gloss.copy()
    own = np.argmax(one.target, axis=1)
    alike = [f"{own[part]} {seen.names[part]}" for part in range(seen.count)]
    for key in dict.fromkeys(alike):
        rows = [part for part in range(seen.count) if alike[part] == key]
        drawn = draw_looks(materials[own[rows[0]]], 1, rng)
        color[rows], gloss[rows] = drawn
    present = seen.present.copy()
    present[:, INPUTS.index("color")] = True
    present[:, INPUTS.index("gloss")] = rng.random() < 0.5
    return replace(seen, color=color, gloss=gloss, present=present)


def tabulate(
    examples: Sequence[MatterExample], vocabulary: Sequence[str], seed: int, resamplings: int = RESAMPLINGS
) -> MatterTable:
    """All parts as rows; each category of a source weighs alike, and each object of a category."""
    rng = np.random.default_rng(seed)
    materials = list_solids()
    objects = Counter((one.source, one.category) for one in examples)
    kinds = Counter(source for source, _ in objects)
    rows: list[tuple[tuple[Array, ...], Mask, Array, Array, Array]] = []
    for number, one in enumerate(examples):
        times = resamplings if one.source == "made" else 1
        share = SOURCE_WEIGHTS[one.source] / kinds[one.source] / objects[one.source, one.category] ** 0.5 / times
        for _ in range(times):
            seen = recolor(one, materials, rng)
            weight = np.full(seen.count, share / seen.count**0.5)
            blocks = tuple(encode_inputs(seen, vocabulary))
            rows.append((blocks, seen.present, one.target, weight, np.full(seen.count, number)))
    blocks = tuple(np.concatenate([row[0][i] for row in rows]).astype(np.float32) for i in range(len(INPUTS)))
    present, target, weight, thing = (np.concatenate([row[i] for row in rows]) for i in (1, 2, 3, 4))
    return MatterTable(blocks, present, target, weight / weight.mean(), thing)


def train_network(
    examples: Sequence[MatterExample], *, members: int = 3, steps: int = STEPS, seed: int = 0
) -> MatterNetwork:
    """An ensemble trained on all of the examples, at temperature one."""
    vocabulary = choose_vocabulary(examples)
    tensors: dict[str, Array] = {}
    for member in range(members):
        table = tabulate(examples, vocabulary, seed + member)
        if member == 0:
            tensors |= _standardise(table)
        trained = _train_member(table, tensors["mean"], tensors["scale"], steps, seed + member)
        tensors |= {f"{member}.{name}": values for name, values in trained.items()}
    return MatterNetwork(tensors, vocabulary, list_solids(), 1.0, members, names=tabulate_names(examples))


def _standardise(table: MatterTable) -> dict[str, Array]:
    means, scales = [], []
    for index in range(3):
        own = table.blocks[index][table.present[:, index]]
        means.append(own.mean(axis=0))
        scales.append(own.std(axis=0) + 1e-3)
    return {"mean": np.concatenate(means), "scale": np.concatenate(scales)}


def _train_member(table: MatterTable, mean: Array, scale: Array, steps: int, seed: int) -> dict[str, Array]:
    torch.manual_seed(seed)
    rng = np.random.default_rng([seed, 5])
    width = sum(block.shape[1] for block in table.blocks) + len(INPUTS)
    sizes = (width, *WIDTHS, table.target.shape[1])
    model = nn.Sequential(
        nn.Linear(sizes[0], sizes[1]), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(sizes[1], sizes[2]), nn.ReLU(), nn.Dropout(0.2), nn.Linear(sizes[2], sizes[3]),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    reach = np.cumsum(table.weight) / table.weight.sum()
    inputs = torch.from_numpy(join_inputs(table.blocks, table.present, mean, scale).astype(np.float32))
    targets = torch.from_numpy(table.target.astype(np.float32))
    column = torch.from_numpy(np.repeat(np.arange(len(INPUTS)), [block.shape[1] for block in table.blocks]))
    for _ in range(steps):
        rows = torch.from_numpy(np.minimum(np.searchsorted(reach, rng.random(BATCH)), len(reach) - 1))
        x, target = drop_inputs(inputs[rows], column, rng), targets[rows]
        loss = -(target * torch.log_softmax(model(x), dim=1)).sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    layers = [layer for layer in model if isinstance(layer, nn.Linear)]
    found = {}
    for number, layer in enumerate(layers, 1):
        found[f"W{number}"] = layer.weight.detach().numpy().T.copy()
        found[f"b{number}"] = layer.bias.detach().numpy().copy()
    return found


def drop_inputs(x: Tensor, column: Tensor, rng: np.random.Generator) -> Tensor:
    """Rows [n, d] with inputs dropped at random, their flags with them; column: the input of each value, [d - 6]."""
    kept = torch.from_numpy(rng.random((len(x), len(INPUTS))) >= [DROP[name] for name in INPUTS]).float()
    values = x[:, : len(column)] * kept[:, column]
    noise = 0.05 * torch.randn_like(values) * (values != 0) * (column < GRADED_COUNT)
    return torch.cat([values + noise, x[:, len(column) :] * kept], dim=1)


def split_fold(examples: Sequence[MatterExample], fold: int) -> tuple[list[MatterExample], list[MatterExample]]:
    """Those of other folds, and those of the kinds that the fold leaves out."""
    return [one for one in examples if one.fold != fold], [one for one in examples if one.fold == fold]


def main() -> None:
    from neurok.training.materials.weights import save_network

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--mixing", type=float, nargs=3, default=(0.0, 1.0, 1.0))
    parser.add_argument("--sure", type=float, default=1.0)
    chosen = parser.parse_args()
    begin = time.perf_counter()
    torch.set_num_threads(1)
    examples = load_examples(chosen.examples)
    used = split_fold(examples, chosen.fold)[0] if chosen.fold else examples
    network = train_network(used, members=chosen.members, steps=chosen.steps)
    mixing = NameMixing(*chosen.mixing)
    network = replace(network, temperature=chosen.temperature, mixing=mixing, sure=chosen.sure)
    save_network(chosen.out, network, {"fold": chosen.fold, "steps": chosen.steps, "objects": len(used)})
    print(f"{len(used)} objects, {time.perf_counter() - begin:.0f} s: {chosen.out}")


if __name__ == "__main__":
    main()
