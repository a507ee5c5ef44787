"""Training of the articulation network: first on what the search leaves, then on annotations.

    python -m neurok.articulate.examples STORE --partnet DIR            (and again with --found, and --made 14)
    python -m neurok.articulate.training STORE --out RUN --pretrain 3000 --steps 9000 [--seed 0]

--pretrain 0 is the ablation, with all of its steps on annotations; --without A,B leaves categories out; --held-out
keeps a fifth of the real objects for measuring. RUN is then a folder of weights, as `neurok.articulate.weights` reads.
"""

import argparse
import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
import torch

from neurok.articulate.augment import augment_example
from neurok.articulate.batches import CandidateBatch, JointBatch, batch_candidates, make_batch
from neurok.articulate.examples import Example, load_example
from neurok.articulate.labels import SLIDES
from neurok.articulate.losses import Truths, compute_annotated_loss, compute_pretraining_loss
from neurok.articulate.network import ArticulationNetwork, ArticulationSize

POINTS = 48  # of a part, of those that were kept
PARTS = 64  # of a batch, about
FOLDS = 5  # one of them is held out
MIX = {"partnet": 0.6, "found": 0.25, "made": 0.15}  # of the shapes of a batch, where there are such
WEIGHTS = {"type": 1.0, "motion": 0.5, "limits": 0.5, "parent": 0.15, "judge": 1.5, "free": 0.2}


@dataclass(frozen=True)
class JointTrainingConfig:
    """pretrain, steps: of the first stage, and in all. rate: highest learning rate; decay: of the weights;
    average: steps over which the kept weights are averaged. mix: shares of the sources of annotations."""

    pretrain: int = 3000
    steps: int = 9000
    rate: float = 2e-3
    decay: float = 0.05
    average: int = 300
    width: int = 96
    layers: int = 3
    seed: int = 0
    mix: tuple[tuple[str, float], ...] = tuple(MIX.items())


def find_fold(one: Example) -> int:
    """Which fifth of the objects it is of, the same always, with all that was made of it."""
    return crc32(one.name.split("-")[0].encode()) % FOLDS


def is_held_out(one: Example) -> bool:
    """One fifth of the real objects."""
    return one.source != "made" and find_fold(one) == 0


def load_examples(folder: Path) -> list[Example]:
    return [load_example(path) for path in sorted(folder.glob("*.npz"))]


def collate_examples(
    examples: Sequence[Example], *, points: int | None = None
) -> tuple[JointBatch, CandidateBatch, Truths]:
    """Examples side by side."""
    batch = make_batch([one.seen for one in examples], points=points)
    counts = [one.seen.count for one in examples]
    tried = batch_candidates([one.tried for one in examples], counts)
    rows = {
        name: np.concatenate([getattr(one.labels, name) for one in examples])
        for name in ("kind", "endless", "axis", "point", "limits", "parent")
    }
    scale = np.where(rows["kind"] == SLIDES, 2 * batch.reach.numpy(), np.pi)
    rows["limits"] = rows["limits"] / scale[:, None]
    # Shapes of a hundred keys should not outweigh all others.
    rows["weight"] = np.repeat(np.array(counts) ** -0.5, counts)
    for name in ("survives", "right", "studied"):
        rows[name] = np.concatenate([getattr(one.tried, name) for one in examples]).astype(bool)
    tensors = {k: torch.from_numpy(np.ascontiguousarray(v)) for k, v in rows.items()}
    return batch, tried, Truths(**{k: v.float() if v.dtype == torch.float64 else v for k, v in tensors.items()})


class Sampler:
    """Batches of about PARTS parts, sources mixed as the plan says."""

    def __init__(self, examples: Sequence[Example], mix: dict[str, float], seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.by_source = {name: [one for one in examples if one.source == name] for name in mix}
        self.by_source = {name: some for name, some in self.by_source.items() if some}
        self.names = list(self.by_source)
        share = np.array([mix[name] for name in self.names])
        self.share = share / share.sum()

    def draw(self) -> list[Example]:
        chosen: list[Example] = []
        parts = 0
        while parts < PARTS:
            some = self.by_source[self.names[self.rng.choice(len(self.names), p=self.share)]]
            one = some[self.rng.integers(len(some))]
            if chosen and parts + one.seen.count > 1.5 * PARTS:
                break
            chosen.append(self._fewer_points(augment_example(one, self.rng)))
            parts += one.seen.count
        return chosen

    def _fewer_points(self, one: Example) -> Example:
        """Other points each time: the batch takes the first."""
        order = self.rng.permutation(one.seen.points.shape[1])
        seen = one.seen
        return replace(
            one,
            seen=replace(
                seen, points=seen.points[:, order], normals=seen.normals[:, order], touch=seen.touch[:, order]
            ),
        )


def make_network(examples: Sequence[Example], plan: JointTrainingConfig) -> ArticulationNetwork:
    real = [one for one in examples if one.source == "partnet"] or examples
    reasons = np.concatenate([one.tried.reasons[::4] for one in real])
    own = np.concatenate([one.tried.own[one.tried.studied] for one in real])
    network = ArticulationNetwork(ArticulationSize(plan.width, 4, plan.layers, reasons.shape[1], own.shape[1]))
    for name, values in (("reasons", reasons), ("own", own)):
        getattr(network.judge, f"{name}_mean").copy_(torch.from_numpy(values.mean(axis=0)))
        getattr(network.judge, f"{name}_spread").copy_(torch.from_numpy(values.std(axis=0) + 1e-3))
    return network


def train_network(
    examples: Sequence[Example],
    plan: JointTrainingConfig,
    say: Callable[[str], None] = print,
    begin: ArticulationNetwork | None = None,
) -> ArticulationNetwork:
    """The averaged network of both stages, each with its own rise and fall of the rate."""
    torch.manual_seed(plan.seed)
    network = make_network(examples, plan) if begin is None else begin.requires_grad_(True)
    stages = [("pretraining", plan.pretrain), ("annotations", plan.steps - plan.pretrain)]
    for name, steps in stages:
        if steps > 0:
            network = _stage(network, examples, plan, name, steps, say)
    return network


def _stage(network, examples, plan: JointTrainingConfig, name: str, steps: int, say) -> ArticulationNetwork:
    first = name == "pretraining"
    mix = {"partnet": 0.4, "found": 0.2, "made": 0.4} if first else dict(plan.mix)
    sampler = Sampler(examples, mix, plan.seed + 17 * first)
    loss_of = compute_pretraining_loss if first else compute_annotated_loss
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, plan.rate, total_steps=steps + 1, pct_start=0.15)
    averaged = copy.deepcopy(network).requires_grad_(False)
    keep = 1 - 1 / min(plan.average, max(steps // 4, 1))
    network.train()
    sums: dict[str, float] = {}
    begin = time.perf_counter()
    for step in range(1, steps + 1):
        batch, tried, truths = collate_examples(sampler.draw(), points=POINTS)
        losses = loss_of(network, batch, tried, truths)
        loss = sum((WEIGHTS[k] if not first else 1.0) * v for k, v in losses.items())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        _drift(averaged, network, keep if step > 1 else 0.0)
        for key, value in losses.items():
            sums[key] = sums.get(key, 0.0) + float(value.detach())
        if step % 50 == 0 or step == steps:
            figures = "  ".join(f"{k} {v / (step % 50 or 50):.3f}" for k, v in sums.items())
            say(f"{name} {step}/{steps}  {time.perf_counter() - begin:.0f} s  {figures}")
            sums = {}
    return averaged.requires_grad_(True).eval()


@torch.no_grad()
def _drift(averaged: ArticulationNetwork, network: ArticulationNetwork, keep: float) -> None:
    """averaged = keep averaged + (1 - keep) network."""
    for mean, value in zip(averaged.parameters(), network.parameters()):
        mean.lerp_(value, 1 - keep)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--out", type=Path, required=True)
    for name, kind in (
        ("pretrain", int),
        ("steps", int),
        ("rate", float),
        ("decay", float),
        ("seed", int),
        ("width", int),
    ):
        arguments.add_argument(f"--{name}", type=kind, default=getattr(JointTrainingConfig, name))
    arguments.add_argument("--without", default="", help="categories to leave out, with commas")
    arguments.add_argument(
        "--held-out", action="store_true", help="keep a fifth of the real objects, and measure on it"
    )
    arguments.add_argument("--mix", default="", help="partnet=0.6,found=0.25,made=0.15")
    arguments.add_argument("--begin", type=Path, help="weights to begin from, as a pretraining alone left them")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    mix = {k: float(v) for k, v in (pair.split("=") for pair in options.mix.split(",") if pair)} or MIX
    plan = JointTrainingConfig(options.pretrain, options.steps, options.rate, options.decay, width=options.width, seed=options.seed,
                mix=tuple(mix.items()))  # fmt: skip
    without = {name for name in options.without.split(",") if name}
    examples = load_examples(options.store)
    used = [one for one in examples if one.category not in without and not (options.held_out and is_held_out(one))]
    kept = [
        one
        for one in examples
        if one.source != "made" and (one.category in without or (options.held_out and is_held_out(one)))
    ]
    print(f"{len(used)} shapes to learn from, {len(kept)} kept", flush=True)
    from neurok.articulate.heldout import measure_held_out
    from neurok.articulate.weights import open_networks, save_networks

    begin = open_networks(options.begin)[0][0] if options.begin else None
    network = train_network(used, plan, lambda text: print(text, flush=True), begin)

    facts = {
        "plan": plan.__dict__ | {"mix": mix}, "without": sorted(without), "held_out": options.held_out,
        "shapes": len(used), "begin": options.begin.name if options.begin else None,
    }  # fmt: skip
    measured = [one for one in kept if one.source == "partnet"]
    if measured:
        facts["figures"] = measure_held_out([network], measured)
        for name, row in facts["figures"].items():
            print(name, "  ".join(f"{key} {value:.4g}" for key, value in row.items()), flush=True)
    save_networks(options.out, [network], facts)
    print(f"wrote {options.out}", flush=True)


if __name__ == "__main__":
    main()
