"""The learned state space of a plain mesh: a network's modes on handles, and the skin that carries the vertices."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.canonical import canonical_place
from neurok.geometry.handles import Handles, place_handles
from neurok.geometry.mesh import Array, Indices, Mesh, split_corners
from neurok.geometry.motion import Skin
from neurok.geometry.regions import region_features, regions
from neurok.geometry.surface import SurfacePoints, sample_stratified
from neurok.kinematics.bilateral import bilateral_skin, grouped, rigid_groups, torn_corners, vertex_handles
from neurok.kinematics.modes import ordered_modes
from neurok.kinematics.twists import Twists
from neurok.networks.handles import HandlesModel
from neurok.networks.shapes import Shapes

POINTS = 2048
HANDLES = 64


def latent(
    mesh: Mesh, model: HandlesModel, *, points: int = POINTS, handles: int = HANDLES, tear: bool = False, seed: int = 0
) -> Twists:
    """The states a mesh can take as a model has learned it; in the file's own axes and units.

    points: of the surface that the network looks at. handles: regions that may move on their own.
    tear: give faces that move with different parts vertices of their own (the space's mesh then has more of them, the
        first ones and the order of faces as they were); otherwise what lies between two parts stretches.
    """
    place = canonical_place(mesh.vertices, mesh.up)
    seen = Mesh(mesh.vertices @ place[:3, :3].T + place[:3, 3], mesh.faces)
    patch, component = regions(seen)
    where = sample_stratified(seen, patch, points, np.random.default_rng(seed))
    placed = place_handles(where.position, patch[where.face], handles)
    basis = model.basis(shapes(where, patch[where.face], component[where.face], placed))
    twist = basis.twist[0].double().numpy()  # [h, m, 6]
    twist, group = rigid_groups(ordered_modes(twist, where, placed), where, placed)
    own = vertex_handles(seen, patch, where, placed)
    source = np.arange(mesh.vertex_count)
    if tear:
        corners = torn_corners(seen, patch, where, placed, twist, group, own)
        mesh, source, own = _torn(mesh, corners, own, group)
    joints, weights = bilateral_skin(seen.vertices[source], own, where.position[placed.anchor], twist)
    first = np.unique(group, return_index=True)[1]  # of each group
    skin = _skin(where.position[placed.anchor[first]], *grouped(joints, weights, group), place)
    return Twists(mesh, skin, _in_file(twist[first], place), origin=_origin(place))


def _torn(mesh: Mesh, corners: Indices, own: Indices, group: Indices) -> tuple[Mesh, Indices, Indices]:
    """The mesh with vertices of their own for corners [m, 3] that leave; where each came from, and its handle."""
    attributes = {**mesh.corner_attributes, "part": corners[..., None].astype(np.float64)}
    split, source = split_corners(replace(mesh, corner_attributes=attributes))
    part = np.asarray(split.attributes["part"])[:, 0].astype(np.int64)
    kept = {name: value for name, value in split.attributes.items() if name != "part"}
    first_of = np.array([np.flatnonzero(group == g)[0] for g in range(group.max() + 1)])
    return replace(split, attributes=kept), source, np.where(part > 0, first_of[part - 1], own[source])


def shapes(where: SurfacePoints, patch: Indices, component: Indices, placed: Handles) -> Shapes:
    """Points of one shape as the networks take them; in the canonical place."""
    position, normal = where.position.astype(np.float32), where.normal.astype(np.float32)
    area = (where.area / where.area.sum()).astype(np.float32)
    features = [region_features(position, normal, area, label) for label in (patch, component)]
    return Shapes(
        position=_batch(position), normal=_batch(normal), area=_batch(area),
        region=_batch(np.concatenate(features, axis=1)), patch=_batch(patch), component=_batch(component),
        owner=_batch(placed.owner), handles=placed.count,
    )  # fmt: skip


def _batch(array: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))[None]


def _in_file(twist: Array, place: Array) -> Array:
    """Twists (v, w) [h, m, 6] of the canonical place as (angular, linear) in the file's axes and units, [h, 6, m]."""
    scale = np.linalg.norm(place[:3, 0])
    turn = place[:3, :3] / scale
    linear, angular = twist[..., :3] @ turn / scale, twist[..., 3:] @ turn
    return np.concatenate([angular, linear], axis=-1).swapaxes(1, 2)


def _origin(place: Array) -> Array:
    return -np.linalg.solve(place[:3, :3], place[:3, 3])


def _skin(seats: Array, joints: Indices, weights: Array, place: Array) -> Skin:
    """The skin of bones that sit at points [b, 3] of the canonical place."""
    count = len(seats)
    frames = np.tile(np.eye(4), (count, 1, 1))
    frames[:, :3, 3] = np.linalg.solve(place[:3, :3], (seats - place[:3, 3]).T).T
    return Skin(joints, weights, tuple(f"part {i + 1}" for i in range(count)), np.full(count, -1), frames)
