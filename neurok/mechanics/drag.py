"""Drag: inverse kinematics while a hand moves, from one state to the next.

    min_q  sum_h |F(q)_h - x_h|^2 + rho |(q - anchor) / spread|^2

over the held points h. Each call starts where the last one ended, so that a few steps of Levenberg-Marquardt
suffice; the anchor is the state in which the hand closed, so that what is not held stays as it was.

Joints move what hangs on them and nothing else. The coordinates of soft and learned objects overlap, and a pull that
all of them share moves the whole object a little. There only those move that the hand needs (see `chosen`), as few as
will do, and of those that would do the ones that leave the rest of the object alone.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry, join
from neurok.mechanics.descent import Problem, Quadratic, admit
from neurok.mechanics.points import DRAGGED, SURFACE_POINTS
from neurok.mechanics.search import LARGE

ITERATIONS = 6  # steps for each move of the hand
PULL = 1e-6  # rho, of the squared diagonal: decides what is not held, and hardly moves what is
MET = 0.02  # of the way the hand has gone: nearer than this a point is where the hand is
SETTLED = 0.08  # diagonals the hand has gone, until which it is decided anew, at every doubling, what moves
MISS = 0.1  # of that way, by which points may miss the hand while it is decided what moves
MORE = 4  # coordinates that may begin to move with one move of the hand


class Drag:
    """The held points of one object, by number, and the state that follows them.

    q: the state, [k].
    """

    def __init__(self, space: Kinematics, q: Array) -> None:
        self.space, self.q = space, admit(space, np.asarray(q, dtype=np.float64))
        self._anchor = self.q
        self._points: dict[int, SurfacePoints] = {}
        self._targets: dict[int, Array] = {}
        self._problem: Problem | None = None
        self._shares = csr_matrix((0, 0))
        self._G: Array | csr_matrix = np.zeros((0, 0))
        self._rest_stays: Quadratic | None = None
        self._free: Array = np.zeros(space.size, dtype=bool)  # what moves, where that is decided
        self._decided = 0.0  # how far the hand had gone then
        self._from: Array = np.zeros((0, 3))
        self._is_sparse = space.is_elastic and space.prior.is_sparse and 1 < space.size - space.base_count <= LARGE
        self._surface: SurfacePoints | None = None

    @property
    def held(self) -> dict[int, Array]:
        """Where each held point should be [file units], [3], by its number."""
        return dict(self._targets)

    def hold(self, number: int, point: SurfacePoints, target: Array | None = None) -> None:
        """Take hold of a point (one sample of the surface); it is held where it is now, or at a target [3]."""
        self._points[number] = point
        self._targets[number] = self.places(point)[0] if target is None else np.asarray(target, dtype=np.float64)
        self._close()

    def release(self, number: int) -> None:
        """Let a point go; the state stays."""
        self._points.pop(number, None)
        self._targets.pop(number, None)
        self._close()

    def move(self, number: int, target: Array) -> Array:
        """Bring a held point to a place [file units], [3], as nearly as can be; the new state, [k]."""
        self._targets[number] = np.asarray(target, dtype=np.float64)
        return self.solve()

    def put(self, q: Array) -> Array:
        """Go to a state, [k], and from there as little as the held points demand."""
        self.q = admit(self.space, np.asarray(q, dtype=np.float64))
        self._close()
        return self.solve()

    def solve(self) -> Array:
        """A few steps towards all targets; the new state, [k]."""
        if self._problem is None:
            return self.q
        targets = np.stack(list(self._targets.values()))
        goal = Quadratic(self._G, np.asarray(self._shares.T @ targets), float((targets**2).sum()))
        if self._rest_stays is None:
            self.q, _ = self._problem.descend(self.q, goal, iterations=ITERATIONS)
            return self.q
        way = float(np.sqrt(np.mean(np.sum((targets - self._from) ** 2, axis=1))))
        if self._decided == 0.0 or 2 * self._decided < way < SETTLED * self.space.mesh.diagonal:
            self._free[:], self.q, self._decided = False, self._anchor, way
        self._follow(goal, len(targets), way)
        return self.q

    def _follow(self, goal: Quadratic, count: int, way: float) -> None:
        """Descend in the coordinates that move, and let one more move while the hand is missed by much."""
        for _ in range(MORE + 1):
            if self._free.any():
                self.q, _ = self._problem.descend(
                    self.q, goal, iterations=ITERATIONS, step_tolerance=1e-4, tolerance=1e-6, free=self._free
                )
            more = chosen(self._problem, self.q, goal, self._rest_stays, self._free, way, MET**2 * count * way**2)
            if more is None:
                return
            self._free[more] = True

    def places(self, points: SurfacePoints) -> Array:
        """Where points of the surface are in the present state [file units], [m, 3]."""
        carrier, (shares,) = carry(self.space, [points])
        return np.asarray(shares @ carrier.jet(self.space, self.q, np.zeros_like(self.q)).value)

    def _close(self) -> None:
        """A new problem: other points, anchored in the present state."""
        self._anchor = self.q.copy()
        self._problem = self._rest_stays = None
        self._free, self._decided = np.zeros(self.space.size, dtype=bool), 0.0
        if not self._points:
            return
        held = join(list(self._points.values()))
        if self._is_sparse and self._surface is None:
            self._surface = sample_even(self.space.mesh, SURFACE_POINTS, np.random.default_rng(0))
        carrier, (self._shares, *rest) = carry(self.space, [held, *([self._surface] if self._is_sparse else [])])
        # Of the quadratic form only what depends on the targets is made anew for each move.
        self._G = Quadratic.of(self._shares, np.ones(held.count), np.zeros((held.count, 3))).G
        self._problem = Problem(self.space, carrier, PULL * self.space.mesh.diagonal**2, self._anchor)
        if rest:
            rows = self._problem.rows(self._anchor)
            self._from = np.asarray(self._shares @ rows)
            even = np.full(rest[0].shape[0], 1.0 / rest[0].shape[0])
            self._rest_stays = Quadratic.of(rest[0], even, np.asarray(rest[0] @ rows))


def chosen(
    problem: Problem, q: Array, goal: Quadratic, rest_stays: Quadratic, free: Array, way: float, enough: float
) -> int | None:
    """The coordinate that should move as well, of those that do not yet; None where none helps, or none has to.

    With everything made linear at q, and the terms of `points` (the points' misses, the motion of the rest of the
    object, the size of the state), it is the one with which the least cost is left. It has to save its price.

    goal: the squared misses of all held points, with which one is content at `enough`. rest_stays: the mean squared
    motion of the surface since the hand closed. free: what moves already, [k]. way: how far the hand has gone.
    """
    jet = problem.carrier.jet(problem.space, q, np.zeros_like(q))
    value = goal.value(jet.value)
    if value <= enough or not way > 0:
        return None
    slope, hessian, _ = problem.equations_of(q, jet, goal)
    slope_rest, hessian_rest, _ = problem.equations_of(q, jet, rest_stays)
    near, far = 1.0 / (MISS * way) ** 2, DRAGGED.locality / way**2
    away = DRAGGED.pull * (q - problem.anchor) / problem.space.prior.deviation
    b = near * slope + far * slope_rest + away
    H = near * hessian + far * hessian_rest + DRAGGED.pull * np.eye(len(q))
    best, least = None, _saved(H, b, np.flatnonzero(free)) - DRAGGED.price
    for index in np.flatnonzero(~free):
        cost = _saved(H, b, np.append(np.flatnonzero(free), index))
        if cost < least:
            best, least = int(index), cost
    return best


def _saved(H: Array, b: Array, some: NDArray[np.intp]) -> float:
    """The least of 2 b d + d H d over steps d in some coordinates."""
    return -float(b[some] @ np.linalg.solve(H[np.ix_(some, some)], b[some])) if len(some) else 0.0
