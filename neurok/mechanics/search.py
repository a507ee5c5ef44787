"""Where to start from: a search over states that move few coordinates.

What objects do is sparse: of many coordinates one or a few move, and those far. Descents find the nearest
valley only, so the states they start from decide. The search moves one coordinate at a time to each of a row of
amplitudes, keeps the best few states (a beam), and goes on from them while that helps.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics

LARGE = 64  # coordinates, above which one at a time is no way to search
Score = Callable[[Array], Array]  # states [s, k] -> what each costs, [s]
Moves = Callable[[Array], Array]  # a state [k] -> states to go on to, [s, k]

AMPLITUDES = (0.1, 0.25, 0.5, 0.75, 1.0, 1.35, 1.7, 2.0, 2.6, 3.2)  # either way, in deviations


@dataclass(frozen=True)
class Beam:
    """How widely to look: states kept, how many coordinates are set one after another, amplitudes in deviations."""

    width: int = 4
    depth: int = 4
    amplitudes: tuple[float, ...] = AMPLITUDES


def search(
    space: Kinematics, score: Score, beam: Beam, *, others: Array | None = None, propose: Moves | None = None
) -> list[Array]:
    """The best states found, best first: from rest, and from other states [s, k] where given.

    propose: further moves from a state, beside one coordinate to each amplitude.
    """
    rest = space.rest.numpy().astype(np.float64)
    seen = rest[None] if others is None else np.concatenate([rest[None], others])
    states, values = _best(seen, score(seen), beam.width)
    for _ in range(beam.depth):
        moves = [single_moves(space, q, beam.amplitudes) for q in states]
        moved = np.concatenate(moves + ([propose(q) for q in states] if propose else []))
        again, costs = np.concatenate([states, moved]), np.concatenate([values, score(moved)])
        before = values[0]
        states, values = _best(again, costs, beam.width)
        if not values[0] < before:
            break
    return list(states)


def single_moves(space: Kinematics, q: Array, amplitudes: tuple[float, ...]) -> Array:
    """q with one coordinate set to each amplitude, or to rest, [s, k]; all admissible, none equal to q."""
    rest, spread = space.rest.numpy(), space.prior.deviation
    row = np.concatenate([-np.array(amplitudes[::-1]), [0.0], amplitudes])
    states = np.tile(q, (space.size, len(row), 1))
    each = np.arange(space.size)
    states[each, :, each] = rest[:, None] + spread[:, None] * row
    states = admitted(space, states.reshape(-1, space.size))
    states = states[np.abs((states - q) / spread).max(axis=1) > 1e-9]
    return np.unique(states, axis=0)


def admitted(space: Kinematics, states: Array) -> Array:
    """The nearest admissible states, [s, k]."""
    return torch.vmap(space.admit)(torch.from_numpy(np.ascontiguousarray(states))).numpy()


def _best(states: Array, values: Array, count: int) -> tuple[Array, Array]:
    """The cheapest, each once, cheapest first."""
    order = np.argsort(values, kind="stable")[: 4 * count]
    _, first = np.unique(states[order], axis=0, return_index=True)
    order = order[np.sort(first)][:count]
    return states[order], values[order]
