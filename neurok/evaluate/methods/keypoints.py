"""The keypoint deformer on any target: displacements of its keypoints that bring the surface there.

The shape is linear in them, so that known points are a least-squares problem; an unordered surface is approached from
rest and from where the network sees the target's own keypoints, by matching nearest points again and again.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from neurok.evaluate.cage import compute_mean_value_coordinates, make_cage
from neurok.evaluate.deformer import Deformer, load_deformer
from neurok.evaluate.matching import match_both_ways
from neurok.evaluate.targets import CorrespondingTarget, Target, UnorderedTarget
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.canonical import canonical_place
from neurok.geometry.mesh import Mesh
from neurok.geometry.metrics import chamfer_l1
from neurok.geometry.surface import SurfacePoints, carry, sample_even

MATCHED_SAMPLE_COUNT = 2048  # of either surface that are matched
NETWORK_POINT_COUNT = 512  # that the network looks at, as in training
ROUND_COUNT = 20
REST_WEIGHTS = {
    "corresponding": 1e-6,
    "drag": 0.05,
    "unordered": 1e-3,
}  # weight of the mean square motion of the surface


@dataclass(frozen=True)
class CagedMesh:
    """A mesh and its deformer's answers. place: into the canonical place, [4, 4]. by_vertex: how far each vertex moves
    per unit of each keypoint's, [n, k]; by_sample: samples of the surface, likewise. keypoints: [k, 3]."""

    mesh: Mesh
    place: Array
    samples: SurfacePoints
    by_vertex: Array
    by_sample: Array
    keypoints: Array

    def to_canonical(self, points: Array) -> Array:
        return points @ self.place[:3, :3].T + self.place[:3, 3]

    def move_vertices(self, displacements: Array) -> Array:
        """Vertices of the mesh [n, 3], the keypoints displaced in the canonical place, [k, 3]."""
        back = np.linalg.inv(self.place[:3, :3])
        return self.mesh.vertices + (self.by_vertex @ displacements) @ back.T


class KeypointMethod:
    """weights: a folder of them, as `neurok evaluate keypoints` writes it."""

    name = "keypoints"
    sees_truth = False

    def __init__(self, weights: str) -> None:
        self.weights = weights

    @cached_property
    def model(self) -> Deformer:
        return load_deformer(self.weights)

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> CagedMesh:
        place = canonical_place(mesh.bounds, mesh.up)
        samples = sample_even(mesh, MATCHED_SAMPLE_COUNT, np.random.default_rng(0))
        vertices, seen = (x @ place[:3, :3].T + place[:3, 3] for x in (mesh.vertices, samples.position))
        keypoints, influence = self.predict_keypoints(seen)
        cage = make_cage(vertices)
        by_vertex = compute_mean_value_coordinates(vertices, *cage) @ influence
        return CagedMesh(mesh, place, samples, by_vertex, carry(by_vertex, samples), keypoints)

    def predict_keypoints(self, points: Array) -> tuple[Array, Array]:
        """Keypoints [k, 3] and influence [c, k] of points in the canonical place."""
        step = max(len(points) // NETWORK_POINT_COUNT, 1)
        with torch.no_grad():
            features = self.model.features(torch.from_numpy(points[::step].astype(np.float32))[None])
            found = self.model.keypoints(features)[0], self.model.influence(features)[0]
        return found[0].double().numpy(), found[1].double().numpy()

    def fit(self, space: CagedMesh, target: Target) -> Array:
        if isinstance(target, UnorderedTarget):
            return space.move_vertices(self._fit_unordered(space, target))
        kind = "corresponding" if isinstance(target, CorrespondingTarget) else "drag"
        A = carry(space.by_vertex, target.where)
        shift = space.to_canonical(target.positions) - space.to_canonical(target.where.position)
        return space.move_vertices(solve_displacements(A, shift, space.by_sample, REST_WEIGHTS[kind]))

    def _fit_unordered(self, space: CagedMesh, target: UnorderedTarget) -> Array:
        """The displacements that bring the surfaces nearest, [k, 3]."""
        points = space.to_canonical(target.points[:MATCHED_SAMPLE_COUNT])
        normals = target.normals[:MATCHED_SAMPLE_COUNT] @ _extract_rotation(space.place).T
        still, facing = (
            space.to_canonical(space.samples.position),
            space.samples.normal @ _extract_rotation(space.place).T,
        )
        guess = self.predict_keypoints(points)[0] - space.keypoints
        found: list[Array] = [np.zeros_like(guess)]
        for start in (np.zeros_like(guess), guess):
            d: Array = start
            for _ in range(ROUND_COUNT):
                source, goal = match_both_ways(still + space.by_sample @ d, facing, points, normals)
                d = solve_displacements(
                    space.by_sample[source], goal - still[source], space.by_sample, REST_WEIGHTS["unordered"]
                )
            found += [d]
        found.append(guess)
        return min(found, key=lambda d: chamfer_l1(still + space.by_sample @ d, points))


def solve_displacements(A: Array, shift: Array, surface: Array, hold: float) -> Array:
    """min_d |A d - shift|^2 / p + hold |surface d|^2 / m: displacements of the keypoints, [k, 3].

    A [p, k]: of the points that should move by shift [p, 3]; surface [m, k]: of all of it, which would rather rest.
    """
    H = A.T @ A / len(A) + hold * surface.T @ surface / len(surface)
    H = H + 1e-9 * max(np.trace(H), 1e-300) * np.eye(len(H))
    return np.linalg.solve(H, A.T @ shift / len(A))


def _extract_rotation(place: Array) -> Array:
    return place[:3, :3] / np.linalg.norm(place[:3, 0])
