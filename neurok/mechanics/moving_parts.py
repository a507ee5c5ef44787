"""The rigid parts of an object: bones that always move alike, with their surfaces and probe points.

Probes are the points of a part that are watched against the surfaces of others: vertices and samples of its surface,
each far from those before it, so that corners come first.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices, farthest_points, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import join_points
from neurok.mechanics.part_surface import PartSurface, select_surface

MAX_PROBES = 1024  # of all parts together, but
PROBE_RANGE = 24, 160  # of one part, at least and at most
PROBE_POOL = 4000  # vertices of a part among which its probes are sought, and a quarter as many samples of its surface
MIN_RIGID_WEIGHT = 0.95  # of a vertex's bones: those that move alike together, for the vertex to belong to their part
MIN_RIGID_SHARE = 0.5  # of the faces: less is a soft body, whose parts are not told apart
SAME_MOTION = 1e-6  # the greatest difference of two bones that move alike, of the diagonal and of one radian


@dataclass(frozen=True)
class MovingPart:
    """bone: one of those that carry it. surface: where it is at rest. probes: points of it. face: of the mesh, each
    probe's own, [p]."""

    bone: int
    surface: PartSurface
    probes: SurfacePoints


def find_moving_parts(space: Kinematics, rows: Array, seed: int) -> list[MovingPart]:
    """The rigid parts that move against each other; none where the object is soft, or all of it moves alike.

    rows: Y of a few states, [s, r, 3].
    """
    if space.skin is None or not space.prior.is_sparse:
        return []
    label = _label_bones(rows, space.mesh.diagonal)
    if label is None or label.max(initial=0) == 0:
        return []
    face_part = _label_faces(space, label)
    if np.mean(face_part >= 0) < MIN_RIGID_SHARE:
        return []
    kept = [part for part in np.unique(face_part) if part >= 0]
    count = int(np.clip(MAX_PROBES // max(len(kept), 1), *PROBE_RANGE))
    parts = []
    for part in kept:
        own = np.flatnonzero(face_part == part)
        surface = select_surface(space.mesh.vertices, space.mesh.faces[own])
        if surface is not None:
            bone = int(np.argmax(label == part))
            parts.append(MovingPart(bone, surface, _choose_probes(space.mesh, own, count, seed)))
    return parts


def _label_bones(rows: Array, diagonal: float) -> Indices | None:
    """Which bones move alike in all states, [b]; None where a bone does more than turn and move."""
    states = len(rows)
    X = rows.reshape(states, -1, 4, 3)
    R = X[:, :, :3]
    if np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0) > SAME_MOTION:
        return None
    scaled = X / np.array([1.0, 1.0, 1.0, diagonal])[:, None]
    flat = np.round(scaled.transpose(1, 0, 2, 3).reshape(X.shape[1], -1) / SAME_MOTION) + 0.0
    return np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1)


def _label_faces(space: Kinematics, label: Indices) -> Indices:
    """The part of each face, [m]; -1 where its corners follow several."""
    skin = space.skin
    if skin is None:
        return np.full(space.mesh.face_count, -1)
    own = label[skin.joints]
    first = label[skin.leader]
    weight = np.where(own == first[:, None], skin.weights, 0.0).sum(axis=1)
    vertex = np.where(weight >= MIN_RIGID_WEIGHT, first, -1)
    corner = vertex[space.mesh.faces]
    return np.where(np.all(corner == corner[:, :1], axis=1), corner[:, 0], -1)


def _choose_probes(mesh: Mesh, faces: Indices, count: int, seed: int) -> SurfacePoints:
    """Points of some faces, each farthest from those before it."""
    piece = Mesh(mesh.vertices, mesh.faces[faces])
    vertices = at_vertices(piece)
    used = np.flatnonzero(vertices.face >= 0)
    used = used[:: max(len(used) // PROBE_POOL, 1)]
    between = sample_even(piece, PROBE_POOL // 4, np.random.default_rng(seed))
    pool = join_points([vertices.subset(used), between])
    start = int(np.argmax(np.linalg.norm(pool.position - pool.position.mean(axis=0), axis=1)))
    chosen = pool.subset(farthest_points(pool.position, count, start=start))
    return SurfacePoints(
        faces[chosen.face], chosen.corners, chosen.weights, chosen.position, chosen.normal, chosen.area
    )
