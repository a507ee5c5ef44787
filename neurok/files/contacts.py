"""Which bodies should not collide: those a joint connects, and those whose colliders touch at rest or on a joint's way.

A convex hull fills the hollows of its link, so that a drawer's hull lies inside
that of its neighbour; pushed apart, the object would burst at the first step.
And where a door's collider sweeps through its neighbour's, its limit would
never be reached.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from neurok.files.bodies import Body
from neurok.geometry.articulation import Articulation
from neurok.geometry.convex import distance
from neurok.geometry.links import link_motions
from neurok.geometry.mesh import Array, Indices
from neurok.geometry.rigid import exp_twist

GAP = 1e-4  # of the object's diagonal, below which colliders count as touching
STEPS = 12  # states between the ends of a joint's range
OPEN_SLIDE = 0.2  # of the diagonal: how far a slide without limits is tried

Pair = tuple[int, int]


def joined_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[Pair]:
    """Pairs of solid links that one moving joint connects, fixed ones taken together; the smaller index first."""
    group = _welded(articulation)
    above = {group[joint.child]: group[joint.parent] for joint in articulation.joints if joint.kind != "fixed"}
    members: dict[int, list[int]] = {}
    for index, body in enumerate(bodies):
        if body.hulls:
            members.setdefault(group[index], []).append(index)
    return {
        (min(a, b), max(a, b))
        for lower, upper in above.items()
        for a in members.get(lower, ())
        for b in members.get(upper, ())
    }


def touching_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[Pair]:
    """Pairs of links whose colliders touch at rest, or while one joint goes through its range; smaller index first."""
    return overlapping_pairs(articulation, bodies) | passing_pairs(articulation, bodies)


def overlapping_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[Pair]:
    """Pairs of links that move against each other, and whose hulls touch at zero joint values; smaller index first."""
    pieces = _Pieces(articulation, bodies)
    found: set[Pair] = set()
    for index in range(len(pieces.points)):
        found |= pieces.touching(index, pieces.points[index], np.arange(index + 1, len(pieces.points)), found)
    return found


def passing_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[Pair]:
    """Pairs of links that touch while one joint goes through its range and all others rest; smaller index first."""
    pieces = _Pieces(articulation, bodies)
    found: set[Pair] = set()
    for moved, motions in _ways(articulation):
        mine = moved[pieces.owner]
        still = np.flatnonzero(~mine)
        for index in np.flatnonzero(mine) if len(still) else ():
            T = motions[pieces.owner[index]]
            found |= pieces.touching(int(index), pieces.points[index] @ T[:3, :3].T + T[:3, 3], still, found)
    return found


def _ways(articulation: Articulation) -> Iterator[tuple[Array, Array]]:
    """Which links move, [L], and how, [L, 4, 4], for states along the range of each coordinate, the others at zero."""
    A, b = articulation.coupling
    for column, d in enumerate(articulation.coordinate_freedoms):
        freedom = articulation.freedoms[d]
        most = np.pi if freedom.turns else OPEN_SLIDE * articulation.mesh.diagonal
        ends = [end if np.isfinite(end) else sign * most for end, sign in ((freedom.lower, -1), (freedom.upper, 1))]
        for value in np.linspace(*ends, STEPS + 1):
            theta = A[:, column] * value + b
            active = np.flatnonzero(theta)
            if len(active) == 1:  # all that it carries moves as one
                one = exp_twist(articulation.freedoms[active[0]].screw * theta[active[0]])
                yield articulation.path[:, active[0]], np.broadcast_to(one, (len(articulation.links), 4, 4))
            elif len(active):
                state = np.zeros((1, A.shape[1]))
                state[0, column] = value
                motions = np.empty((len(articulation.links), 4, 4))
                motions[list(articulation.order)] = link_motions(articulation, state)[0]
                yield articulation.path[:, active].any(axis=1), motions


class _Pieces:
    """All convex pieces of all bodies in the world at rest, the link of each, and boxes to rule most pairs out."""

    def __init__(self, articulation: Articulation, bodies: Sequence[Body]) -> None:
        self.gap = GAP * articulation.mesh.diagonal if articulation.mesh.vertex_count else 0.0
        self.points = [points for body in bodies for points in _world(body)]
        self.owner = np.array([index for index, body in enumerate(bodies) for _ in body.hulls], dtype=np.int64)
        self.group = np.array(_welded(articulation), dtype=np.int64)[self.owner]
        self.lower = np.array([points.min(axis=0) for points in self.points]).reshape(-1, 3) - self.gap
        self.upper = np.array([points.max(axis=0) for points in self.points]).reshape(-1, 3) + self.gap

    def touching(self, index: int, points: Array, others: Indices, known: set[Pair]) -> set[Pair]:
        """Pairs of links whose pieces touch: one piece, its corners where they are now, and others that rest."""
        lower, upper = points.min(axis=0), points.max(axis=0)
        meet = np.all((self.lower[others] <= upper) & (lower <= self.upper[others]), axis=1)
        found: set[Pair] = set()
        for other in others[meet & (self.group[others] != self.group[index])]:
            a, b = sorted((int(self.owner[index]), int(self.owner[other])))
            if (a, b) not in found and (a, b) not in known and distance(points, self.points[other]) <= self.gap:
                found.add((a, b))
        return found


def _world(body: Body) -> list[Array]:
    return [hull.vertices @ body.T_world_body[:3, :3].T + body.T_world_body[:3, 3] for hull in body.hulls]


def _welded(articulation: Articulation) -> list[int]:
    """The topmost link that each link is fixed to, [L]."""
    group = list(range(len(articulation.links)))
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above >= 0 and articulation.joints[above].kind == "fixed":
            group[link] = group[articulation.joints[above].parent]
    return group
