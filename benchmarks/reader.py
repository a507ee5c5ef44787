"""The reader of training: pairs of a first frame and a target, per second of one core, at 512 points.

The store is a small one of our own objects, rigid and soft, made for the purpose; augmentation is that of training.
Time is the process's own, on one thread, so that other work of the machine does not count.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure
from neurok.data.build import build
from neurok.data.pairs import PairReader, Reading
from neurok.data.prepared import Prepared, prepare
from neurok.data.store import Store

PAIRS = 2000.0  # per second and core


@dataclass(frozen=True)
class Sizes:
    """states: targets of each shape, each measured on its own. objects: of the store. batches: that are read."""

    states: tuple[int, ...] = (12, 16)
    objects: int = 12
    batches: int = 24


def measure(sizes: Sizes) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        build("tiny", store, limit=sizes.objects, workers=1)
        data = prepare(Store(store), workers=1)
        return [
            Figure(f"pairs read per second, {states} states of a shape", speed(data, states, sizes), least=PAIRS)
            for states in sizes.states
        ]


def speed(data: Prepared, states: int, sizes: Sizes) -> float:
    """Pairs per second of this process's time."""
    pairs = PairReader(data, Reading(states=states))
    pairs.take()
    start = time.process_time()
    for _ in range(sizes.batches):
        pairs.take()
    return sizes.batches * pairs.how.shapes * states / (time.process_time() - start)
