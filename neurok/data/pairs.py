"""Pairs for training: first frames as points, and where further states of the same object take them.

The order of an epoch, and every random choice within it, follows from the seed, the epoch and the place in it: a
reader whose place is set goes on with exactly what it had not given yet, on any number of processes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from neurok.data.augment import Augmentation, augment_view, find_visible
from neurok.data.prepared import Prepared
from neurok.data.targets import MotionTargets, follow_points, stack_targets
from neurok.data.views import TrainingView
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import place_handles
from neurok.geometry.observation import NetworkInput, assemble_input, stack_inputs

MIN_PATCH_POINTS = 4  # points of each patch that are always among those chosen, where they are visible
SOFT_SOURCES = ("animated", "simulated")  # sources of objects that bend or walk, where many parts move in every state
DRAW_COUNT = 8  # random numbers of a state


@dataclass(frozen=True)
class Reading:
    """shapes: first frames in a batch. states: targets of each. points: of each. handles: of each.
    repeats: how often an epoch visits the views of a source (1 where none is named)."""

    shapes: int = 16
    states: int = 12
    points: int = 512
    handles: int = 64
    augmentation: Augmentation = Augmentation()
    repeats: dict[str, int] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class MotionBatch:
    """b first frames and their targets, stacked."""

    shapes: NetworkInput
    targets: MotionTargets


Visit = tuple[int, int, int]  # epoch, place in it, view


class PairReader:
    """Batches of one split, epoch after epoch; `epoch` and `place` say where it stands and may be set."""

    def __init__(self, prepared: Prepared, how: Reading, split: str = "train") -> None:
        self.prepared, self.how = prepared, how
        repeats = [how.repeats.get(e["source"], 1) if e["split"] == split else 0 for e in prepared.entries]
        self.visits = np.repeat(np.arange(len(prepared)), repeats)
        if not len(self.visits):
            raise InputError(f"the store has no objects of the split '{split}'", "build one that has")
        self.epoch, self.place = 0, 0
        self._shuffled = (-1, self.visits)

    def __iter__(self) -> Iterator[MotionBatch]:
        while True:
            yield self.take()

    def take(self, part: int = 0, of: int = 1) -> MotionBatch:
        """The next batch (or one of several equal parts of it) of shapes; an epoch that ends in it begins anew."""
        return self.batch([visit for i, visit in enumerate(self._advance()) if i % of == part])

    def batch(self, visits: list[Visit]) -> MotionBatch:
        """The shapes of these visits."""
        shapes, targets = zip(*(self._read(*visit) for visit in visits))
        return MotionBatch(stack_inputs(shapes), stack_targets(targets))

    def _advance(self) -> list[Visit]:
        """The visits of the next batch; the reader stands behind it afterwards."""
        visits = []
        for _ in range(self.how.shapes):
            visits.append((self.epoch, self.place, int(self.order(self.epoch)[self.place])))
            self.place += 1
            if self.place == len(self.visits):
                self.epoch, self.place = self.epoch + 1, 0
        return visits

    def order(self, epoch: int) -> Indices:
        """The views of an epoch in its own order."""
        if self._shuffled[0] != epoch:
            rng = np.random.default_rng([self.how.seed, epoch])
            self._shuffled = (epoch, rng.permutation(self.visits))
        return self._shuffled[1]

    def _read(self, epoch: int, place: int, view: int) -> tuple[NetworkInput, MotionTargets]:
        source, read = self.prepared.entries[view]["source"], self.prepared.read(view)
        is_soft = source in SOFT_SOURCES or 2 * len(read.soft) > len(read.link)
        rng = np.random.default_rng([self.how.seed, epoch, place, 1])
        return sample_pair(read, self.how, rng, is_soft=is_soft)


def sample_pair(
    view: TrainingView, how: Reading, rng: np.random.Generator, *, is_soft: bool = False
) -> tuple[NetworkInput, MotionTargets]:
    """One first frame as the networks take it, and where random states of it take its points."""
    view = augment_view(view, how.augmentation, rng)
    keep = np.flatnonzero(find_visible(view, how.augmentation, rng))
    index = choose_points(view.patch, keep, how.points, rng)
    position = view.position[index].astype(np.float32)
    patch, area = view.patch[index], share_area(view, keep, index)
    displacement, dual = follow_points(view, index, position, how.states, rng)
    handles = place_handles(position, patch, how.handles)
    shape = assemble_input(
        position, view.normal[index], area, patch, view.component[index], view.border / np.float32(255), handles
    )
    draw = rng.random((how.states, DRAW_COUNT), dtype=np.float32)
    return shape, MotionTargets(displacement, dual, draw, np.array(is_soft, dtype=np.float32))


def choose_points(patch: Indices, keep: Indices, count: int, rng: np.random.Generator) -> Indices:
    """`count` of the points `keep`, some twice where there are too few: of each patch a few, the others by chance."""
    order = rng.permutation(keep)
    if len(order) <= count:
        return np.concatenate([order, rng.choice(order, count - len(order))])
    by_patch = np.argsort(patch[order], kind="stable")
    label = patch[order[by_patch]]
    starts = np.flatnonzero(np.diff(label, prepend=-1))
    rank = np.empty(len(order), dtype=np.int64)
    rank[by_patch] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return order[np.argsort(rank >= MIN_PATCH_POINTS, kind="stable")[:count]]


def share_area(view: TrainingView, keep: Indices, index: Indices) -> Array:
    """The share of the surface that each chosen point stands for, [n]: each patch's area, evenly among its points."""
    patches = int(view.patch.max()) + 1
    total = np.bincount(view.patch[keep], view.area[keep], patches)
    count = np.bincount(view.patch[index], minlength=patches)
    area = (total / np.maximum(count, 1))[view.patch[index]]
    return area / area.sum()
