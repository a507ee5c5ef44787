"""Which probes pass through another part along a path of states: where joints rub, and where a motion begins.

Parts of real models overlap around their hinges and rails as they move. A joint that contact would lock at once,
whichever way it is meant to go, rubs: the probes that lock it are let through. A drawer that is shut is not locked,
since it opens.
"""

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier
from neurok.mechanics.part_pairs import PartPairs
from neurok.mechanics.self_contact import SelfContacts

SWEEP_SHARES = (1 / 32, 1 / 16, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1.0)  # of the range, from rest outwards
AT_ONCE = 0.25  # of the range: a joint that contact stops before is locked
MIN_SIDE = 0.1  # of the longer side of a range: a shorter one is no way to go
MAX_RUBBING_GAP = 0.03  # of the diagonal: probes farther away at rest do not rub
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


def find_passing(contacts: SelfContacts, rows: Array, chosen: Indices, depth: float) -> Mask:
    """Whether probes [e] are deeper than `depth` in a part, or have crossed its surface, at each state of a path
    that begins at rest; rows: Y of the states, [s, r, 3]; [s, e]."""
    pairs = contacts.pairs
    before = pairs.points[chosen]
    passing = []
    for Y in rows:
        place = pairs.find_poses(Y).apply(pairs.pair[chosen], pairs.points[chosen])
        now = pairs.measure(chosen, place)
        deep = now.gap - contacts.compute_threshold(chosen, now) < -depth
        crossing = pairs.find_crossings(chosen, before, place - before)
        passing.append(deep | (crossing.room < np.inf) & (crossing.room > contacts.tolerance))
        before = place
    return np.array(passing).reshape(len(rows), len(chosen))


def find_rubbing(contacts: SelfContacts, space: Kinematics, carrier: Carrier, *, limited: bool) -> Indices:
    """The probes that would lock a joint."""
    close: Indices = np.flatnonzero(contacts.rest.before_sheets < MAX_RUBBING_GAP * space.mesh.diagonal)
    below, above = find_ranges(space, limited=limited, deviations=1.0)
    rubbing = np.zeros(contacts.pairs.count, dtype=bool)
    for coordinate in range(space.base_count, space.size):
        sides = np.array([-below[coordinate], above[coordinate]])
        longest = float(np.abs(sides).max())
        locking = []
        for side in sides:
            if abs(side) < MIN_SIDE * longest or longest == 0.0:
                continue
            rows = carrier.compute_rows(space, list_sweep(space, coordinate, side))
            passing = find_passing(contacts, rows, close, contacts.slop)
            at_once = np.array(SWEEP_SHARES) * abs(side) <= AT_ONCE * longest
            if not passing[at_once].any():
                break  # it can go this way
            locking.append((abs(side), close[passing.any(axis=0)]))
        else:
            for length, probes in locking:
                if length >= 0.5 * longest:
                    rubbing[probes] = True
    return _add_neighbours(contacts.pairs, np.flatnonzero(rubbing), close, MAX_RUBBING_GAP * space.mesh.diagonal)


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
    passing = find_passing(contacts, rows, every, contacts.tolerance / 2)
    return contacts.without(np.flatnonzero(passing.any(axis=0)))
