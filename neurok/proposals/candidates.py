"""Candidates: the motions a part might have, proposed by its box, its surface and where it touches the rest.

Axes are those of the shape, the part's principal axes and the line and normal of its contact; a turning candidate
runs through one of nine lines of the part's box (its edges, the middles of its sides, its middle) or through the
middle, the ends or the sides of the contact. Their number per part is bounded, so the search costs as many
simulations as there are parts times candidates.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.proposals.sampling import TOUCH_DISTANCE, PartContact, SampledPart

# Set by hand; 6 degrees, and .35 for lines, gave the same figures on 51 train objects.
SAME_ANGLE = 10.0  # degrees: axes nearer than this are one
SAME_LINE_COSINE = np.cos(np.radians(2.0))  # of lines that are tried once
SAME_RATIO = 0.15  # of the first spread: below it a second is that of a line; two that differ by less have no own axes


@dataclass(frozen=True)
class Candidates:
    """Motions of one part. turns: else they slide, [c]. axis: unit, [c, 3]; pivot: a point of the axis, [c, 3].

    box: where the pivot lies between the middle (0) and the sides (1) of the part's box, across the axis, [c, 2].
    at_contact: whether the contact proposed the pivot, [c]. Canonical coordinates.
    """

    turns: Mask
    axis: Array
    pivot: Array
    box: Array
    at_contact: Mask

    @property
    def count(self) -> int:
        return len(self.turns)

    def chosen(self, index: Indices) -> "Candidates":
        return Candidates(
            self.turns[index], self.axis[index], self.pivot[index], self.box[index], self.at_contact[index]
        )

    def screws(self) -> Array:
        """(v, w) of a unit of motion [rad, or diagonals], [c, 6]."""
        turning = np.concatenate([np.cross(self.pivot, self.axis), self.axis], axis=1)
        sliding = np.concatenate([self.axis, np.zeros_like(self.axis)], axis=1)
        return np.where(self.turns[:, None], turning, sliding)


def propose_candidates(piece: SampledPart, contact: PartContact) -> Candidates:
    """All motions to try for one part."""
    rows = [
        row for axes, which in _propose_frames(piece, contact) for row in _propose_in_frame(piece, contact, axes, which)
    ]
    turns, axis, pivot, box, at_contact = zip(*rows)
    return Candidates(
        np.array(turns), np.array(axis), np.array(pivot), np.array(box).reshape(-1, 2), np.array(at_contact)
    )


def propose_lines(piece: SampledPart, tried: Candidates, axes: Array, points: Array) -> Candidates:
    """Turns about given lines, axes and points [k, 3] each, that are not tried yet."""
    middle, half = piece.centre, np.maximum(0.5 * piece.extent, 1e-6)
    lines: list[tuple[Array, Array]] = []
    known = tried.chosen(np.flatnonzero(tried.turns))
    for axis, point in zip(axes, points):
        pivot = point + ((middle - point) @ axis) * axis
        others = [np.stack(each) for each in zip(*lines)] if lines else [np.zeros((0, 3))] * 2
        there = (np.concatenate(each) for each in zip((known.axis, known.pivot), others))
        if not _find_same_lines(axis, pivot, *there).any():
            lines.append((axis, pivot))
    if not lines:
        return tried.chosen(np.zeros(0, dtype=np.int64))
    axis, pivot = (np.array(each) for each in zip(*lines))
    # Of the pivot's place in the box, the two coordinates that are not along the axis.
    across = np.argsort(np.abs(axis), axis=1)[:, :2]
    box = np.clip(np.abs(np.take_along_axis((pivot - middle) / half, across, axis=1)), 0.0, 2.0)
    return Candidates(np.ones(len(axis), dtype=bool), axis, pivot, box, np.ones(len(axis), dtype=bool))


def _find_same_lines(axis: Array, point: Array, others: Array, there: Array) -> Mask:
    """Which of the lines along unit vectors [k, 3] through points [k, 3] are that of an axis through a point, [k]."""
    apart = np.linalg.norm(np.cross(point - there, others), axis=1)
    return (np.abs(others @ axis) > SAME_LINE_COSINE) & (apart < TOUCH_DISTANCE / 6)


def join_candidates(one: Candidates, other: Candidates) -> Candidates:
    """The motions of both."""
    return Candidates(*(np.concatenate([getattr(each, name) for each in (one, other)])
                        for name in ("turns", "axis", "pivot", "box", "at_contact")))  # fmt: skip


def _propose_frames(piece: SampledPart, contact: PartContact) -> list[tuple[Array, tuple[int, ...]]]:
    """Orthonormal frames [3, 3] (rows), and which of their axes are new."""
    found: list[tuple[Array, tuple[int, ...]]] = [(np.eye(3), (0, 1, 2))]
    taken: Array = np.eye(3)
    spread = np.linalg.norm((piece.points - piece.points.mean(axis=0)) @ piece.axes.T, axis=0)
    proposals: list[tuple[Array, Array]] = [(piece.axes, spread)]
    if len(contact.points) >= 3:
        from_middle = contact.points - contact.centre
        across = np.linalg.eigh(from_middle.T @ from_middle)
        lengths = np.sqrt(np.maximum(across[0][::-1], 0.0))
        axes = across[1].T[::-1]
        if lengths[1] < SAME_RATIO * lengths[0]:
            proposals.append((axes, np.array([lengths[0], 0.0, 0.0])))
        mean = contact.normals.mean(axis=0)
        if np.linalg.norm(mean) > 0.8:
            proposals.append((_complete_frame(mean / np.linalg.norm(mean)), np.array([1.0, 0.0, 0.0])))
    same = np.cos(np.radians(SAME_ANGLE))
    for axes, lengths in proposals:
        new = []
        for k in range(3):
            others = np.delete(lengths, k)
            definite = lengths.max() > 0 and np.all(np.abs(others - lengths[k]) > SAME_RATIO * lengths.max())
            if definite and np.abs(taken @ axes[k]).max() < same:
                new.append(k)
                taken = np.vstack([taken, axes[k]])
        if new:
            found.append((axes, tuple(new)))
    return found


def _complete_frame(axis: Array) -> Array:
    """A right-handed frame [3, 3] (rows) whose first axis this is."""
    second = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    second /= np.linalg.norm(second)
    return np.stack([axis, second, np.cross(axis, second)])


def _propose_in_frame(piece: SampledPart, contact: PartContact, axes: Array, which: tuple[int, ...]) -> list[tuple]:
    local = piece.points @ axes.T
    lower, upper = local.min(axis=0), local.max(axis=0)
    if np.array_equal(axes, np.eye(3)):
        lower, upper = piece.lower, piece.upper
    middle, half = 0.5 * (lower + upper), np.maximum(0.5 * (upper - lower), 1e-6)
    touched = contact.points @ axes.T
    rows = []
    for k in which:
        b, c = (k + 1) % 3, (k + 2) % 3
        rows.append((False, axes[k], piece.centre, (0.0, 0.0), False))
        spots = [(middle[b] + s * half[b], middle[c] + t * half[c], False) for s in (-1, 0, 1) for t in (-1, 0, 1)]
        low, high = touched.min(axis=0), touched.max(axis=0)
        mean, mid = touched.mean(axis=0), 0.5 * (low + high)
        spots += [(mean[b], mean[c], True), (mid[b], mid[c], True)]
        spots += [(low[b], mid[c], True), (high[b], mid[c], True), (mid[b], low[c], True), (mid[b], high[c], True)]
        tried: list[tuple[float, float]] = []
        for x, y, at_contact in spots:
            if any(max(abs(x - u), abs(y - v)) < TOUCH_DISTANCE / 3 for u, v in tried):
                continue
            tried.append((x, y))
            place = np.zeros(3)
            place[[k, b, c]] = middle[k], x, y
            within = ((x - middle[b]) / half[b], (y - middle[c]) / half[c])
            rows.append((True, axes[k], place @ axes, tuple(np.clip(np.abs(within), 0.0, 2.0)), at_contact))
    return rows


def measure_axis_distances(points: Array, tried: Candidates) -> Array:
    """Distances of points [p, 3] from every candidate's axis, [c, p]."""
    offset = points[None] - tried.pivot[:, None]
    along = np.einsum("cpa,ca->cp", offset, tried.axis)
    return np.sqrt(np.maximum(np.einsum("cpa,cpa->cp", offset, offset) - along**2, 0.0))
