"""JointObservation: what the network gets of a shape and its parts: points, boxes and gaps; no motion is tried for it.

Everything is canonical: centred on the bounding box, diagonal 1, +Z up.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.proposals.sampling import NEAR_DISTANCE, PART_POINT_COUNT, TOUCH_DISTANCE, SampledShape

# Set by hand, never measured; the shipped weights were trained with them.
PATCH_COUNT = 24  # regions all over the shape
PATCH_POINT_COUNT = 16  # points of each region


@dataclass(frozen=True)
class JointObservation:
    """points, normals: of each part, [p, k, 3]; touch: how near each point is to the other parts, 1 where it touches
    one, 0 from NEAR_DISTANCE on, [p, k]; box: lower and upper corner, [p, 2, 3]; area: share of the whole, [p]; near:
    like touch, between any two parts, [p, p]; patches: points and normals of regions all over the shape, [s, r, 6]."""

    points: Array
    normals: Array
    touch: Array
    box: Array
    area: Array
    near: Array
    patches: Array

    @property
    def count(self) -> int:
        return len(self.area)


def observe_shape(whole: SampledShape) -> JointObservation:
    """The observation of a shape, the same each time."""
    pieces = whole.pieces
    chosen = [np.resize(np.arange(len(piece.points)), PART_POINT_COUNT) for piece in pieces]
    points = np.stack([piece.points[c] for piece, c in zip(pieces, chosen)])
    normals = np.stack([piece.normals[c] for piece, c in zip(pieces, chosen)])
    areas = np.array([piece.area for piece in pieces])
    box = np.stack([[piece.lower, piece.upper] for piece in pieces])
    return JointObservation(
        points=_single(points), normals=_single(normals), touch=_single(_measure_touch(whole, points)),
        box=_single(box), area=_single(areas / max(areas.sum(), 1e-12)), near=_single(compute_nearness(whole.gaps)),
        patches=_find_patches(whole),
    )  # fmt: skip


def compute_nearness(distance: Array) -> Array:
    """1 where surfaces touch, falling to 0 at NEAR_DISTANCE."""
    return np.clip((NEAR_DISTANCE - distance) / (NEAR_DISTANCE - TOUCH_DISTANCE), 0.0, 1.0)


def _measure_touch(whole: SampledShape, points: Array) -> Array:
    """How near the points of each part are to the other parts, without those that it carries, [p, k]."""
    lower = np.stack([piece.lower for piece in whole.pieces])
    upper = np.stack([piece.upper for piece in whole.pieces])
    found = np.full(points.shape[:2], NEAR_DISTANCE)
    for part, mine in enumerate(points):
        close = np.all((lower < upper[part] + NEAR_DISTANCE) & (upper > lower[part] - NEAR_DISTANCE), axis=1)
        close[[part, *whole.riders(part)]] = False
        for other in np.flatnonzero(close):
            distance = whole.trees[other].query(mine, distance_upper_bound=NEAR_DISTANCE)[0]
            found[part] = np.minimum(found[part], distance)
    return compute_nearness(found)


def _find_patches(whole: SampledShape) -> Array:
    """Farthest points of the surface, each with its neighbours."""
    from scipy.spatial import cKDTree

    points = np.concatenate([piece.points for piece in whole.pieces])
    normals = np.concatenate([piece.normals for piece in whole.pieces])
    some = np.random.default_rng(0).permutation(len(points))[:2048]
    points, normals = points[some], normals[some]
    anchors = [0]
    distance = np.linalg.norm(points - points[0], axis=1)
    for _ in range(PATCH_COUNT - 1):
        anchors.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(points - points[anchors[-1]], axis=1))
    near = cKDTree(points).query(points[anchors], k=min(PATCH_POINT_COUNT, len(points)))[1].reshape(PATCH_COUNT, -1)
    near = np.stack([np.resize(row, PATCH_POINT_COUNT) for row in near])
    return _single(np.concatenate([points[near], normals[near]], axis=-1))


def _single(array: Array) -> Array:
    """The array in the precision of the network."""
    return np.asarray(array, dtype=np.float32)
