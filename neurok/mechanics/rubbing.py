"""Which probes pass through another part along a path of states: where joints rub, and where a motion begins.

Parts of real models overlap around their hinges and rails as they move. A joint that contact would lock at once,
whichever way it is meant to go, rubs: the probes that lock it are let through. A drawer that is shut is not locked,
since it opens. Within the limits that a file states, parts that touch lightly rub as well.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier
from neurok.mechanics.moving_parts import SAME_MOTION
from neurok.mechanics.part_pairs import PartPairs
from neurok.mechanics.self_contact import SelfContacts

SWEEP_SHARES = tuple(np.linspace(0.0, 1.0, 25)[1:] ** 1.5)  # of the range, from rest outwards
AT_ONCE = 0.25  # of the range: a joint that contact stops before is locked
MIN_SIDE = 0.1  # of the longer side of a range: a shorter one is no way to go
MAX_RUBBING_GAP = 0.03  # of the diagonal: probes farther away at rest do not rub
MAX_RUBBING_DEPTH = 0.01  # of the diagonal: parts that overlap no deeper within stated limits touch lightly
PATH_STATES = 24  # between rest and the state in which a motion begins


def find_ranges(space: Kinematics, *, limited: bool, deviations: float) -> tuple[Array, Array]:
    """How far each coordinate may go below and above rest, [k] each, both at least 0; none for a free base.

    deviations: of the prior, where there is no limit.
    """
    rest, base = space.rest.numpy(), space.base_count
    open_range = deviations * space.prior.deviation
    low, high = rest - space.lower.numpy(), space.upper.numpy() - rest
    low, high = (np.where(np.isfinite(side) & limited, side, open_range) for side in (low, high))
    low[:base] = high[:base] = 0.0
    return np.maximum(low, 0.0), np.maximum(high, 0.0)


def list_sweep(space: Kinematics, coordinate: int, extent: float) -> Array:
    """States from rest outwards along one coordinate, as far as `extent` (with its sign), [s, k]."""
    states = np.tile(space.rest.numpy().astype(np.float64), (len(SWEEP_SHARES), 1))
    states[:, coordinate] += extent * np.array(SWEEP_SHARES)
    return states


@dataclass(frozen=True)
class SweepContacts:
    """What probes [e] meet on a path of s states from rest: whether contact would stop them before each state, [s, e],
    and how deep in a solid they come at all, [e]."""

    stops: Mask
    depth: Array


def sweep_probes(contacts: SelfContacts, rows: Array, chosen: Indices) -> SweepContacts:
    """Follow chosen probes [e] over a path that begins at rest; rows: Y of its states, [s, r, 3]."""
    pairs = contacts.pairs
    before = pairs.points[chosen]
    depth, stops = np.full(len(chosen), -np.inf), []
    for Y in rows:
        place = pairs.find_poses(Y).apply(pairs.pair[chosen], pairs.points[chosen])
        found = pairs.measure(chosen, place)
        stops.append(contacts.is_stopped(chosen, before, place - before, found))
        depth, before = np.maximum(depth, -found.gap), place
    return SweepContacts(np.array(stops).reshape(len(rows), len(chosen)), depth)


def find_rubbing(contacts: SelfContacts, space: Kinematics, carrier: Carrier, *, limited: bool) -> Indices:
    """The probes that would lock a joint, or stop one within the limits that its file states by touching lightly."""
    reach = MAX_RUBBING_GAP * space.mesh.diagonal
    below, above = find_ranges(space, limited=limited, deviations=1.0)
    is_stated = np.isfinite((space.upper - space.lower).numpy()) & (limited and not space.is_elastic)
    close: Indices = np.flatnonzero(contacts.rest.before_sheets < reach)
    every = np.arange(contacts.pairs.count)
    found: list[Indices] = [np.zeros(0, dtype=np.int64)]
    for coordinate in range(space.base_count, space.size):
        sides = np.array([-below[coordinate], above[coordinate]])
        longest = float(np.abs(sides).max())
        locking: list[Indices] = []
        is_locked = longest > 0.0
        for side in sides[np.abs(sides) >= max(MIN_SIDE * longest, 1e-300)]:
            rows = carrier.compute_rows(space, list_sweep(space, coordinate, side))
            watched = every if is_stated[coordinate] else close
            moved = watched[_find_moved(contacts.pairs, rows, space.mesh.diagonal)[contacts.pairs.pair[watched]]]
            swept = sweep_probes(contacts, rows, moved)
            at_once = np.array(SWEEP_SHARES) * abs(side) <= AT_ONCE * longest
            is_locked &= bool(swept.stops[at_once].any())
            stopping = swept.stops.any(axis=0)
            if abs(side) >= 0.5 * longest:
                locking.append(moved[stopping])
            if is_stated[coordinate]:
                found.append(moved[stopping & (swept.depth < MAX_RUBBING_DEPTH * space.mesh.diagonal)])
        found += locking if is_locked else []
    return _add_neighbours(contacts.pairs, np.unique(np.concatenate(found)), close, reach)


def _find_moved(pairs: PartPairs, rows: Array, diagonal: float) -> Mask:
    """Which pairs of parts move against each other in some of the states, [n]; rows: Y of the states, [s, r, 3]."""
    moved = np.zeros(len(pairs.first), dtype=bool)
    for Y in rows:
        poses = pairs.find_poses(Y)
        moved |= np.abs(poses.R - np.eye(3)).max(axis=(1, 2)) + np.abs(poses.t).max(axis=1) / diagonal > SAME_MOTION
    return moved


def _add_neighbours(pairs: PartPairs, rubbing: Indices, close: Indices, reach: float) -> Indices:
    """Probes that rub, and those of the same two parts that are close at rest and beside them: the same joint's."""
    found = np.zeros(pairs.count, dtype=bool)
    found[rubbing] = True
    couple = pairs.couples
    for number in np.unique(couple[rubbing]):
        some, others = rubbing[couple[rubbing] == number], close[couple[close] == number]
        apart, _ = cKDTree(pairs.points[some]).query(pairs.points[others])
        found[others[apart < reach]] = True
    return np.flatnonzero(found)


def find_passing(contacts: SelfContacts, rows: Array, chosen: Indices) -> Mask:
    """Whether probes [e] come to be in a part, or cross its surface, on a path from rest; rows: Y of its states."""
    pairs, passing = contacts.pairs, np.zeros(len(chosen), dtype=bool)
    before = pairs.points[chosen]
    for Y in rows:
        place = pairs.find_poses(Y).apply(pairs.pair[chosen], pairs.points[chosen])
        room = pairs.find_crossings(chosen, before, place - before).room
        passing |= (room > contacts.tolerance) & (room < np.inf)
        passing |= contacts.measure_gap(chosen, pairs.measure(chosen, place)) < -contacts.tolerance / 2
        before = place
    return passing


def excuse_start(contacts: SelfContacts, space: Kinematics, carrier: Carrier, q: Array) -> SelfContacts | None:
    """The contacts of a motion that begins at state q [k].

    What passes through a part on the way there from rest goes on to do so, since it can be on the wrong side of it.
    """
    start = space.rest.numpy().astype(np.float64)
    end = q.copy()
    end[: space.base_count] = start[: space.base_count]
    shares = np.linspace(0.0, 1.0, PATH_STATES + 1)[1:, None]
    if np.array_equal(start, end):
        return contacts.without(np.zeros(0, dtype=np.int64))
    rows = carrier.compute_rows(space, start + shares * (end - start))
    every = np.arange(contacts.pairs.count)
    passing = find_passing(contacts, rows, every)
    return contacts.without(np.flatnonzero(passing))
