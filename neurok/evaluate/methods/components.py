"""Each connected component moved rigidly: what a person gets by picking the pieces of the mesh up one by one.

Corresponding points give each component's motion at once; an unordered surface is approached by matching nearest
points again and again; of dragged points, the components they lie on follow and all others stay.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from neurok.evaluate.matching import match_both_ways
from neurok.evaluate.targets import CorrespondingTarget, DragTarget, Target, UnorderedTarget
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.components import vertex_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import rigid_from_points
from neurok.geometry.surface import SurfacePoints, at_vertices, sample_even

MATCHED_SAMPLE_COUNT = 2048  # samples of either surface that are matched
ROUND_COUNT = 30
REST_WEIGHT = 0.05  # weight of a component's own points, of all its matches: keeps motions that nothing decides small


@dataclass(frozen=True)
class ComponentSet:
    mesh: Mesh
    of_vertex: Indices  # component, [n]
    count: int
    samples: SurfacePoints  # every component has some

    @property
    def of_sample(self) -> Indices:
        return self.of_vertex[self.samples.corners[:, 0]]


class ComponentsMethod:
    name = "components"
    sees_truth = False

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> ComponentSet:
        count, of_vertex = vertex_components(mesh)
        return ComponentSet(mesh, of_vertex, count, sample_even(mesh, MATCHED_SAMPLE_COUNT, np.random.default_rng(0)))

    def fit(self, space: ComponentSet, target: Target) -> Array:
        if isinstance(target, CorrespondingTarget):
            T = _fit_rigidly(space, target)
        elif isinstance(target, DragTarget):
            T = _fit_drag(space, target)
        else:
            T = _fit_unordered(space, target)
        return _move_points(T[space.of_vertex], space.mesh.vertices)


def _move_points(T: Array, points: Array) -> Array:
    return np.einsum("nab,nb->na", T[:, :3, :3], points) + T[:, :3, 3]


def _fit_rigidly(pieces: ComponentSet, target: CorrespondingTarget) -> Array:
    """The best motion of each component, [c, 4, 4]; those without a point go with the nearest that has some."""
    of_point = pieces.of_vertex[target.where.corners[:, 0]]
    known = np.unique(of_point)
    T = np.tile(np.eye(4), (pieces.count, 1, 1))
    for piece in known:
        mine = of_point == piece
        T[piece] = rigid_from_points(target.where.position[mine], target.positions[mine])
    missing = np.setdiff1d(np.arange(pieces.count), known)
    if len(missing):
        middle = np.stack([pieces.mesh.vertices[pieces.of_vertex == piece].mean(axis=0) for piece in missing])
        T[missing] = T[of_point[cKDTree(target.where.position).query(middle)[1]]]
    return T


def _fit_drag(pieces: ComponentSet, target: DragTarget) -> Array:
    """Components with dragged points follow them, turning no more than they must; the others stay, [c, 4, 4]."""
    T = np.tile(np.eye(4), (pieces.count, 1, 1))
    of_point = pieces.of_vertex[target.where.corners[:, 0]]
    around = at_vertices(pieces.mesh)
    for piece in np.unique(of_point):
        mine, own = of_point == piece, pieces.of_vertex == piece
        source, goal = target.where.position[mine], target.positions[mine]
        body, weight = pieces.mesh.vertices[own], around.area[own]
        shift = (goal - source).mean(axis=0)
        weight = REST_WEIGHT * mine.sum() * weight / max(weight.sum(), 1e-300)
        T[piece] = rigid_from_points(
            np.concatenate([source, body]), np.concatenate([goal, body + shift]),
            np.concatenate([np.ones(len(source)), weight]),
        )  # fmt: skip
    return T


def _fit_unordered(pieces: ComponentSet, target: UnorderedTarget) -> Array:
    """Nearest points, both ways, and the best motion of each component for them, until nothing moves, [c, 4, 4]."""
    samples, piece = pieces.samples, pieces.of_sample
    T = np.tile(np.eye(4), (pieces.count, 1, 1))
    groups = [np.flatnonzero(piece == c) for c in range(pieces.count)]
    for _ in range(ROUND_COUNT):
        here = _move_points(T[piece], samples.position)
        normal = np.einsum("nab,nb->na", T[piece][:, :3, :3], samples.normal)
        source, goal = match_both_ways(
            here, normal, target.points[:MATCHED_SAMPLE_COUNT], target.normals[:MATCHED_SAMPLE_COUNT]
        )
        order = np.argsort(piece[source], kind="stable")
        bounds = np.searchsorted(piece[source][order], np.arange(pieces.count + 1))
        moved = 0.0
        for c, own in enumerate(groups):
            matched = order[bounds[c] : bounds[c + 1]]
            if len(matched) < 3:
                continue
            hold = REST_WEIGHT * len(matched) / len(own)
            step = rigid_from_points(
                np.concatenate([here[source[matched]], here[own]]), np.concatenate([goal[matched], here[own]]),
                np.concatenate([np.ones(len(matched)), np.full(len(own), hold)]),
            )  # fmt: skip
            T[c] = step @ T[c]
            moved = max(moved, float(np.abs(step - np.eye(4)).max()))
        if moved < 1e-4:
            break
    return T
