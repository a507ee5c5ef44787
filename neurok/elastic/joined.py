"""All bodies of an object side by side: one list of handles, and the slowest of all vibrations, each with a size.

One unit of a coordinate is a vibration as far as SOFTEST says, of the slowest one; the others go as far as the same
energy takes them, V = 1/2 k q^2 with the same k, or less far where that would be farther.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_diag, csr_matrix

from neurok.elastic.body import ElasticBody
from neurok.geometry.arrays import Array, Indices

MAX_VIBRATIONS = 16  # as many as a learned soft body has coordinates
SOFTEST = 0.1  # of the diagonal: how far the farthest handle goes by one deviation of the slowest vibration
EXTENT = 6.0  # deviations that a coordinate goes either way, as with learned soft bodies


@dataclass(frozen=True)
class JoinedBodies:
    """follow, weight: the handles of each vertex of the object, [n, 4] twice. seat: of the handles [unit], [h, 3].

    host: the body of each handle, [h]. twist: (v, w) of each handle by one deviation of each vibration, [h, m, 6].
    stiffness: K [J], [m]; damping: C [J s], [m]. inertia: of the matter in the handles' rows, [4 h, 4 h].
    """

    follow: Indices
    weight: Array
    seat: Array
    host: Indices
    twist: Array
    stiffness: Array
    damping: Array
    inertia: csr_matrix


def join_bodies(
    bodies: dict[int, ElasticBody], vertices: dict[int, Indices], vertex_count: int, *, origin: Array, diagonal: float,
    count: int,
) -> JoinedBodies:  # fmt: skip
    """Bodies and their vertices in the object, by number; origin: what their twists are about [unit], [3]."""
    rate, loss = (np.concatenate([getattr(b, name) for b in bodies.values()]) for name in ("rate", "loss"))
    chosen = np.argsort(rate, kind="stable")[:count]
    seat = np.concatenate([body.seat for body in bodies.values()])
    twist = _stack_twists(list(bodies.values()))[:, chosen]
    scale = _choose_scale(twist, rate[chosen], seat - origin, diagonal)
    follow, weight = np.zeros((vertex_count, 4), dtype=np.int64), np.zeros((vertex_count, 4))
    weight[:, 0] = 1.0  # vertices of no face
    start = 0
    for number, body in bodies.items():
        follow[vertices[number]], weight[vertices[number]] = start + body.follow, body.weight
        start += len(body.seat)
    return JoinedBodies(
        follow=follow,
        weight=weight,
        seat=seat,
        host=np.repeat(list(bodies), [len(body.seat) for body in bodies.values()]),
        twist=twist * scale[:, None],
        stiffness=(scale * rate[chosen]) ** 2,
        damping=loss[chosen] * scale**2 * rate[chosen],
        inertia=block_diag([body.inertia for body in bodies.values()], format="csr"),
    )


def _stack_twists(bodies: list[ElasticBody]) -> Array:
    """The twists of all handles by all vibrations, [h, m, 6]: each moves the handles of its own body."""
    rows, columns = (np.cumsum([0] + [body.twist.shape[axis] for body in bodies]) for axis in (0, 1))
    twist = np.zeros((rows[-1], columns[-1], 6))
    for i, body in enumerate(bodies):
        twist[rows[i] : rows[i + 1], columns[i] : columns[i + 1]] = body.twist
    return twist


def _choose_scale(twist: Array, rate: Array, arm: Array, diagonal: float) -> Array:
    """By how much each vibration of unit modal mass is one deviation [kg^(1/2) m], [m]."""
    if not len(rate):
        return rate
    move = twist[..., :3] + np.cross(twist[..., 3:], arm[:, None])
    farthest = np.maximum(np.linalg.norm(move, axis=2).max(axis=0, initial=0.0), 1e-300)
    reach = SOFTEST * diagonal / farthest
    return np.minimum(reach, reach[0] * rate[0] / np.maximum(rate, 1e-300))
