"""Training of the flows: one draws layouts, one the codes of a layout's parts.

python -m neurok.training.objects.flows layouts EXAMPLES.npz RUN [--minutes 25] [--resume]
python -m neurok.training.objects.flows codes EXAMPLES.npz RUN --coder RUN [--minutes 20] [--resume]
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from neurok.generate.learned.layout import MAX_PARTS, Layout
from neurok.generate.learned.rows import LAYOUT_WIDTH, write_rows
from neurok.geometry.arrays import Array
from neurok.networks.part_code import PartCoder
from neurok.networks.part_flow import FlowSize, PartFlow
from neurok.training import checkpoint
from neurok.training.memory import keep_memory
from neurok.training.objects.examples import ObjectExample, load_objects
from neurok.training.objects.part_batches import draw_batch, store_parts
from neurok.training.objects.parts import find_rate, load_coder
from neurok.training.objects.turning import vary_layout
from neurok.training.records import Records

SOURCES = ("made", "partnet", "articulated")
BATCH = 48  # objects
RATE = 1e-3
KEEP = 0.998  # of the running mean of the weights, a step
ANY_SHARE = 0.1  # of objects whose kind is not told
ABSENT_WEIGHT = 0.05  # of the numbers of rows without a part
SOURCE_WEIGHTS = {"made": 1.0, "partnet": 2.0, "articulated": 0.4}  # set by hand: real objects are few
LOG_STEPS, SAVE_STEPS = 50, 500


@dataclass(frozen=True)
class FlowBatch:
    """Rows [b, n, f] and what is known of each [b, n, c]; kinds, sources [b]; weight of each number [b, n, f]."""

    rows: Tensor
    context: Tensor | None
    kind: Tensor
    source: Tensor
    weight: Tensor


@dataclass(frozen=True)
class FlowObjects:
    """Objects that a flow learns from. kinds: their names, in order; code: of each object's parts."""

    layouts: tuple[Layout, ...]
    kind: Tensor
    source: Tensor
    chance: Tensor
    kinds: tuple[str, ...]
    codes: tuple[Array, ...] = ()


def gather_objects(objects: Sequence[ObjectExample], coder: PartCoder | None = None) -> FlowObjects:
    """Layouts with the codes of their parts, kinds drawn more evenly than they are met."""
    kinds = tuple(sorted({one.kind for one in objects}))
    counts = Counter((one.kind, one.source) for one in objects)
    chance = [SOURCE_WEIGHTS[one.source] * counts[one.kind, one.source] ** -0.5 for one in objects]
    codes = () if coder is None else tuple(encode_objects(objects, coder))
    return FlowObjects(
        tuple(one.layout for one in objects), torch.tensor([kinds.index(one.kind) for one in objects]),
        torch.tensor([SOURCES.index(one.source) for one in objects]), torch.tensor(chance), kinds, codes,
    )  # fmt: skip


def encode_objects(objects: Sequence[ObjectExample], coder: PartCoder) -> list[Array]:
    """The codes of the parts of each object, [p, d]."""
    store = store_parts(objects)
    rng = np.random.default_rng(0)
    found = []
    with torch.inference_mode():
        for rows in torch.arange(len(store.owner)).split(64):
            found.append(coder.encode(draw_batch(store, rows, rng, plain=True).surface).numpy())
    codes = np.concatenate(found)
    return [codes[store.owner == number] for number in range(len(objects))]


def draw_layouts(stored: FlowObjects, picked: Tensor, rng: np.random.Generator) -> FlowBatch:
    """Varied layouts as rows."""
    rows = np.stack([write_rows(vary_layout(stored.layouts[i], rng)) for i in picked.tolist()])
    x = torch.from_numpy(rows).float()
    weight = torch.where(x[..., :1] > 0, 1.0, ABSENT_WEIGHT).expand_as(x).clone()
    weight[..., 0] = 1.0
    return FlowBatch(x, None, stored.kind[picked], stored.source[picked], weight)


def draw_codes(stored: FlowObjects, picked: Tensor, rng: np.random.Generator) -> FlowBatch:
    """Codes of parts, the layout (not mirrored, as the codes are not) being known."""
    context = np.stack([write_rows(stored.layouts[i]) for i in picked.tolist()])
    codes = np.zeros((len(picked), MAX_PARTS, stored.codes[0].shape[1]))
    for row, i in enumerate(picked.tolist()):
        codes[row, : len(stored.codes[i])] = stored.codes[i]
    known, x = torch.from_numpy(context).float(), torch.from_numpy(codes).float()
    weight = (known[..., :1] > 0).float().expand_as(x)
    known = known + 0.05 * torch.randn_like(known)
    return FlowBatch(x, known, stored.kind[picked], stored.source[picked], weight)


def find_flow_loss(flow: PartFlow, batch: FlowBatch) -> Tensor:
    """Mean squared error of the velocity at times drawn anew; kinds left out at random."""
    b = len(batch.rows)
    t = torch.sigmoid(torch.randn(b))
    noise = torch.randn_like(batch.rows)
    x = (1 - t)[:, None, None] * noise + t[:, None, None] * batch.rows
    kind = torch.where(torch.rand(b) < ANY_SHARE, flow.any_kind, batch.kind)
    told = flow(x, t, kind, batch.source, batch.context)
    return ((told - (batch.rows - noise)).square() * batch.weight).sum() / batch.weight.sum()


def train_flow(
    stored: FlowObjects, draw: Callable[[FlowObjects, Tensor, np.random.Generator], FlowBatch], size: FlowSize,
    folder: Path, *, minutes: float, resume: bool = False, seed: int = 0, steps: int | None = None,
) -> PartFlow:  # fmt: skip
    """Train for some minutes, or so many steps; gives the running mean of the weights."""
    torch.manual_seed(seed)
    flow, mean = PartFlow(size), PartFlow(size)
    mean.load_state_dict(flow.state_dict())
    optimiser = torch.optim.AdamW(flow.parameters(), lr=RATE, weight_decay=0.01)
    step, spent = 0, 0.0
    folder.mkdir(parents=True, exist_ok=True)
    if resume:
        state = checkpoint.read(folder)
        flow.load_state_dict(state["model"])
        mean.load_state_dict(state["mean"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
    records, begin, losses = Records(folder, step), time.perf_counter() - spent, 0.0
    while True:
        spent = time.perf_counter() - begin
        progress = spent / (60.0 * minutes) if steps is None else step / steps
        if progress >= 1.0:
            break
        torch.manual_seed(seed + 7919 * step)
        picked = torch.multinomial(stored.chance, BATCH, replacement=True)
        for group in optimiser.param_groups:
            group["lr"] = RATE * find_rate(step, progress)
        loss = find_flow_loss(flow, draw(stored, picked, np.random.default_rng([seed, step])))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(flow.parameters(), 1.0)
        optimiser.step()
        step, losses = step + 1, losses + float(loss.detach())
        _follow(mean, flow, min(KEEP, (1.0 + step) / (10.0 + step)))
        if step % LOG_STEPS == 0:
            records.log(step, spent, {"loss": losses / LOG_STEPS})
            losses = 0.0
        if step % SAVE_STEPS == 0:
            _write(folder, (flow, mean, optimiser), stored.kinds, step, spent)
    _write(folder, (flow, mean, optimiser), stored.kinds, step, spent)
    return mean.eval()


def _follow(mean: PartFlow, flow: PartFlow, keep: float) -> None:
    with torch.no_grad():
        for kept, new in zip(mean.parameters(), flow.parameters()):
            kept.lerp_(new, 1.0 - keep)


def _write(
    folder: Path, state: tuple[PartFlow, PartFlow, torch.optim.Optimizer], kinds: tuple[str, ...], step: int,
    spent: float,
) -> None:  # fmt: skip
    flow, mean, optimiser = state
    checkpoint.write(
        folder,
        {
            "model": flow.state_dict(), "mean": mean.state_dict(), "optimiser": optimiser.state_dict(), "step": step,
            "spent": spent, "size": asdict(flow.size), "kinds": list(kinds),
        },
    )  # fmt: skip


def load_flow(folder: Path) -> tuple[PartFlow, tuple[str, ...]]:
    """The mean weights of a run, and the kinds by number."""
    state = checkpoint.read(folder)
    flow = PartFlow(FlowSize(**state["size"]))
    flow.load_state_dict(state["mean"])
    return flow.eval().requires_grad_(False), tuple(state["kinds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("layouts", "codes"))
    parser.add_argument("examples", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--coder", type=Path)
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--resume", action="store_true")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    objects = load_objects(chosen.examples)
    with keep_memory():
        if chosen.what == "layouts":
            stored = gather_objects(objects)
            size = FlowSize(LAYOUT_WIDTH, kinds=len(stored.kinds))
            train_flow(stored, draw_layouts, size, chosen.run, minutes=chosen.minutes, resume=chosen.resume)
            return
        coder = load_coder(chosen.coder)
        stored = gather_objects(objects, coder)
        size = FlowSize(coder.size.code, context=LAYOUT_WIDTH, layers=5, kinds=len(stored.kinds))
        train_flow(stored, draw_codes, size, chosen.run, minutes=chosen.minutes, resume=chosen.resume)


if __name__ == "__main__":
    main()
