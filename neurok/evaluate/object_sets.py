"""How a set of drawn articulated objects lies to a set of real ones: CAGE's and SINGAPO's figures.

The distance of two objects is the mean over STATE_COUNT states, every joint at the same share of its range, of the
Chamfer distance of their points: CD(A, B) = mean_a min_b |a - b|^2 + mean_b min_a |b - a|^2, objects in their unit
frames (`neurok.generate.learned.layout`). With d_gr the distances of drawn and real ones:

    MMD = mean over real r of min_g d_gr,    COV = share of real ones that are nearest to some drawn one,
    1-NNA = share of both sets whose nearest other object is of its own set: 1/2 where the sets are alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from neurok.generate.learned.carving import find_range, find_screw, list_path
from neurok.generate.learned.layout import Layout
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rigid import exp_twist

STATE_COUNT = 5
OVERLAP_STATES = 10
OVERLAP_POINTS = 4096


@dataclass(frozen=True)
class PointedObject:
    """An object by its layout, and points of it at rest with their parts, [n, 3] and [n]."""

    name: str
    kind: str
    layout: Layout
    cloud: Array
    part: Indices

    def pose(self, share: float) -> Array:
        """The points with every joint at a share of its range, [n, 3]."""
        motions = find_motions(self.layout, share)[self.part]
        posed: Array = np.einsum("nab,nb->na", motions[:, :3, :3], self.cloud) + motions[:, :3, 3]
        return posed

    def list_trees(self) -> list[cKDTree]:
        """The points at each state, ready to be searched."""
        return [cKDTree(self.pose(share)) for share in np.linspace(0.0, 1.0, STATE_COUNT)]


def find_motions(layout: Layout, share: float) -> Array:
    """The motion of each part with every joint at a share of its range, [p, 4, 4]."""
    own = [np.eye(4)]
    for part in range(1, layout.count):
        lower, upper = find_range(layout, part)
        own.append(exp_twist((lower + share * (upper - lower)) * find_screw(layout, part)))
    found = []
    for part in range(layout.count):
        T = np.eye(4)
        for step in reversed(list_path(layout, part)):
            T = T @ own[step]
        found.append(T)
    return np.stack(found)


def measure_distances(a: Sequence[list[cKDTree]], b: Sequence[list[cKDTree]]) -> Array:
    """Distances of all objects of one set to all of another, given as their trees, [a, b]."""
    return np.array([[np.mean([_find_chamfer(x, y) for x, y in zip(one, other)]) for other in b] for one in a])


def measure_within(trees: Sequence[list[cKDTree]]) -> Array:
    """Distances of all objects of a set to each other, [n, n]."""
    found = np.zeros((len(trees), len(trees)))
    for row in range(1, len(trees)):
        found[row, :row] = measure_distances(trees[row : row + 1], trees[:row])[0]
    return found + found.T


def _find_chamfer(a: cKDTree, b: cKDTree) -> float:
    return float((b.query(a.data)[0] ** 2).mean() + (a.query(b.data)[0] ** 2).mean())


@dataclass(frozen=True)
class SetFigures:
    """mmd, cov, nna: see above. aor: mean overlap of boxes of siblings; overlap: of all pairs, parent and child
    too. Both exclude objects without such pairs."""

    count: int
    mmd: float
    cov: float
    nna: float
    aor: float
    overlap: float


@dataclass(frozen=True)
class RealSet:
    """The real objects of a comparison: their trees, and their distances among each other, [r, r]."""

    trees: list[list[cKDTree]]
    distances: Array


def prepare_real(real: Sequence[PointedObject]) -> RealSet:
    trees = [one.list_trees() for one in real]
    return RealSet(trees, measure_within(trees))


def compare_sets(drawn: Sequence[PointedObject], real: RealSet) -> SetFigures:
    """The figures of a set of drawn objects against a set of real ones."""
    trees = [one.list_trees() for one in drawn]
    gr, gg, rr = measure_distances(trees, real.trees), measure_within(trees), real.distances
    aor = [measure_overlap(one.layout, siblings=True) for one in drawn]
    every = [measure_overlap(one.layout, siblings=False) for one in drawn]
    return SetFigures(
        len(drawn), float(gr.min(axis=0).mean()), len(np.unique(gr.argmin(axis=1))) / gr.shape[1],
        find_nearest_share(gg, gr, rr), _average(aor), _average(every),
    )  # fmt: skip


def find_nearest_share(gg: Array, gr: Array, rr: Array) -> float:
    """1-NNA from the distances within and between two sets."""
    whole = np.block([[gg, gr], [gr.T, rr]])
    np.fill_diagonal(whole, np.inf)
    drawn = np.arange(len(whole)) < len(gg)
    return float(np.mean(drawn[whole.argmin(axis=1)] == drawn))


def measure_overlap(layout: Layout, *, siblings: bool) -> float | None:
    """The mean intersection over union of the boxes of pairs of parts over states; None where there are no pairs.

    siblings: pairs of parts with the same parent only, else all pairs.
    """
    pairs = [
        (a, b) for a in range(layout.count) for b in range(a + 1, layout.count)
        if not siblings or layout.parent[a] == layout.parent[b]
    ]  # fmt: skip
    if not pairs:
        return None
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1.0, 1.0, (OVERLAP_POINTS, 3))
    found = []
    for share in np.linspace(0.0, 1.0, OVERLAP_STATES):
        motions = find_motions(layout, share)
        found += [_find_box_overlap(layout, motions, a, b, corners) for a, b in pairs]
    return float(np.mean(found))


def _find_box_overlap(layout: Layout, motions: Array, a: int, b: int, unit: Array) -> float:
    """Intersection over union of two boxes that have moved, from points drawn in the first."""
    T = np.linalg.solve(motions[b], motions[a])
    points = layout.centre[a] + unit * layout.half[a]
    seen = points @ T[:3, :3].T + T[:3, 3]
    inside = np.all(np.abs(seen - layout.centre[b]) <= layout.half[b], axis=1).mean()
    volumes = [8.0 * float(np.prod(layout.half[part])) for part in (a, b)]
    common = float(inside) * volumes[0]
    return common / (volumes[0] + volumes[1] - common)


def _average(values: Sequence[float | None]) -> float:
    told = [value for value in values if value is not None]
    return float(np.mean(told)) if told else float("nan")
