"""Vibrations carried by handles: the twists with which a linear skin moves matter most nearly as a vibration does.

    min_t  sum_p m_p |sum_b w_pb (v_b + w_b x (x_p - o)) - u_p|^2 + TURN sum_pb m_p w_pb r^2 |w_b - curl u_p / 2|^2,

with t_b = (v_b, w_b) the twist of handle b about the common origin o, and r how far handles are apart. The second sum
turns each handle as the matter about it turns, so that its exponential goes on along the arc.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, diags

from neurok.elastic.brick import shape_functions
from neurok.elastic.bricks import Bricks
from neurok.elastic.handles import MAX_WEIGHTS
from neurok.elastic.matter import Matter
from neurok.elastic.vibration import Vibrations
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rotation import skew

TURN = 1e-2  # set by hand: enough to decide turns that move no matter, too little to be seen in what moves
ROUNDING = 1e-12  # of the mean diagonal: turns that move no matter stay zero
FIT_POINT_COUNT = 20_000  # points of matter that count


@dataclass(frozen=True)
class Carrying:
    """follow, weight: the handles of each point of matter, [p, 4] twice; count: of all handles.

    still: handles that stay where they are.
    """

    follow: Indices
    weight: Array
    count: int
    still: Indices


def fit_twists(bricks: Bricks, matter: Matter, vibrations: Vibrations, by: Carrying, origin: Array) -> Array:
    """The twists (v, w) of the handles about a point [m], [h, m, 6]."""
    some = np.arange(0, len(matter.position), max(len(matter.position) // FIT_POINT_COUNT, 1))
    position, mass, follow, weight = matter.position[some], matter.mass[some], by.follow[some], by.weight[some]
    u, turn = _move(bricks, position, bricks.owner[some], vibrations.shape)
    P = np.concatenate([np.tile(np.eye(3), (len(some), 1, 1)), -skew(position - origin)], axis=2)  # [p, 3, 6]
    A = _stack_blocks(weight[:, :, None, None] * P[:, None], follow, by.count)
    weighed = A.T @ diags(np.repeat(mass, 3))
    H, b = (weighed @ A).toarray(), weighed @ u.reshape(len(u), -1).T
    share = np.zeros((by.count, len(some)))
    np.add.at(share, (follow.ravel(), np.repeat(np.arange(len(some)), MAX_WEIGHTS)), (weight * mass[:, None]).ravel())
    turns = 6 * np.arange(by.count)[:, None] + np.arange(3, 6)
    stiff = TURN * (matter.volume.sum() / by.count) ** (2 / 3)
    H[turns, turns] += stiff * share.sum(axis=1)[:, None]
    b[turns] += stiff * np.einsum("hp,mpa->ham", share, turn)
    H[np.diag_indices(len(H))] += ROUNDING * np.diagonal(H).mean()
    free = np.setdiff1d(np.arange(len(H)), 6 * by.still[:, None] + np.arange(6))
    twist = np.zeros_like(b)
    twist[free] = np.linalg.solve(H[np.ix_(free, free)], b[free])
    return np.moveaxis(twist.reshape(by.count, 6, -1), 2, 1)


def _stack_blocks(values: Array, follow: Indices, count: int) -> csr_matrix:
    """Blocks [p, 4, 3, 6] at the rows of their points and the columns of their handles, [3 p, 6 h]."""
    columns = np.broadcast_to(6 * follow[:, :, None, None] + np.arange(6), values.shape)
    rows = np.broadcast_to(3 * np.arange(len(values))[:, None, None, None] + np.arange(3)[:, None], values.shape)
    return csr_matrix((values.ravel(), (rows.ravel(), columns.ravel())), shape=(3 * len(values), 6 * count))


def _move(bricks: Bricks, position: Array, owner: Indices, shape: Array) -> tuple[Array, Array]:
    """The displacement of points by each vibration, and by how much it turns them, [m, p, 3] twice."""
    N, slope = shape_functions(bricks.locate(position, owner))
    slope = slope * (2.0 / bricks.side)
    nodes = bricks.nodes[owner]
    u, turn = [], []
    for phi in shape:
        local = phi[nodes]  # [p, 20, 3]
        u.append(np.einsum("pn,pna->pa", N, local))
        grad = np.einsum("pnb,pna->pab", slope, local)  # d u_a / d x_b
        curl = [grad[:, 2, 1] - grad[:, 1, 2], grad[:, 0, 2] - grad[:, 2, 0], grad[:, 1, 0] - grad[:, 0, 1]]
        turn.append(0.5 * np.stack(curl, axis=1))
    return np.array(u), np.array(turn)
