"""A surface that particles carry: every vertex moves with the frames of the particles nearest to it at rest.

    x_v = sum_p w_vp (x_p + F_p (X_v - X_p)),    F_p = R_p + (A_p - R_p M_p) (M_p + e tr(M_p) 1)^-1,

with A_p = sum_q w_pq dx dX^T and M_p = sum_q w_pq dX dX^T about the mean of the particles q near p, and R_p the
rotation nearest to A_p. A rigid motion of the particles has A = R M, and moves the surface by the same motion whatever
e; where the particles near one lie in a plane, R stands in for what they do not tell. Only particles of the body that a
vertex bounds count, so that what touches does not tear at it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.mechanics.mpm.particles import Particles

NEAR_COUNT = 12  # particles that tell the frame of one
LEADER_COUNT = 6  # particles that a vertex follows
REGULAR = 1e-3  # e
MIN_STRETCH, MAX_STRETCH = 0.2, 3.0  # of a frame: beyond, what flows apart would be drawn out to spikes


@dataclass(frozen=True)
class SurfaceCarrier:
    """near, weight: the particles of each frame, [p, k] twice. rest [m]: of the particles, [p, 3].

    inverse: (M + e tr(M) 1)^-1, [p, 3, 3]. share: w, [n, p]. offset: sum_p w_vp (X_v - X_p) for each corner of `share`,
    [c, 3], with its vertex and particle, [c] twice.
    """

    near: Indices
    weight: Array
    rest: Array
    spread: Array
    inverse: Array
    share: csr_matrix
    offset: Array
    vertex: Indices
    particle: Indices

    def carry(self, position: Array) -> Array:
        """The vertices [m], [n, 3], where the particles are at these positions [m], [p, 3]."""
        F = self.find_frames(position)
        moved = np.einsum("cij,cj->ci", F[self.particle], self.offset)
        extra = np.stack([np.bincount(self.vertex, moved[:, k], self.share.shape[0]) for k in range(3)], axis=1)
        return np.asarray(self.share @ position) + extra

    def find_frames(self, position: Array) -> Array:
        """F of each particle, [p, 3, 3]."""
        x, X = position[self.near], self.rest[self.near]
        w = self.weight[:, :, None]
        dx, dX = x - (w * x).sum(axis=1, keepdims=True), X - (w * X).sum(axis=1, keepdims=True)
        A = np.einsum("pk,pki,pkj->pij", self.weight, dx, dX)
        U, _, V = np.linalg.svd(A)
        U[:, :, 2] *= np.sign(np.linalg.det(U @ V))[:, None]
        R = U @ V
        stretch = R + (A - R @ self.spread) @ self.inverse
        U, S, V = np.linalg.svd(stretch)
        usual = np.clip(S, MIN_STRETCH, MAX_STRETCH)
        odd = np.flatnonzero(np.any(usual != S, axis=1))
        stretch[odd] = (U[odd] * usual[odd, None]) @ V[odd]
        return stretch


def build_carrier(vertices: Array, particles: Particles) -> SurfaceCarrier:
    """What carries vertices [m], [n, 3]."""
    X, count = particles.position, len(particles.position)
    near, weight = np.zeros((count, NEAR_COUNT), dtype=np.int64), np.zeros((count, NEAR_COUNT))
    leader = np.zeros((len(vertices), LEADER_COUNT), dtype=np.int64)
    share = np.zeros((len(vertices), LEADER_COUNT))
    for one in np.unique(particles.label):
        mine = np.flatnonzero(particles.label == one)
        tree = cKDTree(X[mine])
        near[mine], weight[mine] = _weigh_near(tree, mine, X[mine], NEAR_COUNT)
        of_it = np.flatnonzero(particles.vertex_label == one)
        leader[of_it], share[of_it] = _weigh_near(tree, mine, vertices[of_it], LEADER_COUNT)
    dX = X[near] - (weight[:, :, None] * X[near]).sum(axis=1, keepdims=True)
    M = np.einsum("pk,pki,pkj->pij", weight, dX, dX)
    trace = np.maximum(np.trace(M, axis1=1, axis2=2), 1e-300)[:, None, None]
    vertex = np.repeat(np.arange(len(vertices)), LEADER_COUNT)
    followed: Indices = leader.ravel()
    shares = share.ravel()
    return SurfaceCarrier(
        near=near,
        weight=weight,
        rest=X,
        spread=M,
        inverse=np.linalg.inv(M + REGULAR * trace * np.eye(3)),
        share=csr_matrix((shares, (vertex, followed)), shape=(len(vertices), count)),
        offset=shares[:, None] * (vertices[vertex] - X[followed]),
        vertex=vertex,
        particle=followed,
    )


def _weigh_near(tree: cKDTree, mine: Indices, x: Array, count: int) -> tuple[Indices, Array]:
    """The particles nearest to points, [p, count], and weights that fall off with the distance and add up to one."""
    used = min(count, len(mine))
    distance, found = tree.query(x, k=used)
    distance, found = distance.reshape(len(x), used), found.reshape(len(x), used)
    width = np.maximum(distance[:, -1:], 1e-300)
    raw = np.exp(-2.0 * (distance / width) ** 2)
    weight, number = np.zeros((len(x), count)), np.full((len(x), count), mine[0])
    weight[:, :used], number[:, :used] = raw / raw.sum(axis=1, keepdims=True), mine[found]
    return number, weight
