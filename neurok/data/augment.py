"""Augmentation: the same object turned, mirrored, stretched, noisy or partly seen, its motions with it.

Each change maps a first frame and its motions to another first frame and its motions, so that moving and changing
commute: exactly for turns and mirrorings; for a stretch the rigid motion of each part stays rigid, about the
stretched screw axis, by the same angle.
"""

from dataclasses import dataclass, replace

import numpy as np

from neurok.data.views import View
from neurok.geometry.mesh import Array
from neurok.geometry.rigid import exp_twist, log_twist
from neurok.geometry.triangles import unit_or_zero


@dataclass(frozen=True)
class Augmentation:
    """How likely and how strong; all lengths are shares of the diagonal.

    turn: any rotation about the up axis. mirror: chance of a mirrored object. stretch: the largest factor, or its
    inverse, of one axis to another. noise: deviation of positions. dropout: chance that a component is left out.
    partial: chance that a side of the object is not seen. plain: chance that a shape comes without its patches,
    as a smooth scan does. fuse: chance that components are joined into one, as in a generated mesh: what moves must
    be seen in the shape, not read off which pieces happen to be welded. blur: chance that how patches meet is not told.
    """

    turn: bool = True
    mirror: float = 0.5
    stretch: float = 1.25
    noise: float = 0.002
    dropout: float = 0.1
    partial: float = 0.1
    plain: float = 0.15
    fuse: float = 0.6
    blur: float = 0.2


NONE = Augmentation(turn=False, mirror=0.0, stretch=1.0, noise=0.0, dropout=0.0, partial=0.0, plain=0.0, fuse=0.0,
                    blur=0.0)  # fmt: skip


def augment(view: View, how: Augmentation, rng: np.random.Generator) -> View:
    """One random change of each kind."""
    if how.stretch > 1.0 and len(view.soft) == 0:
        view = stretched(view, np.exp(rng.uniform(-1, 1, 3) * np.log(how.stretch)))
    linear = np.eye(3)
    if how.turn:
        angle = rng.uniform(0, 2 * np.pi)
        linear[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    if rng.random() < how.mirror:
        linear = linear @ np.diag([-1.0, 1.0, 1.0])
    view = turned(view, linear)
    view = replace(view, position=view.position + rng.normal(0, 1, view.position.shape) * how.noise * rng.random())
    if rng.random() < how.plain:
        view = replace(view, patch=np.zeros_like(view.patch), border=np.zeros_like(view.border[:1, :1]))
    if rng.random() < how.fuse:
        view = fused(view, rng.choice([0.5, 1.0]), rng)
    if rng.random() < how.blur:
        view = replace(view, border=np.zeros_like(view.border))
    return view


def fused(view: View, share: float, rng: np.random.Generator) -> View:
    """The view with each component joined to a common one with a chance of `share`."""
    labels = np.unique(view.component)
    joined = labels[rng.random(len(labels)) < share]
    first = joined[0] if len(joined) else labels[0]
    return replace(view, component=np.where(np.isin(view.component, joined), first, view.component))


def seen(view: View, how: Augmentation, rng: np.random.Generator) -> np.ndarray:
    """Which points are there, [n]: all, or without a component, or without one side of the object."""
    keep = np.ones(len(view.position), dtype=bool)
    if rng.random() < how.dropout:
        keep &= view.component != rng.choice(view.component)
    if rng.random() < how.partial:
        away = view.position @ unit_or_zero(rng.normal(size=3))
        keep &= away < np.quantile(away, rng.uniform(0.6, 0.9))
    # What is left must still be an object.
    return keep if keep.sum() >= len(keep) // 4 else np.ones_like(keep)


def turned(view: View, linear: Array) -> View:
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


def stretched(view: View, factor: Array) -> View:
    """The view of rigid parts with its axes stretched by factors [3], and brought back to diagonal 1.

    A part that turned about an axis line turns by the same angle about the line's image, and is shifted along it as
    far as the image of the shift. (Stretching the transform itself would not be a rigid motion.)
    """
    position = view.position * factor
    low, high = position.min(axis=0), position.max(axis=0)
    scale = 1.0 / np.linalg.norm(high - low)
    centre = (low + high) / 2.0
    position = (position - centre) * scale
    normal = unit_or_zero(view.normal.astype(np.float64) / factor)
    area = view.area * np.linalg.norm(view.normal.astype(np.float64) / factor, axis=1) * factor.prod()
    T = np.zeros((*view.transforms.shape[:2], 4, 4))
    T[..., :3, :] = view.transforms
    T[..., 3, 3] = 1.0
    twist = log_twist(T)
    v, w = twist[..., :3], twist[..., 3:]
    square = (w * w).sum(-1, keepdims=True)
    turns = square > 1e-12
    safe = np.where(turns, square, 1.0)
    pivot = np.cross(w, v) / safe
    along = w * ((w * v).sum(-1, keepdims=True) / safe)
    angle = np.sqrt(square)
    axis = unit_or_zero(w * factor) * angle
    image = (pivot * factor - centre) * scale
    turning = np.cross(image, axis) + along * factor * scale
    new_v = np.where(turns, turning, v * factor * scale)
    moved = exp_twist(np.concatenate([new_v, np.where(turns, axis, 0.0)], axis=-1))
    return replace(view, position=position, normal=normal, area=area / area.sum(), transforms=moved[..., :3, :])
