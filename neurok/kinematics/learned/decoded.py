"""The state spaces of the variational autoencoders: a latent vector moves query points or handles, and they the mesh.

The state is the latent in the prior's own deviations, z = mean + covariance^1/2 q with q ~ N(0, 1), so that states
stay in the ball which holds 99 % of it (enlarged where rest lies outside, as it may with the paper's prior).
"""

import copy
from abc import abstractmethod
from dataclasses import replace

import numpy as np
import torch
from scipy.spatial import cKDTree
from torch import Tensor

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.canonical import canonical_place
from neurok.geometry.handle_metric import measure_handles
from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Mesh
from neurok.geometry.observation import Observation, observe_surface
from neurok.geometry.rigid import apply, dual_from_rigid, dual_to_rigid, from_parts, log_twist, rigid_from_points
from neurok.geometry.surface import SurfacePoints, compute_drive
from neurok.kinematics.ball import ball_radius, within
from neurok.kinematics.learned.file_frame import skin_in_file
from neurok.kinematics.learned.groups import compare_handles
from neurok.kinematics.learned.options import NEIGHBOUR_COUNT, LearnedOptions
from neurok.kinematics.learned.skin import blend_handles, find_vertex_handles
from neurok.kinematics.prior import BallPrior, plain_fields
from neurok.kinematics.skinned import Skinned
from neurok.kinematics.twists import MAX_WEIGHTS
from neurok.networks.encoders import point_inputs
from neurok.networks.handle_motion import HandlesDecoder
from neurok.networks.points import PointsDecoder, since_rest
from neurok.networks.shapes import HandleGeometry, Shapes, handle_geometry, shapes_from_input
from neurok.networks.vae import Encoded, VaeModel

QUERY_COUNT = 256  # points that are decoded; the others follow the nearest of them
FACING_DISTANCE = 0.15  # how far apart points count whose normals are opposite, halved [canonical units]
STILL_WEIGHT = 1e-3  # weight of not turning, where the points about do not tell


class Decoded(Skinned):
    """x = sum_b w_b X_b(q) x(rest),   X(q) = D(mean + root q) D(z_rest)^-1,   q ~ N(0, 1).

    The network sees the object in its canonical place, and is asked with doubles, so that derivatives are exact.
    """

    def __init__(self, mesh: Mesh, model: VaeModel, where: SurfacePoints, looked: Shapes) -> None:
        self.mesh, self.place = mesh, canonical_place(mesh.bounds, mesh.up)
        self.model = copy.deepcopy(model).double().eval().requires_grad_(False)
        self.where, self.looked = where, _doubled(looked)
        self.encoded: Encoded = self.model.space(self.looked)
        self._mean, self._root = self.encoded.prior.mean[0], self.encoded.prior.root()[0]
        self.rest = self.whitened(self.encoded.rest[0])
        count = len(self.rest)
        self.radius = max(ball_radius(count), float(self.rest.norm()) * (1.0 + 1e-9))
        far = np.full(count, self.radius)
        fields = plain_fields(np.ones(count), -far, far, self.rest.numpy())
        self.prior = BallPrior(radius=self.radius, **fields)
        self.upper = torch.full((count,), self.radius, dtype=torch.float64)
        self.lower = -self.upper
        self.names = tuple(f"latent {i + 1}" for i in range(count))
        self._file = torch.from_numpy(np.linalg.inv(self.place)), torch.from_numpy(self.place)

    @abstractmethod
    def bones(self, z: Tensor) -> Tensor:
        """What the decoder gives for each bone at latents [s, d]: [s, b, 8] or [s, b, 3], not yet since rest."""

    def transforms(self, q: Tensor) -> Tensor:
        z = self._mean + self._root @ q
        return self._in_file(since_rest(self.bones(z[None])[0], self._at_rest))

    def admit(self, q: Tensor) -> Tensor:
        return within(q, self.radius)

    def whitened(self, z: Tensor) -> Tensor:
        """The state of a latent vector, [d]."""
        return torch.linalg.solve(self._root, z - self._mean)

    def recognise(self, seen: SurfacePoints, positions: Array) -> Tensor:
        """The state that the posterior encoder sees in where points of the surface went, [p, 3] [file units]."""
        turn, shift = self.place[:3, :3], self.place[:3, 3]
        before, after, x = seen.position @ turn.T + shift, positions @ turn.T + shift, self.where.position
        T = _motions_near(x, self.where.normal, before, seen.normal @ turn.T / np.linalg.norm(turn[0]), after)
        moved = apply(T, x)
        with torch.no_grad():
            _, posterior = self.model.encode(
                self.looked, torch.from_numpy(moved - x)[None, None], torch.from_numpy(dual_from_rigid(T))[None, None]
            )
        return self.admit(self.whitened(posterior.mean[0, 0]))

    def _settle(self) -> None:
        """Keep what the decoder gives at rest; every motion is told since then."""
        with torch.no_grad():
            self._at_rest = self.bones(self.encoded.rest)[0]

    def _in_file(self, motion: Tensor) -> Tensor:
        """Motions [..., 8 or 3] of the canonical place as matrices in the file's axes and units, [..., 4, 4]."""
        if motion.shape[-1] == 3:
            X = from_parts(torch.eye(3, dtype=motion.dtype).expand(*motion.shape[:-1], 3, 3), motion)
        else:
            X = dual_to_rigid(motion)
        back, place = self._file
        return back @ X @ place


class LatentPoints(Decoded):
    """The decoder `points` on a frozen set of query points; a vertex follows the nearest of them."""

    def __init__(self, mesh: Mesh, model: VaeModel, where: SurfacePoints, looked: Shapes, queries: Indices) -> None:
        super().__init__(mesh, model, where, looked)
        decoder = self.model.decoder
        assert isinstance(decoder, PointsDecoder)
        self.decoder = decoder
        self._queries = decoder.point(point_inputs(self.looked)[:, torch.from_numpy(queries)])
        self._settle()
        seen = mesh.vertices @ self.place[:3, :3].T + self.place[:3, 3]
        joints, weights = compute_drive(where.position[queries], seen, MAX_WEIGHTS)
        self.skin = skin_in_file(where.position[queries], joints, weights, self.place, "point")

    def bones(self, z: Tensor) -> Tensor:
        return self.decoder.at(z[None], self.encoded.tokens, self._queries)[0]


class LatentHandles(Decoded):
    """The decoder `handles` with a latent that is decoded by a network; a vertex follows handles that move alike."""

    def __init__(
        self, mesh: Mesh, model: VaeModel, surface: Observation, looked: Shapes, handles: Handles,
        options: LearnedOptions,
    ) -> None:  # fmt: skip
        super().__init__(mesh, model, surface.samples, looked)
        decoder = self.model.decoder
        assert isinstance(decoder, HandlesDecoder)
        self.decoder = decoder
        self._geometry: HandleGeometry = handle_geometry(self.looked)
        self._settle()
        metric = measure_handles(self.where.position, self.where.area, handles.owner, handles.count)
        probed, anchor = self._probe_states(options.coordinate_count), self.where.position[handles.anchor]
        unlike = compare_handles(metric, probed, options)
        own = find_vertex_handles(surface, handles.anchor)
        joints, weights = blend_handles(surface.mesh.vertices, own, anchor, unlike, options.tolerance)
        self.skin = skin_in_file(anchor, joints, weights, self.place, "handle")

    def bones(self, z: Tensor) -> Tensor:
        return self.decoder.handles(z[None], self.encoded.tokens, self._geometry)[0]

    def _probe_states(self, count: int) -> Array:
        """Twists of the handles in states of the prior, [h, s, 6]; their mean square is that of the modes'."""
        q = self.prior.sample(count, torch.Generator().manual_seed(0))
        motion = since_rest(self.bones(self._mean + q @ self._root), self._at_rest)
        twist = log_twist(dual_to_rigid(motion)) / count**0.5
        return np.ascontiguousarray(twist.transpose(0, 1).numpy())


def decode_space(mesh: Mesh, model: VaeModel, options: LearnedOptions) -> Decoded:
    """The states a mesh can take as a variational autoencoder has learned them; in the file's own axes and units."""
    surface = observe_surface(mesh, options.point_count, np.random.default_rng(0))
    handles = surface.place_handles(options.handle_count)
    looked = shapes_from_input(surface.network_input(handles))
    if isinstance(model.decoder, HandlesDecoder):
        return LatentHandles(mesh, model, surface, looked, handles, options)
    # Of every patch some are asked, so that no small part is carried by its neighbours alone.
    return LatentPoints(mesh, model, surface.samples, looked, surface.place_handles(QUERY_COUNT).anchor)


def _doubled(looked: Shapes) -> Shapes:
    return replace(
        looked, position=looked.position.double(), normal=looked.normal.double(), area=looked.area.double(),
        region=looked.region.double(), border=looked.border.double(),
    )  # fmt: skip


def _motions_near(x: Array, facing: Array, before: Array, normals: Array, after: Array) -> Array:
    """The rigid motion of the surface about each of the points x [m, 3], [m, 4, 4].

    That of the nearest points known, [p, 3] before and after, of those that face the same way; a little of no turn is
    mixed in, since points in a line do not tell how they turn about it.
    """
    known, asked = (np.concatenate([a, FACING_DISTANCE * b], axis=1) for a, b in ((before, normals), (x, facing)))
    _, near = cKDTree(known).query(asked, k=min(NEIGHBOUR_COUNT, len(before)))
    near = near.reshape(len(x), -1)
    source, target = before[near], after[near]
    size = np.linalg.norm(source - source.mean(axis=1, keepdims=True), axis=2).max(axis=1)[:, None, None]
    cross = np.maximum(size, 1e-9) * np.concatenate([np.eye(3), -np.eye(3)])
    source, target = (np.concatenate([p, p.mean(axis=1, keepdims=True) + cross], axis=1) for p in (source, target))
    weights = np.repeat([1.0, STILL_WEIGHT], [near.shape[1], len(cross[0])])
    return rigid_from_points(source, target, np.broadcast_to(weights, source.shape[:2]))
