"""Which bodies should not collide: those a joint connects, and those whose colliders touch at rest or on a joint's way.

A convex hull fills the hollows of its link, so that a drawer's hull lies inside
that of its neighbour; pushed apart, the object would burst at the first step.
And where a door's collider sweeps through its neighbour's, its limit would
never be reached.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurok.files.bodies import LinkBody
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.convex import compute_hull_distance
from neurok.geometry.links import link_motions
from neurok.geometry.rigid import exp_twist

CONTACT_GAP = 1e-4  # of the object's diagonal, below which colliders count as touching
JOINT_STEP_COUNT = 12  # states between the ends of a joint's range
OPEN_SLIDE_RANGE = 0.2  # of the diagonal: how far a slide without limits is tried

Pair = tuple[int, int]


def find_joined_pairs(articulation: Articulation, bodies: Sequence[LinkBody]) -> set[Pair]:
    """Pairs of solid links that one moving joint connects, fixed ones taken together; the smaller index first."""
    group = _find_welded_groups(articulation)
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


def find_touching_pairs(articulation: Articulation, bodies: Sequence[LinkBody]) -> set[Pair]:
    """Pairs of links whose colliders touch at rest, or while one joint goes through its range; smaller index first."""
    return find_overlapping_pairs(articulation, bodies) | find_passing_pairs(articulation, bodies)


def find_overlapping_pairs(articulation: Articulation, bodies: Sequence[LinkBody]) -> set[Pair]:
    """Pairs of links that move against each other, and whose hulls touch at zero joint values; smaller index first."""
    rest = _PlacedHulls.place_at_rest(articulation, bodies)
    found: set[Pair] = set()
    for index in range(len(rest.points)):
        found |= rest.find_touching(index, np.arange(index + 1, len(rest.points)), found)
    return found


def find_passing_pairs(articulation: Articulation, bodies: Sequence[LinkBody]) -> set[Pair]:
    """Pairs of links that touch while one joint goes through its range and all others rest; smaller index first."""
    rest = _PlacedHulls.place_at_rest(articulation, bodies)
    found: set[Pair] = set()
    for motions, moves, together in _sweep_joints(articulation):
        mine, still = np.flatnonzero(moves[rest.owner]), np.flatnonzero(~moves[rest.owner])
        here = rest.move_hulls(motions, mine)
        for place, index in enumerate(mine):
            # What one joint carries moves as one; what several carry may meet among itself.
            others = still if together else np.concatenate([still, mine[place + 1 :]])
            found |= here.find_touching(int(index), others, found)
    return found


def _sweep_joints(articulation: Articulation) -> Iterator[tuple[Array, Mask, bool]]:
    """For each coordinate at steps over its range, the others at zero: the links' motions, [L, 4, 4], which links move,
    [L], and whether they move as one."""
    A, b = articulation.coupling
    for column, d in enumerate(articulation.coordinate_freedoms):
        freedom = articulation.freedoms[d]
        most = np.pi if freedom.turns else OPEN_SLIDE_RANGE * articulation.mesh.diagonal
        lower = freedom.lower if np.isfinite(freedom.lower) else -most
        upper = freedom.upper if np.isfinite(freedom.upper) else most
        for value in np.linspace(lower, upper, JOINT_STEP_COUNT + 1):
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
                yield motions, np.asarray(articulation.path[:, active].any(axis=1)), False


@dataclass(frozen=True)
class _PlacedHulls:
    """The convex pieces of all bodies in the world frame: their points and boxes, the link of each piece, and the
    group of links that it is welded to."""

    points: list[Array]
    lower: Array
    upper: Array
    owner: Indices
    group: Indices
    gap: float

    @staticmethod
    def place_at_rest(articulation: Articulation, bodies: Sequence[LinkBody]) -> "_PlacedHulls":
        gap = CONTACT_GAP * articulation.mesh.diagonal if articulation.mesh.vertex_count else 0.0
        points = [points for body in bodies for points in _place_hulls(body)]
        lower = np.array([each.min(axis=0) for each in points]).reshape(-1, 3) - gap
        upper = np.array([each.max(axis=0) for each in points]).reshape(-1, 3) + gap
        owner = np.array([index for index, body in enumerate(bodies) for _ in body.hulls], dtype=np.int64)
        return _PlacedHulls(
            points, lower, upper, owner, np.array(_find_welded_groups(articulation), dtype=np.int64)[owner], gap
        )

    def move_hulls(self, motions: Array, which: Indices) -> "_PlacedHulls":
        """The pieces after some of them moved with their links, [L, 4, 4]."""
        points, lower, upper = list(self.points), self.lower.copy(), self.upper.copy()
        for index in which:
            T = motions[self.owner[index]]
            points[index] = points[index] @ T[:3, :3].T + T[:3, 3]
            lower[index], upper[index] = points[index].min(axis=0) - self.gap, points[index].max(axis=0) + self.gap
        return replace(self, points=points, lower=lower, upper=upper)

    def find_touching(self, index: int, others: Indices, known: set[Pair]) -> set[Pair]:
        """Pairs of links that touch because one piece touches some of the others; known pairs are not tested again."""
        meet = np.all((self.lower[others] <= self.upper[index]) & (self.lower[index] <= self.upper[others]), axis=1)
        found: set[Pair] = set()
        for other in others[meet & (self.group[others] != self.group[index])]:
            a, b = sorted((int(self.owner[index]), int(self.owner[other])))
            if (a, b) not in found and (a, b) not in known:
                if compute_hull_distance(self.points[index], self.points[other]) <= self.gap:
                    found.add((a, b))
        return found


def _place_hulls(body: LinkBody) -> list[Array]:
    return [hull.vertices @ body.T_world_body[:3, :3].T + body.T_world_body[:3, 3] for hull in body.hulls]


def _find_welded_groups(articulation: Articulation) -> list[int]:
    """The topmost link that each link is fixed to, [L]."""
    group = list(range(len(articulation.links)))
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above >= 0 and articulation.joints[above].kind == "fixed":
            group[link] = group[articulation.joints[above].parent]
    return group
