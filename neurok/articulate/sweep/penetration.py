"""How deep one surface is driven through another along a motion."""

from weakref import WeakKeyDictionary

import numpy as np

from neurok.articulate.sweep.surfaces import SweptSurface
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.rigid import inverse
from neurok.geometry.triangles import unit_or_zero

# Of two surfaces at rest, for as long as both are there.
_RETREATS: WeakKeyDictionary[SweptSurface, WeakKeyDictionary[SweptSurface, tuple[Array, Mask]]] = WeakKeyDictionary()


def measure_depths(first: SweptSurface, second: SweptSurface, motions: Array, tolerance: float) -> Array:
    """How deep two surfaces penetrate at each step of a motion of the first against the second, [k].

    motions: from rest on, [k, 4, 4], the first of them the identity. Each one's points are followed through the other:
    a thin pin may pass between the points of a plate.
    """
    there = sweep_points(first, second, motions, tolerance)
    return np.maximum(there, sweep_points(second, first, inverse(motions), tolerance))


def sweep_points(
    moved: SweptSurface, still: SweptSurface, motions: Array, tolerance: float, *, share: float = 0.01
) -> Array:
    """How deep a share of the moved surface's points, and three at least, have gone through the other, [k].

    The share leaves out rims that lie in each other's planes, where a few points graze an edge.
    """
    reach, least = 5 * tolerance, max(3, int(share * len(moved.points)))
    depth = np.zeros(len(motions))
    points = moved.points
    ways = _place_points(motions, points)
    met = np.flatnonzero(still.find_near(ways, reach).any(axis=0))
    if not len(met):
        return depth
    start, eligible = _remember_retreat(moved, still, 0.5 * tolerance)
    met = met[eligible[met]]
    start = start[met]
    if len(met) < least:
        return depth
    path, true = _place_points(motions, start), ways[:, met]
    crosses = still.find_crossed(path[:-1].reshape(-1, 3), path[1:].reshape(-1, 3)).reshape(-1, len(met))
    step, point = np.nonzero(crosses)
    ends = path[step, point], path[step + 1, point]
    crosses[step, point] = find_square(still, *ends, 0.5 * tolerance)
    step, point = np.nonzero(crosses)
    ends = path[step, point], path[step + 1, point]
    crosses[step, point] = ~find_straddled(moved, 0.5 * (ends[0] + ends[1]), ends[1] - ends[0], reach)
    beyond = np.zeros(path.shape[:2], dtype=bool)  # has crossed before or at each step
    beyond[1:] = np.logical_or.accumulate(crosses, axis=0)
    distance = np.zeros(beyond.shape)
    distance[beyond] = np.minimum(still.measure_distances(true[beyond], reach)[0], reach)
    return np.partition(distance, -least, axis=1)[:, -least]


def _remember_retreat(moved: SweptSurface, still: SweptSurface, clearance: float) -> tuple[Array, Mask]:
    """`retreat_points` of all points, which is worked out once for two surfaces."""
    known = _RETREATS.setdefault(moved, WeakKeyDictionary())
    if still not in known:
        known[still] = retreat_points(moved, still, np.arange(len(moved.points)), clearance)
    return known[still]


def retreat_points(moved: SweptSurface, still: SweptSurface, chosen: Indices, clearance: float) -> tuple[Array, Mask]:
    """Points at a clearance from a surface that they touch, [n, 3], and which of them can say anything, [n].

    A point that slides along what it touches would cross it back and forth by its noise. A point inside a closed piece
    overlaps at rest, and may stay so or leave; one that lies on a surface without saying on which side is left aside.
    """
    points = moved.points[chosen]
    distance, foot, face = still.measure_distances(points, clearance)
    eligible, start = ~still.contains(points), points.copy()
    close = np.flatnonzero(np.isfinite(distance))
    foot, face, distance = foot[close], face[close], distance[close]
    apart = (points[close] - foot) / np.maximum(distance, 1e-12)[:, None]
    outward = still.normals[face] * still.outward[face, None]
    inside = np.einsum("na,na->n", apart, outward) < 0.0
    side, faces_it = _choose_sides(moved, still, chosen[close], face)
    flush = distance < 0.1 * clearance
    away = np.where((flush | (inside & faces_it))[:, None], side, apart)
    start[close] = foot + clearance * away
    blocked = still.find_crossed(foot + 0.1 * clearance * away, start[close])
    known = np.where(still.outward[face] != 0, ~inside | faces_it, eligible[close])
    eligible[close] = (np.linalg.norm(away, axis=1) > 0) & ~blocked & (flush | known)
    return start, eligible


def _choose_sides(moved: SweptSurface, still: SweptSurface, chosen: Indices, face: Indices) -> tuple[Array, Mask]:
    """The side of a surface on which points in it belong, [n, 3], zero if nothing says so; and which face it, [n].

    A point of a closed piece faces another one where their normals oppose each other: there they touch from outside.
    Where one piece is open, it is out of the closed one that is touched, or into the closed one that the point is of.
    """
    mine, theirs = moved.outward[moved.point_face[chosen]], still.outward[face]
    facing = -np.einsum("na,na->n", moved.normals[moved.point_face[chosen]], still.normals[face])
    into = np.where(np.abs(facing) > 0.5, np.sign(facing) * mine, 0.0)
    sense = np.where(theirs == 0, into, np.where((mine == 0) | (into == theirs), theirs, 0.0))
    return still.normals[face] * sense[:, None], (mine != 0) & (into == theirs)


def find_square(surface: SweptSurface, start: Array, end: Array, clearance: float) -> Mask:
    """The ways that cross a surface also when they are shifted aside by a clearance, each of four ways, [n].

    Those that do not, pass its rim or graze it: faces that lie in one plane cross each other's rims by rounding alone.
    """
    unit = unit_or_zero(end - start)
    aside = unit_or_zero(np.cross(unit, np.eye(3)[np.argmin(np.abs(unit), axis=1)]))
    square = np.ones(len(start), dtype=bool)
    for shift in (aside, -aside, np.cross(unit, aside), -np.cross(unit, aside)):
        # Longer by as much again: a slanted face is met earlier or later.
        first, last = start + clearance * (shift - 2 * unit), end + clearance * (shift + 2 * unit)
        square &= surface.find_crossed(first, last)
    return square


def find_straddled(surface: SweptSurface, places: Array, ways: Array, reach: float, *, pieces: int = 5) -> Mask:
    """The places that lie between two faces of a surface at rest, both within reach along a way, [n].

    What is crossed there, lay in the part already: a board of a drawer that overlaps its case and leaves it.
    """
    unit = unit_or_zero(ways)
    between = np.ones(len(places), dtype=bool)
    for sign in (1.0, -1.0):
        marks = places[:, None] + sign * reach * np.linspace(0.0, 1.0, pieces + 1)[:, None] * unit[:, None]
        met = surface.find_crossed(marks[:, :-1].reshape(-1, 3), marks[:, 1:].reshape(-1, 3))
        between &= met.reshape(-1, pieces).any(axis=1)
    return between


def _place_points(motions: Array, points: Array) -> Array:
    """Points [n, 3] under every motion [k, 4, 4], [k, n, 3]."""
    return np.einsum("kab,nb->kna", motions[:, :3, :3], points) + motions[:, None, :3, 3]
