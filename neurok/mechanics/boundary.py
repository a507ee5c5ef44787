"""Boundary conditions: the state and its rate in which a few points of the surface are where, and as fast as, seen.

    q0 = argmin sum_p |F_p(q) - x_p|^2,      v0 = argmin sum_p |J_p v - u_p|^2

over the given points; where these leave a direction open, it stays as near to rest, and as slow, as can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints, find_nearest
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic, best_of, starts_of

PULL = 1e-8  # to rest, of the squared diagonal, while searching
STARTS = 12  # sampled states to search from, besides rest
OPEN = 1e-7  # of the largest singular value: directions below it are left open by the points
ROUNDS = 30


@dataclass(frozen=True)
class Boundary:
    """state, rate [1/s]: [k] each. residual: root mean square distance left [file units].
    open: how many directions of the state the points leave open."""

    state: Array
    rate: Array
    residual: float
    open: int


def boundary(
    space: Kinematics,
    points: SurfacePoints | Sequence[Sequence[float]],
    positions: Array,
    velocities: Array | None = None,
    *,
    seed: int = 0,
) -> Boundary:
    """The state in which points of the surface at rest are at `positions` [file units] and move with `velocities`.

    points: as coordinates at rest, of which the nearest point of the surface is meant, or as points of the surface;
    positions, velocities: [p, 3] each [file units, and per second]; velocities are zero where None.
    """
    where = (
        points if isinstance(points, SurfacePoints) else find_nearest(space.mesh, np.asarray(points, dtype=np.float64))
    )
    x = _checked(positions, where.count, "positions")
    u = np.zeros_like(x) if velocities is None else _checked(velocities, where.count, "velocities")
    carrier, (shares,) = carry(space, [where])
    weights = np.full(where.count, 1.0 / where.count)
    problem = Problem(space, carrier, PULL * space.mesh.diagonal**2)
    enough = (1e-4 * space.mesh.diagonal) ** 2
    q, _ = best_of(problem, Quadratic.of(csr_matrix(shares), weights, x), starts_of(space, STARTS, seed), enough=enough)
    H = shares.toarray()
    for _ in range(ROUNDS):  # the pull is let go: plain Gauss-Newton while it helps
        J, gap = _at(space, carrier, H, q, x)
        step, *_ = np.linalg.lstsq(J, gap, rcond=OPEN)
        if not np.linalg.norm(_at(space, carrier, H, q + step, x)[1]) < np.linalg.norm(gap):
            break
        q = q + step
    J, gap = _at(space, carrier, H, q, x)
    rate, _, rank, _ = np.linalg.lstsq(J, u.ravel(), rcond=OPEN)
    return Boundary(q, rate, float(np.sqrt((gap**2).sum() / where.count)), space.size - int(rank))


def _at(space: Kinematics, carrier, H: Array, q: Array, x: Array) -> tuple[Array, Array]:
    """The points' Jacobian [3 p, k] at q, and how far they are from x, [3 p]."""
    jet = carrier.jet(space, q, np.zeros_like(q))
    J = np.tensordot(H, jet.jacobian, axes=([1], [1])).transpose(0, 2, 1).reshape(-1, len(q))
    return J, (x - H @ jet.value).ravel()


def _checked(values: Array, count: int, what: str) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (count, 3) or not np.all(np.isfinite(values)):
        raise InputError(f"the {what} are not {count} finite points", f"give an array of shape [{count}, 3]")
    return values
