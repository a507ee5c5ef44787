"""Pairs for training: first frames as points, and where further states of the same object take them.

The order of an epoch, and every random choice within it, follows from the seed, the epoch and the place in it: a
reader that is told where it was goes on with exactly what it had not given yet, on any number of processes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from neurok.data.augment import Augmentation, augment, seen
from neurok.data.prepared import Prepared
from neurok.data.views import TrainingView
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import place_handles
from neurok.geometry.observation import NetworkInput, assemble_input, stack_inputs
from neurok.geometry.rigid import dual_from_rigid, quaternion_multiply

MIN_PATCH_POINTS = 4  # points of each patch that are always among those chosen, where they were seen
SOFT_SOURCES = ("animated", "simulated")  # sources of objects that bend or walk, where many parts move in every state
MIN_MOTION = 2e-3  # root mean square motion of a state [diagonal] below which it teaches nothing
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
class MotionTargets:
    """Where s states take the n points of a first frame; lengths in diagonals.

    displacement: [s, n, 3]. dual: exact dual quaternions, scalar of the real part >= 0, [s, n, 8].
    draw: uniform random numbers for whatever a loss draws at each state, [s, DRAW_COUNT]; they come with the shape, so
        that they do not depend on how shapes are shared among processes.
    is_soft: one for soft bodies, which bend or walk, zero for articulated objects, of which a few parts move, [].
    Of several stacked shapes, every array has one more axis in front.
    """

    displacement: NDArray[np.float32]
    dual: NDArray[np.float32]
    draw: NDArray[np.float32]
    is_soft: NDArray[np.float32]


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
        return MotionBatch(stack_inputs(shapes), _stack_targets(targets))

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
    view = augment(view, how.augmentation, rng)
    keep = np.flatnonzero(seen(view, how.augmentation, rng))
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


def _stack_targets(targets: Sequence[MotionTargets]) -> MotionTargets:
    """The targets of several shapes, with a batch axis in front."""
    names = [each.name for each in fields(MotionTargets)]
    return MotionTargets(**{name: np.stack([getattr(each, name) for each in targets]) for name in names})


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


def follow_points(
    view: TrainingView, index: Indices, position: Array, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Displacements [count, n, 3] and dual quaternions [count, n, 8] of points of a view at random states that move."""
    link = view.link[index].astype(np.int64)
    rigid = link >= 0
    place = np.full(len(view.link), -1)
    place[view.soft] = np.arange(len(view.soft))
    states = _moving_states(view, index, rng, count)
    dual = np.zeros((count, len(index), 8), dtype=np.float32)
    if rigid.any():
        T = np.zeros((*view.transforms[states].shape[:2], 4, 4))
        T[..., :3, :] = view.transforms[states]
        T[..., 3, 3] = 1.0
        dual[:, rigid] = dual_from_rigid(T).astype(np.float32)[:, link[rigid]]
    if not rigid.all():
        at = place[index[~rigid]]
        shift = view.shift[states][:, at].astype(np.float32)
        dual[:, ~rigid] = _dual_at(position[~rigid], shift, view.turn[states][:, at].astype(np.float32))
    return displace_points(dual, position), dual


def displace_points(dual: NDArray[np.float32], position: Array) -> NDArray[np.float32]:
    """How far unit dual quaternions [s, n, 8] carry points [n, 3]; [s, n, 3].

    With the real part (w, r), the dual part (e, d) and u = d + r x position: 2 (w u - e r + r x u).
    """
    # One plane per component: products of whole planes are several times as quick as those of short rows.
    w, rx, ry, rz, e, dx, dy, dz = np.ascontiguousarray(dual.transpose(2, 0, 1))
    x, y, z = np.ascontiguousarray(position.T)
    ux, uy, uz = dx + ry * z - rz * y, dy + rz * x - rx * z, dz + rx * y - ry * x
    result = np.empty((*w.shape, 3), dtype=dual.dtype)
    result[..., 0] = w * ux - e * rx + ry * uz - rz * uy
    result[..., 1] = w * uy - e * ry + rz * ux - rx * uz
    result[..., 2] = w * uz - e * rz + rx * uy - ry * ux
    result *= 2.0
    return result


def _moving_states(view: TrainingView, index: Indices, rng: np.random.Generator, count: int) -> Indices:
    """States whose motion is worth learning from, [count], some twice where there are too few."""
    probe = index[:: max(len(index) // 64, 1)]
    square = np.zeros(view.state_count)
    hard = probe[view.link[probe] >= 0]
    if len(hard):
        # One product for all states and parts at once.
        T = view.transforms[:, view.link[hard]]
        x = view.position[hard]
        square += (((T[..., :3] @ x[:, :, None])[..., 0] + T[..., 3] - x) ** 2).sum((1, 2))
    if len(hard) < len(probe):
        soft = np.searchsorted(view.soft, probe[view.link[probe] < 0])
        square += (view.shift[:, soft].astype(np.float32) ** 2).sum((1, 2))
    good = np.flatnonzero(square / len(probe) > MIN_MOTION**2)
    good = good if len(good) else np.array([int(square.argmax())])
    chosen = rng.permutation(good)[:count]
    return np.concatenate([chosen, rng.choice(good, count - len(chosen))]) if len(chosen) < count else chosen


def _dual_at(position: Array, shift: Array, turn: Array) -> Array:
    """The rigid motions that turn by `turn` [s, n, 4] and carry points [n, 3] by `shift` [s, n, 3]; [s, n, 8]."""
    turn = turn / np.maximum(np.linalg.norm(turn, axis=-1, keepdims=True), 1e-6)
    turn = np.where(turn[..., :1] < 0, -turn, turn)
    w, r = turn[..., :1], turn[..., 1:]
    across = np.cross(r, position)
    t = shift - 2.0 * (w * across + np.cross(r, across))
    return np.concatenate([turn, 0.5 * quaternion_multiply(np.concatenate([0 * w, t], -1), turn)], axis=-1)
