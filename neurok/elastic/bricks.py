"""Bricks laid about a body's matter, and its stiffness and mass: finite elements of any filling."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix

from neurok.elastic.brick import (
    FULL_WEIGHTS,
    NODES,
    mass_table,
    rule_weights,
    shape_functions,
    stiffness_table,
)
from neurok.elastic.matter import Matter
from neurok.geometry.arrays import Array, Indices, Mask

VOID = 1e-6  # of the stiffness and mass of a full brick, which a brick has at least: nodes without matter stay put
# How many times stiffer rigid matter is that shares a brick with elastic matter: of 1e2, 1e4 and 1e6 the one with which
# the frequencies of a cantilever, turned and clamped in the middle of a brick, are nearest to beam theory
MAX_CONTRAST = 1e2
CHUNK = 50_000  # points whose weights are computed at a time: 50 MB


@dataclass(frozen=True)
class Bricks:
    """Cubes that hold all matter of a body.

    side [m]. origin: the corner of the grid [m], [3]. cell: of each brick in the grid, [c, 3].
    nodes: of each brick, [c, 20]. node: place in the grid, in half sides, [n, 3]. owner: the brick of each point, [p].
    """

    side: float
    origin: Array
    cell: Indices
    nodes: Indices
    node: Indices
    owner: Indices

    @cached_property
    def places(self) -> Array:
        """Of the nodes [m], [n, 3]."""
        return self.origin + 0.5 * self.side * self.node

    def locate(self, position: Array, owner: Indices) -> Array:
        """Points [m] in the coordinates of bricks, -1 to 1 within, [p, 3]."""
        return 2.0 * ((position - self.origin) / self.side - self.cell[owner]) - 1.0

    def interpolate(self, position: Array, owner: Indices) -> csr_matrix:
        """What takes values of the nodes to points [m] of given bricks, [p, n]."""
        N = shape_functions(self.locate(position, owner))[0]
        rows = np.repeat(np.arange(len(position)), len(NODES))
        entries = (N.ravel(), (rows, self.nodes[owner].ravel()))
        return csr_matrix(entries, shape=(len(position), len(self.node)))


def lay_bricks(matter: Matter, side: float, up: Array | None = None) -> Bricks:
    """The cubes of a grid that hold matter; the grid lies evenly about its box, or begins where matter stands.

    up: the direction along which it stands, [3]: nodes that are held below its foot would make it taller than it is.
    """
    low, high = matter.position.min(axis=0), matter.position.max(axis=0)
    count = np.maximum(np.ceil((high - low) / side - 1e-6), 1)
    origin = 0.5 * (low + high - count * side)
    if up is not None:
        origin = np.where(up > 0.5, low, np.where(up < -0.5, high - count * side, origin))
    place = np.clip(np.floor((matter.position - origin) / side), 0, count - 1).astype(np.int64)
    cell, owner = _find_unique(place)
    corner = (2 * cell[:, None, :] + NODES).reshape(-1, 3)
    node, nodes = _find_unique(corner)
    return Bricks(side, origin, cell, nodes.reshape(-1, len(NODES)), node, owner)


def choose_side(matter: Matter, count: int) -> float:
    """The side [m] with which at most so many bricks hold the matter, to a tenth."""
    extent = np.ptp(matter.position, axis=0)
    low = high = max(float(extent.max()), 1e-9) / 2
    while len(_bricks_at(matter, low)) <= count and low > 1e-4 * high:
        low *= 0.8
    return low / 0.8


def _bricks_at(matter: Matter, side: float) -> Indices:
    low = matter.position.min(axis=0)
    return np.unique(np.floor((matter.position - low) / side).astype(np.int64) @ [1, 1 << 20, 1 << 40])


@dataclass(frozen=True)
class BrickMatrices:
    """stiffness: K [N/m], [3 n, 3 n]; mass: M [kg], [n, n], the same along each axis.

    loss: K with each material's part times its loss factor, [3 n, 3 n].
    """

    stiffness: csc_matrix
    mass: csc_matrix
    loss: csc_matrix


def assemble(bricks: Bricks, matter: Matter) -> BrickMatrices:
    """The sums over all bricks."""
    count, size = len(bricks.cell), len(NODES)
    K, M = np.zeros((count, 9 * size**2)), np.zeros((count, size**2))
    L = np.zeros_like(K)
    softer = _find_stiffest_elastic(bricks, matter)
    for index, material in enumerate(matter.materials):
        weights = _sum_weights(bricks, matter, index)
        present = np.flatnonzero(weights.any(axis=1))
        filled = weights[present] + VOID * bricks.side**3 * FULL_WEIGHTS
        young = MAX_CONTRAST * softer[present, None] if material.is_rigid else material.young
        own = young / bricks.side**2 * (filled @ stiffness_table(material.poisson))
        K[present] += own
        L[present] += material.loss * own
        M[present] += material.density * (filled @ mass_table())
    stiffness, loss = (_gather(bricks, blocks.reshape(count, 3 * size, -1), 3) for blocks in (K, L))
    return BrickMatrices(stiffness, _gather(bricks, M.reshape(count, size, -1), 1), loss)


def _find_stiffest_elastic(bricks: Bricks, matter: Matter) -> Array:
    """The greatest Young's modulus of elastic matter in each brick [Pa], [c]; that of the body where it has none."""
    own = np.where(matter.rigid, 0.0, np.array([one.young for one in matter.materials])[matter.material])
    most = np.zeros(len(bricks.cell))
    np.maximum.at(most, bricks.owner, own)
    return np.where(most > 0, most, own.max(initial=1.0))


def find_rigid_nodes(bricks: Bricks, matter: Matter) -> Mask:
    """Which nodes have rigid matter alone in all bricks around them, [n]."""
    elastic = np.zeros(len(bricks.cell), dtype=bool)
    elastic[bricks.owner[~matter.rigid]] = True
    found = np.ones(len(bricks.node), dtype=bool)
    found[bricks.nodes[elastic].ravel()] = False
    return found


def label_rigid_bodies(bricks: Bricks, matter: Matter) -> Indices:
    """Which rigid body each brick holds a piece of, [c], -1 for none; bricks that share a node hold the same."""
    from scipy.sparse.csgraph import connected_components

    label = np.full(len(bricks.cell), -1)
    holds = np.unique(bricks.owner[matter.rigid])
    if len(holds):
        label[holds] = connected_components(find_meeting(bricks)[holds][:, holds], directed=False)[1]
    return label


def find_meeting(bricks: Bricks) -> csr_matrix:
    """How many nodes bricks share, [c, c]."""
    rows = np.repeat(np.arange(len(bricks.cell)), bricks.nodes.shape[1])
    share = csr_matrix((np.ones(bricks.nodes.size), (rows, bricks.nodes.ravel())))
    return (share @ share.T).tocsr()


def _sum_weights(bricks: Bricks, matter: Matter, material: int) -> Array:
    """The rule's weights of one material's matter in each brick [m^3], [c, 125]."""
    total = np.zeros((len(bricks.cell), len(FULL_WEIGHTS)))
    mine = np.flatnonzero(matter.material == material)
    for start in range(0, len(mine), CHUNK):
        some = mine[start : start + CHUNK]
        owner = bricks.owner[some]
        unit = rule_weights(bricks.locate(matter.position[some], owner))
        sums = csr_matrix((matter.volume[some], (owner, np.arange(len(some)))), shape=(len(total), len(some)))
        total += sums @ unit
    return total


def _gather(bricks: Bricks, blocks: Array, width: int) -> csc_matrix:
    """The sum of all bricks' matrices [c, s, s], `width` rows a node."""
    rows = (width * bricks.nodes[:, :, None] + np.arange(width)).reshape(len(blocks), -1)
    size = rows.shape[1]
    entries = (blocks.ravel(), (np.repeat(rows, size, axis=1).ravel(), np.tile(rows, (1, size)).ravel()))
    return coo_matrix(entries, shape=(width * len(bricks.node),) * 2).tocsc()


def _find_unique(places: Indices) -> tuple[Indices, Indices]:
    """Places of a grid [m, 3] without repetition, and which of them each one is, [m]."""
    key = places @ np.array([1 << 40, 1 << 20, 1])
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return places[first], inverse.reshape(-1)
