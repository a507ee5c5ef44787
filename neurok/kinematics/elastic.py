"""Elastic modes: how a body gives way of which nothing is known but its shape.

Handles are rigid little bodies, glued together where their regions of the surface touch. A bond between handles a and b
that meet at x costs what they come apart and turn against each other there,

    E = 1/2 sum over bonds of w (|P(x) (t_a - t_b)|^2 + LEVER^2 |w_a - w_b|^2),   P(x) (v, w) = v + w x x,

with t = (v, w) their twists about a common origin; w grows with the length of the border and falls with the square of
how far the handles are apart. Its eigenvectors against the mean square displacement of the surface are the modes: wide
bends first, then shorter ones. Moving as a whole is no change of shape: it is made to cost more than anything else.
Weak bonds along the shortest tree through all handles hold pieces together that touch nowhere.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import Handles
from neurok.geometry.rotation import skew
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.modes import twist_roots

NEIGHBOURS = 8  # samples about each that count as touching
ACROSS = 0.02  # a bond between two components of the mesh, of one within, where pieces may come apart
LEVER = 0.1  # what a turn counts as [diagonals per radian]
NEAREST = 0.05  # added to how far handles are apart [diagonals], or two layers of a surface would be glued
RIGID = 6  # ways to move as a whole
DEAR = 100.0  # what these cost, of what a motion costs on average


def elastic_modes(
    where: SurfacePoints, placed: Handles, component: Indices, count: int, *, across: float = ACROSS
) -> tuple[Array, Array]:
    """The softest modes: what each costs per mean square displacement, rising, [m]; and their twists (v, w) about the
    canonical origin, by which the surface goes one diagonal (RMS), [h, m, 6].

    component: of each sample, [n]. across: how firm a bond between two components is, of one within.
    Fewer than `count` modes where there are few handles.
    """
    handles = placed.count
    area, centre, moments = _statistics(where, placed)
    root = twist_roots(centre, moments, area)
    a, b, weight, place = _bonds(where, placed, component, centre, across)
    P = np.concatenate([np.broadcast_to(np.eye(3), (len(a), 3, 3)), -skew(place)], axis=2)
    form = P.swapaxes(1, 2) @ P
    form[:, 3:, 3:] += LEVER**2 * np.eye(3)
    form *= weight[:, None, None]
    energy, mass = np.zeros((2, handles, handles, 6, 6))
    np.add.at(
        energy, (np.concatenate([a, b, a, b]), np.concatenate([a, b, b, a])), np.concatenate([form, form, -form, -form])
    )
    mass[np.arange(handles), np.arange(handles)] = root.swapaxes(1, 2) @ root
    energy, mass = (x.swapaxes(1, 2).reshape(RIGID * handles, RIGID * handles) for x in (energy, mass))
    count = min(count, RIGID * (handles - 1))
    if count < 1:
        return np.zeros(0), np.zeros((handles, 0, 6))
    together = mass @ np.tile(np.eye(RIGID), (handles, 1))  # momenta of moving as a whole, [6 h, 6]
    share = np.linalg.inv(together.reshape(handles, RIGID, RIGID).sum(axis=0))
    energy += DEAR * np.trace(energy) / np.trace(mass) * together @ share @ together.T
    value, vector = eigh(energy, mass, subset_by_index=[0, count - 1])
    # An eigenvector has no sign of its own: the greatest entry is positive.
    vector = vector * np.sign(vector[np.abs(vector).argmax(axis=0), np.arange(vector.shape[1])])
    return np.maximum(value, 0.0), np.moveaxis(vector.reshape(handles, RIGID, -1), 2, 1)


def _statistics(where: SurfacePoints, placed: Handles) -> tuple[Array, Array, Array]:
    """Of each handle the share of the area, the centre and the second moments about it: [h], [h, 3], [h, 3, 3]."""
    share = where.area / where.area.sum() + 1e-9  # a handle of points without area is there, too
    total = lambda x: np.bincount(placed.owner, share * x, placed.count)  # noqa: E731
    area = total(1.0)
    centre = np.stack([total(x) for x in where.position.T], axis=1) / area[:, None]
    off = where.position - centre[placed.owner]
    moments = np.stack([[total(x * y) for x in off.T] for y in off.T])
    return area, centre, np.moveaxis(moments, 2, 0) / area[:, None, None]


def _bonds(
    where: SurfacePoints, placed: Handles, component: Indices, centre: Array, across: float
) -> tuple[Indices, Indices, Array, Array]:
    """Handles that touch, the lower number first [b] twice, how firmly [b], and where [b, 3]."""
    count = min(NEIGHBOURS + 1, len(where.position))
    near = cKDTree(where.position).query(where.position, k=count)[1].reshape(len(where.position), -1)
    one, other = np.repeat(np.arange(len(near)), near.shape[1] - 1), near[:, 1:].ravel()
    weight = np.where(component[one] == component[other], 1.0, across)
    tree = minimum_spanning_tree(np.linalg.norm(centre[:, None] - centre, axis=2) + NEAREST).tocoo()
    one, other = (np.concatenate([x, placed.anchor[y]]) for x, y in ((one, tree.row), (other, tree.col)))
    weight = np.concatenate([weight, np.full(tree.nnz, across)])
    pair = np.sort(placed.owner[np.stack([one, other], axis=1)], axis=1)
    apart = pair[:, 0] != pair[:, 1]
    one, other, pair, weight = one[apart], other[apart], pair[apart], weight[apart]
    key, bond = np.unique(pair @ [placed.count, 1], return_inverse=True)
    a, b = np.divmod(key, placed.count)
    total = np.bincount(bond, weight, len(key))
    middle = 0.5 * (where.position[one] + where.position[other])
    place = np.stack([np.bincount(bond, weight * x, len(key)) for x in middle.T], axis=1) / total[:, None]
    length = np.linalg.norm(centre[a] - centre[b], axis=1) + NEAREST
    return a, b, total / length**2, place
