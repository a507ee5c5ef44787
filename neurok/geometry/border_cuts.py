"""Border cuts: ragged borders between the parts of a surface, moved to where a cut is short and follows creases.

Faces near a border may change sides; which ones do is a minimal cut of the graph of faces, where it costs the length of
an edge to cut it, and less along a crease, least where the surface bends inwards, as it does where one thing was put on
another. Faces farther away keep their part.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.borders import measure_bends, orient_proper_faces, pair_sides
from neurok.geometry.components import connect, find_edges
from neurok.geometry.mesh import Mesh
from neurok.geometry.regions import WELD_TOLERANCE
from neurok.geometry.triangles import face_areas

# Set by hand, never measured.
BAND_WIDTH = 0.02  # of the diagonal: how far a border may move
MAX_CORE_SHARE = 0.5  # of the depth of a part's piece, up to which its border may come in
MIN_SPECK_SHARE = 5e-4  # of the surface: a smaller piece of a part may vanish where it is not the part's largest
HOLLOW_ANGLE, RIDGE_ANGLE = 0.25, 0.5  # over pi: inward and outward bends at which a cut costs least
HOLLOW_PRICE, RIDGE_PRICE = 0.1, 0.5  # of an edge that bends that much, over that of a flat one
PRICE_SUM = 2**30  # of all prices together, as whole numbers: the solver counts in 32 bits


@dataclass(frozen=True)
class FaceGraph:
    """Faces that share an edge: pair [p, 2], ends of the edge [p, 2, 3] [unit], price of cutting it [p].

    twin: the face that stands for each one, [m]: itself, or the nearest one where it is doubled or collapsed.
    """

    twin: Indices
    pair: Indices
    ends: Array
    price: Array

    def find_borders(self, label: Indices) -> Mask:
        """Which pairs have faces of two parts, [p]; label: of each face."""
        return label[self.pair[:, 0]] != label[self.pair[:, 1]]

    def find_pieces(self, label: Indices) -> Indices:
        """Faces of one part that hang together, as a number of each face, [m]."""
        inner = self.pair[~self.find_borders(label)]
        return connect(len(self.twin), inner)

    def tell_twins(self, before: Indices, after: Indices) -> Indices:
        """Labels [m] after a change, those of faces that others stand for changed as theirs are."""
        told = after[self.twin]
        return np.where(told != before[self.twin], told, after)


def smooth_borders(mesh: Mesh, graph: FaceGraph, label: Indices) -> Indices:
    """The part of each face [m], with borders between parts as cheap as they can be within a narrow band."""
    borders = graph.find_borders(label)
    if not borders.any():
        return label
    band, smooth = find_band(mesh, graph, label), label.copy()
    meeting = np.sort(label[graph.pair[borders]], axis=1)
    for one, other in np.unique(meeting, axis=0):
        _cut_border(graph, smooth, band, int(one), int(other))
    return graph.tell_twins(label, smooth)


def make_face_graph(mesh: Mesh) -> FaceGraph:
    """How the faces of a mesh hang together."""
    plain, kept = orient_proper_faces(mesh, WELD_TOLERANCE)
    lines = find_edges(plain)
    first, second = pair_sides(lines)
    ends = plain.vertices[lines.vertices[lines.of_face.reshape(-1)[first]]]
    bend = measure_bends(plain, first, second)
    hollow = 1.0 - (1.0 - HOLLOW_PRICE) * np.clip(-bend / HOLLOW_ANGLE, 0.0, 1.0)
    ridge = 1.0 - (1.0 - RIDGE_PRICE) * np.clip(bend / RIDGE_ANGLE, 0.0, 1.0)
    price = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) * np.minimum(hollow, ridge)
    return FaceGraph(_find_twins(mesh, kept), kept[np.stack([first // 3, second // 3], axis=1)], ends, price)


def measure_cut(graph: FaceGraph, label: Indices) -> float:
    """The length of all borders between parts [unit]."""
    ends = graph.ends[graph.find_borders(label)]
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum())


def find_band(mesh: Mesh, graph: FaceGraph, label: Indices) -> Mask:
    """Which faces may change their part, [m]: those with corners and middle near a border, but not the core of a part's
    piece, unless that is a speck."""
    from scipy.spatial import cKDTree

    tree = cKDTree(graph.ends[graph.find_borders(label)].reshape(-1, 3))
    middle = tree.query(mesh.vertices[mesh.faces].mean(axis=1))[0]  # all corners of a large face may lie on a border
    distance = np.maximum(tree.query(mesh.vertices)[0][mesh.faces].max(axis=1), middle)
    piece, areas = graph.find_pieces(label), face_areas(mesh.vertices, mesh.faces)
    count = int(piece.max()) + 1
    area, depth = np.bincount(piece, areas, count), np.zeros(count)
    np.maximum.at(depth, piece, distance)
    part, largest = np.zeros(count, dtype=np.int64), np.zeros(int(label.max()) + 1)
    part[piece] = label
    np.maximum.at(largest, part, area)
    speck = (area < largest[part]) & (area < MIN_SPECK_SHARE * areas.sum())
    reach = BAND_WIDTH * mesh.diagonal
    return distance < np.where(speck, np.inf, np.minimum(reach, MAX_CORE_SHARE * depth))[piece]


def _find_twins(mesh: Mesh, kept: Indices) -> Indices:
    """The kept face with the nearest middle for each face that is not kept, itself for the others, [m]."""
    twin = np.arange(mesh.face_count)
    lost = np.setdiff1d(twin, kept)
    if len(lost) and len(kept):
        from scipy.spatial import cKDTree

        middle = mesh.vertices[mesh.faces].mean(axis=1)
        twin[lost] = kept[cKDTree(middle[kept]).query(middle[lost])[1]]
    return twin


def _cut_border(graph: FaceGraph, label: Indices, band: Mask, one: int, other: int) -> None:
    """Move the border between two parts, in place, to a minimal cut of the band between their cores."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    mine = (label == one) | (label == other)
    here = np.flatnonzero(np.all(mine[graph.pair], axis=1) & np.any(band[graph.pair], axis=1))
    # Faces outside of the band are one node for each part: the source is 0, the sink 1.
    free = np.unique(graph.pair[here][band[graph.pair[here]]])
    node = np.where(label == one, 0, 1)
    node[free] = 2 + np.arange(len(free))
    a, b = node[graph.pair[here]].T
    price = np.maximum(1, PRICE_SUM * graph.price[here] / graph.price[here].sum()).astype(np.int32)
    shape = (len(free) + 2, len(free) + 2)
    row, column = np.concatenate([a, b]), np.concatenate([b, a])
    capacity = coo_matrix((np.tile(price, 2), (row, column)), shape=shape).tocsr()
    linked = connect(shape[0], np.stack([a, b], axis=1))
    if linked[0] != linked[1]:
        return
    flow = maximum_flow(capacity, 0, 1).flow
    left = capacity - flow
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    reached = np.zeros(shape[0], dtype=bool)
    reached[breadth_first_order(left, 0, return_predecessors=False)] = True
    moved = linked[2:] == linked[0]
    label[free[moved]] = np.where(reached[2:], one, other)[moved]
