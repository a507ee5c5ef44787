"""What the frame of an object says about the motions of its parts: which way things commonly open.

Objects are made by people for people: drawers come towards the front, a lone door hangs on its right, a panel hangs
on the side away from the small things beside it. All this is told with the front at -x and z up, as files of
PartNet-Mobility have it. Other meshes may face anywhere, so a part has a place for each of four ways to face, and the
ranking finds out which of them is the object's.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.proposals.candidate_features import CANDIDATE_FEATURES
from neurok.proposals.sampling import NEAR_DISTANCE, TOUCH_DISTANCE, SampledShape

SLIDING_FEATURES = ("hit_free_3", "hit_blocked_3", "toward_front")
# Of a part's area, below which another is a small thing on it or beside it. Set by hand; with .5 the search's centre
# error rose from .021 to .025 on 51 train objects.
SMALLER_SHARE = 0.3
PLACEMENT_FEATURES = (
    "x", "y", "z", "deep", "wide", "high", "log_deep", "log_wide", "log_high", "object_deep", "object_wide",
    "object_high", "aside", "carries", "smaller", "carried_x", "carried_y", "carried_z", "smaller_x", "smaller_y",
    "smaller_z", "hits_front", "hits_back", "hits_right", "hits_left",
)  # fmt: skip
MOTION_PLACEMENT_FEATURES = (
    "turns_x", "turns_y", "turns_z", "slides_x", "slides_y", "slides_z", "pivot_x", "pivot_y", "pivot_z",
    "pivot_outer", "carried_off", "carried_farther", "smaller_farther",
)  # fmt: skip


def _list_facings() -> tuple[Array, ...]:
    """R of x' = R x for the four ways in which an object may face, that of the file first, [3, 3] each."""
    quarter_turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return tuple(np.linalg.matrix_power(quarter_turn, turns) for turns in range(4))


def _list_ways() -> Array:
    """The directions to the front, the back, the right and the left, [4, 3]."""
    x, y, _ = np.eye(3)
    return np.stack([-x, x, -y, y])


FACING, WAYS = _list_facings(), _list_ways()


@dataclass(frozen=True)
class PartPlacement:
    """Where one part lies after x' = R x. R: one of FACING; middle, extent: of its box, [3]; whole: extent of the
    object, [3]; carried, smaller: how many small things it carries and how many there are; carried_at, smaller_at:
    their middles, [3]; hits: how much of it collides when it slides along each of WAYS, [4]."""

    R: Array
    middle: Array
    extent: Array
    whole: Array
    carried: int
    carried_at: Array
    smaller: int
    smaller_at: Array
    hits: Array

    @staticmethod
    def of(box: Array, area: Array, touching: Mask, hits: Array, number: int, R: Array) -> "PartPlacement":
        """box: corners of all parts of the object, [p, 2, 3]; area [p]; touching: whether each touches this part;
        hits: along WAYS in the file's frame, [4]."""
        ends = box @ R.T
        box = np.stack([ends.min(axis=1), ends.max(axis=1)], axis=1)
        middles = box.mean(axis=1)
        small = area < SMALLER_SHARE * area[number]
        groups = [(int(which.sum()), middles[which]) for which in (small & touching, small)]
        (carried, carried_at), (smaller, smaller_at) = (
            (count, points.mean(axis=0) if count else middles[number]) for count, points in groups
        )
        from_way = np.argmax(WAYS @ R @ WAYS.T, axis=1)  # the way of the file that each becomes
        whole = box[:, 1].max(axis=0) - box[:, 0].min(axis=0)
        extent = box[number, 1] - box[number, 0]
        return PartPlacement(
            R, middles[number], extent, whole, carried, carried_at, smaller, smaller_at, hits[from_way]
        )

    @property
    def reach(self) -> float:
        return float(np.linalg.norm(0.5 * self.extent + 1e-4))

    def part(self) -> Array:
        """In the order of PLACEMENT_FEATURES."""
        toward = [(at - self.middle) / self.reach for at in (self.carried_at, self.smaller_at)]
        return np.concatenate([
            self.middle, self.extent, np.log(self.extent + 0.003) / 3, self.whole,
            [abs(self.middle[1]), self.carried > 0, np.log1p(self.smaller)], toward[0], np.clip(toward[1], -2.0, 2.0),
            self.hits,
        ])  # fmt: skip

    def motions(self, turns: Mask, axis: Array, pivot: Array) -> Array:
        """Of motions of this part in the file's frame, in the order of MOTION_PLACEMENT_FEATURES, [c, g]."""
        axis, pivot = axis @ self.R.T, pivot @ self.R.T
        along, turn = np.abs(axis), turns[:, None]
        within = np.clip((pivot - self.middle) / (0.5 * self.extent + 1e-4), -1.5, 1.5) * (1 - along) * turn
        outer = within[:, 1] * np.clip(self.middle[1] / NEAR_DISTANCE, -1.0, 1.0)
        own, carried, smaller = (
            np.minimum(_measure_offsets(at - pivot, axis) / self.reach, 2.0)
            for at in (self.middle, self.carried_at, self.smaller_at)
        )
        carries = turns & (self.carried > 0)
        return np.column_stack([
            along * turn, along * ~turn, within, outer, carried * carries, (carried - own) * carries,
            (smaller - own) * turns * (self.smaller > 0),
        ])  # fmt: skip


def place_part(shape: SampledShape, number: int, hits: Array) -> tuple[PartPlacement, ...]:
    """Where a part lies in a shape, for each of FACING."""
    box = np.stack([[piece.lower, piece.upper] for piece in shape.pieces])
    area = np.array([piece.area for piece in shape.pieces])
    return tuple(PartPlacement.of(box, area, shape.gaps[number] < TOUCH_DISTANCE, hits, number, R) for R in FACING)


def measure_hits(turns: Mask, features: Array, middle: Array) -> Array:
    """How much of a part collides when it slides by a third of its size along each of WAYS, [4]; from the features of
    its candidates, whose first three slides are along x, y and z, and the middle of its box.

    Reasons tell the freer sense of a slide from the other by whether it leads away from the object's middle.
    """
    slides = np.flatnonzero(~turns)[:2]
    freer, other, away = (features[slides, CANDIDATE_FEATURES.index(name)] for name in SLIDING_FEATURES)
    forth = np.sign(away) * np.sign(middle[:2])  # 1 where the freer sense is along the axis
    plus = np.where(forth > 0, freer, np.where(forth < 0, other, 0.5 * (freer + other)))
    minus = freer + other - plus
    return np.stack([minus, plus], axis=1).reshape(-1)


def _measure_offsets(arm: Array, axis: Array) -> Array:
    """Distances of points from lines, [c]; arm: from a point of each line, [c, 3]."""
    return np.linalg.norm(arm - np.einsum("ca,ca->c", arm, axis)[:, None] * axis, axis=1)
