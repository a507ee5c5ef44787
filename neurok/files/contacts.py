"""Which bodies should not collide: those a joint connects, and those whose hulls overlap from the start.

A convex hull fills the hollows of its link, so that a drawer's hull lies inside
that of its neighbour; pushed apart, the object would burst at the first step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.files.bodies import Body
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Array

GAP = 1e-4  # of the object's diagonal, below which hulls count as touching


def joined_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[tuple[int, int]]:
    """Pairs of solid links that one moving joint connects, fixed ones taken together; the smaller index first."""
    group = _welded(articulation)
    above = {group[joint.child]: group[joint.parent] for joint in articulation.joints if joint.kind != "fixed"}
    solid = [index for index, body in enumerate(bodies) if body.hulls]
    return {
        (a, b)
        for place, a in enumerate(solid)
        for b in solid[place + 1 :]
        if above.get(group[a]) == group[b] or above.get(group[b]) == group[a]
    }


def overlapping_pairs(articulation: Articulation, bodies: Sequence[Body]) -> set[tuple[int, int]]:
    """Pairs of links that move against each other, and whose hulls touch at zero joint values; smaller index first."""
    solid = [index for index, body in enumerate(bodies) if body.hulls]
    if not solid:
        return set()
    gap = GAP * articulation.mesh.diagonal
    pieces = {index: [_Hull.of(points, gap) for points in _world(bodies[index])] for index in solid}
    group = _welded(articulation)
    pairs = set()
    for place, a in enumerate(solid):
        for b in solid[place + 1 :]:
            if group[a] != group[b] and any(p.touches(q, gap) for p in pieces[a] for q in pieces[b]):
                pairs.add((a, b))
    return pairs


@dataclass(frozen=True)
class _Hull:
    """The corners of a convex piece in the world, and of a box a little larger."""

    points: Array
    lower: Array
    upper: Array

    @staticmethod
    def of(points: Array, gap: float) -> "_Hull":
        return _Hull(points, points.min(axis=0) - gap, points.max(axis=0) + gap)

    def touches(self, other: "_Hull", gap: float) -> bool:
        near = np.all(self.lower <= other.upper) and np.all(other.lower <= self.upper)
        return bool(near) and not _apart(self.points, other.points, gap)


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


def _apart(a: Array, b: Array, gap: float) -> bool:
    """Whether a plane separates two convex sets of points by more than a gap: the widest margin is a linear program.

    maximise m  subject to  n.a - d >= m for all a,  d - n.b >= m for all b,  |n_i| <= 1.
    """
    from scipy.optimize import linprog

    ones_a, ones_b = np.ones((len(a), 1)), np.ones((len(b), 1))
    above = np.hstack([-a, ones_a, ones_a])
    below = np.hstack([b, -ones_b, ones_b])
    bounds = [(-1, 1)] * 3 + [(None, None), (None, None)]
    found = linprog([0, 0, 0, 0, -1], np.vstack([above, below]), np.zeros(len(a) + len(b)), bounds=bounds)
    if not found.success:
        return False
    normal, margin = found.x[:3], found.x[4]
    return bool(2 * margin > gap * np.linalg.norm(normal))
