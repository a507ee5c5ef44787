"""Contact: points of the object against the ground and simple obstacles, with Coulomb friction.

Per step, at velocity level (Moreau's scheme): impulses p >= 0 along normals and within the friction disc
|p_t| <= mu p_n along tangents, such that no contact approaches faster than its gap allows. A limit of a
coordinate is a contact too, without friction. Few of the points that are near a barrier ever carry anything:
points enter the system only when the velocity found without them would sink them (`Meeting.solve`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, vstack

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.surface import farthest_points
from neurok.mechanics.barrier import Barrier
from neurok.mechanics.impulses import solve_impulses

MAX_ENTRY_ROUNDS = 12  # of letting points in; each lets in a few that would sink otherwise
MAX_IDLE_ROUNDS = 3  # rounds in a row that may leave the deepest point as deep (a body within an obstacle stays there)
ENTRANT_COUNT = 4  # points let in at a time
MAX_RISE = 100  # the farthest a point is taken out of a barrier in one step, in slops


@dataclass(frozen=True)
class Contacts:
    """What can touch what: candidate points (H [p, r], friction and restitution [p]), the barriers, and lengths in file
    units.

    slop: penetration that is left alone. within: points that belong in a barrier and pass through it, [barriers, p].
    """

    shares: csr_matrix
    friction: Array
    restitution: Array
    barriers: tuple[Barrier, ...]
    slop: float
    within: Mask

    @property
    def count(self) -> int:
        """How many pairs of a point and a barrier there are, near or not."""
        return self.within.size

    def find_near(self, rows: Array, margin: float) -> "ContactPairs":
        """Pairs of a point and a barrier nearer to each other than `margin`, at rows Y [r, 3]."""
        positions = self.shares @ rows
        found = []
        for number, barrier in enumerate(self.barriers):
            gap, normal = barrier.measure_gap(positions)
            point = np.flatnonzero((gap < margin) & ~self.within[number])
            own = self.friction[point]
            friction = own if barrier.friction is None else np.full(len(point), barrier.friction)
            found.append((number * len(positions) + point, point, gap[point], normal[point], friction))
        key, point, gap, normal, friction = (np.concatenate(column) for column in zip(*found))
        return ContactPairs(key, positions[point], gap, normal, friction, self.restitution[point], self.shares[point])

    def may_touch(self, rows: Array, speeds: tuple[Array, ...], h: float) -> bool:
        """Whether anything may touch within a step; speeds: rates of the rows, [r, 3] each."""
        positions = self.shares @ rows
        margin = self.compute_margin(speeds, h)
        return any(np.any(b.measure_gap(positions)[0][~w] < margin) for b, w in zip(self.barriers, self.within))

    def compute_margin(self, speeds: tuple[Array, ...], h: float) -> float:
        """How far points may come in a step of h, with half as much again for what impulses add."""
        fastest = max(np.linalg.norm(self.shares @ speed, axis=1).max(initial=0.0) for speed in speeds)
        return 1.5 * h * float(fastest) + self.slop


@dataclass(frozen=True)
class ContactPairs:
    """c pairs of a point and a barrier: key (the same pair has the same in every step) [c], position [c, 3],
    gap [c], normal [c, 3], friction [c], restitution [c], and H [c, r]."""

    key: Indices
    position: Array
    gap: Array
    normal: Array
    friction: Array
    restitution: Array
    shares: csr_matrix

    @property
    def count(self) -> int:
        return len(self.key)

    @staticmethod
    def empty() -> "ContactPairs":
        """No pair at all."""
        none, places = np.zeros(0), np.zeros((0, 3))
        return ContactPairs(np.zeros(0, dtype=np.int64), places, none, places, none, none, csr_matrix((0, 0)))

    def join(self, others: "ContactPairs") -> "ContactPairs":
        """These pairs and others of the same rows."""
        if not self.count or not others.count:
            return self if self.count else others
        return ContactPairs(
            np.concatenate([self.key, others.key]),
            np.concatenate([self.position, others.position]),
            np.concatenate([self.gap, others.gap]),
            np.concatenate([self.normal, others.normal]),
            np.concatenate([self.friction, others.friction]),
            np.concatenate([self.restitution, others.restitution]),
            csr_matrix(vstack([self.shares, others.shares])),
        )

    def compute_rows(self, chosen: Indices, jacobian: Array) -> Array:
        """J of chosen pairs along normal and two tangents, [e, 3, k]; jacobian: that of the rows, [k, r, 3]."""
        k, r, _ = jacobian.shape
        flat = jacobian.transpose(1, 0, 2).reshape(r, -1)
        at_points = (self.shares[chosen] @ flat).reshape(len(chosen), k, 3)
        normal = self.normal[chosen]
        frames = np.stack([normal, *_compute_tangents(normal)], axis=1)
        return frames @ at_points.transpose(0, 2, 1)

    def measure_approach(self, speed: Array) -> Array:
        """Speed along the normals, [c]; speed: rate of the rows, [r, 3]."""
        return np.einsum("ca,ca->c", self.normal, self.shares @ speed)

    def find_rebound(self, before: Array, free: Array, h: float, least: float) -> Array:
        """The normal speed with which pairs leave after Newton's law of impact, u+ = -e u-, [c]; zero where none meets.

        before, free: rates of the rows as the step begins and as it would end without contact, [r, 3]; least: the
        slowest approach that is an impact, so that what lies stays lying.
        """
        if not self.count or not self.restitution.any():
            return np.zeros(self.count)
        approach = -self.measure_approach(before)
        meets = (self.gap + h * self.measure_approach(free) <= 0) & (approach > least)
        return np.where(meets, self.restitution * approach, 0.0)

    def expand_candidates(self, among: Indices, depth: Array, count: int) -> Indices:
        """Of pairs `among`, the deepest and then those farthest from it and from each other."""
        if len(among) <= count:
            return among
        return among[farthest_points(self.position[among], count, start=int(np.argmax(depth)))]


@dataclass(frozen=True)
class Limits:
    """Walls of the coordinates: room to the lower and to the upper one, [2 k]; infinite where there is none."""

    room: Array

    @property
    def signs(self) -> Array:
        """The direction that leads away from each wall."""
        k = len(self.room) // 2
        return np.repeat([1.0, -1.0], k)

    def compute_rows(self, chosen: Indices) -> Array:
        """As `ContactPairs.compute_rows`, the tangents zero, [e, 3, k]."""
        k = len(self.room) // 2
        rows = np.zeros((len(chosen), 3, k))
        rows[np.arange(len(chosen)), 0, chosen % k] = self.signs[chosen]
        return rows

    def find_crossed(self, v: Array, h: float, stopped: Indices) -> Indices:
        """Limits that velocity v would cross within h, beyond those already held."""
        approach = self.signs * np.tile(v, 2)
        crossed = (self.room + h * approach < 0) & (approach < 0)
        crossed[stopped] = False
        return np.flatnonzero(crossed)


@dataclass(frozen=True)
class ContactProblem:
    """One step's one-sided constraints: what is near, the limits, and what resists (E, [k, k]).

    jacobian: that of the rows, [k, r, 3]. tolerance: how far a point may sink unnoticed [file units].
    rebound: the least normal speed of each pair after an impact, zero where there is none, [c].
    """

    near: ContactPairs
    limits: Limits
    effective: Array
    jacobian: Array
    h: float
    tolerance: float
    rebound: Array

    def solve(self, v: Array, guess: dict[int, Array]) -> tuple[Array, dict[int, Array]]:
        """The velocity after all impulses, [k], and the contacts' impulses [3] by key.

        guess: the impulses of the step before; what carried then is let in first.
        """
        keys = self.near.key.tolist()
        entered: Indices = np.array([row for row, key in enumerate(keys) if key in guess], dtype=np.int64)
        stopped: Indices = np.zeros(0, dtype=np.int64)
        after, pressed = self._compute_impulses(v, entered, stopped, guess) if len(entered) else (v, np.zeros((0, 3)))
        deepest, idle = np.inf, 0
        for _ in range(MAX_ENTRY_ROUNDS):
            sinking, crossing, depth = self._find_violated(after, entered, stopped)
            idle = 0 if depth < deepest else idle + 1
            deepest = min(deepest, depth)
            if not len(sinking) and not len(crossing) or idle > MAX_IDLE_ROUNDS:
                break
            entered, stopped = np.concatenate([entered, sinking]), np.concatenate([stopped, crossing])
            after, pressed = self._compute_impulses(v, entered, stopped, guess)
        return after, {keys[row]: p for row, p in zip(entered, pressed) if p[0] > 0}

    def _find_violated(self, v: Array, entered: Indices, stopped: Indices) -> tuple[Indices, Indices, float]:
        """Pairs that would sink at velocity v, limits that would be crossed, beyond those held; the deepest sinking."""
        crossing = self.limits.find_crossed(v, self.h, stopped)
        if not self.near.count:
            return np.zeros(0, dtype=np.int64), crossing, 0.0
        speed = self.near.measure_approach(np.tensordot(v, self.jacobian, axes=1))
        depth = -(self.near.gap + self.h * speed)
        bad = (depth > self.tolerance) & (self.h * speed < -1e-3 * self.tolerance)
        bad[entered] = False
        sinking = np.flatnonzero(bad)
        deepest = float(depth[sinking].max(initial=0.0))
        return self.near.expand_candidates(sinking, depth[sinking], ENTRANT_COUNT), crossing, deepest

    def _compute_impulses(
        self, v: Array, entered: Indices, stopped: Indices, guess: dict[int, Array]
    ) -> tuple[Array, Array]:
        """Impulses of these pairs and limits: the velocity after, and those of the pairs, [e, 3]."""
        rows, gap = self.limits.compute_rows(stopped), self.limits.room[stopped]
        friction, first = np.zeros(len(stopped)), np.zeros((len(entered) + len(stopped), 3))
        if len(entered):
            rows = np.concatenate([self.near.compute_rows(entered, self.jacobian), rows])
            gap = np.concatenate([self.near.gap[entered], gap])
            friction = np.concatenate([self.near.friction[entered], friction])
            for row, key in enumerate(self.near.key[entered]):
                first[row] = guess.get(int(key), 0.0)
        least = -np.maximum(gap, 0.0) / self.h
        rebound = self.rebound[entered]
        least[: len(entered)] = np.where(rebound > 0, rebound, least[: len(entered)])
        after, p = solve_impulses(self.effective, v, rows, least, friction, first)
        return after, p[: len(entered)]

    def push_out(self, limits: Limits, slop: float) -> Array:
        """The shift of the position, [k], that takes out half of any penetration beyond `slop` (of a deep one
        only so much that it comes out bit by bit), within the limits.

        limits: those at the end of the step.
        """
        shift: Array = np.zeros(len(self.effective))
        stopped: Indices = np.zeros(0, dtype=np.int64)
        deep: Indices = np.flatnonzero(self.near.gap < -slop)
        if not len(deep):
            return shift
        deep = self.near.expand_candidates(deep, -self.near.gap[deep], 4 * ENTRANT_COUNT)
        out, rows = (
            np.minimum(0.5 * (-self.near.gap[deep] - slop), MAX_RISE * slop),
            self.near.compute_rows(deep, self.jacobian),
        )
        for _ in range(MAX_ENTRY_ROUNDS):
            every = np.concatenate([rows, limits.compute_rows(stopped)])
            least = np.concatenate([out, -np.maximum(limits.room[stopped], 0.0)])
            none = np.zeros((len(every), 3))
            shift, _ = solve_impulses(self.effective, np.zeros_like(shift), every, least, none[:, 0], none)
            crossed = limits.find_crossed(shift, 1.0, stopped)
            if not len(crossed):
                break
            stopped = np.concatenate([stopped, crossed])
        # Deep within an obstacle points may be sent opposite ways, which no shift can do: none goes far, then.
        farthest = float(np.linalg.norm(rows @ shift, axis=1).max())
        return shift * min(1.0, 4 * out.max() / max(farthest, 1e-300))


def _compute_tangents(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors across each normal, [c, 3] each."""
    helper = np.where(np.abs(normal[:, :1]) < 0.9, np.eye(3)[0], np.eye(3)[1])
    first = np.cross(normal, helper)
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    return first, np.cross(normal, first)
