"""Training of the articulation network: first on what the search leaves, then on annotations.

    python -m neurok.articulate.examples STORE --partnet DIR            (and again with --found, and --made 14)
    python -m neurok.articulate.training STORE --out RUN [--steps 3200] [--seed 1]

Whatever is not given is as it was for the shipped networks.

--pretrain 0 is the ablation, with all of its steps on annotations; --without A,B leaves categories out, and --fold K
the kinds of a fold (neurok/data/kinds.toml); --held-out keeps a fifth of the real objects for measuring. RUN is then a
folder of weights, as `neurok.articulate.weights` reads.
"""

import argparse
import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
from numpy.typing import NDArray

from neurok.articulate.augment import augment_example
from neurok.articulate.batches import CandidateBatch, JointBatch, batch_candidates, make_batch
from neurok.articulate.examples import BATCH_PART_COUNT, Example, load_example
from neurok.articulate.labels import MotionType
from neurok.articulate.losses import Truths, compute_annotated_loss, compute_pretraining_loss
from neurok.articulate.network import ArticulationNetwork, ArticulationSize
from neurok.articulate.weights import SHIPPED, open_networks, save_networks
from neurok.data.folds import is_kind_among, kinds_left_out
from neurok.proposals.sampling import PART_POINT_COUNT

FOLD_COUNT = 5  # one of them is held out
# Of the losses in the sum. Set by hand, never measured.
LOSS_WEIGHTS = {"type": 1.0, "motion": 0.5, "limits": 0.5, "parent": 0.15, "judge": 1.5, "free": 0.2}


@dataclass(frozen=True)
class JointTrainingConfig:
    """How a network is trained; `read_config` has the numbers of the shipped networks.

    pretrain, steps: of the first stage, and in all. rate: highest learning rate; decay: of the weights; average: steps
    over which the kept weights are averaged; width, layers: of the network; mix: shares of the sources of examples.
    """

    pretrain: int
    steps: int
    rate: float
    decay: float
    average: int
    width: int
    layers: int
    seed: int
    mix: dict[str, float]


def read_config(folder: Path = SHIPPED) -> JointTrainingConfig:
    """The configuration with which the networks of a folder were trained, as it is recorded beside them."""
    record = open_networks(folder)[1]
    return JointTrainingConfig(**(record["plans"][0] if "plans" in record else record["plan"]))


def find_fold(one: Example) -> int:
    """Which fifth of the objects it is of, the same always, with all that was made of it."""
    return crc32(one.name.split("-")[0].encode()) % FOLD_COUNT


def is_held_out(one: Example) -> bool:
    """One fifth of the real objects."""
    return one.source != "made" and find_fold(one) == 0


def load_examples(folder: Path) -> list[Example]:
    return [load_example(path) for path in sorted(folder.glob("*.npz"))]


def collate_examples(
    examples: Sequence[Example], *, points: int | None = None
) -> tuple[JointBatch, CandidateBatch, Truths]:
    """Examples side by side; points: of each part, the first so many."""
    batch = make_batch([one.observation for one in examples], points=points)
    labels, tried = [one.labels for one in examples], [one.tried for one in examples]
    kind = np.concatenate([one.kind for one in labels])
    scale = np.where(kind == MotionType.SLIDES, 2 * batch.reach.numpy(), np.pi)
    counts = np.array([one.observation.count for one in examples])
    truths = Truths(
        kind=torch.from_numpy(kind),
        endless=_concatenate([one.endless for one in labels]),
        axis=_concatenate([one.axis for one in labels]).float(),
        point=_concatenate([one.point for one in labels]).float(),
        limits=(_concatenate([one.limits for one in labels]) / torch.from_numpy(scale)[:, None]).float(),
        parent=_concatenate([one.parent for one in labels]),
        # Shapes of a hundred keys should not outweigh all others.
        weight=torch.from_numpy(np.repeat(counts**-0.5, counts)).float(),
        survives=_concatenate([one.survives for one in tried]),
        right=_concatenate([one.right for one in tried]),
        studied=_concatenate([one.studied for one in tried]),
    )
    return batch, batch_candidates(tried), truths


def _concatenate(arrays: Sequence[NDArray[Any]]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate(arrays))


class Sampler:
    """Batches of about BATCH_PART_COUNT parts, sources mixed as the plan says."""

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
        while parts < BATCH_PART_COUNT:
            some = self.by_source[self.names[self.rng.choice(len(self.names), p=self.share)]]
            one = some[self.rng.integers(len(some))]
            if chosen and parts + one.observation.count > 1.5 * BATCH_PART_COUNT:
                break
            chosen.append(self._fewer_points(augment_example(one, self.rng)))
            parts += one.observation.count
        return chosen

    def _fewer_points(self, one: Example) -> Example:
        """Other points each time: the batch takes the first."""
        order = self.rng.permutation(one.observation.points.shape[1])
        observation = one.observation
        return replace(
            one,
            observation=replace(
                observation,
                points=observation.points[:, order],
                normals=observation.normals[:, order],
                touch=observation.touch[:, order],
            ),
        )


def make_network(examples: Sequence[Example], plan: JointTrainingConfig) -> ArticulationNetwork:
    """A network with random weights that scales features as the real ones of the examples want it."""
    real = [one for one in examples if one.source == "partnet"] or examples
    features = np.concatenate([one.tried.features[::4] for one in real])
    part_features = np.concatenate([one.tried.part_features[one.tried.studied] for one in real])
    size = ArticulationSize(plan.width, 4, plan.layers, features.shape[1], part_features.shape[1])
    network = ArticulationNetwork(size)
    network.judge.candidate_scale.fit(features)
    network.judge.part_scale.fit(part_features)
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
            network = _train_stage(network, examples, plan, name, steps, say)
    return network


def _train_stage(
    network: ArticulationNetwork, examples: Sequence[Example], plan: JointTrainingConfig, name: str, steps: int,
    say: Callable[[str], None],
) -> ArticulationNetwork:  # fmt: skip
    """The averaged network after the steps of one stage, "pretraining" or "annotations"."""
    first = name == "pretraining"
    sampler = Sampler(examples, plan.mix, plan.seed + 17 * first)
    loss_of = compute_pretraining_loss if first else compute_annotated_loss
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, plan.rate, total_steps=steps + 1, pct_start=0.15)
    averaged = copy.deepcopy(network).requires_grad_(False)
    keep = 1 - 1 / min(plan.average, max(steps // 4, 1))
    network.train()
    sums: dict[str, float] = {}
    begin = time.perf_counter()
    for step in range(1, steps + 1):
        batch, tried, truths = collate_examples(sampler.draw(), points=PART_POINT_COUNT // 2)
        losses = loss_of(network, batch, tried, truths)
        weighted = [value if first else LOSS_WEIGHTS[key] * value for key, value in losses.items()]
        loss = torch.stack(weighted).sum()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        _average_weights(averaged, network, keep if step > 1 else 0.0)
        for key, value in losses.items():
            sums[key] = sums.get(key, 0.0) + float(value.detach())
        if step % 50 == 0 or step == steps:
            figures = "  ".join(f"{k} {v / (step % 50 or 50):.3f}" for k, v in sums.items())
            say(f"{name} {step}/{steps}  {time.perf_counter() - begin:.0f} s  {figures}")
            sums = {}
    return averaged.requires_grad_(True).eval()


@torch.no_grad()
def _average_weights(averaged: ArticulationNetwork, network: ArticulationNetwork, keep: float) -> None:
    """averaged = keep averaged + (1 - keep) network."""
    for mean, value in zip(averaged.parameters(), network.parameters()):
        mean.lerp_(value, 1 - keep)


def main() -> None:
    shipped = read_config()
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--pretrain", type=int, default=shipped.pretrain)
    arguments.add_argument("--steps", type=int, default=shipped.steps)
    arguments.add_argument("--rate", type=float, default=shipped.rate)
    arguments.add_argument("--decay", type=float, default=shipped.decay)
    arguments.add_argument("--seed", type=int, default=shipped.seed)
    arguments.add_argument("--width", type=int, default=shipped.width)
    arguments.add_argument("--without", default="", help="categories to leave out, with commas")
    arguments.add_argument("--fold", type=int, help="1 to 5: leave out the kinds of this fold")
    arguments.add_argument(
        "--held-out", action="store_true", help="keep a fifth of the real objects, and measure on it"
    )
    arguments.add_argument("--mix", default="", help="partnet=0.6,found=0.25,made=0.15")
    arguments.add_argument("--begin", type=Path, help="weights to begin from, as a pretraining alone left them")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    mix = {key: float(share) for key, share in (pair.split("=") for pair in options.mix.split(",") if pair)}
    plan = replace(
        shipped, pretrain=options.pretrain, steps=options.steps, rate=options.rate, decay=options.decay,
        seed=options.seed, width=options.width, mix=mix or shipped.mix,
    )  # fmt: skip
    without = {name for name in options.without.split(",") if name}
    if options.fold is not None:
        without |= set(kinds_left_out(options.fold))
    examples = load_examples(options.store)
    held = [
        is_kind_among(one.name, one.category, without) or (options.held_out and is_held_out(one)) for one in examples
    ]
    used = [one for one, is_held in zip(examples, held) if not is_held]
    kept = [one for one, is_held in zip(examples, held) if is_held and one.source != "made"]
    print(f"{len(used)} shapes to learn from, {len(kept)} kept", flush=True)
    from neurok.articulate.heldout import measure_held_out

    begin = open_networks(options.begin)[0][0] if options.begin else None
    network = train_network(used, plan, lambda text: print(text, flush=True), begin)

    facts: dict[str, Any] = {
        "plan": asdict(plan), "without": sorted(without), "fold": options.fold, "held_out": options.held_out,
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
