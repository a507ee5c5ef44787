"""The parts of a shape as sampled points, ready for distance queries; what touches what, and where.

Everything here is canonical: centred on the bounding box, diagonal 1, +Z up.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts
from neurok.geometry.placement import quarter_turn
from neurok.geometry.surface import sample_stratified
from neurok.geometry.triangles import face_areas

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

# Set by hand, never measured; the shipped weights were trained with them. Distances are shares of the diagonal.
SHAPE_POINT_COUNT = 12_000  # sampled on the whole shape
PART_POINT_COUNT = 96  # stand for a part in the simulator and for the network; half as many are sampled at least
TOUCH_DISTANCE = 0.012  # parts nearer than this touch
FLOATING_SHARE = 0.1  # of a part's points, its nearest, stand for the contact of a part that touches nothing
NEAR_DISTANCE = 0.1  # a gap beyond this is as good as infinite
SMALL_LENGTH = 0.01  # what is nearer, or thinner, makes no difference
TINY = 1e-6  # of a whole: what counts only where nothing else does


@dataclass(frozen=True)
class CanonicalFrame:
    """x' = turn (x - centre) / size."""

    centre: Array
    turn: Array
    size: float

    @staticmethod
    def of(mesh: Mesh) -> "CanonicalFrame":
        return CanonicalFrame(mesh.bounds.mean(axis=0), quarter_turn(mesh.up, "z"), mesh.diagonal or 1.0)

    def points(self, points: Array) -> Array:
        return (points - self.centre) @ self.turn.T / self.size

    def file_points(self, points: Array) -> Array:
        return np.asarray(points) @ self.turn * self.size + self.centre

    def file_vectors(self, vectors: Array) -> Array:
        return np.asarray(vectors) @ self.turn


@dataclass(frozen=True)
class SampledPart:
    """One part: points [n, 3] and unit normals [n, 3] on it, its area, and the corners of its box."""

    name: str
    points: Array
    normals: Array
    area: float
    lower: Array
    upper: Array

    @cached_property
    def extent(self) -> Array:
        return self.upper - self.lower

    @cached_property
    def size(self) -> float:
        """The diagonal of the box."""
        return float(np.linalg.norm(self.extent))

    @property
    def is_point(self) -> bool:
        """Whether the part is too small to have a motion."""
        return not self.size > 1e-6

    @cached_property
    def centre(self) -> Array:
        return 0.5 * (self.lower + self.upper)

    @cached_property
    def axes(self) -> Array:
        """Principal axes of the surface, the longest first, [3, 3] (rows), and right-handed."""
        spread = self.points - self.points.mean(axis=0)
        axes = np.linalg.eigh(spread.T @ spread)[1].T[::-1]
        return np.stack([axes[0], axes[1], np.cross(axes[0], axes[1])])


@dataclass(frozen=True)
class PartContact:
    """Where a part meets the rest: points on the part [c, 3], the rest's normals there [c, 3], unit directions from
    the part to the rest [c, 3], the least gap, and the share of the part's points that touch."""

    points: Array
    normals: Array
    toward: Array
    gap: float
    share: float

    @cached_property
    def centre(self) -> Array:
        return self.points.mean(axis=0)


@dataclass(frozen=True)
class SampledShape:
    """All parts of a shape, and the corners of the box around them, [2, 3]."""

    frame: CanonicalFrame
    pieces: tuple[SampledPart, ...]
    box: Array

    @cached_property
    def trees(self) -> "list[cKDTree]":
        """A tree of the points of each part."""
        from scipy.spatial import cKDTree

        return [cKDTree(piece.points) for piece in self.pieces]

    @cached_property
    def gaps(self) -> Array:
        """The least distance between any two parts, [p, p]; infinite where their boxes are no neighbours."""
        count = len(self.pieces)
        lower = np.stack([p.lower for p in self.pieces]) - TOUCH_DISTANCE
        upper = np.stack([p.upper for p in self.pieces])
        close = np.all((lower[:, None] <= upper[None]) & (lower[None] <= upper[:, None]), axis=2)
        gaps = np.full((count, count), np.inf)
        for a, b in zip(*np.nonzero(np.triu(close, 1))):
            small, large = (a, b) if len(self.pieces[a].points) < len(self.pieces[b].points) else (b, a)
            points = self.pieces[small].points
            inside = np.all((points >= lower[large]) & (points <= upper[large] + TOUCH_DISTANCE), axis=1)
            if inside.any():
                gaps[a, b] = gaps[b, a] = self.trees[large].query(points[inside])[0].min()
        return gaps

    def riders(self, part: int) -> list[int]:
        """Smaller parts that touch this part and nothing else: it carries them."""
        found = []
        for other in np.flatnonzero(self.gaps[part] < TOUCH_DISTANCE):
            alone = np.count_nonzero(self.gaps[other] < TOUCH_DISTANCE) == 1
            if alone and self.pieces[other].area < 0.5 * self.pieces[part].area:
                found.append(int(other))
        return found

    def rest(self, part: int) -> tuple[Array, Array, Indices]:
        """Points, normals and owners of all that stays when a part moves, as far as its motion can reach."""
        away = {part, *self.riders(part)}
        kept = [i for i in range(len(self.pieces)) if i not in away]
        if not kept:
            return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
        points = np.concatenate([self.pieces[i].points for i in kept])
        normals = np.concatenate([self.pieces[i].normals for i in kept])
        owner = np.repeat(kept, [len(self.pieces[i].points) for i in kept])
        piece = self.pieces[part]
        reach = np.linalg.norm(piece.extent) + TOUCH_DISTANCE
        near = np.all((points > piece.lower - reach) & (points < piece.upper + reach), axis=1)
        return points[near], normals[near], owner[near]


def sample_shape(mesh: Mesh, parts: Parts, *, points: int = SHAPE_POINT_COUNT) -> SampledShape:
    """The parts of a mesh as points."""
    frame = CanonicalFrame.of(mesh)
    canonical = Mesh(frame.points(mesh.vertices), mesh.faces)
    where = sample_stratified(
        canonical, parts.face, max(points, PART_POINT_COUNT // 2 * parts.count), np.random.default_rng(0)
    )
    owner = parts.face[where.face]
    areas = np.bincount(parts.face, face_areas(canonical.vertices, canonical.faces), parts.count)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(parts.count + 1))
    by_part = np.argsort(parts.face, kind="stable")
    faces_at = np.searchsorted(parts.face[by_part], np.arange(parts.count + 1))
    pieces = []
    rng = np.random.default_rng(0)
    for part, name in enumerate(parts.names):
        mine = rng.permutation(order[starts[part] : starts[part + 1]])
        corners = canonical.vertices[canonical.faces[by_part[faces_at[part] : faces_at[part + 1]]]].reshape(-1, 3)
        points_, normals = where.position[mine], where.normal[mine]
        if len(mine) == 0:  # a part without area: its corners stand for it
            points_, normals = corners, np.zeros_like(corners)
        pieces.append(SampledPart(name, points_, normals, float(areas[part]), corners.min(axis=0), corners.max(axis=0)))
    return SampledShape(frame, tuple(pieces), canonical.bounds)


def find_contact(piece: SampledPart, rest: Array, normals: Array) -> PartContact:
    """Where a part meets the rest, of which there is at least one point, [n, 3]."""
    from scipy.spatial import cKDTree

    distance, nearest = cKDTree(rest).query(piece.points)
    # Samples of two touching surfaces lie up to their spacing apart, so the plane of the nearest one is what counts.
    offset = piece.points - rest[nearest]
    height = np.abs(np.einsum("na,na->n", offset, normals[nearest]))
    apart = np.where(distance < 3 * TOUCH_DISTANCE, np.minimum(distance, np.maximum(height, 0.3 * distance)), distance)
    touching = apart < TOUCH_DISTANCE
    share = float(touching.mean())
    if touching.sum() < 3:  # the nearest points stand for the contact of a part that touches nothing
        touching = apart <= np.quantile(apart, FLOATING_SHARE)
    toward = _orient_normals(-offset[touching], normals[nearest][touching], piece.normals[touching])
    return PartContact(piece.points[touching], normals[nearest][touching], toward, float(apart.min()), share)


def _orient_normals(gap: Array, normals: Array, own: Array) -> Array:
    """The rest's normals, turned so that they point from the part into the rest, [c, 3].

    Where the gap is too narrow to tell, the part's own outward normals do.
    """
    across = np.einsum("na,na->n", gap, normals)
    sense = np.where(np.abs(across) > 1e-3, across, np.einsum("na,na->n", own, normals))
    return np.where(sense[:, None] < 0, -normals, normals)
