"""Augmentation: the same object turned, mirrored, warped, noisy or partly missing, its motions with it.

Each change maps a first frame and its motions to another first frame and its motions, so that moving and changing
commute: exactly for turns and mirrorings; under a warp (see `warp`) the rigid motion of each part stays rigid.
"""

from dataclasses import dataclass, replace

import numpy as np

from neurok.data.views import TrainingView
from neurok.data.warp import random_warp, warp_view
from neurok.geometry.arrays import Array
from neurok.geometry.triangles import unit_or_zero


@dataclass(frozen=True)
class Augmentation:
    """How likely and how strong; all lengths are shares of the diagonal.

    turn: any rotation about the up axis. mirror: chance of a mirrored object. stretch: the largest factor, or its
    inverse, of a whole axis; pieces: the same of each piece of an axis besides. noise: deviation of positions.
    dropout: chance that a component is left out. partial: chance that a side of the object is missing. plain: chance
    that a shape comes without its patches, as a smooth scan does. fuse: chance that components are joined into one, as
    in a generated mesh: what moves must be seen in the shape, not read off which pieces happen to be welded. blur:
    chance that the borders of patches are left out.
    """

    turn: bool = True
    mirror: float = 0.5
    stretch: float = 1.3
    pieces: float = 1.8
    noise: float = 0.002
    dropout: float = 0.1
    partial: float = 0.1
    plain: float = 0.15
    fuse: float = 0.6
    blur: float = 0.2


NO_AUGMENTATION = Augmentation(
    turn=False, mirror=0.0, stretch=1.0, pieces=1.0, noise=0.0, dropout=0.0, partial=0.0, plain=0.0, fuse=0.0, blur=0.0
)


def augment_view(view: TrainingView, how: Augmentation, rng: np.random.Generator) -> TrainingView:
    """One random change of each kind."""
    if max(how.stretch, how.pieces) > 1.0 and len(view.soft) == 0:
        view = warp_view(view, random_warp(how.stretch, how.pieces, rng))
    linear = np.eye(3)
    if how.turn:
        angle = rng.uniform(0, 2 * np.pi)
        linear[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    if rng.random() < how.mirror:
        linear = linear @ np.diag([-1.0, 1.0, 1.0])
    view = transform_view(view, linear)
    view = replace(view, position=view.position + rng.normal(0, 1, view.position.shape) * how.noise * rng.random())
    if rng.random() < how.plain:
        view = replace(view, patch=np.zeros_like(view.patch), border=np.zeros_like(view.border[:1, :1]))
    if rng.random() < how.fuse:
        view = fuse_components(view, rng.choice([0.5, 1.0]), rng)
    if rng.random() < how.blur:
        view = replace(view, border=np.zeros_like(view.border))
    return view


def fuse_components(view: TrainingView, share: float, rng: np.random.Generator) -> TrainingView:
    """The view with each component joined to a common one with a chance of `share`."""
    labels = np.unique(view.component)
    joined = labels[rng.random(len(labels)) < share]
    first = joined[0] if len(joined) else labels[0]
    return replace(view, component=np.where(np.isin(view.component, joined), first, view.component))


def find_visible(view: TrainingView, how: Augmentation, rng: np.random.Generator) -> np.ndarray:
    """Which points are there, [n]: all, or without a component, or without one side of the object."""
    keep = np.ones(len(view.position), dtype=bool)
    if rng.random() < how.dropout:
        keep &= view.component != rng.choice(view.component)
    if rng.random() < how.partial:
        away = view.position @ unit_or_zero(rng.normal(size=3))
        keep &= away < np.quantile(away, rng.uniform(0.6, 0.9))
    # What is left must still be an object.
    return keep if keep.sum() >= len(keep) // 4 else np.ones_like(keep)


def transform_view(view: TrainingView, linear: Array) -> TrainingView:
    """The view under a rotation or a mirroring [3, 3]; motions T become Q T Q^-1."""
    hand = np.sign(np.linalg.det(linear))
    T = view.transforms.astype(np.float64)
    moved = np.concatenate([linear @ T[..., :3] @ linear.T, linear @ T[..., 3:]], axis=-1)
    turn = view.turn.astype(np.float32)
    # An axis is a pseudovector: a mirroring turns it round as well.
    turn = np.concatenate([turn[..., :1], hand * turn[..., 1:] @ linear.T.astype(np.float32)], axis=-1)
    return replace(
        view,
        position=view.position @ linear.T,
        normal=view.normal.astype(np.float32) @ linear.T,
        transforms=moved,
        shift=view.shift.astype(np.float32) @ linear.T.astype(np.float32),
        turn=turn,
    )
