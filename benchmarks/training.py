"""Training: pairs per second of one thread, against a prototype of the same width, and against the matrix multiply.

A pair is a shape and one of its states. A step reads a batch, goes forward and backward, and moves the weights, as in
earnest, on a small store made for the purpose. The prototype took 130 pairs a second forward and backward at width 128
on one thread of such a machine, at 0.28 GFLOP a pair; ours shares one encoded shape among all its states. Operations
are counted by torch (products of matrices only), and the peak is that of one large product measured in the same run.
The profile names where a step's time goes. Times are the process's own, on one thread.
"""

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.figures import Figure
from neurok.data.build import build
from neurok.data.prepared import prepare
from neurok.data.store import Store
from neurok.networks.config import Config
from neurok.training import loop

PROTOTYPE = 130.0  # pairs per second, width 128, one thread
TIMES = 2.0


@dataclass(frozen=True)
class Sizes:
    """objects of the store; steps that are timed; size of the model; side of the matrices of the peak."""

    objects: int = 12
    steps: int = 6
    size: str = "base"
    shapes: int = 16
    side: int = 1024


def measure(sizes: Sizes) -> list[Figure]:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        build("tiny", store, limit=sizes.objects, workers=1)
        data = prepare(Store(store), workers=1)
        config = replace(Config(), size=sizes.size, shapes=sizes.shapes)
        run = loop.begin_run(config, data, Path(folder) / "run")
        loop._step(run, 0.0)
        with FlopCounterMode(display=False) as counter:
            loop._step(run, 0.0)
        seconds = []
        for _ in range(sizes.steps):
            start = time.process_time()
            loop._step(run, 0.0)
            seconds.append(time.process_time() - start)
        with profile(activities=[ProfilerActivity.CPU]) as seen:
            loop._step(run, 0.0)
    step, pairs = min(seconds), config.shapes * config.states
    rate, peak = counter.get_total_flops() / step / 1e9, peak_rate(sizes.side)
    told = f"size {sizes.size}"
    return [
        Figure(f"pairs trained per second, {told}", pairs / step, "/s"),
        Figure("  of the prototype's at equal width", pairs / step / PROTOTYPE, "x", least=TIMES),
        Figure(f"  operations a pair, {told}", counter.get_total_flops() / pairs / 1e9, " GFLOP"),
        Figure(f"  products of matrices, {told}", rate, " GFLOP/s"),
        Figure("  of the measured peak", rate / peak, ""),
        *_profile(seen),
    ]


def _profile(seen: profile) -> list[Figure]:
    """The operations that take most of a step, as shares of it."""
    rows = sorted(seen.key_averages(), key=lambda row: -row.self_cpu_time_total)
    total = sum(row.self_cpu_time_total for row in rows)
    return [Figure(f"  profile: {row.key[:40]}", 100 * row.self_cpu_time_total / total, " %") for row in rows[:8]]


def peak_rate(side: int) -> float:
    """GFLOP/s of a product of two square matrices, float32."""
    a, b = torch.randn(2, side, side)
    best = float("inf")
    for _ in range(6):
        start = time.process_time()
        a @ b
        best = min(best, time.process_time() - start)
    return 2 * side**3 / best / 1e9
