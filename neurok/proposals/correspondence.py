"""Which parts moved, and how, where it is known of many points of the surface where they went.

The best rigid motion of any union of units follows from sums over its units (Kabsch), so that thousands of hypotheses
cost no more than one: with centred moments C = sum (y - my)(x - mx)^T = U S V^T, the error is
sum |x - mx|^2 + sum |y - my|^2 - 2 (s1 + s2 + d s3), d the sign of det(U V^T).
"""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rigid import log_twist
from neurok.proposals.assignment import AssignedPart, Assignment
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.hypothesis_features import HYPOTHESIS_FEATURES
from neurok.proposals.sampling import TINY

MIN_GAIN_SHARE = 1e-4  # of the squared motion: what a further part must explain


def assign_corresponding(found: Hypotheses, unit: Indices, points: Array, goals: Array, most: int) -> Assignment:
    """At most `most` moved parts that explain best where points [p, 3] of units [p] went; canonical place."""
    count = found.units.count
    sums = _sum_moments(unit, points, goals, count)
    nodes = np.concatenate([found.members, np.ones((1, count), dtype=bool)])
    firm = np.append(found.features[:, HYPOTHESIS_FEATURES.index("cut_firm")], 0.0)
    error, T = _fit_rigid(nodes.astype(np.float64) @ sums)
    left = np.bincount(unit, ((goals - points) ** 2).sum(axis=1), count)
    total = max(left.sum(), 1e-300)
    moved = Assignment((), count)
    for _ in range(most):
        # Where points do not tell, every firm edge that is cut does.
        gain = nodes @ left - error - TINY * total * firm
        best = int(gain.argmax())
        if gain[best] < MIN_GAIN_SHARE * total:
            break
        members = nodes[best]
        mine = members[unit]
        moved = moved.with_part(AssignedPart(members, np.asarray(log_twist(T[best]))))
        off = points[mine] @ T[best, :3, :3].T + T[best, :3, 3] - goals[mine]
        left[members] = np.bincount(unit[mine], (off**2).sum(axis=1), count)[members]
    return moved


def _sum_moments(unit: Indices, x: Array, y: Array, count: int) -> Array:
    """n, sum x, sum y, sum y x^T, sum |x|^2 + |y|^2 of the points of each unit, [u, 17]."""
    rows = np.concatenate([
        np.ones((len(x), 1)), x, y, np.einsum("pa,pb->pab", y, x).reshape(-1, 9), ((x**2 + y**2).sum(axis=1))[:, None]
    ], axis=1)  # fmt: skip
    return np.stack([np.bincount(unit, column, count) for column in rows.T], axis=1)


def _fit_rigid(sums: Array) -> tuple[Array, Array]:
    """The squared error [h] of the best rigid motion, and the motion [h, 4, 4], from sums of moments [h, 17]."""
    n = np.maximum(sums[:, 0], 1e-12)
    mx, my = sums[:, 1:4] / n[:, None], sums[:, 4:7] / n[:, None]
    C = sums[:, 7:16].reshape(-1, 3, 3) - n[:, None, None] * my[:, :, None] * mx[:, None, :]
    U, S, Vt = np.linalg.svd(C)
    sign = np.sign(np.linalg.det(U @ Vt))
    U[:, :, 2] *= sign[:, None]
    R = U @ Vt
    spread = sums[:, 16] - n * ((mx**2).sum(axis=1) + (my**2).sum(axis=1))
    error = np.maximum(spread - 2.0 * (S[:, 0] + S[:, 1] + sign * S[:, 2]), 0.0)
    T = np.tile(np.eye(4), (len(sums), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = R, my - np.einsum("hab,hb->ha", R, mx)
    return np.where(sums[:, 0] > 0, error, 0.0), T
