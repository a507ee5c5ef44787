"""Products of Jacobians with a fixed matrix over rows, which sums over points become (see `carrier`)."""

from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from neurok.geometry.arrays import Array

MAX_DENSE_ROWS = 64  # up to this many rows a dense G is the faster one,
MAX_FILLED_ROWS = 256  # and up to this many where it is well filled

RowMatrix: TypeAlias = Array | csr_matrix  # over the rows of a carrier, [r, r], dense where that is the faster one


def compute_gram(jacobian: Array, weights: RowMatrix, other: Array) -> Array:
    """sum over rows and axes of jacobian_i G other_j: [k, r, 3] x [r, r] x [j, r, 3] -> [k, j]."""
    return jacobian.reshape(len(jacobian), -1) @ weigh_rows(weights, other).reshape(len(other), -1).T


def weigh_rows(weights: RowMatrix, rows: Array) -> Array:
    """G applied to each [r, 3] of [j, r, 3]."""
    j, r, _ = rows.shape  # as one product: many slim ones cost several times as much
    flat = np.ascontiguousarray(rows.transpose(1, 0, 2)).reshape(r, -1)
    return (weights @ flat).reshape(r, j, 3).transpose(1, 0, 2)


def compact_matrix(G: csr_matrix) -> RowMatrix:
    """Dense where that is the faster one."""
    rows = min(G.shape)
    return G.toarray() if rows <= MAX_DENSE_ROWS or (rows <= MAX_FILLED_ROWS and G.nnz > 0.1 * np.prod(G.shape)) else G
