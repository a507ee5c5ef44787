"""Units: the smallest pieces of a surface that proposals keep together, with samples of them and where they meet.

Units are crease patches: in 28 objects of categories that no network had seen, and in 20 others, 99 % of the moving
parts are unions of them. Everything is in the canonical place: centred on the box, diagonal 1, +Z up.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask, sum_by_label
from neurok.geometry.borders import BorderLengths, measure_borders
from neurok.geometry.canonical import canonical_place
from neurok.geometry.components import face_components
from neurok.geometry.mesh import Mesh
from neurok.geometry.patches import crease_patches, weld_plain
from neurok.geometry.regions import WELD_TOLERANCE
from neurok.geometry.surface import sample_stratified
from neurok.geometry.triangles import face_areas
from neurok.proposals.sampling import TOUCH_DISTANCE, SampledPart

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

SAMPLE_COUNT = 8192  # of the whole surface
MIN_UNIT_SAMPLE_COUNT = 12  # of any unit, where the surface has so many to give


@dataclass(frozen=True)
class Units:
    """The u units of a surface and s samples of it.

    place: the similarity from the file's axes and units to the canonical place, [4, 4]. mesh: in that place.
    face: the unit of each face, [m]. component: the welded component of each unit, [u]; of objects with more components
    than units, some unit spans several, and one of them is named. area: of each unit, [u].
    lower, upper: corners of the units' boxes, [u, 3] each. border: along which edges they meet.
    points, normals: of the samples, [s, 3] each, shuffled: the first of them stand for all. owner: their units, [s].
    """

    place: Array
    mesh: Mesh
    face: Indices
    component: Indices
    area: Array
    lower: Array
    upper: Array
    border: BorderLengths
    points: Array
    normals: Array
    owner: Indices

    @property
    def count(self) -> int:
        return len(self.area)

    @cached_property
    def tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    @cached_property
    def spacing(self) -> float:
        """The distance of neighbouring samples, about."""
        return float(np.sqrt(self.area.sum() / len(self.points)))

    @cached_property
    def contact(self) -> Array:
        """How many samples of one unit lie at another, [u, u] (row: whose samples); 0 where they do not touch."""
        near = self.tree.query_pairs(max(TOUCH_DISTANCE, self.spacing), output_type="ndarray")
        one, other = self.owner[near[:, 0]], self.owner[near[:, 1]]
        apart = one != other
        rows = np.concatenate([near[apart, 0], near[apart, 1]])
        units = np.concatenate([other[apart], one[apart]])
        touched = np.unique(rows * np.int64(self.count) + units)
        found = np.zeros((self.count, self.count))
        np.add.at(found, (self.owner[touched // self.count], touched % self.count), 1.0)
        return found

    def to_canonical(self, points: Array) -> Array:
        """Points of the file [p, 3] in the canonical place."""
        return points @ self.place[:3, :3].T + self.place[:3, 3]

    def take_part(self, members: Mask, count: int) -> SampledPart:
        """The units of a mask [u] as one part, with at most `count` of their samples."""
        mine = np.flatnonzero(members[self.owner])[:count]
        lower, upper = self.lower[members].min(axis=0), self.upper[members].max(axis=0)
        return SampledPart("", self.points[mine], self.normals[mine], float(self.area[members].sum()), lower, upper)


def find_units(mesh: Mesh) -> Units:
    """The units of a mesh, in its canonical place."""
    place = canonical_place(mesh.bounds, mesh.up)
    canonical = Mesh(mesh.vertices @ place[:3, :3].T + place[:3, 3], mesh.faces)
    welded = weld_plain(canonical)
    face = crease_patches(canonical, welded=welded).face
    component = face_components(canonical, tolerance=WELD_TOLERANCE)[1]
    count = int(face.max()) + 1
    of_unit = np.zeros(count, dtype=np.int64)
    of_unit[face] = component
    corners = canonical.vertices[canonical.faces]
    lower, upper = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(lower, face, corners.min(axis=1))
    np.maximum.at(upper, face, corners.max(axis=1))
    samples = sample_stratified(
        canonical, face, max(SAMPLE_COUNT, MIN_UNIT_SAMPLE_COUNT * count), np.random.default_rng(0)
    )
    order = np.random.default_rng(1).permutation(samples.count)  # the first samples then stand for all
    return Units(
        place=place, mesh=canonical, face=face, component=of_unit, lower=lower, upper=upper,
        area=sum_by_label(face, face_areas(canonical.vertices, canonical.faces), count),
        border=measure_borders(canonical, face, welded=welded),
        points=samples.position[order], normals=samples.normal[order], owner=face[samples.face][order],
    )  # fmt: skip
