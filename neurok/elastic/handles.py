"""Handles of a body of matter: small rigid pieces that carry it, and which of them a point follows.

A point follows the handles that are near through the matter, with Shepard's weights,

    w_b ~ (1 / d_b - 1 / d')^2,

where d' is the distance of the nearest handle that is left out, so that none comes in or goes with a jump. Through the
matter means along bricks that share nodes: the legs of a chair do not follow each other across the gap. A rigid piece
is one handle, at the distance of its surface.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from neurok.elastic.bricks import Bricks, find_meeting, label_rigid_bodies
from neurok.elastic.matter import Matter
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.surface import farthest_points

CANDIDATE_COUNT = 4000  # points of which handles are chosen
MAX_WEIGHTS = 4  # per point, what glTF and USD play
DETOUR = 1.2  # a way through bricks so many times as long as the straight one is straight: they meet at edges as well


class MatterHandles:
    """The handles of one body; seat [m], [h, 3]; rigid: the rigid body that each one is, -1 for elastic matter, [h]."""

    def __init__(self, bricks: Bricks, matter: Matter, count: int) -> None:
        self.bricks, self.matter = bricks, matter
        self.rigid_body = label_rigid_bodies(bricks, matter)
        elastic = np.flatnonzero(~matter.rigid)
        elastic = elastic[:: max(len(elastic) // CANDIDATE_COUNT, 1)]
        chosen = elastic[farthest_points(matter.position[elastic], min(count, len(elastic)))]
        bodies = np.arange(self.rigid_body.max(initial=-1) + 1)
        self.body_points = [np.flatnonzero(matter.rigid & (self.rigid_body[bricks.owner] == b)) for b in bodies]
        centres = [matter.position[some].mean(axis=0) for some in self.body_points]
        self.seat = np.concatenate([matter.position[chosen], np.array(centres).reshape(-1, 3)])
        self.rigid = np.concatenate([np.full(len(chosen), -1), bodies])
        self._trees = [cKDTree(matter.position[some]) for some in self.body_points]
        self._detour = self._measure_detours(chosen)

    def _measure_detours(self, chosen: Indices) -> Array:
        """How much longer than straight the way from each handle to each brick is [m], [h, c]."""
        bricks = self.bricks
        meet = find_meeting(bricks).tocoo()
        length = bricks.side * np.linalg.norm(bricks.cell[meet.row] - bricks.cell[meet.col], axis=1)
        graph = csr_matrix((np.maximum(length, 1e-300), (meet.row, meet.col)), shape=meet.shape)
        starts = [self.bricks.owner[[point]] for point in chosen]
        starts += [np.unique(self.bricks.owner[some]) for some in self.body_points]
        rows = []
        for start in starts:
            way = dijkstra(graph, indices=start, min_only=True)
            straight = bricks.side * cKDTree(bricks.cell[start]).query(bricks.cell)[0]
            rows.append(np.maximum(way - DETOUR * straight - bricks.side, 0.0))
        return np.array(rows)

    def weigh(self, position: Array, near: Indices) -> tuple[Indices, Array]:
        """The handles of points [m] and their weights, [p, 4] twice; near: the point of matter nearest to each."""
        distance = np.stack(
            [np.linalg.norm(position - seat, axis=1) for seat in self.seat[self.rigid < 0]]
            + [tree.query(position)[0] for tree in self._trees],
            axis=1,
        )
        distance = distance + self._detour[:, self.bricks.owner[near]].T
        for body, number in enumerate(np.flatnonzero(self.rigid >= 0)):
            mine = self.matter.rigid[near] & (self.rigid_body[self.bricks.owner[near]] == body)
            distance[mine] = np.inf
            distance[mine, number] = 0.0
        return _shepard(distance, self.bricks.side)


def _shepard(distance: Array, side: float) -> tuple[Indices, Array]:
    """The nearest handles and their weights, [p, 4] twice."""
    count = min(MAX_WEIGHTS + 1, distance.shape[1])
    near = np.argsort(distance, axis=1, kind="stable")[:, :count]
    inverse = 1.0 / (np.take_along_axis(distance, near, axis=1) + 1e-3 * side)
    if count > MAX_WEIGHTS:
        inverse = (inverse - inverse[:, -1:])[:, :-1] + 1e-9 / side  # a point as far from all still follows them
    kept = inverse.shape[1]
    follow, weight = np.zeros((len(distance), MAX_WEIGHTS), dtype=np.int64), np.zeros((len(distance), MAX_WEIGHTS))
    follow[:, :kept] = near[:, :kept]
    square = np.where(np.isfinite(inverse), inverse, 0.0) ** 2
    weight[:, :kept] = square / square.sum(axis=1, keepdims=True)
    return follow, weight
