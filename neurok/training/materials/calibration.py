"""What is chosen on kinds that were left out of training: temperatures, the share of names, and what is surely elastic.

    python -m neurok.training.materials.calibration EXAMPLES.npz RUNS

Over the folds of RUNS (fold-1 to fold-5), for our own objects and for the judged real ones (half of the weight each) of
the kinds that each fold left out. Temperatures and shares: where -log p of the materials is least. Surely elastic: the
share of parts that truly are among those whose chance reaches a threshold, and how many of the truly elastic these are.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.materials.library import load_library
from neurok.materials.prediction.network import MatterNetwork, NameMixing
from neurok.materials.prediction.prediction import ELASTIC
from neurok.materials.prediction.weights import load_network
from neurok.training.materials.examples import MatterExample, list_solids, load_examples
from neurok.training.materials.training import recolor, split_fold

# Values that are tried.
TEMPERATURES = (0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
SHARES = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
OWN_TEMPERATURES = (1.0, 1.5, 2.0)
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
STRIDE = 4  # every fourth of our own objects is enough to choose a few numbers
SHOWN_COUNT = 5


@dataclass(frozen=True)
class HeldParts:
    """Parts of kinds left out: the truth [n, k], whether the object is real and whether the name was met, [n]."""

    target: Array
    real: Mask
    known: Mask


def list_held(examples: Sequence[MatterExample], fold: int) -> list[MatterExample]:
    """The objects of the kinds that a fold leaves out, our own in colours of their materials."""
    rng, materials = np.random.default_rng(4), list_solids()
    held = split_fold([one for one in examples if one.source != "lists"], fold)[1]
    kept = [one for one in held if one.source == "real"] + [one for one in held if one.source == "made"][::STRIDE]
    return [replace(one, observation=recolor(one, materials, rng)) for one in kept]


def answer_all(networks: dict[int, MatterNetwork], held: dict[int, list[MatterExample]]) -> Array:
    """log p of all held parts, [n, k]."""
    return np.concatenate([networks[k].answer(one.observation) for k in networks for one in held[k]])


def gather_parts(networks: dict[int, MatterNetwork], held: dict[int, list[MatterExample]]) -> HeldParts:
    rows = [(k, one, part) for k in networks for one in held[k] for part in range(one.observation.count)]
    return HeldParts(
        np.stack([one.target[part] for _, one, part in rows]),
        np.array([one.source == "real" for _, one, _ in rows]),
        np.array([one.observation.names[part] in networks[k].names for k, one, part in rows]),
    )


def measure_surprise(log_chance: Array, parts: HeldParts, which: Mask) -> float:
    """The mean of -sum_k t_k log p_k over some parts [nats], each source with half of the weight."""
    each = -(parts.target * log_chance).sum(axis=1)
    return float(np.mean([each[which & (parts.real == real)].mean() for real in (False, True)]))


def try_mixings(
    networks: dict[int, MatterNetwork], held: dict[int, list[MatterExample]], parts: HeldParts
) -> Iterator[tuple[float, NameMixing]]:
    """-log p of parts whose name was met, by mixing."""
    for share, beside, own in product(SHARES, TEMPERATURES, OWN_TEMPERATURES):
        mixing = NameMixing(share, beside, own)
        mixed = {k: replace(network, mixing=mixing) for k, network in networks.items()}
        yield measure_surprise(answer_all(mixed, held), parts, parts.known), mixing


def count_elastic(log_chance: Array, parts: HeldParts) -> list[tuple[float, int, float, float]]:
    """By threshold: how many parts reach it, the share of these that are elastic, and of the elastic that reach it."""
    library = load_library()
    elastic = np.array([library.find(name).behaviour in ELASTIC for name in list_solids()])
    told, true = np.exp(log_chance)[:, elastic].sum(axis=1), parts.target[:, elastic].sum(axis=1)
    weight = np.where(parts.real, 1.0 / parts.real.sum(), 1.0 / (~parts.real).sum())
    rows = []
    for least in THRESHOLDS:
        sure = told >= least
        hits = float((weight * true)[sure].sum())
        rows.append((least, int(sure.sum()), hits / max(float(weight[sure].sum()), 1e-12), hits / float(weight @ true)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("runs", type=Path)
    chosen = parser.parse_args()
    examples = load_examples(chosen.examples)
    folds = [k for k in range(1, 6) if (chosen.runs / f"fold-{k}").is_dir()]
    networks = {k: load_network(chosen.runs / f"fold-{k}") for k in folds}
    held = {k: list_held(examples, k) for k in folds}
    parts = gather_parts(networks, held)
    print(f"{len(parts.real)} parts of folds {folds}, of {parts.known.mean():.0%} of which the name was met")
    best: dict[float, float] = {}
    for temperature in TEMPERATURES:
        told = answer_all({k: replace(n, temperature=temperature) for k, n in networks.items()}, held)
        best[measure_surprise(told, parts, ~parts.known)] = temperature
        print(f"name not met, T {temperature:4.2f}: -log p {measure_surprise(told, parts, ~parts.known):.3f}")
    mixings = sorted(try_mixings(networks, held, parts), key=lambda row: row[0])
    for surprise, mixing in mixings[:SHOWN_COUNT]:
        print(f"name met, u {mixing.share:.1f} K {mixing.beside:4.2f} S {mixing.own:.1f}: -log p {surprise:.3f}")
    final = {k: replace(n, temperature=best[min(best)], mixing=mixings[0][1]) for k, n in networks.items()}
    for least, count, precision, recall in count_elastic(answer_all(final, held), parts):
        print(f"elastic from {least:.2f}: {count} parts, {precision:.3f} of them are, {recall:.3f} of all that are")


if __name__ == "__main__":
    main()
