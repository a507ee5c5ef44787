"""Drag: inverse kinematics while a hand moves, from one state to the next.

    min_q  sum_h |F(q)_h - x_h|^2 + rho |(q - anchor) / spread|^2

over the held points h. Each call starts where the last one ended, so that a few steps of Levenberg-Marquardt
suffice; the anchor is the state in which the hand closed, so that what is not held stays as it was.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry, join
from neurok.mechanics.descent import Problem, Quadratic, admit

Array = NDArray[np.float64]

ITERATIONS = 6  # steps for each move of the hand
PULL = 1e-6  # rho, of the squared diagonal: decides what is not held, and hardly moves what is


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
        if self._problem is not None:
            targets = np.stack(list(self._targets.values()))
            goal = Quadratic(self._G, np.asarray(self._shares.T @ targets), float((targets**2).sum()))
            self.q, _ = self._problem.descend(self.q, goal, iterations=ITERATIONS)
        return self.q

    def places(self, points: SurfacePoints) -> Array:
        """Where points of the surface are in the present state [file units], [m, 3]."""
        carrier, (shares,) = carry(self.space, [points])
        return np.asarray(shares @ carrier.jet(self.space, self.q, np.zeros_like(self.q)).value)

    def _close(self) -> None:
        """A new problem: other points, anchored in the present state."""
        self._anchor = self.q.copy()
        self._problem = None
        if self._points:
            carrier, (self._shares,) = carry(self.space, [join(list(self._points.values()))])
            # Of the quadratic form only what depends on the targets is made anew for each move.
            self._G = Quadratic.of(self._shares, np.ones(len(self._points)), np.zeros((len(self._points), 3))).G
            pull = PULL * self.space.mesh.diagonal**2
            self._problem = Problem(self.space, carrier, pull, self._anchor)
