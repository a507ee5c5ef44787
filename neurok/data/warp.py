"""Warp: an object of other proportions, its joints where they belong.

Each axis is stretched by itself, here more and there less, so that one cabinet becomes many: a wide drawer above narrow
ones, a deep shelf, a small knob on a large door. What is straight along an axis stays straight, what was a box stays
one, and an axis line that runs along an axis goes where the surface about it goes.

A part's motion must stay rigid: it turns by the same angle about the image of its axis line, taken where that line
passes the part, and is shifted as the object as a whole is stretched, so that what rides on a slider goes along.
"""

from dataclasses import dataclass, replace

import numpy as np

from neurok.data.views import TrainingView
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rigid import exp_twist, log_twist
from neurok.geometry.triangles import unit_or_zero

PIECE_COUNT = 4  # of each axis, each stretched on its own
MIN_WIDTH = 1e-6  # diagonals
MIN_ANGLE = 1e-6  # radians, above which a motion has an axis line


@dataclass(frozen=True)
class Warp:
    """x -> f(x), each coordinate by itself: a rising line through (knots, values), [3, k] each, straight between them
    and going on straight beyond."""

    knots: Array
    values: Array

    def __call__(self, x: Array) -> Array:
        """Where points [..., 3] go."""
        piece, slope = self._pieces(x)
        return _take_pieces(self.values, piece) + slope * (x - _take_pieces(self.knots, piece))

    def slope(self, x: Array) -> Array:
        """By how much each axis is stretched at points [..., 3]: the diagonal of the derivative, [..., 3]."""
        return self._pieces(x)[1]

    def _pieces(self, x: Array) -> tuple[Indices, Array]:
        slopes = np.diff(self.values) / np.diff(self.knots)
        inner = self.knots[:, 1:-1]
        piece = np.stack([np.searchsorted(inner[a], x[..., a], side="right") for a in range(3)], axis=-1)
        return piece, _take_pieces(slopes, piece)


def _take_pieces(table: Array, piece: Indices) -> Array:
    """table[a, piece[..., a]], [..., 3]."""
    return table[np.arange(3), piece]


def stretch_axes(factor: Array) -> Warp:
    """All of each axis by one factor [3]."""
    knots = np.broadcast_to([-1.0, 1.0], (3, 2))
    return Warp(knots, knots * np.asarray(factor)[:, None])


def random_warp(whole: float, piece: float, rng: np.random.Generator) -> Warp:
    """Factors up to `whole`, or its inverse, for each axis, and up to `piece` for each of its pieces besides: less in
    most draws, since what is round should mostly stay so.

    The pieces are those of an object of diagonal 1 about the origin.
    """
    inner = np.sort(rng.uniform(-0.5, 0.5, (3, PIECE_COUNT - 1)), axis=1)
    # Pieces of no length have no slope.
    inner = inner + 1e-3 * np.arange(PIECE_COUNT - 1)
    knots = np.concatenate([np.full((3, 1), -1.0), inner, np.full((3, 1), 1.0)], axis=1)
    bend = rng.random() * np.log(piece)
    log = rng.uniform(-1, 1, (3, 1)) * np.log(whole) + rng.uniform(-1, 1, (3, PIECE_COUNT)) * bend
    steps = np.exp(log) * np.diff(knots)
    return Warp(knots, np.concatenate([np.zeros((3, 1)), np.cumsum(steps, axis=1)], axis=1))


def warp_view(view: TrainingView, warp: Warp) -> TrainingView:
    """The view of rigid parts under a warp, brought back to diagonal 1."""
    slope = warp.slope(view.position.astype(np.float64))
    position = warp(view.position.astype(np.float64))
    low, high = position.min(axis=0), position.max(axis=0)
    scale, centre = 1.0 / float(np.linalg.norm(high - low)), 0.5 * (low + high)
    wide = np.ptp(view.position.astype(np.float64), axis=0)
    # What is flat has no width to compare, and still moves across itself.
    overall = np.where(wide > MIN_WIDTH, (high - low) / np.maximum(wide, MIN_WIDTH), slope.mean(axis=0))
    steep = view.normal.astype(np.float64) / slope
    area = view.area * np.linalg.norm(steep, axis=1) * slope.prod(axis=1)
    T = np.zeros((*view.transforms.shape[:2], 4, 4))
    T[..., :3, :] = view.transforms
    T[..., 3, 3] = 1.0
    twist = _warp_screws(log_twist(T), _part_centres(view), warp, centre, scale, overall * scale)
    return replace(
        view,
        position=(position - centre) * scale,
        normal=unit_or_zero(steep),
        area=area / area.sum(),
        transforms=exp_twist(twist)[..., :3, :],
    )


def _part_centres(view: TrainingView) -> Array:
    """The middle of each part's points, or the origin where it has none, [L, 3]."""
    count = view.transforms.shape[1]
    weight = np.bincount(view.link, minlength=count)
    total = np.stack([np.bincount(view.link, x, count) for x in view.position.T.astype(np.float64)], axis=1)
    return total / np.maximum(weight, 1)[:, None]


def _warp_screws(twist: Array, middle: Array, warp: Warp, centre: Array, scale: float, shift: Array) -> Array:
    """Twists (v, w) [t, L, 6] of parts with these middles [L, 3], of the parts of the warped object.

    scale: of the whole afterwards. shift: by how much shifts grow along each axis, [3].
    """
    v, w = twist[..., :3], twist[..., 3:]
    square = (w * w).sum(-1, keepdims=True)
    turns = square > MIN_ANGLE**2
    safe = np.where(turns, square, 1.0)
    line = np.cross(w, v) / safe  # the point of the axis line that is nearest to the origin
    pivot = line + w * (((middle - line) * w).sum(-1, keepdims=True) / safe)  # and that nearest to the part
    along = w * ((w * v).sum(-1, keepdims=True) / safe)
    axis = unit_or_zero(w * warp.slope(pivot)) * np.sqrt(square)
    turning = np.cross((warp(pivot) - centre) * scale, axis) + along * shift
    return np.concatenate([np.where(turns, turning, v * shift), np.where(turns, axis, 0.0)], axis=-1)
