"""Membranes: triangles across closed lines in space that lie in no plane, and membranes beside other surfaces."""

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.components import list_sides

MAX_EXACT_COUNT = 320  # points of a line up to which the least area is sought: its cost grows with their cube


def span_loop(points: Array) -> tuple[Indices, Array]:
    """Triangles [t, 3] across a closed line [p, 3], running as it does, and points that had to be added, [a, 3].

    Short lines get the triangles of least area between their own points, longer ones a fan about their middle.
    """
    if len(points) <= MAX_EXACT_COUNT:
        return find_least_area(points), np.zeros((0, 3))
    following = np.roll(np.arange(len(points)), -1)
    fan = np.stack([np.arange(len(points)), following, np.full(len(points), len(points))], axis=1)
    return fan, find_middle(points)[None]


def find_middle(points: Array) -> Array:
    """The middle of a closed line's length, [3]."""
    following = np.roll(points, -1, axis=0)
    length = np.linalg.norm(following - points, axis=1)
    return np.average(0.5 * (points + following), axis=0, weights=length if length.sum() > 0 else None)


def find_least_area(points: Array) -> Indices:
    """The triangles between the points of a closed line [p, 3] whose areas have the least sum, [p - 2, 3].

    Dynamic programming over spans: cost(i, j) = min over k of cost(i, k) + cost(k, j) + area(i, k, j).
    """
    count = len(points)
    cost, choice = np.zeros((count, count)), np.zeros((count, count), dtype=np.int64)
    for span in range(2, count):
        i = np.arange(count - span)
        k = i[:, None] + np.arange(1, span)
        j = np.broadcast_to(i[:, None] + span, k.shape)
        a = points[i][:, None]
        total = cost[i[:, None], k] + cost[k, j] + _measure_areas(a, points[k], points[j])
        best = total.argmin(axis=1)
        cost[i, i + span] = total[np.arange(len(i)), best]
        choice[i, i + span] = k[np.arange(len(i)), best]
    found, spans = [], [(0, count - 1)]
    while spans:
        first, last = spans.pop()
        if last - first > 1:
            middle = int(choice[first, last])
            found.append((first, middle, last))
            spans += [(first, middle), (middle, last)]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def split_inner_sides(points: Array, faces: Indices, taken: Mask) -> tuple[Indices, Array]:
    """The triangles [t, 3] with inner sides halved that are taken by another surface, and all points with the middles.

    taken: of each directed side, three a face, [3 t]. Two surfaces that meet along a line have no side in common then
    that does not lie on it, so that each edge of both together has two faces.
    """
    triangles = [tuple(map(int, face)) for face in faces]
    sides = [(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)]
    inner = set(sides)
    split = [side for side, bad in zip(sides, taken) if bad and side[0] < side[1] and side[::-1] in inner]
    middles: list[Array] = []
    for a, b in split:
        middle = len(points) + len(middles)
        middles.append(0.5 * (points[a] + points[b]))
        beside = [t for t in triangles if a in t and b in t]
        triangles = [t for t in triangles if t not in beside]
        for t in beside:
            triangles += [tuple(middle if x == b else x for x in t), tuple(middle if x == a else x for x in t)]
    return np.array(triangles, dtype=np.int64).reshape(-1, 3), np.concatenate([points, *([m] for m in middles)])


def span_strip(points: Array, one: Indices, other: Indices) -> Indices:
    """The triangles between two closed lines that run in opposite senses whose areas have the least sum, running as
    both lines do, [t, 3]; the strip begins where the lines come closest.

    one, other: places in points [p, 3]. With c(i, j) the least area up to the i-th point of the one and the j-th of the
    other, c(i, j) = min(c(i - 1, j) + area(i - 1, i, j), c(i, j - 1) + area(i, j, j - 1)).
    """
    other = other[::-1]
    gap = np.linalg.norm(points[one][:, None] - points[other][None], axis=2)
    start = np.unravel_index(gap.argmin(), gap.shape)
    one, other = (np.append(line, line[0]) for line in (np.roll(one, -start[0]), np.roll(other, -start[1])))
    forth = _choose_steps(points[one], points[other])
    found, i, j = [], len(one) - 1, len(other) - 1
    while i or j:
        if forth[i, j]:
            found.append((one[i - 1], one[i], other[j]))
            i -= 1
        else:
            found.append((one[i], other[j], other[j - 1]))
            j -= 1
    return np.array(found, dtype=np.int64)


def _choose_steps(one: Array, other: Array) -> Mask:
    """Whether the best strip between lines [n, 3] and [m, 3] comes to points i and j along the first one, [n, m]."""
    n, m = len(one), len(other)
    cost, forth = np.full((n, m), np.inf), np.zeros((n, m), dtype=bool)
    cost[0, 0] = 0.0
    for total in range(1, n + m - 1):
        i = np.arange(max(0, total - m + 1), min(n, total + 1))
        j = total - i
        along = np.where(i > 0, cost[i - 1, j] + _measure_areas(one[i - 1], one[i], other[j]), np.inf)
        beside = np.where(j > 0, cost[i, j - 1] + _measure_areas(one[i], other[j], other[j - 1]), np.inf)
        cost[i, j], forth[i, j] = np.minimum(along, beside), along <= beside
    return forth


def _measure_areas(a: Array, b: Array, c: Array) -> Array:
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=-1)


def settle_heights(height: Array, faces: Indices, count: int) -> Array:
    """Heights of points [p] of which the first `count` are held and the others lie at the mean of their neighbours."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import spsolve

    free = len(height) - count
    if not free:
        return height
    ends = np.unique(np.concatenate([list_sides(faces), list_sides(faces)[:, ::-1]]), axis=0)
    graph = coo_matrix((np.ones(len(ends)), ends.T), shape=(len(height), len(height))).tocsr()[count:]
    degree = coo_matrix((np.asarray(graph.sum(axis=1)).ravel(), (np.arange(free), np.arange(free)))).tocsc()
    settled = spsolve(degree - graph[:, count:].tocsc(), graph[:, :count] @ height[:count])
    return np.concatenate([height[:count], np.atleast_1d(settled)])
