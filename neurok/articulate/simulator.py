"""The motion simulator: moves a part by small, then larger steps, and sees whether it collides or comes away.

Surfaces are open as often as closed, so nothing is asked about inside and outside: a point collides where it comes
near the rest and was not near it at rest; the part comes away when its contact points are near nothing any more.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neurok.articulate.candidates import Candidates
from neurok.articulate.sampling import TOUCH, PartContact, SampledPart
from neurok.geometry.arrays import Array
from neurok.geometry.rigid import exp_twist

TURNS = np.radians([3.0, 10.0, 35.0, 90.0, 150.0])
SLIDES = np.array([0.015, 0.05, 0.15, 0.4, 0.8])  # of the part's box diagonal
SMALL = 2  # steps that every candidate makes; larger ones only where one sense is still open
HIT = 0.007  # a point this near to the rest, and not at rest, collides
MOVING = 80  # points that stand for the part
TOUCHING = 32  # and for its contact
BLOCKED = 0.12  # of the points collide: no way through


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
    """All that stays, with one tree for its distances."""

    def __init__(self, points: Array, normals: Array) -> None:
        from scipy.spatial import cKDTree

        self.points, self.normals = points, normals
        self.tree = cKDTree(points) if len(points) else None
        self.box = (points.min(axis=0), points.max(axis=0)) if len(points) else None

    def distances(self, points: Array) -> Array:
        """To the nearest plane of the rest's surface [n]; infinite beyond three times TOUCH."""
        found = np.full(len(points), np.inf)
        if self.tree is None:
            return found
        reach = 3 * TOUCH
        lower, upper = self.box
        near = np.flatnonzero(np.all((points > lower - reach) & (points < upper + reach), axis=1))
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
    clear: NDArray[np.bool_]
    toward: Array
    gap: Array

    @staticmethod
    def of(piece: SampledPart, contact: PartContact | None, rest: Surroundings) -> "CollisionProbe":
        body, touch, toward = piece.points[:MOVING], np.zeros((0, 3)), np.zeros((0, 3))
        if contact is not None and len(contact.points):
            chosen = np.linspace(0, len(contact.points) - 1, min(TOUCHING, len(contact.points))).astype(int)
            touch, toward = contact.points[chosen], contact.toward[chosen]
        points = np.concatenate([body, touch])
        distance = rest.distances(points)
        gap = np.where(np.isfinite(distance), distance, 3 * TOUCH)[len(body) :]
        return CollisionProbe(points, len(touch), distance > TOUCH, toward, gap)

    def moved(self, rest: Surroundings, twists: Array, *, press: bool) -> tuple[Array, Array]:
        """Share that collides and share of the contact that is kept, under each twist [c, 6], [c] each.

        press: whether contact points driven into what they touch count, as they do while steps are small.
        """
        T = exp_twist(twists)
        moved = self.points @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
        distance = rest.distances(moved.reshape(-1, 3)).reshape(len(twists), -1)
        hit = np.mean((distance < HIT) & self.clear, axis=1)
        if self.touching == 0:
            return hit, np.ones(len(twists))
        own = len(self.points) - self.touching
        if press:
            into = np.einsum("cpa,pa->cp", moved[:, own:] - self.points[own:], self.toward)
            hit = np.maximum(hit, np.mean(into > HIT + self.gap, axis=1))
        return hit, np.mean(distance[:, own:] < TOUCH, axis=1)


def simulate_candidates(
    piece: SampledPart, contact: PartContact | None, rest: Surroundings, tried: Candidates
) -> Trials:
    """Move a part by every candidate, both ways."""
    probe = CollisionProbe.of(piece, contact, rest)
    size = float(np.linalg.norm(piece.extent))
    hit, kept = np.zeros((tried.count, 2, len(TURNS))), np.ones((tried.count, 2, len(TURNS)))
    screws = tried.screws()
    open_ = np.ones((tried.count, 2), dtype=bool)
    for step, (angle, way) in enumerate(zip(TURNS, SLIDES)):
        for sense, sign in enumerate((1.0, -1.0)):
            active = np.flatnonzero(open_[:, sense])
            if step:
                hit[:, sense, step], kept[:, sense, step] = hit[:, sense, step - 1], kept[:, sense, step - 1]
            if len(active):
                amount = sign * np.where(tried.turns[active], angle, way * size)
                found = probe.moved(rest, screws[active] * amount[:, None], press=step < SMALL)
                hit[active, sense, step], kept[active, sense, step] = found
        if step + 1 >= SMALL:
            open_ &= hit[:, :, : step + 1].max(axis=2) < 2 * BLOCKED
    return Trials(hit, kept)


def measure_asymmetry(piece: SampledPart, tree, tried: Candidates, which: NDArray) -> Array:
    """How far the part's surface lies from itself after turns of 40 and 90 degrees, in its own size, [c]; 1 if far."""
    found = np.ones(tried.count)
    if len(which) == 0:
        return found
    points = piece.points[:MOVING]
    size = max(float(np.linalg.norm(piece.extent)), 1e-9)
    spacing = np.sqrt(max(piece.area, 1e-12) / len(piece.points))
    total = np.zeros(len(which))
    for angle in np.radians([40.0, 90.0]):
        T = exp_twist(tried.chosen(which).screws() * angle)
        moved = points @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
        distance = tree.query(moved.reshape(-1, 3))[0].reshape(len(which), -1)
        total += np.maximum(distance - 0.5 * spacing, 0.0).mean(axis=1)
    found[which] = np.minimum(total / (0.1 * size), 1.0)
    return found


def find_survivors(trials: Trials) -> NDArray[np.bool_]:
    """Candidates that move by small steps in some sense without colliding or coming away, [c]."""
    free = trials.worst[:, :, SMALL - 1] < BLOCKED
    held = trials.kept[:, :, SMALL - 1] > 0.0
    return (free & held).any(axis=1)


def find_free_way(
    piece: SampledPart, contact: PartContact | None, rest: Surroundings, one: Candidates, steps: Array
) -> tuple[float, float]:
    """How far one candidate goes in either sense [rad, or diagonals] before it collides or comes away."""
    probe = CollisionProbe.of(piece, contact, rest)
    ends = []
    for sign in (1.0, -1.0):
        twists = sign * steps[:, None] * one.screws()
        hit, kept = probe.moved(rest, twists, press=False)
        hit[:SMALL] = probe.moved(rest, twists[:SMALL], press=True)[0]
        bad = hit > BLOCKED / 2
        if not one.turns[0]:
            bad |= kept == 0.0
        first = int(np.argmax(bad)) if bad.any() else len(steps)
        ends.append(float(steps[first - 1]) if first else 0.0)
    return ends[0], ends[1]
