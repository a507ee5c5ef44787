"""What a method is told of state b: an unordered surface, corresponding points, or a few dragged points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from neurok.errors import unknown
from neurok.evaluate.pairs import Pair, unweld_corners
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, farthest_points, sample_uniform

TARGET_POINT_COUNT = 8192
MOVING_SHARE = 0.5  # of the largest displacement: what counts as moving when points to drag are chosen


@dataclass(frozen=True)
class UnorderedTarget:
    """Points of the target surface with unit normals, [p, 3] each; which came from where is not known.

    surface: the same as a mesh, its faces and vertices in an order of their own.
    """

    points: Array
    normals: Array
    surface: Mesh


@dataclass(frozen=True)
class CorrespondingTarget:
    """Points `where` of the input mesh, and where each is in state b, [p, 3]."""

    where: SurfacePoints
    positions: Array


@dataclass(frozen=True)
class DragTarget:
    """A few points `where` of the input mesh, and where each is dragged to, [p, 3]; nothing else is known."""

    where: SurfacePoints
    positions: Array


Target = UnorderedTarget | CorrespondingTarget | DragTarget
# name -> how many points are dragged, 0 where it is no drag
DRAGGED_POINT_COUNTS = {"unordered": 0, "corresponding": 0, "drag1": 1, "drag3": 3, "drag8": 8}


def check_target_names(names: Sequence[str], usual: Iterable[str] = DRAGGED_POINT_COUNTS) -> tuple[str, ...]:
    """The kinds of target of these names, which are checked; the usual ones where none is named."""
    for name in names:
        if name not in DRAGGED_POINT_COUNTS:
            raise unknown("target", name, DRAGGED_POINT_COUNTS)
    return tuple(names) or tuple(usual)


def make_target(pair: Pair, kind: str, seed: int = 0) -> Target:
    """The target of one kind; the same points for the same pair and seed."""
    check_target_names([kind])
    generator = np.random.default_rng([seed, pair.index, 101])
    if kind == "unordered":
        return _make_unordered(pair, generator)
    where = sample_uniform(pair.mesh, TARGET_POINT_COUNT, generator)
    positions = interpolate_corners(pair.target, where)
    if kind == "corresponding":
        return CorrespondingTarget(where, positions)
    index = choose_dragged_points(where.position, positions, DRAGGED_POINT_COUNTS[kind])
    return DragTarget(where.subset(index), positions[index])


def interpolate_corners(corners: Array, where: SurfacePoints) -> Array:
    """Surface points carried by corners [m, 3, 3] of the faces they lie on, [p, 3]."""
    return np.einsum("pk,pkd->pd", where.weights, corners[where.face])


def choose_dragged_points(before: Array, after: Array, count: int) -> Indices:
    """Farthest points among those that move more than half as far as any; indices, [min(count, movers)]."""
    distance = np.linalg.norm(after - before, axis=1)
    movers = np.flatnonzero(distance > MOVING_SHARE * distance.max())
    if len(movers) == 0:  # nothing moves at all
        movers = np.arange(len(before))
    return movers[farthest_points(before[movers], count)]


def _make_unordered(pair: Pair, generator: np.random.Generator) -> UnorderedTarget:
    # A mesh in the input's own order would tell which point is which.
    order = generator.permutation(len(pair.target))
    surface = unweld_corners(pair.target[order], pair.mesh.up)
    samples = sample_uniform(surface, TARGET_POINT_COUNT, generator)
    return UnorderedTarget(samples.position, samples.normal, surface)
