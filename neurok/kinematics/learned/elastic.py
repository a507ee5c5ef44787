"""Elastic modes: how a body gives way of which nothing is known but its shape.

Handles are rigid little bodies, glued together where their regions of the surface touch. A bond between handles a and b
that meet at x costs what they come apart and bend against each other there, as a short beam does,

    E = 1/2 sum over bonds of k (|P(x) (t_a - t_b)|^2 + BEAM_RADIUS^2 |w_a - w_b|^2),   P(x) (v, w) = v + w x x,

with t = (v, w) their twists about a common origin and BEAM_RADIUS the radius of gyration of the beam's section; k grows
with the length of the border and falls with the square of how far the handles are apart. Its eigenvectors against the
mean square displacement of the surface are the modes: wide bends first, then shorter ones. The first six are the object
moving as a whole, which is no change of shape: they are left out. Weak bonds along the shortest tree through all
handles hold pieces together that touch nowhere.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handle_metric import HandleMetric
from neurok.geometry.handles import Handles
from neurok.geometry.rotation import skew
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.learned.options import NEIGHBOUR_COUNT

MIN_BOND_LENGTH = 0.05  # added to how far handles are apart [diagonals], or two layers of a surface would be glued
BEAM_RADIUS = 0.1  # of gyration of the section of a bond [diagonals]; set by hand, never measured


def elastic_modes(
    where: SurfacePoints,
    handles: Handles,
    metric: HandleMetric,
    component: Indices,
    count: int,
    *,
    across: float,
) -> tuple[Array, Array]:
    """The softest modes: what each costs per mean square displacement, rising, [m]; and their twists (v, w) about the
    canonical origin, by which the surface goes one diagonal (RMS), [h, m, 6].

    component: of each sample, [n]. across: how firm a bond between two components is, of one within.
    Fewer than `count` modes where there are few handles.
    """
    count = min(count, 6 * (handles.count - 1))
    if count < 1:
        return np.zeros(0), np.zeros((handles.count, 0, 6))
    energy = _stiffness(*_find_bonds(where, handles, component, metric, across), handles.count)
    mass = np.zeros((handles.count, handles.count, 6, 6))
    share = np.asarray(metric.share)[:, None, None]
    # A turn that moves no sample of a handle has no mass: a little keeps the problem definite, and moves nothing.
    mass[np.arange(handles.count), np.arange(handles.count)] = share * (np.asarray(metric.forms()) + 1e-9 * np.eye(6))
    size = 6 * handles.count
    K, M = (x.swapaxes(1, 2).reshape(size, size) for x in (energy, mass))
    value, vector = eigh(K, M, subset_by_index=[6, 5 + count])
    # An eigenvector has no sign of its own: the greatest entry is positive.
    vector = vector * np.sign(vector[np.abs(vector).argmax(axis=0), np.arange(vector.shape[1])])
    return np.maximum(value, 0.0), np.moveaxis(vector.reshape(handles.count, 6, -1), 2, 1)


def _stiffness(a: Indices, b: Indices, weight: Array, place: Array, count: int) -> Array:
    """The second derivatives of E by the twists of `count` handles, [h, h, 6, 6]; bonds are between a and b, [n]."""
    P = np.concatenate([np.broadcast_to(np.eye(3), (len(a), 3, 3)), -skew(place)], axis=2)
    form = P.swapaxes(1, 2) @ P
    form[:, 3:, 3:] += BEAM_RADIUS**2 * np.eye(3)
    form *= weight[:, None, None]
    energy = np.zeros((count, count, 6, 6))
    rows, columns = np.concatenate([a, b, a, b]), np.concatenate([a, b, b, a])
    np.add.at(energy, (rows, columns), np.concatenate([form, form, -form, -form]))
    return energy


def _find_bonds(
    where: SurfacePoints, handles: Handles, component: Indices, metric: HandleMetric, across: float
) -> tuple[Indices, Indices, Array, Array]:
    """Handles that touch, the lower number first [b] twice, how firmly [b], and where [b, 3]."""
    centre = np.asarray(metric.centre)
    count = min(NEIGHBOUR_COUNT + 1, len(where.position))
    near = cKDTree(where.position).query(where.position, k=count)[1].reshape(len(where.position), -1)
    one, other = np.repeat(np.arange(len(near)), near.shape[1] - 1), near[:, 1:].ravel()
    weight = np.where(component[one] == component[other], 1.0, across)
    tree = minimum_spanning_tree(np.linalg.norm(centre[:, None] - centre, axis=2) + MIN_BOND_LENGTH).tocoo()
    one, other = (np.concatenate([x, handles.anchor[y]]) for x, y in ((one, tree.row), (other, tree.col)))
    weight = np.concatenate([weight, np.full(tree.nnz, across)])
    pair = np.sort(handles.owner[np.stack([one, other], axis=1)], axis=1)
    apart = pair[:, 0] != pair[:, 1]
    one, other, pair, weight = one[apart], other[apart], pair[apart], weight[apart]
    key, bond = np.unique(pair @ [handles.count, 1], return_inverse=True)
    a, b = np.divmod(key, handles.count)
    total = np.bincount(bond, weight, len(key))
    middle = 0.5 * (where.position[one] + where.position[other])
    place = np.stack([np.bincount(bond, weight * x, len(key)) for x in middle.T], axis=1) / total[:, None]
    length = np.linalg.norm(centre[a] - centre[b], axis=1) + MIN_BOND_LENGTH
    return a, b, total / length**2, place
