"""Observation: what is read off a plain mesh before any network sees it, and the input that networks take.

    mesh -> canonical place -> regions -> stratified samples -> borders -> handles -> features

Training and inference both go through `observe_surface` and `assemble_input`, so a network is asked exactly what it
was trained on. Nothing here is learned, and nothing is read off file names, parts or labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.borders import append_piece_flags, patch_borders
from neurok.geometry.canonical import canonical_place
from neurok.geometry.handles import Handles, place_handles
from neurok.geometry.mesh import Mesh
from neurok.geometry.regions import MAX_REGION_PATCHES, all_region_features, find_regions
from neurok.geometry.surface import SurfacePoints, sample_stratified


@dataclass(frozen=True)
class Observation:
    """A surface in its canonical place (centred on its box, diagonal 1, +Z up), its regions and n samples of it.

    place: the similarity from the file's axes and units to the canonical place, [4, 4].
    mesh: vertices and faces in the canonical place. samples: n points of it.
    face_patch, face_component: the crease patch and the welded component of each face, [m] each.
    border: how the p patches meet, see `borders.patch_borders`, [p, p, 4].
    """

    place: Array
    mesh: Mesh
    samples: SurfacePoints
    face_patch: Indices
    face_component: Indices
    border: Array

    @property
    def patch(self) -> Indices:
        """The crease patch of each sample, [n]."""
        return self.face_patch[self.samples.face]

    @property
    def component(self) -> Indices:
        """The welded component of each sample, [n]."""
        return self.face_component[self.samples.face]

    def place_handles(self, count: int) -> Handles:
        """At most `count` handles on the samples; see `handles.place_handles`."""
        return place_handles(self.samples.position, self.patch, count)

    def rotate_samples(self, R: Array) -> "Observation":
        """The observation with its samples turned by R [3, 3] about the origin; everything else stays."""
        samples = replace(self.samples, position=self.samples.position @ R.T, normal=self.samples.normal @ R.T)
        return replace(self, samples=samples)

    def network_input(self, handles: Handles) -> "NetworkInput":
        """What the networks are shown of the samples."""
        area = self.samples.area / self.samples.area.sum()
        return assemble_input(
            self.samples.position, self.samples.normal, area, self.patch, self.component, self.border, handles
        )


def observe_surface(mesh: Mesh, point_count: int, rng: np.random.Generator) -> Observation:
    """Bring a mesh into its canonical place, find its regions and sample `point_count` points of its surface."""
    place = canonical_place(mesh.bounds, mesh.up)
    canonical = Mesh(mesh.vertices @ place[:3, :3].T + place[:3, 3], mesh.faces)
    patch, component = find_regions(canonical)
    samples = sample_stratified(canonical, patch, point_count, rng)
    return Observation(place, canonical, samples, patch, component, patch_borders(canonical, patch))


@dataclass(frozen=True)
class NetworkInput:
    """One shape as the networks take it: n points shared among h handles; lengths in diagonals.

    position, normal: [n, 3]. area: the share of the surface that each point stands for, [n], sums to one.
    region: features of each point's patch, component and pieces, [n, REGION_FEATURE_COUNT].
    patch, component, owner: the number of each point's patch, component and handle, [n].
    border: how the p patches meet and whether they are of one piece, [p, p, 6].
    Of several stacked shapes (see `stack_inputs`), every array has one more axis in front.
    """

    position: NDArray[np.float32]
    normal: NDArray[np.float32]
    area: NDArray[np.float32]
    region: NDArray[np.float32]
    patch: NDArray[np.int64]
    component: NDArray[np.int64]
    border: NDArray[np.float32]
    owner: NDArray[np.int64]


def assemble_input(
    position: Array, normal: Array, area: Array, patch: Indices, component: Indices, border: Array, handles: Handles
) -> NetworkInput:
    """The input of points [n, 3] in the canonical place; `area` [n] sums to one, `border` is [p, p, 4].

    The features are read off these points alone, so that whatever was done to them (noise, missing sides) shows.
    """
    position, normal, area = (np.ascontiguousarray(array, dtype=np.float32) for array in (position, normal, area))
    return NetworkInput(
        position=position, normal=normal, area=area,
        region=all_region_features(position, normal, area, patch, component, border).astype(np.float32),
        patch=patch.astype(np.int64), component=component.astype(np.int64),
        border=append_piece_flags(border).astype(np.float32), owner=handles.owner.astype(np.int64),
    )  # fmt: skip


def stack_inputs(inputs: Sequence[NetworkInput]) -> NetworkInput:
    """Several shapes of equally many points as one input with a batch axis in front, p = MAX_REGION_PATCHES for all."""
    inputs = [replace(each, border=_pad_border(each.border)) for each in inputs]
    return NetworkInput(**{f.name: np.stack([getattr(each, f.name) for each in inputs]) for f in fields(NetworkInput)})


def _pad_border(border: NDArray[np.float32]) -> NDArray[np.float32]:
    """Borders [p, p, 6] padded with zeros to MAX_REGION_PATCHES patches."""
    padded = np.zeros((MAX_REGION_PATCHES, MAX_REGION_PATCHES, border.shape[-1]), dtype=np.float32)
    padded[: len(border), : len(border)] = border
    return padded
