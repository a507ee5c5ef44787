"""Contact between the parts of one object: probes of each part against the surfaces of the others.

A probe has the gap g - t, with g its distance from the other part's surface (negative within a solid) and t the
threshold at which it counts as touching:

    t = min(b, g_rest - tolerance),      b = 0 before a solid, the thickness of a sheet before a sheet,

with g_rest what it has at rest, or what the whole pair of parts has there (see `RestGaps`). So parts that touch or
overlap at rest may do so to the same depth and a little deeper, and a part that has no inside is met from either side,
but not at its rim, whose own probes meet the other part. Distances change no faster than points move, so that few
have to be measured in a step.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.mechanics.contact import ContactPairs
from neurok.mechanics.part_pairs import PartPairs, RelativeMotion
from neurok.mechanics.part_surface import Crossing, Proximity

GRAZING = 0.2  # of the speed: parts that touch at rest and approach each other more slowly slide along each other
ROOM_FOR_IMPULSES = 1.5  # times the way of a step: how far ahead contacts are sought, as with the ground


class ProbeMemory:
    """What was measured last of each probe, from which follows how near it can be now.

    places [c, 3], room [c]: where a probe was, and the least gap it had there. The same of each pair: its pose, and the
    least room of its probes, [n]. It saves measurements and changes no result.
    """

    def __init__(self, pairs: PartPairs) -> None:
        self.places = pairs.points.copy()
        self.room = np.full(pairs.count, -np.inf)
        self.poses: RelativeMotion | None = None
        self.pair_room = np.full(len(pairs.first), -np.inf)
        starts = np.searchsorted(pairs.pair, np.arange(len(pairs.first)))
        sizes = np.diff(np.append(starts, pairs.count))
        total = np.add.reduceat(pairs.points, starts, axis=0)
        self.starts, self.centre = starts, total / sizes[:, None]
        away = np.linalg.norm(pairs.points - self.centre[pairs.pair], axis=1)
        self.radius = np.maximum.reduceat(away, starts)
        self._rows: Array | None = None
        self._found, self._is_fresh = Proximity.empty(pairs.count), np.zeros(pairs.count, dtype=bool)

    def recall(self, pairs: PartPairs, rows: Array, index: Indices, place: Array) -> Proximity:
        """What is measured of probes at rows Y; a step asks for the same rows twice, and only the new are measured."""
        if self._rows is not rows:
            self._rows = rows
            self._is_fresh[:] = False
        new = ~self._is_fresh[index]
        if new.any():
            self._found.fill(index[new], pairs.measure(index[new], place[new]))
            self._is_fresh[index] = True
        return self._found.subset(index)


@dataclass(frozen=True)
class RestGaps:
    """The gaps at rest that parts are allowed to keep, of each probe, [c] each: before a solid, and before a sheet.

    touches: whether its pair of parts touches at rest anywhere, [c].
    """

    before_solids: Array
    before_sheets: Array
    touches: Mask

    def subset(self, kept: Mask) -> "RestGaps":
        return RestGaps(self.before_solids[kept], self.before_sheets[kept], self.touches[kept])


@dataclass(frozen=True)
class NearProbes:
    """Probes that may touch in a step: which [e], where in the other part's frame [e, 3], gap [e], normal in that frame
    [e, 3], and the slowest rate of the gap among the velocities that were asked about [e]."""

    index: Indices
    place: Array
    gap: Array
    normal: Array
    rate: Array


@dataclass(frozen=True)
class SelfContacts:
    """The pairs that may meet.

    rest: the gaps at rest. tolerance: how much deeper than at rest parts may touch; thickness: of sheets; slop:
    penetration that is left alone, all [file units].
    """

    pairs: PartPairs
    rest: RestGaps
    tolerance: float
    thickness: float
    slop: float
    memory: ProbeMemory

    def without(self, excused: Indices) -> "SelfContacts | None":
        """The same but for some probes, with a memory of its own; None where none is left."""
        kept = np.ones(self.pairs.count, dtype=bool)
        kept[excused] = False
        if not kept.any():
            return None
        pairs = self.pairs.subset(kept)
        return replace(self, pairs=pairs, rest=self.rest.subset(kept), memory=ProbeMemory(pairs))

    def compute_threshold(self, chosen: Indices, found: Proximity | None = None) -> Array:
        """t of chosen probes as they were found, or the greatest that they can have, [e]."""
        if found is None:
            solid = self._compute_base(chosen, np.zeros(len(chosen), dtype=bool))
            if not self.pairs.surface.has_sheets:
                return solid
            return np.maximum(solid, self._compute_base(chosen, np.ones(len(chosen), dtype=bool)))
        return np.where(found.is_rim, -np.inf, self._compute_base(chosen, found.is_sheet))

    def _compute_base(self, chosen: Indices, is_sheet: Mask) -> Array:
        """t of chosen probes before sheets and solids, [e]."""
        rest = np.where(is_sheet, self.rest.before_sheets[chosen], self.rest.before_solids[chosen])
        return np.minimum(np.where(is_sheet, self.thickness, 0.0), rest - self.tolerance)

    def measure_gap(self, chosen: Indices, found: Proximity) -> Array:
        """g - t of chosen probes as they were found, [e]."""
        return found.gap - self.compute_threshold(chosen, found)

    def is_stopped(self, chosen: Indices, places: Array, ways: Array, found: Proximity) -> Mask:
        """Whether chosen probes [e] that go from places on straight ways [e, 3] really come into a part, [e].

        found: what is measured at the ends of the ways.
        """
        return self._find_entries(chosen, places, ways)[1] | (self.measure_gap(chosen, found) < -self.slop)

    def _find_entries(self, chosen: Indices, places: Array, ways: Array) -> tuple[Crossing, Mask]:
        """Where chosen probes [e] meet a face on their ways [e, 3], and whether they enter a part there, [e]; those of
        parts that touch at rest only if they come steeply."""
        crossing = self.pairs.find_crossings(chosen, places, ways)
        steep = _dot(crossing.normal, ways) < -GRAZING * np.linalg.norm(ways, axis=1)
        return crossing, crossing.enters & (crossing.room < np.inf) & (steep | ~self.rest.touches[chosen])

    def find_probes(self, rows: Array, speeds: tuple[Array, ...], h: float) -> NearProbes:
        """Probes that may touch within a step of h at rows Y [r, 3]; speeds: rates of the rows, [r, 3] each."""
        pairs, memory = self.pairs, self.memory
        poses = pairs.find_poses(rows)
        rates = [pairs.find_rates(rows, speed, poses) for speed in speeds]
        fastest = np.max([rate.bound(memory.centre, memory.radius) for rate in rates], axis=0)
        margin = ROOM_FOR_IMPULSES * h * fastest + self.slop
        room = memory.pair_room
        if memory.poses is not None:
            room = room - (poses - memory.poses).bound(memory.centre, memory.radius)
        probe = np.flatnonzero((room < margin)[pairs.pair])
        place = poses.apply(pairs.pair[probe], pairs.points[probe])
        room_now = memory.room[probe] - np.linalg.norm(place - memory.places[probe], axis=1)
        near = np.flatnonzero(~(room_now >= margin[pairs.pair[probe]]))
        index, place = probe[near], place[near]
        found = memory.recall(pairs, rows, index, place)
        gap = self.measure_gap(index, found)
        self._remember(poses, room < margin, index, place, found.gap)
        moves = [rate.apply(pairs.pair[index], pairs.points[index]) for rate in rates]
        close = np.flatnonzero(gap < margin[pairs.pair[index]])
        close_moves = [move[close] for move in moves]
        return self._look_ahead(index[close], place[close], found.subset(close), gap[close], close_moves, h)

    def _look_ahead(
        self, index: Indices, place: Array, found: Proximity, gap: Array, moves: list[Array], h: float
    ) -> NearProbes:
        """Of probes [e], those that are stopped if they go on at one of the velocities, [e, 3] each.

        The closest point may not be what a probe runs into: beside a wall it meets the one ahead, it may pass by, and
        along faces in one plane the closest point jumps. So what does not touch yet is followed to the end of its way.
        """
        slowest = np.min([_dot(found.normal, move) for move in moves], axis=0)
        speed = np.max([np.linalg.norm(move, axis=1) for move in moves], axis=0)
        kept = ~(self.rest.touches[index] & (slowest > -GRAZING * speed))
        way, normal = ROOM_FOR_IMPULSES * h * moves[-1], found.normal.copy()
        apart = np.flatnonzero(gap > self.slop)
        if len(apart):
            crossing, enters = self._find_entries(index[apart], place[apart], way[apart])
            open_way = apart[~enters & kept[apart]]
            ends = self.pairs.measure(index[open_way], place[open_way] + way[open_way])
            kept[open_way] = self.measure_gap(index[open_way], ends) < -self.slop
            met = apart[enters]
            kept[met], normal[met] = True, crossing.normal[enters]
            gap[met] = crossing.room[enters] - self._compute_base(index[met], crossing.is_sheet[enters])
            slowest[met] = np.min([_dot(normal[met], move[met]) for move in moves], axis=0)
        return NearProbes(index[kept], place[kept], gap[kept], normal[kept], slowest[kept])

    def _remember(self, poses: RelativeMotion, seen: Array, index: Indices, place: Array, gap: Array) -> None:
        """Keep what was measured of probes `index`, and of the pairs that were seen, [n]."""
        pairs, memory = self.pairs, self.memory
        memory.places[index], memory.room[index] = place, gap - self.compute_threshold(index)
        if memory.poses is None:
            memory.poses = poses
        memory.poses.R[seen], memory.poses.t[seen] = poses.R[seen], poses.t[seen]
        probe = np.flatnonzero(seen[pairs.pair])
        now = memory.poses.apply(pairs.pair[probe], pairs.points[probe])
        least = np.full(pairs.count, np.inf)
        least[probe] = memory.room[probe] - np.linalg.norm(now - memory.places[probe], axis=1)
        memory.pair_room[seen] = np.minimum.reduceat(least, memory.starts)[seen]

    def may_touch(self, rows: Array, speeds: tuple[Array, ...], h: float) -> bool:
        """Whether parts may touch within a step; parts that slide along each other do not."""
        near = self.find_probes(rows, speeds, h)
        return bool(np.any(near.gap + ROOM_FOR_IMPULSES * h * np.minimum(near.rate, 0.0) < self.slop))

    def find_near(self, rows: Array, speeds: tuple[Array, ...], h: float, first_key: int) -> ContactPairs:
        """The probes that may touch, for the solver; keys count from first_key.

        Probes are never taken out of what they are in, which could raise the energy: they only go no deeper.
        """
        near = self.find_probes(rows, speeds, h)
        pair = self.pairs.pair[near.index]
        bones = self.pairs.bones
        first, second = bones[self.pairs.first[pair]], bones[self.pairs.second[pair]]
        points = self.pairs.points[near.index]
        count, ones = len(pair), np.ones((len(pair), 1))
        values = np.concatenate([points, ones, -near.place, -ones], axis=1)
        columns = np.concatenate([4 * first[:, None] + np.arange(4), 4 * second[:, None] + np.arange(4)], axis=1)
        ends = np.arange(0, 8 * count + 1, 8)
        X = rows.reshape(-1, 4, 3)
        position = np.einsum("cj,cji->ci", points, X[first, :3]) + X[first, 3]
        normal = np.einsum("cj,cji->ci", near.normal, X[second, :3])
        shares = csr_matrix((values.ravel(), columns.ravel(), ends), shape=(count, len(rows)))
        gap = np.maximum(near.gap, -self.slop)
        friction = self.pairs.friction[near.index]
        return ContactPairs(first_key + near.index, position, gap, normal, friction, np.zeros(count), shares)


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("cd,cd->c", a, b)
