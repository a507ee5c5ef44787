"""Joining: pieces that geometry found, put together where the network takes them for one body."""

from collections.abc import Sequence

import numpy as np

from neurok.articulate.learned import opinion
from neurok.articulate.network import ArticulationNetwork
from neurok.articulate.parts import Parts
from neurok.articulate.pieces import shape
from neurok.articulate.seen import see
from neurok.geometry.mesh import Array, Indices, Mesh

SURE = 0.5  # mean chance of being one body from which two groups are joined


def joined_parts(mesh: Mesh, parts: Parts, networks: Sequence[ArticulationNetwork]) -> Parts:
    """Fewer parts, each a union of some; named after the largest."""
    if parts.count < 2:
        return parts
    seen = see(shape(mesh, parts))
    group = grouped(opinion(networks, seen).together, seen.near > 0, np.asarray(seen.area, dtype=np.float64))
    names = []
    for number in range(int(group.max()) + 1):
        mine = np.flatnonzero(group == number)
        names.append(parts.names[mine[np.argmax(seen.area[mine])]])
    return Parts(group[parts.face], tuple(names))


def grouped(together: Array, near: Array, area: Array) -> Indices:
    """Neighbouring groups joined, the surest pair first, while their chance of being one body is above SURE, [p].

    The chance of two groups is the mean over their neighbouring pairs, each by the smaller of its two areas; two
    groups without neighbours stay apart.
    """
    count = len(area)
    weight = np.where(near & ~np.eye(count, dtype=bool), np.minimum(area[:, None], area[None]) + 1e-9, 0.0)
    total = weight * together
    group = np.arange(count)
    while True:
        chance = np.where(weight > 0, total / np.maximum(weight, 1e-300), 0.0)
        a, b = np.unravel_index(np.argmax(chance), chance.shape)
        if chance[a, b] <= SURE:
            return np.unique(group, return_inverse=True)[1].reshape(-1)
        group[group == b] = a
        for table in (weight, total):
            table[a] += table[b]
            table[:, a] += table[:, b]
            table[b] = table[:, b] = 0.0
            table[a, a] = 0.0
