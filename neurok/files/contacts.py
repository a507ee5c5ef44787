"""Which bodies should not collide: those a joint connects, and those whose colliders touch at rest or on a joint's way.

A convex hull fills the hollows of its link, so that a drawer's hull lies inside
that of its neighbour; pushed apart, the object would burst at the first step.
And where a door's collider sweeps through its neighbour's, its limit would
never be reached.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurok.files.bodies import Body
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.convex import compute_hull_distance
from neurok.geometry.links import link_motions
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
    rest = _Pieces.at_rest(articulation, bodies)
    found: set[Pair] = set()
    for index in range(len(rest.points)):
        found |= rest.touching(index, np.arange(index + 1, len(rest.points)), found)
    return found


def passing_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[Pair]:
    """Pairs of links that touch while one joint goes through its range and all others rest; smaller index first."""
    rest = _Pieces.at_rest(articulation, bodies)
    found: set[Pair] = set()
    for motions, moves, together in _ways(articulation):
        mine, still = np.flatnonzero(moves[rest.owner]), np.flatnonzero(~moves[rest.owner])
        here = rest.moved(motions, mine)
        for place, index in enumerate(mine):
            # What one joint carries moves as one; what several carry may meet among itself.
            others = still if together else np.concatenate([still, mine[place + 1 :]])
            found |= here.touching(int(index), others, found)
    return found


def _ways(articulation: Articulation) -> Iterator[tuple[Array, Array, bool]]:
    """How links move, [L, 4, 4], which do, [L], and whether as one; along each coordinate's range, others at zero."""
    A, b = articulation.coupling
    for column, d in enumerate(articulation.coordinate_freedoms):
        freedom = articulation.freedoms[d]
        most = np.pi if freedom.turns else OPEN_SLIDE * articulation.mesh.diagonal
        ends = [end if np.isfinite(end) else sign * most for end, sign in ((freedom.lower, -1), (freedom.upper, 1))]
        for value in np.linspace(*ends, STEPS + 1):
            theta = A[:, column] * value + b
            active = np.flatnonzero(theta)
            if len(active) == 1:  # quick, where joints are many
                one = exp_twist(articulation.freedoms[active[0]].screw * theta[active[0]])
                yield np.broadcast_to(one, (len(articulation.links), 4, 4)), articulation.path[:, active[0]], True
            elif len(active):
                state = np.zeros((1, A.shape[1]))
                state[0, column] = value
                motions = np.empty((len(articulation.links), 4, 4))
                motions[list(articulation.order)] = link_motions(articulation, state)[0]
                yield motions, articulation.path[:, active].any(axis=1), False


@dataclass(frozen=True)
class _Pieces:
    """All convex pieces of all bodies in the world, their boxes, the link of each, and what that is welded to."""

    points: list[Array]
    lower: Array
    upper: Array
    owner: Indices
    group: Indices
    gap: float

    @staticmethod
    def at_rest(articulation: Articulation, bodies: Sequence[Body]) -> "_Pieces":
        gap = GAP * articulation.mesh.diagonal if articulation.mesh.vertex_count else 0.0
        points = [points for body in bodies for points in _world(body)]
        lower = np.array([each.min(axis=0) for each in points]).reshape(-1, 3) - gap
        upper = np.array([each.max(axis=0) for each in points]).reshape(-1, 3) + gap
        owner = np.array([index for index, body in enumerate(bodies) for _ in body.hulls], dtype=np.int64)
        return _Pieces(points, lower, upper, owner, np.array(_welded(articulation), dtype=np.int64)[owner], gap)

    def moved(self, motions: Array, which: Indices) -> "_Pieces":
        """After some pieces went with their links' motions, [L, 4, 4]."""
        points, lower, upper = list(self.points), self.lower.copy(), self.upper.copy()
        for index in which:
            T = motions[self.owner[index]]
            points[index] = points[index] @ T[:3, :3].T + T[:3, 3]
            lower[index], upper[index] = points[index].min(axis=0) - self.gap, points[index].max(axis=0) + self.gap
        return replace(self, points=points, lower=lower, upper=upper)

    def touching(self, index: int, others: Indices, known: set[Pair]) -> set[Pair]:
        """Pairs of links whose pieces touch, of one piece and others; those that are known are not looked at."""
        meet = np.all((self.lower[others] <= self.upper[index]) & (self.lower[index] <= self.upper[others]), axis=1)
        found: set[Pair] = set()
        for other in others[meet & (self.group[others] != self.group[index])]:
            a, b = sorted((int(self.owner[index]), int(self.owner[other])))
            if (a, b) not in found and (a, b) not in known:
                if compute_hull_distance(self.points[index], self.points[other]) <= self.gap:
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
