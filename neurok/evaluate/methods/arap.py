"""Free particles held together by an as-rigid-as-possible energy: knows no parts and no joints.

Particles p_i spread evenly over the surface, neighbours joined whether or not the mesh is connected, so that soups
work too. With a rotation R_i of each particle's neighbourhood,

    E = sum_ij w_ij |(p'_i - p'_j) - R_i (p_i - p_j)|^2 + a sum_c |x_c - y_c|^2 + m sum_i |p'_i - p_i|^2,

where x_c = sum_k s_ck (p'_k + R_k (x_c - p_k)) are points of the surface and y_c where they should go. Rotations
and places are solved for in turn. Unordered targets are matched anew every round, the energy loosened meanwhile.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_matrix, diags, identity
from scipy.sparse.linalg import cg
from scipy.spatial import cKDTree

from neurok.evaluate.matching import match_both_ways
from neurok.evaluate.targets import CorrespondingTarget, DragTarget, Target, UnorderedTarget
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.components import vertex_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, compute_drive, sample_even

PARTICLE_COUNT = 400
NEIGHBOUR_COUNT = 8
ACROSS_WEIGHT = 0.02  # weight of a bond between two components, 1 within one; this and ANCHOR by ten objects of train
MATCHED_SAMPLE_COUNT = 1024  # of either surface that are matched
PARTICLE_TRUST = 0.03  # in the particles, against one corresponding point, where both speak for a vertex
FOLLOWED_COUNT = 4  # particles that a point of the surface follows
DATA_WEIGHTS = {"corresponding": 30.0, "drag": 1000.0}  # a, for points of one particle's weight together
ANCHOR_WEIGHTS = {"corresponding": 0.0, "drag": 0.2, "unordered": 1e-4}  # m
STIFFEST, SOFTEST, ROUNDS = 10.0, 0.3, 20  # 1 / a of unordered targets, from the first round to the last


@dataclass(frozen=True)
class ParticleGraph:
    """Particles [p, 3], their bonds with weights, and how vertices and samples follow them."""

    mesh: Mesh
    rest: Array
    component: Indices  # of each vertex, [n]
    of_particle: Indices  # component of each particle, [p]
    bonds: Indices  # [b, 2], each once in either direction
    weights: Array  # [b]
    samples: SurfacePoints

    def weigh_points(self, where: SurfacePoints) -> csr_matrix:
        """How points of the surface follow the particles of their own component, [c, p]."""
        return _weigh_particles(self.rest, self.of_particle, where.position, self.component[where.corners[:, 0]])

    @cached_property
    def vertex_shares(self) -> csr_matrix:
        return _weigh_particles(self.rest, self.of_particle, self.mesh.vertices, self.component)

    @cached_property
    def sample_shares(self) -> csr_matrix:
        return self.weigh_points(self.samples)

    @cached_property
    def differences(self) -> csr_matrix:
        """p_i - p_j of every bond, [b, p]."""
        count = len(self.bonds)
        values = np.concatenate([np.ones(count), -np.ones(count)])
        place = (np.tile(np.arange(count), 2), self.bonds.T.ravel())
        return csr_matrix((values, place), shape=(count, len(self.rest)))

    @cached_property
    def stiffness(self) -> Array:
        """The quadratic form of the bonds, [p, p]."""
        D = self.differences
        return (D.T @ diags(self.weights) @ D).toarray()


class ArapMethod:
    name = "arap"
    sees_truth = False

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> ParticleGraph:
        generator = np.random.default_rng(0)
        nodes = sample_even(mesh, PARTICLE_COUNT, generator)
        samples = sample_even(mesh, MATCHED_SAMPLE_COUNT, generator)
        _, component = vertex_components(mesh)
        of_node = component[nodes.corners[:, 0]]
        _, near = cKDTree(nodes.position).query(nodes.position, k=min(NEIGHBOUR_COUNT + 1, nodes.count))
        i = np.repeat(np.arange(nodes.count), near.shape[1] - 1)
        bonds = np.stack([i, near[:, 1:].ravel()], axis=1)
        weights = np.where(of_node[bonds[:, 0]] == of_node[bonds[:, 1]], 1.0, ACROSS_WEIGHT)

        return ParticleGraph(mesh, nodes.position, component, of_node, bonds, weights, samples)

    def fit(self, space: ParticleGraph, target: Target) -> Array:
        state = _ArapState(space)
        if isinstance(target, UnorderedTarget):
            state.register_surface(target)
        else:
            kind = "drag" if isinstance(target, DragTarget) else "corresponding"
            state.settle_particles(space.weigh_points(target.where), target.where.position, target.positions, kind)
        vertices = state.carry_points(space.vertex_shares, space.mesh.vertices)
        return _correct_vertices(target, vertices) if isinstance(target, CorrespondingTarget) else vertices


def _weigh_particles(nodes: Array, of_node: Indices, points: Array, of_point: Indices) -> csr_matrix:
    """How points follow the nearest particles, of their own component where that has enough of them, [n, p]."""
    index, weights = compute_drive(nodes, points, FOLLOWED_COUNT)
    for component in np.flatnonzero(np.bincount(of_node) >= FOLLOWED_COUNT):
        own, mine = np.flatnonzero(of_node == component), of_point == component
        if mine.any():
            inner, weights[mine] = compute_drive(nodes[own], points[mine], FOLLOWED_COUNT)
            index[mine] = own[inner]
    row = np.repeat(np.arange(len(points)), index.shape[1])
    return csr_matrix((weights.ravel(), (row, index.ravel())), shape=(len(points), len(nodes)))


class _ArapState:
    """Where the particles are and how their neighbourhoods are turned."""

    def __init__(self, graph: ParticleGraph) -> None:
        self.graph = graph
        self.places = graph.rest.copy()
        self.turns = np.tile(np.eye(3), (len(graph.rest), 1, 1))

    def carry_points(self, shares: csr_matrix, points: Array) -> Array:
        """Points of the surface at rest [c, 3], where the particles take them."""
        return shares @ self.places + self.measure_offsets(shares, points)

    def measure_offsets(self, shares: csr_matrix, points: Array) -> Array:
        """sum_k s_ck R_k (x_c - p_k), [c, 3]."""
        R = (shares @ self.turns.reshape(-1, 9)).reshape(-1, 3, 3)
        turned = np.einsum("kab,kb->ka", self.turns, self.graph.rest)
        return np.einsum("cab,cb->ca", R, points) - shares @ turned

    def turn_normals(self, shares: csr_matrix, normals: Array) -> Array:
        R = (shares @ self.turns.reshape(-1, 9)).reshape(-1, 3, 3)
        turned = np.einsum("cab,cb->ca", R, normals)
        return turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)

    def settle_particles(self, shares: csr_matrix, points: Array, goals: Array, kind: str, rounds: int = 12) -> None:
        """Places and rotations in turn, for points that should go to known places."""
        pull = DATA_WEIGHTS[kind] * (1.0 if kind == "drag" else len(self.places) / len(points))
        factor = self.factorise(shares, pull, ANCHOR_WEIGHTS[kind])
        for _ in range(rounds):
            self.place_particles(factor, shares, points, goals, pull, ANCHOR_WEIGHTS[kind])
            self.fit_rotations()

    def register_surface(self, target: UnorderedTarget) -> None:
        """Match, place, turn; softer every round."""
        graph, samples = self.graph, self.graph.samples
        points, normals = target.points[:MATCHED_SAMPLE_COUNT], target.normals[:MATCHED_SAMPLE_COUNT]
        for stiffness in np.geomspace(STIFFEST, SOFTEST, ROUNDS):
            here = self.carry_points(graph.sample_shares, samples.position)
            facing = self.turn_normals(graph.sample_shares, samples.normal)
            source, goals = match_both_ways(here, facing, points, normals)
            shares, pull = graph.sample_shares[source], len(self.places) / (len(source) * stiffness)
            factor = self.factorise(shares, pull, ANCHOR_WEIGHTS["unordered"])
            for _ in range(2):
                self.place_particles(factor, shares, samples.position[source], goals, pull, ANCHOR_WEIGHTS["unordered"])
                self.fit_rotations()

    def factorise(self, shares: csr_matrix, pull: float, anchor: float) -> tuple[NDArray, bool]:
        A = self.graph.stiffness + pull * (shares.T @ shares).toarray()
        return cho_factor(A + (anchor + 1e-9) * np.eye(len(A)), check_finite=False)

    def place_particles(
        self, factor, shares: csr_matrix, points: Array, goals: Array, pull: float, anchor: float
    ) -> None:
        """The places that are best for these rotations."""
        graph = self.graph
        i, j = graph.bonds.T
        R = 0.5 * graph.weights[:, None, None] * (self.turns[i] + self.turns[j])
        right = graph.differences.T @ np.einsum("bac,bc->ba", R, graph.differences @ graph.rest)
        right += pull * (shares.T @ (goals - self.measure_offsets(shares, points))) + (anchor + 1e-9) * graph.rest
        self.places = cho_solve(factor, right, check_finite=False)

    def fit_rotations(self) -> None:
        """The rotations that are best for these places: polar factors of each neighbourhood's covariance."""
        graph = self.graph
        before, after = (graph.differences @ x for x in (graph.rest, self.places))
        covariance = graph.weights[:, None, None] * after[:, :, None] * before[:, None, :]
        total = (abs(graph.differences).T @ covariance.reshape(-1, 9)).reshape(-1, 3, 3)
        U, _, Vt = np.linalg.svd(total + 1e-12 * np.eye(3))
        U[:, :, 2] *= np.sign(np.linalg.det(U @ Vt))[:, None]
        self.turns = U @ Vt


def _correct_vertices(target: CorrespondingTarget, guess: Array) -> Array:
    """Vertices that take the points to their places as nearly as can be, and else stay near a guess, [n, 3]."""
    corners = target.where.corners
    row = np.repeat(np.arange(len(corners)), 3)
    H = csr_matrix((target.where.weights.ravel(), (row, corners.ravel())), shape=(len(corners), len(guess)))
    A = (H.T @ H + PARTICLE_TRUST * identity(len(guess))).tocsr()
    right = H.T @ (target.positions - H @ guess)
    scale = diags(1.0 / A.diagonal())
    return guess + np.stack([cg(A, right[:, k], M=scale, rtol=1e-6, maxiter=300)[0] for k in range(3)], axis=1)
