"""Targets of training: where states of an object take the points of its first frame, as exact rigid motions."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from neurok.data.views import TrainingView
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rigid import dual_from_rigid, quaternion_multiply

MIN_MOTION = 2e-3  # root mean square motion of a state [diagonal] below which it teaches nothing


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


def stack_targets(targets: Sequence[MotionTargets]) -> MotionTargets:
    """The targets of several shapes, with a batch axis in front."""
    names = [each.name for each in fields(MotionTargets)]
    return MotionTargets(**{name: np.stack([getattr(each, name) for each in targets]) for name in names})


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
