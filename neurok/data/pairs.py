"""Pairs for training: first frames as points, and where further states of the same object take them.

The order of an epoch, and every random choice within it, follows from the seed, the epoch and the place in it: a
reader that is told where it was goes on with exactly what it had not given yet, on any number of processes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from neurok.data.augment import Augmentation, augment, seen
from neurok.data.prepared import Prepared
from neurok.data.views import View
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.borders import append_piece_flags
from neurok.geometry.handles import place_handles
from neurok.geometry.regions import MAX_REGION_PATCHES, all_region_features
from neurok.geometry.rigid import dual_from_rigid, quaternion_multiply

FEW = 4  # points of each patch that are always among those chosen, where they were seen
BODIES = ("animated", "simulated")  # sources of objects that bend or walk, where many parts move in every state
LEAST = 2e-3  # root mean square motion of a state [diagonal] below which it teaches nothing


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
class Batch:
    """b first frames of n points and s states of each; lengths in diagonals.

    position, normal: [b, n, 3]. area: [b, n], sums to one. region: what patch and component of each point are like,
    [b, n, REGION]. patch, component: numbers, [b, n]. border: how patches meet, [b, PATCHES, PATCHES, 6].
    owner: the handle of each point, [b, n].
    displacement: [b, s, n, 3]. dual: exact dual quaternions, scalar of the real part >= 0, [b, s, n, 8].
    draw: uniform random numbers for whatever a loss draws at each state, [b, s, DRAWS]; they come with the shape, so
    that they do not depend on how shapes are shared among processes. bends: one for bodies, which bend or walk, zero
    for mechanisms, of which a few parts move, [b].
    """

    position: np.ndarray
    normal: np.ndarray
    area: np.ndarray
    region: np.ndarray
    patch: np.ndarray
    component: np.ndarray
    border: np.ndarray
    owner: np.ndarray
    displacement: np.ndarray
    dual: np.ndarray
    draw: np.ndarray
    bends: np.ndarray


DRAWS = 8


Visit = tuple[int, int, int]  # epoch, place in it, view


class Pairs:
    """Batches of one split, epoch after epoch; `epoch` and `place` say where it stands and may be set."""

    def __init__(self, prepared: Prepared, how: Reading, split: str = "train") -> None:
        self.prepared, self.how = prepared, how
        repeats = [how.repeats.get(e["source"], 1) if e["split"] == split else 0 for e in prepared.entries]
        self.visits = np.repeat(np.arange(len(prepared)), repeats)
        if not len(self.visits):
            raise InputError(f"the store has no objects of the split '{split}'", "build one that has")
        self.epoch, self.place = 0, 0
        self._shuffled = (-1, self.visits)

    def __iter__(self) -> Iterator[Batch]:
        while True:
            yield self.take()

    def take(self, part: int = 0, of: int = 1) -> Batch:
        """The next batch (or one of several equal parts of it) of shapes; an epoch that ends in it begins anew."""
        return self.batch([visit for i, visit in enumerate(self._advance()) if i % of == part])

    def batch(self, visits: list[Visit]) -> Batch:
        """The shapes of these visits."""
        shapes = [self._shape(*visit) for visit in visits]
        return Batch(**{name: np.stack([s[name] for s in shapes]) for name in shapes[0]})

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

    def _shape(self, epoch: int, place: int, view: int) -> dict[str, np.ndarray]:
        source, read = self.prepared.entries[view]["source"], self.prepared.read(view)
        arrays = shape(read, self.how, np.random.default_rng([self.how.seed, epoch, place, 1]))
        bends = source in BODIES or 2 * len(read.soft) > len(read.link)
        return arrays | {"bends": np.float32(bends)}


def shape(view: View, how: Reading, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """One first frame and its targets, as the arrays of a batch without their first dimension."""
    view = augment(view, how.augmentation, rng)
    keep = np.flatnonzero(seen(view, how.augmentation, rng))
    index = some_of_each(view.patch, keep, how.points, rng)
    position = view.position[index].astype(np.float32)
    normal = view.normal[index].astype(np.float32)
    patch, component = view.patch[index], view.component[index]
    area = shared_area(view, keep, index)
    displacement, dual = targets(view, index, position, how.states, rng)
    border = view.border / np.float32(255)
    region = all_region_features(position, normal, area, patch, component, border)
    return {
        "position": position, "normal": normal, "area": area.astype(np.float32),
        "region": region, "patch": patch.astype(np.int64),
        "component": component.astype(np.int64), "border": padded(border),
        "owner": place_handles(position, patch, how.handles).owner,
        "displacement": displacement, "dual": dual, "draw": rng.random((how.states, DRAWS), dtype=np.float32),
    }  # fmt: skip


def padded(border: np.ndarray) -> np.ndarray:
    """Borders [p, p, 4] with the pieces they make, for as many patches as there may be, [PATCHES, PATCHES, 6]."""
    told = append_piece_flags(border)
    result = np.zeros((MAX_REGION_PATCHES, MAX_REGION_PATCHES, told.shape[-1]), dtype=np.float32)
    result[: len(told), : len(told)] = told
    return result


def some_of_each(patch: Indices, keep: Indices, count: int, rng: np.random.Generator) -> Indices:
    """`count` of the points `keep`, some twice where there are too few: of each patch a few, the others by chance."""
    order = rng.permutation(keep)
    if len(order) <= count:
        return np.concatenate([order, rng.choice(order, count - len(order))])
    by_patch = np.argsort(patch[order], kind="stable")
    label = patch[order[by_patch]]
    starts = np.flatnonzero(np.diff(label, prepend=-1))
    rank = np.empty(len(order), dtype=np.int64)
    rank[by_patch] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return order[np.argsort(rank >= FEW, kind="stable")[:count]]


def shared_area(view: View, keep: Indices, index: Indices) -> Array:
    """The share of the surface that each chosen point stands for, [n]: each patch's area, evenly among its points."""
    patches = int(view.patch.max()) + 1
    total = np.bincount(view.patch[keep], view.area[keep], patches)
    count = np.bincount(view.patch[index], minlength=patches)
    area = (total / np.maximum(count, 1))[view.patch[index]]
    return area / area.sum()


def targets(view: View, index: Indices, position: Array, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Displacements [count, n, 3] and dual quaternions [count, n, 8] of points of a view at random states that move."""
    link = view.link[index].astype(np.int64)
    rigid = link >= 0
    place = np.full(len(view.link), -1)
    place[view.soft] = np.arange(len(view.soft))
    states = _moving(view, index, rigid, rng, count)
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
    return displacements(dual, position), dual


def displacements(dual: Array, position: Array) -> Array:
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


def _moving(view: View, index: Indices, rigid: Array, rng: np.random.Generator, count: int) -> Indices:
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
    good = np.flatnonzero(square / len(probe) > LEAST**2)
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
