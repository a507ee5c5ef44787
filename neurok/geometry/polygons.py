"""Polygons in the plane, with holes: cut into triangles whose corners are all of the outlines' points, and no others.

Points on straight stretches stay corners, so that a surface along the outline closes without gaps.
"""

import heapq
from collections.abc import Sequence

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask

CHUNK = 512  # sides at a time, so that memory does not grow with their square


def measure_signed_area(points: Array) -> float:
    """The area of a closed line of points [p, 2]; positive where it runs counter-clockwise."""
    x, y = (points - points[:1]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def contains_point(points: Array, place: Array) -> bool:
    """Whether a closed line of points [p, 2] runs around a place [2]."""
    one, other = points, np.roll(points, -1, axis=0)
    spans = (one[:, 1] > place[1]) != (other[:, 1] > place[1])
    a, b = one[spans], other[spans]
    at = a[:, 0] + (place[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(at > place[0]) % 2)


def crosses_itself(points: Array, loops: Sequence[Indices]) -> bool:
    """Whether two sides of closed lines cross or touch elsewhere than at a common corner. points: [p, 2]."""
    sides = list_loop_sides(loops)
    for start in range(0, len(sides), CHUNK):
        if find_crossings(points, sides[start : start + CHUNK], sides).any():
            return True
    return False


def list_loop_sides(loops: Sequence[Indices]) -> Indices:
    """The sides of closed lines, [s, 2]."""
    return np.concatenate([np.stack([loop, np.roll(loop, -1)], axis=1) for loop in loops])


def find_crossings(points: Array, some: Indices, others: Indices) -> Mask:
    """Which segments [a, 2] meet which others [b, 2] elsewhere than at a common end, [a, b]. points: [p, 2]."""
    p, q, r, s = (points[ends] for ends in (some[:, :1], some[:, 1:], others[None, :, 0], others[None, :, 1]))
    first, second = _turn(p, q, r), _turn(p, q, s)
    third, fourth = _turn(r, s, p), _turn(r, s, q)
    apart = np.all(some[:, :, None, None] != others.T[None, None], axis=(1, 2))
    boxes = np.all((np.minimum(p, q) <= np.maximum(r, s)) & (np.minimum(r, s) <= np.maximum(p, q)), axis=-1)
    return apart & boxes & (first * second <= 0) & (third * fourth <= 0)


def triangulate_polygon(points: Array, loops: Sequence[Indices]) -> Indices | None:
    """Triangles of a polygon, counter-clockwise, [t, 3]; None where its lines cross.

    points: [p, 2]. loops: the outline, then the outlines of holes; their sense of rotation does not matter.
    """
    turned = [_turn_loop(points, loop, hole=number > 0) for number, loop in enumerate(loops)]
    if crosses_itself(points, turned):
        return None
    ring = _bridge_holes(points, turned)
    return None if ring is None else flip_sides(points, clip_ears(points, ring))


def _turn(a: Array, b: Array, c: Array) -> Array:
    """Twice the area of triangles, positive where they run counter-clockwise; [..., 2] -> [...]."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def _turn_loop(points: Array, loop: Indices, *, hole: bool) -> Indices:
    return loop if (measure_signed_area(points[loop]) > 0) != hole else loop[::-1]


# ---------------------------------------------------------------- holes


def _bridge_holes(points: Array, loops: Sequence[Indices]) -> Indices | None:
    """One closed line that goes into every hole and back along a short bridge; None where no bridge is free."""
    ring, sides = loops[0], list_loop_sides(loops)
    waiting = list(loops[1:])
    while waiting:
        gaps = [_measure_gap(points[hole], points[ring]) for hole in waiting]
        hole = waiting.pop(int(np.argmin(gaps)))
        bridge = _find_bridge(points, ring, hole, sides)
        if bridge is None:
            return None
        at, into = bridge
        sides = np.concatenate([sides, [[ring[at], hole[into]]]])
        ring = np.concatenate([ring[: at + 1], np.roll(hole, -into), hole[into : into + 1], ring[at:]])
    return ring


def _measure_gap(one: Array, other: Array) -> float:
    from scipy.spatial import cKDTree

    return float(cKDTree(other).query(one)[0].min())


def _find_bridge(points: Array, ring: Indices, hole: Indices, sides: Indices) -> tuple[int, int] | None:
    """The places in the ring and in the hole whose connection is the shortest that meets no side."""
    apart = np.linalg.norm(points[ring][:, None] - points[hole][None], axis=2)
    before, after = points[np.roll(ring, 1)], points[np.roll(ring, -1)]
    for pair in np.argsort(apart, axis=None, kind="stable"):
        at, into = divmod(int(pair), len(hole))
        here, there = points[ring[at]], points[hole[into]]
        if not _opens_towards(before[at], here, after[at], there):
            continue
        if not find_crossings(points, np.array([[ring[at], hole[into]]]), sides).any():
            return at, into
    return None


def _opens_towards(before: Array, here: Array, after: Array, there: Array) -> bool:
    """Whether a corner of a counter-clockwise line sees a place on its inner side."""
    left, right = _turn(before, here, there) > 0, _turn(here, after, there) > 0
    return bool(left and right) if _turn(before, here, after) > 0 else bool(left or right)


# ---------------------------------------------------------------- ears


def clip_ears(points: Array, ring: Indices) -> Indices:
    """Triangles of a counter-clockwise line [r] that may pass a point twice, [r - 2, 3]; short diagonals first."""
    place = points[ring]
    before, after = np.roll(np.arange(len(ring)), 1), np.roll(np.arange(len(ring)), -1)
    alive = np.ones(len(ring), dtype=bool)
    hollow = _turn(place[before], place, place[after]) <= 0

    def rank(corner: int) -> tuple[float, int]:
        return float(np.sum((place[after[corner]] - place[before[corner]]) ** 2)), corner

    queue, blocked = [rank(corner) for corner in range(len(ring))], list[int]()
    heapq.heapify(queue)
    found, clipped = list[tuple[int, int, int]](), False
    while len(found) < len(ring) - 2:
        if not queue and clipped:  # what was in the way may be gone
            queue, blocked, clipped = [rank(corner) for corner in blocked], [], False
            heapq.heapify(queue)
            continue
        if queue:
            length, corner = heapq.heappop(queue)
            if hollow[corner] or not alive[corner] or (length, corner) != rank(corner):
                continue
            if _is_blocked(place, ring, (before[corner], corner, after[corner]), hollow & alive):
                blocked.append(corner)
                continue
        else:
            corner = _choose_forced(place, before, after, alive)
        a, c = int(before[corner]), int(after[corner])
        found.append((int(ring[a]), int(ring[corner]), int(ring[c])))
        alive[corner], clipped = False, True
        after[a], before[c] = c, a
        for each in (a, c):
            hollow[each] = _turn(place[before[each]], place[each], place[after[each]]) <= 0
            heapq.heappush(queue, rank(each))
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _is_blocked(place: Array, ring: Indices, corners: tuple[int, int, int], hollow: Mask) -> bool:
    """Whether a hollow corner of the line lies in a triangle of three others, or on its sides."""
    a, b, c = (place[each] for each in corners)
    others = np.flatnonzero(hollow)
    others = others[~np.isin(ring[others], ring[list(corners)])]
    x = place[others]
    return bool(np.any((_turn(a, b, x) >= 0) & (_turn(b, c, x) >= 0) & (_turn(c, a, x) >= 0)))


def _choose_forced(place: Array, before: Indices, after: Indices, alive: Mask) -> int:
    """The corner that juts out most, where rounding leaves no proper ear."""
    left = np.flatnonzero(alive)
    return int(left[np.argmax(_turn(place[before[left]], place[left], place[after[left]]))])


# ---------------------------------------------------------------- flips


def flip_sides(points: Array, triangles: Indices) -> Indices:
    """The triangles with inner sides flipped until no triangle's circle holds the point across a side, [t, 3]."""
    corners = [tuple(map(int, triangle)) for triangle in triangles]
    sides: dict[tuple[int, int], int] = {}
    for number, (a, b, c) in enumerate(corners):
        sides |= {(a, b): number, (b, c): number, (c, a): number}
    queue = [side for side in sides if side[0] < side[1] and side[::-1] in sides]
    for _ in range(len(triangles) ** 2 + len(queue)):
        if not queue:
            break
        a, b = queue.pop()
        if (a, b) not in sides or (b, a) not in sides:
            continue
        one, other = sides[a, b], sides[b, a]
        c, d = _find_tip(corners[one], a, b), _find_tip(corners[other], b, a)
        if (c, d) in sides or (d, c) in sides or not _should_flip(points, a, b, c, d):
            continue
        del sides[a, b], sides[b, a]
        corners[one], corners[other] = (a, d, c), (d, b, c)
        sides |= {(a, d): one, (d, c): one, (c, a): one, (d, b): other, (b, c): other, (c, d): other}
        queue += [(a, d), (d, b), (b, c), (c, a)]
    return np.array(corners, dtype=np.int64).reshape(-1, 3)


def _find_tip(triangle: tuple[int, ...], a: int, b: int) -> int:
    return next(corner for corner in triangle if corner not in (a, b))


def _should_flip(points: Array, a: int, b: int, c: int, d: int) -> bool:
    """Whether d lies within the circle of a, b, c, and the quadrilateral a d b c is convex."""
    p = points[[a, b, c]] - points[d]
    lifted = np.column_stack([p, np.sum(p**2, axis=1)])
    scale = float(np.abs(p).max()) ** 4
    convex = _turn(points[a], points[d], points[c]) > 0 and _turn(points[d], points[b], points[c]) > 0
    return bool(convex and np.linalg.det(lifted) > 1e-10 * scale)


# ---------------------------------------------------------------- inner points


def add_inner_points(points: Array, triangles: Indices, spacing: float) -> tuple[Array, Indices]:
    """The points [p, 2] with more of them within the triangles, about a spacing from each other and from the outline,
    and triangles between them all."""
    from scipy.spatial import cKDTree

    places = _list_grid(points, spacing)
    places = places[cKDTree(_list_stops(points, triangles, 0.5 * spacing)).query(places)[0] > 0.5 * spacing]
    corners, added = [tuple(map(int, triangle)) for triangle in triangles], list[Array]()
    for place in places:
        a, b, c = np.moveaxis(points[np.array(corners)] if not added else np.stack([*points, *added])[corners], 1, 0)
        inside = (_turn(a, b, place) > 0) & (_turn(b, c, place) > 0) & (_turn(c, a, place) > 0)
        if not inside.any():
            continue
        here, new = int(np.argmax(inside)), len(points) + len(added)
        i, j, k = corners[here]
        corners[here] = (i, j, new)
        corners += [(j, k, new), (k, i, new)]
        added.append(place)
    every = np.concatenate([points, *(place[None] for place in added)])
    return every, flip_sides(every, np.array(corners, dtype=np.int64))


def _list_grid(points: Array, spacing: float) -> Array:
    """Points of a triangular grid over the box of others [p, 2], in a fixed order, [g, 2]."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    step = np.array([spacing, spacing * np.sqrt(0.75)])
    columns, rows = np.ceil((upper - lower) / step).astype(int)
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    return lower + step * np.stack([x.ravel() + 0.5 * (y.ravel() % 2), y.ravel() + 0.5], axis=1)


def _list_stops(points: Array, triangles: Indices, spacing: float) -> Array:
    """Points along the outline of triangles, at most a spacing apart, [s, 2]."""
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    known = set(map(tuple, sides.tolist()))
    outer = np.array([side for side in sides.tolist() if (side[1], side[0]) not in known])
    a, b = points[outer[:, 0]], points[outer[:, 1]]
    count = np.ceil(np.linalg.norm(b - a, axis=1) / spacing).astype(int).clip(1)
    return np.concatenate([start + np.linspace(0, 1, n, endpoint=False)[:, None] * (stop - start)
                           for start, stop, n in zip(a, b, count)])  # fmt: skip
