"""The motion simulator: moves a part by small, then larger steps, and sees whether it collides or comes away.

Surfaces are open as often as closed, so nothing is asked about inside and outside: a point collides where it comes
near the rest and was not near it at rest; the part comes away when its contact points are near nothing any more.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.rigid import exp_twist
from neurok.proposals.candidates import Candidates
from neurok.proposals.sampling import PART_POINT_COUNT, TOUCH_DISTANCE, PartContact, SampledPart

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

# Set by hand, never measured; the features of the shipped weights depend on them.
TURN_STEPS = np.radians([3.0, 10.0, 35.0, 90.0, 150.0])
SLIDE_STEPS = np.array([0.015, 0.05, 0.15, 0.4, 0.8])  # of the part's box diagonal
SMALL_STEP_COUNT = 2  # steps that every candidate makes; larger ones only where one sense is still open
FREE_WAY_STEPS = 36  # of half a turn (5 degrees each), or of a slide by the part's box diagonal
HIT_DISTANCE = 0.007  # a point that comes so near to the rest, and was clear of it at rest, collides
FREE_SHARE = 0.06  # of a part's points may collide where the way is free; from twice as many on it is blocked


@dataclass(frozen=True)
class Trials:
    """What happened to each candidate in both senses at each step, [c, 2, s].

    hit: share of the part's points that collide; kept: share of its contact that still touches.
    """

    hit: Array
    kept: Array

    @property
    def worst(self) -> Array:
        """The share that collides up to each step, [c, 2, s]."""
        return np.maximum.accumulate(self.hit, axis=2)


class Surroundings:
    """All that stays when a part moves, at least one point of it, with one tree for its distances."""

    def __init__(self, points: Array, normals: Array) -> None:
        from scipy.spatial import cKDTree

        self.points, self.normals = points, normals
        self.tree = cKDTree(points)
        self.lower, self.upper = points.min(axis=0), points.max(axis=0)

    def measure_distances(self, points: Array) -> Array:
        """Distances to the planes of the nearest samples, [n]; infinite beyond three times TOUCH_DISTANCE."""
        found = np.full(len(points), np.inf)
        reach = 3 * TOUCH_DISTANCE
        near = np.flatnonzero(np.all((points > self.lower - reach) & (points < self.upper + reach), axis=1))
        distance, index = self.tree.query(points[near], distance_upper_bound=reach)
        close = index < len(self.points)
        near, distance, index = near[close], distance[close], index[close]
        height = np.abs(np.einsum("na,na->n", points[near] - self.points[index], self.normals[index]))
        found[near] = np.where(height > 0, np.minimum(distance, np.maximum(height, 0.3 * distance)), distance)
        return found


@dataclass(frozen=True)
class CollisionProbe:
    """The points that stand for a part and for its contact, and how they lie to the rest before anything moves.

    points: the part's own first, then `touching` of its contact, [p, 3]. clear: not near the rest, [p].
    toward, gap: direction to the rest and distance from it, of the contact's points, [t, 3] and [t].
    """

    points: Array
    touching: int
    clear: Mask
    toward: Array
    gap: Array

    @staticmethod
    def of(piece: SampledPart, contact: PartContact, rest: Surroundings) -> "CollisionProbe":
        body, count = piece.points[:PART_POINT_COUNT], len(contact.points)
        chosen = np.linspace(0, count - 1, min(PART_POINT_COUNT // 3, count)).astype(int)
        points = np.concatenate([body, contact.points[chosen]])
        distance = rest.measure_distances(points)
        gap = np.where(np.isfinite(distance), distance, 3 * TOUCH_DISTANCE)[len(body) :]
        return CollisionProbe(points, len(chosen), distance > TOUCH_DISTANCE, contact.toward[chosen], gap)

    def move_points(self, rest: Surroundings, twists: Array, *, press: bool) -> tuple[Array, Array]:
        """Share that collides and share of the contact that is kept, under each twist [c, 6], [c] each.

        press: whether contact points driven into what they touch count, as they do while steps are small.
        """
        T = exp_twist(twists)
        moved = self.points @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
        distance = rest.measure_distances(moved.reshape(-1, 3)).reshape(len(twists), -1)
        hit = np.mean((distance < HIT_DISTANCE) & self.clear, axis=1)
        own = len(self.points) - self.touching
        if press:
            into = np.einsum("cpa,pa->cp", moved[:, own:] - self.points[own:], self.toward)
            hit = np.maximum(hit, np.mean(into > HIT_DISTANCE + self.gap, axis=1))
        return hit, np.mean(distance[:, own:] < TOUCH_DISTANCE, axis=1)


def simulate_candidates(piece: SampledPart, contact: PartContact, rest: Surroundings, tried: Candidates) -> Trials:
    """Move a part by every candidate, both ways."""
    probe = CollisionProbe.of(piece, contact, rest)
    hit, kept = np.zeros((tried.count, 2, len(TURN_STEPS))), np.ones((tried.count, 2, len(TURN_STEPS)))
    screws = tried.screws()
    is_open = np.ones((tried.count, 2), dtype=bool)
    for step, (angle, way) in enumerate(zip(TURN_STEPS, SLIDE_STEPS)):
        for sense, sign in enumerate((1.0, -1.0)):
            active = np.flatnonzero(is_open[:, sense])
            if step:
                hit[:, sense, step], kept[:, sense, step] = hit[:, sense, step - 1], kept[:, sense, step - 1]
            if len(active):
                amount = sign * np.where(tried.turns[active], angle, way * piece.size)
                found = probe.move_points(rest, screws[active] * amount[:, None], press=step < SMALL_STEP_COUNT)
                hit[active, sense, step], kept[active, sense, step] = found
        if step + 1 >= SMALL_STEP_COUNT:
            is_open &= hit[:, :, : step + 1].max(axis=2) < 4 * FREE_SHARE
    return Trials(hit, kept)


def measure_asymmetry(piece: SampledPart, tree: "cKDTree", tried: Candidates) -> Array:
    """How far a part's surface lies from itself after turns about each axis, in tenths of its size and 1 at most, [c].

    The turns are by 40 and by 90 degrees. tree: of the part's own points. A slide has no symmetry: 1.
    """
    asymmetry = np.ones(tried.count)
    turns = np.flatnonzero(tried.turns)
    points, screws = piece.points[:PART_POINT_COUNT], tried.chosen(turns).screws()
    spacing = np.sqrt(max(piece.area, 1e-12) / len(piece.points))
    total = np.zeros(len(turns))
    for angle in np.radians([40.0, 90.0]):
        T = exp_twist(screws * angle)
        moved = points @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
        distance = tree.query(moved.reshape(-1, 3))[0].reshape(len(turns), -1)
        total += np.maximum(distance - 0.5 * spacing, 0.0).mean(axis=1)
    asymmetry[turns] = np.minimum(total / max(0.1 * piece.size, 1e-10), 1.0)
    return asymmetry


def find_survivors(trials: Trials) -> Mask:
    """Candidates that move by small steps in some sense without colliding or coming away, [c]."""
    free = trials.worst[:, :, SMALL_STEP_COUNT - 1] < 2 * FREE_SHARE
    held = trials.kept[:, :, SMALL_STEP_COUNT - 1] > 0.0
    return np.any(free & held, axis=1)


def find_free_way(
    piece: SampledPart, contact: PartContact, rest: Surroundings, one: Candidates, steps: Array
) -> tuple[float, float]:
    """How far one candidate goes in either sense [rad, or diagonals] before it collides or comes away."""
    probe = CollisionProbe.of(piece, contact, rest)
    ends = []
    for sign in (1.0, -1.0):
        twists = sign * steps[:, None] * one.screws()
        hit, kept = probe.move_points(rest, twists, press=False)
        hit[:SMALL_STEP_COUNT] = probe.move_points(rest, twists[:SMALL_STEP_COUNT], press=True)[0]
        bad = hit > FREE_SHARE
        if not one.turns[0]:
            bad |= kept == 0.0
        first = int(np.argmax(bad)) if bad.any() else len(steps)
        ends.append(float(steps[first - 1]) if first else 0.0)
    return ends[0], ends[1]


def find_steps(size: float, turns: bool) -> Array:
    """The amounts [rad, or diagonals] by which a part of a size is moved to find its free way, [steps]."""
    share = np.arange(1, FREE_WAY_STEPS + 1) / FREE_WAY_STEPS
    return share * np.pi if turns else share * size
