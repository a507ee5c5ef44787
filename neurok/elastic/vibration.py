"""Vibrations: K phi = w^2 M phi, of a body some of whose nodes are held and some of whose parts are rigid.

Nodes that move rigidly follow six coordinates each, u = v + w x (x - c), and so the equation shrinks: with u = T r,

    T^T K T rho = w^2 T^T M T rho,     phi = T rho,     phi^T M phi = 1.

No stiffness of a rigid part enters, however great: contrasts of 1e7 and more cost no accuracy. The lowest modes come
from Lanczos' method, shifted and inverted, with the nodes in the order of a nested dissection.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, identity, kron
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from neurok.elastic.bricks import BrickMatrices, Bricks
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rotation import skew

HELD, FREE = -2, -1  # what a node does, where it follows no rigid part
LEAF = 60  # nodes that a dissection leaves together
SHIFT = 1e-7  # below zero, of the greatest quotient of K and M on the diagonals: rigid motions become solvable


@dataclass(frozen=True)
class Vibrations:
    """rate: w [rad/s], rising, [m]. shape: phi of each node [1/kg^(1/2)], [m, n, 3]. loss: the loss factor, [m]."""

    rate: Array
    shape: Array
    loss: Array


def find_vibrations(bricks: Bricks, matrices: BrickMatrices, follows: Indices, count: int) -> Vibrations:
    """The slowest vibrations, motions of the whole without deformation left out.

    follows: what each node does, [n]: HELD, FREE, or the number of the rigid part that takes it along.
    """
    T = _reduce(bricks, follows)
    K, M = ((T.T @ x @ T).tocsc() for x in (matrices.stiffness, kron(matrices.mass, identity(3), format="csc")))
    rigid = 0 if (follows == HELD).any() else 6
    wanted = min(count + rigid, K.shape[0] - 1)
    if wanted <= rigid:
        return Vibrations(np.zeros(0), np.zeros((0, len(follows), 3)), np.zeros(0))
    shift = SHIFT * float((K.diagonal() / M.diagonal()).min()) if rigid else 0.0
    solve = splu((K + shift * M).tocsc(), "NATURAL", 0.0, options={"SymmetricMode": True}).solve
    start = np.random.default_rng(0).normal(size=K.shape[0])
    value, vector = eigsh(
        K, wanted, M, sigma=-shift, OPinv=LinearOperator(K.shape, matvec=solve), v0=start, tol=1e-8
    )  # fmt: skip
    order = np.argsort(value)[rigid:]
    phi = T @ vector[:, order]
    # A vibration has no sign of its own: the greatest entry is positive.
    phi = phi * np.sign(phi[np.abs(phi).argmax(axis=0), np.arange(len(order))])
    square = np.maximum(value[order], 0.0)
    loss = (phi * (matrices.loss @ phi)).sum(axis=0) / np.maximum(square, 1e-300)
    return Vibrations(np.sqrt(square), phi.T.reshape(len(order), -1, 3), loss)


def _reduce(bricks: Bricks, follows: Indices) -> csr_matrix:
    """T, from the coordinates that are left to the nodes' displacements, [3 n, r]; free nodes in solving order."""
    free = np.flatnonzero(follows == FREE)
    free = free[np.concatenate([*_dissect(bricks.node[free], np.arange(len(free))), np.zeros(0, dtype=np.int64)])]
    axes = np.arange(3)
    rows, columns, values = [(3 * free[:, None] + axes).ravel()], [np.arange(3 * len(free))], [np.ones(3 * len(free))]
    for number, part in enumerate(np.unique(follows[follows >= 0])):
        mine = np.flatnonzero(follows == part)
        arm = bricks.places[mine] - bricks.places[mine].mean(axis=0)
        motion = np.concatenate([np.tile(np.eye(3), (len(mine), 1, 1)), -skew(arm)], axis=2)
        rows.append(np.repeat(3 * mine[:, None] + axes, 6).ravel())
        columns.append(np.tile(3 * len(free) + 6 * number + np.arange(6), 3 * len(mine)))
        values.append(motion.ravel())
    r, c, v = (np.concatenate(x) for x in (rows, columns, values))
    return csr_matrix((v, (r, c)), shape=(3 * len(follows), int(c.max(initial=-1)) + 1))


def _dissect(node: Indices, some: Indices) -> list[Indices]:
    """Nodes in the order of a nested dissection: two halves, each in that order, and then the plane between them."""
    if len(some) <= LEAF:
        return [some]
    along = node[some, np.ptp(node[some], axis=0).argmax()]
    planes = np.arange(along.min() + 1, along.max())
    planes = planes[planes % 2 == 0]  # of corners: bricks lie on one side or the other
    if not len(planes):
        return [some]
    plane = planes[np.abs([(along < p).sum() - (along > p).sum() for p in planes]).argmin()]
    halves = [_dissect(node, some[side]) for side in (along < plane, along > plane)]
    return [*halves[0], *halves[1], some[along == plane]]
