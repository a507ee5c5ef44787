"""Pairs of parts that may meet: probes of one beside the surface of the other, in the frame of the latter.

With X_A, X_B the motions of two parts since rest, a probe p of A is at y = T p in the rest frame of B, T = X_B^-1 X_A,
and moves there at dT p, dT = X_B^-1 (dX_A - dX_B T).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.mechanics.moving_parts import MovingPart
from neurok.mechanics.part_surface import PART_SPACING, Crossing, PartSurface, Proximity, measure_extent


@dataclass(frozen=True)
class RelativeMotion:
    """Affine maps y = p R^T + t of n pairs: R [n, 3, 3], t [n, 3]; those of poses, or of their rates."""

    R: Array
    t: Array

    def apply(self, pair: Indices, points: Array) -> Array:
        """Where points [c, 3] are taken by the maps of their pairs [c]."""
        return np.einsum("cij,cj->ci", self.R[pair], points) + self.t[pair]

    def __sub__(self, other: "RelativeMotion") -> "RelativeMotion":
        return RelativeMotion(self.R - other.R, self.t - other.t)

    def bound(self, centre: Array, radius: Array) -> Array:
        """The farthest that a map takes points within a radius [n] of a centre [n, 3], as a shift or a rate, [n]."""
        middle = np.einsum("nij,nj->ni", self.R, centre) + self.t
        return np.linalg.norm(middle, axis=1) + np.sqrt(np.square(self.R).sum(axis=(1, 2))) * radius


@dataclass(frozen=True)
class PartPairs:
    """n ordered pairs of parts, and c probes of the first beside the surface of the second.

    surface, offsets: all parts as one surface, and where each part is there, [parts, 3] (see `spread_surfaces`).
    first, second: indices of parts, [n]. pair: of each probe, rising, [c]. points: the probes at rest, [c, 3].
    friction: Coulomb's coefficient, [c].
    """

    parts: tuple[MovingPart, ...]
    surface: PartSurface
    offsets: Array
    first: Indices
    second: Indices
    pair: Indices
    points: Array
    friction: Array

    @property
    def count(self) -> int:
        """How many probes."""
        return len(self.pair)

    @cached_property
    def max_distance(self) -> float:
        """How far from the origin places are told apart [file units]; no part comes near to that."""
        return 0.1 * PART_SPACING * measure_extent([part.surface for part in self.parts])

    @property
    def bones(self) -> Indices:
        return np.array([part.bone for part in self.parts], dtype=np.int64)

    @property
    def couples(self) -> Indices:
        """A number for the two parts of each probe, whichever is the first, [c]."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        return (low * len(self.parts) + high)[self.pair]

    def subset(self, kept: Mask) -> "PartPairs":
        """Only some of the probes; kept: [c]."""
        pairs, number = np.unique(self.pair[kept], return_inverse=True)
        return PartPairs(
            self.parts,
            self.surface,
            self.offsets,
            self.first[pairs],
            self.second[pairs],
            number.reshape(-1),
            self.points[kept],
            self.friction[kept],
        )

    def find_poses(self, rows: Array) -> RelativeMotion:
        """T of each pair at rows Y [r, 3]."""
        X = rows.reshape(-1, 4, 3)[self.bones]  # [parts, 4, 3]: the transposed rotation, then the place
        turn = X[self.second, :3]
        return RelativeMotion(
            turn @ np.swapaxes(X[self.first, :3], 1, 2),
            np.einsum("nij,nj->ni", turn, X[self.first, 3] - X[self.second, 3]),
        )

    def find_rates(self, rows: Array, speed: Array, poses: RelativeMotion) -> RelativeMotion:
        """dT of each pair; speed: the rate of the rows, [r, 3]."""
        turn = rows.reshape(-1, 4, 3)[self.bones][self.second, :3]
        dX = speed.reshape(-1, 4, 3)[self.bones]
        spin = np.swapaxes(dX[self.second, :3], 1, 2)
        return RelativeMotion(
            turn @ (np.swapaxes(dX[self.first, :3], 1, 2) - spin @ poses.R),
            np.einsum(
                "nij,nj->ni", turn, dX[self.first, 3] - dX[self.second, 3] - np.einsum("nij,nj->ni", spin, poses.t)
            ),
        )

    def measure(self, chosen: Indices, places: Array) -> Proximity:
        """How chosen probes [e], at places in the frames of their pairs [e, 3], lie beside the surfaces there."""
        return self.surface.measure(self._clip(places) + self.offsets[self.second[self.pair[chosen]]])

    def find_crossings(self, chosen: Indices, places: Array, ways: Array) -> Crossing:
        """Where chosen probes [e] that go from places on straight ways [e, 3] first meet the surfaces there."""
        starts = self._clip(places)
        ends = self._clip(places + ways)
        return self.surface.find_crossings(starts + self.offsets[self.second[self.pair[chosen]]], ends - starts)

    def _clip(self, places: Array) -> Array:
        """Places brought so near to their own part that they are far from the others', [e, 3]."""
        size = np.linalg.norm(places, axis=1, keepdims=True)
        return places * np.minimum(1.0, self.max_distance / np.maximum(size, 1e-300))
