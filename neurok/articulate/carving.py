"""Colliders of links that no joint connects, carved until none lies in another.

Where surfaces themselves lie in each other, or a hollow is too small to be cut free, two colliders would push each
other apart for ever. The larger of two pieces then gives way: it is cut along the planes of a box around the smaller,
which faces the way that is shortest out, and what is inside the box is left out.
"""

from collections.abc import Sequence

import numpy as np

from neurok.files.hulls import convex_hull
from neurok.geometry.arrays import Array
from neurok.geometry.convex import corners_beyond, depth_along_faces, distance
from neurok.geometry.measure import volume
from neurok.geometry.mesh import Mesh

# Shares of the object's diagonal.
DEEP = 0.002  # how deep pieces may lie in each other
CLEAR = 0.001  # how far they are apart after a cut
SLIVER = 0.004  # thickness below which what a cut leaves is left out
MOST_PIECES = 64  # of a link
ROUNDS = 400  # cuts between two links, after which the smaller pieces are given up


def carve_apart(
    colliders: Sequence[Sequence[Mesh]], pairs: Sequence[tuple[int, int]], diagonal: float
) -> list[list[Mesh]]:
    """The convex pieces of each link (all in one frame), after those of the named pairs were carved apart."""
    found = [list(pieces) for pieces in colliders]
    for a, b in pairs:
        for _ in range(ROUNDS):
            met = _deep_pair(found[a], found[b], DEEP * diagonal)
            if met is None:
                break
            i, j = met
            if volume(found[a][i]) >= volume(found[b][j]):
                found[a] = _carved(found[a], i, found[b][j], diagonal)
            else:
                found[b] = _carved(found[b], j, found[a][i], diagonal)
    return found


def _deep_pair(first: Sequence[Mesh], second: Sequence[Mesh], deep: float) -> tuple[int, int] | None:
    """Two pieces, one of each, that lie deeper in each other than allowed."""
    if not first or not second:
        return None
    boxes = np.array([piece.bounds for piece in second])
    for i, piece in enumerate(first):
        lower, upper = piece.bounds
        for j in np.flatnonzero(np.all((boxes[:, 0] < upper - deep) & (boxes[:, 1] > lower + deep), axis=1)):
            if overlaps_deeply(piece, second[j], deep):
                return i, int(j)
    return None


def overlaps_deeply(a: Mesh, b: Mesh, deep: float) -> bool:
    """Whether two convex pieces overlap by more than a depth."""
    return depth_along_faces(a, b)[0] > deep and distance(a.vertices, b.vertices) == 0.0


def _carved(pieces: list[Mesh], which: int, hole: Mesh, diagonal: float) -> list[Mesh]:
    """The pieces with one of them cut around a smaller one; the largest where they would become too many."""
    left = cut_around(pieces[which], hole, clear=CLEAR * diagonal, sliver=SLIVER * diagonal)
    kept = pieces[:which] + pieces[which + 1 :] + left
    return sorted(kept, key=volume, reverse=True)[:MOST_PIECES]


def cut_around(body: Mesh, hole: Mesh, *, clear: float, sliver: float) -> list[Mesh]:
    """A convex body without a box around a hole, as convex pieces thicker than a sliver.

    clear: how far the pieces stay from the hole. The box faces the way that is shortest out of the body.
    """
    frame = _frame(depth_along_faces(body, hole)[1])
    lower, upper = (hole.vertices @ frame.T).min(axis=0) - clear, (hole.vertices @ frame.T).max(axis=0) + clear
    found: list[Mesh] = []
    rest: Mesh | None = body
    for axis, low, high in zip(frame, lower, upper):
        for normal, level in ((axis, low), (-axis, -high)):
            if rest is not None:
                beyond = _solid(corners_beyond(rest, normal, level))
                if beyond is not None and _thickness(beyond) > sliver:
                    found.append(beyond)
                rest = _solid(corners_beyond(rest, -normal, -level))
    return found


def _solid(corners: Array) -> Mesh | None:
    return convex_hull(corners) if len(corners) >= 4 else None


def _thickness(body: Mesh) -> float:
    """The least extent along a normal of its faces."""
    from neurok.geometry.convex import face_directions

    heights = body.vertices @ face_directions(body).T
    return float(np.ptp(heights, axis=0).min(initial=np.inf))


def _frame(axis: Array) -> Array:
    """An orthonormal frame [3, 3] (rows) whose first axis this is."""
    second = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    second /= np.linalg.norm(second)
    return np.stack([axis, second, np.cross(axis, second)])
