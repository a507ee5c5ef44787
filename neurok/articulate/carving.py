"""Colliders of links that no joint connects, carved until none lies in another.

Where surfaces themselves lie in each other, or a hollow is too small to be cut free, two colliders would push each
other apart for ever. The larger of two pieces then gives way: it is cut along the planes of a box around the smaller,
which faces the way that is shortest out, and what is inside the box is left out.
"""

from collections.abc import Sequence

import numpy as np

from neurok.files.hulls import compute_convex_hull
from neurok.geometry.arrays import Array
from neurok.geometry.convex import compute_hull_distance, corners_beyond, depth_along_faces
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh

# Set by hand; `python -m benchmarks.check_articulation` must pass with them.
# How deep pieces may lie in each other, of the object's diagonal. After a cut they are half as far apart, and what a
# cut leaves is left out where it is thinner than twice that.
MAX_DEPTH = 0.002
MAX_CARVED_PIECES = 64  # of a link; as many cuts are made between two links at most


def carve_apart(
    colliders: Sequence[Sequence[Mesh]], pairs: Sequence[tuple[int, int]], diagonal: float
) -> list[list[Mesh]]:
    """The convex pieces of each link (all in one frame), after those of the named pairs were carved apart."""
    found = [list(pieces) for pieces in colliders]
    for a, b in pairs:
        for _ in range(MAX_CARVED_PIECES):
            met = _find_deep_pair(found[a], found[b], MAX_DEPTH * diagonal)
            if met is None:
                break
            i, j = met
            if compute_volume(found[a][i]) >= compute_volume(found[b][j]):
                found[a] = _carve_piece(found[a], i, found[b][j], diagonal)
            else:
                found[b] = _carve_piece(found[b], j, found[a][i], diagonal)
    return found


def _find_deep_pair(first: Sequence[Mesh], second: Sequence[Mesh], deep: float) -> tuple[int, int] | None:
    """Two pieces, one of each, that lie deeper in each other than allowed."""
    if not first or not second:
        return None
    boxes = np.array([piece.bounds for piece in second])
    for i, piece in enumerate(first):
        lower, upper = piece.bounds
        near = np.all((boxes[:, 0] < upper - deep) & (boxes[:, 1] > lower + deep), axis=1)
        for j in map(int, np.flatnonzero(near)):
            if overlaps_deeply(piece, second[j], deep):
                return i, j
    return None


def overlaps_deeply(a: Mesh, b: Mesh, deep: float) -> bool:
    """Whether two convex pieces overlap by more than a depth."""
    return depth_along_faces(a, b)[0] > deep and compute_hull_distance(a.vertices, b.vertices) == 0.0


def _carve_piece(pieces: list[Mesh], which: int, hole: Mesh, diagonal: float) -> list[Mesh]:
    """The pieces with one of them cut around a smaller one; the largest where they would become too many."""
    left = cut_around(pieces[which], hole, clear=MAX_DEPTH / 2 * diagonal, sliver=2 * MAX_DEPTH * diagonal)
    kept = pieces[:which] + pieces[which + 1 :] + left
    return sorted(kept, key=compute_volume, reverse=True)[:MAX_CARVED_PIECES]


def cut_around(body: Mesh, hole: Mesh, *, clear: float, sliver: float) -> list[Mesh]:
    """A convex body without a box around a hole, as convex pieces thicker than a sliver.

    clear: how far the pieces stay from the hole. The box faces the way that is shortest out of the body.
    """
    frame = _complete_frame(depth_along_faces(body, hole)[1])
    lower, upper = (hole.vertices @ frame.T).min(axis=0) - clear, (hole.vertices @ frame.T).max(axis=0) + clear
    found: list[Mesh] = []
    rest: Mesh | None = body
    for axis, low, high in zip(frame, lower, upper):
        for normal, level in ((axis, low), (-axis, -high)):
            if rest is not None:
                beyond = _make_hull(corners_beyond(rest, normal, level))
                if beyond is not None and _measure_thickness(beyond) > sliver:
                    found.append(beyond)
                rest = _make_hull(corners_beyond(rest, -normal, -level))
    return found


def _make_hull(corners: Array) -> Mesh | None:
    return compute_convex_hull(corners) if len(corners) >= 4 else None


def _measure_thickness(body: Mesh) -> float:
    """The least extent along a normal of its faces."""
    from neurok.geometry.convex import face_directions

    heights = body.vertices @ face_directions(body).T
    return float(np.ptp(heights, axis=0).min(initial=np.inf))


def _complete_frame(axis: Array) -> Array:
    """An orthonormal frame [3, 3] (rows) whose first axis this is."""
    second = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    second /= np.linalg.norm(second)
    return np.stack([axis, second, np.cross(axis, second)])
