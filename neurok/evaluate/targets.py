"""What a method is told of state b: an unordered surface, corresponding points, or a few dragged points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from neurok.errors import unknown
from neurok.evaluate.pairs import Pair, torn
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, farthest_points, sample_uniform

POINTS = 8192
MOVERS = 0.5  # of the largest displacement: what counts as moving when points to drag are chosen


@dataclass(frozen=True)
class Unordered:
    """Points of the target surface with unit normals, [p, 3] each; which came from where is not known.

    surface: the same as a mesh, its faces and vertices in an order of their own.
    """

    points: Array
    normals: Array
    surface: Mesh


@dataclass(frozen=True)
class Corresponding:
    """Points `where` of the input mesh, and where each is in state b, [p, 3]."""

    where: SurfacePoints
    positions: Array


@dataclass(frozen=True)
class Drag:
    """A few points `where` of the input mesh, and where each is dragged to, [p, 3]; nothing else is known."""

    where: SurfacePoints
    positions: Array


Target = Unordered | Corresponding | Drag
# name -> how many points are dragged, 0 where it is no drag
KINDS = {"unordered": 0, "corresponding": 0, "drag1": 1, "drag3": 3, "drag8": 8}


def kinds_of(names: Sequence[str], usual: Iterable[str] = KINDS) -> tuple[str, ...]:
    """The kinds of target of these names, which are checked; the usual ones where none is named."""
    for name in names:
        if name not in KINDS:
            raise unknown("target", name, KINDS)
    return tuple(names) or tuple(usual)


def target_of(pair: Pair, kind: str, seed: int = 0) -> Target:
    """The target of one kind; the same points for the same pair and seed."""
    kinds_of([kind])
    generator = np.random.default_rng([seed, pair.index, 101])
    if kind == "unordered":
        return _unordered(pair, generator)
    where = sample_uniform(pair.mesh, POINTS, generator)
    positions = corner_positions(pair.target, where)
    if kind == "corresponding":
        return Corresponding(where, positions)
    index = dragged(where.position, positions, KINDS[kind])
    return Drag(where.subset(index), positions[index])


def corner_positions(corners: Array, where: SurfacePoints) -> Array:
    """Surface points carried by corners [m, 3, 3] of the faces they lie on, [p, 3]."""
    return np.einsum("pk,pkd->pd", where.weights, corners[where.face])


def dragged(before: Array, after: Array, count: int) -> Indices:
    """Farthest points among those that move more than half as far as any; indices, [min(count, movers)]."""
    distance = np.linalg.norm(after - before, axis=1)
    movers = np.flatnonzero(distance > MOVERS * distance.max())
    if len(movers) == 0:  # nothing moves at all
        movers = np.arange(len(before))
    return movers[farthest_points(before[movers], count)]


def _unordered(pair: Pair, generator: np.random.Generator) -> Unordered:
    # A mesh in the input's own order would tell which point is which.
    order = generator.permutation(len(pair.target))
    surface = torn(pair.target[order], pair.mesh.up)
    samples = sample_uniform(surface, POINTS, generator)
    return Unordered(samples.position, samples.normal, surface)
