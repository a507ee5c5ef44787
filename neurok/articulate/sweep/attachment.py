"""Whether a part stays near what it touched at rest.

A part is attached where some point of it lies within a distance of the surface of something that it touched at rest and
that does not move with it: the rail under a slide, the pin in a hinge. It is attached too where its box still reaches
into the box of such a thing by more than that distance: a drawer in its case, with room around it. Where a turn's axis
passes by the part and by something that it touched at rest, at the same place and within five such distances of both,
the part rides on a pin there and stays on it: a thick door on hinges that are not modelled.
"""

from dataclasses import dataclass

import numpy as np

from neurok.articulate.sweep.surfaces import SweptSurface
from neurok.geometry.arrays import Array, Mask
from neurok.geometry.rigid import inverse


@dataclass(frozen=True)
class Contact:
    """Two bodies that touch at rest, their gap, and some points of either that lie at the other, [a, 3] and [b, 3]."""

    part: int
    other: int
    gap: float
    part_points: Array
    other_points: Array


def find_touching(surfaces: list[SweptSurface | None], part: set[int], tolerance: float) -> list[Contact]:
    """Where the bodies of a part touch bodies outside it at rest: within a tolerance."""
    found = []
    for one in sorted(part):
        for other in range(len(surfaces)):
            mine, theirs = surfaces[one], surfaces[other]
            if other in part or mine is None or theirs is None or not _are_near(mine.box, theirs.box, tolerance):
                continue
            there = theirs.measure_distances(mine.vertices, tolerance)[0]
            back = mine.measure_distances(theirs.vertices, tolerance)[0]
            gap = min(there.min(), back.min())
            if np.isfinite(gap):
                near = mine.vertices[np.isfinite(there)], theirs.vertices[np.isfinite(back)]
                few = (points[:: max(1, len(points) // 64)] for points in near)
                found.append(Contact(one, other, float(gap), *few))
    return found


def _are_near(first: Array, second: Array, reach: float) -> bool:
    """Whether two boxes [2, 3] come within reach of each other."""
    return bool(np.all(first[0] <= second[1] + reach) and np.all(second[0] <= first[1] + reach))


def has_pin(
    surfaces: list[SweptSurface | None], contacts: list[Contact], point: Array, axis: Array, tolerance: float
) -> bool:
    """Whether an axis has a place within five tolerances of a part and of something that the part touches at rest."""
    places = point + np.arange(-1.5, 1.5, 0.5 * tolerance)[:, None] * axis

    def near(bodies: set[int]) -> Mask:
        found = [surface for body in bodies if (surface := surfaces[body]) is not None]
        return np.any([np.isfinite(each.measure_distances(places, 5 * tolerance)[0]) for each in found], axis=0)

    mine, theirs = {each.part for each in contacts}, {each.other for each in contacts}
    return bool(np.any(near(mine) & near(theirs)))


def find_detached(
    surfaces: list[SweptSurface | None], contacts: list[Contact], motions: Array, tolerance: float
) -> int | None:
    """The first step at which no body of a part is near anything that it touched; motions: of all bodies, [k, L, ...].

    Near: within the tolerance beyond the gap at rest.
    """
    for step in range(1, len(motions)):
        if not any(_stays_near(surfaces, each, motions[step], each.gap + tolerance) for each in contacts):
            return step
    return None


def _stays_near(surfaces: list[SweptSurface | None], contact: Contact, motion: Array, reach: float) -> bool:
    """Whether two bodies are still within reach of each other; where they touched at rest is looked at first."""
    mine, theirs = surfaces[contact.part], surfaces[contact.other]
    if mine is None or theirs is None:
        return False
    T = inverse(motion[contact.other]) @ motion[contact.part]
    back = inverse(T)
    placed = mine.vertices @ T[:3, :3].T + T[:3, 3]
    if _are_near(np.stack([placed.min(axis=0), placed.max(axis=0)]), theirs.box, -reach):
        return True
    views = (
        (theirs, contact.part_points, T), (mine, contact.other_points, back),
        (theirs, mine.vertices, T), (mine, theirs.vertices, back),
    )  # fmt: skip
    for surface, points, move in views:
        if np.isfinite(surface.measure_distances(points @ move[:3, :3].T + move[:3, 3], reach)[0]).any():
            return True
    return False
