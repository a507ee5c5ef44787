"""An unordered surface by exact nearest points: slower than samples against samples, and without their noise."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, vstack

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, find_nearest
from neurok.kinematics.skinning import shares as shares_of
from neurok.mechanics.descent import Problem, Quadratic, admit, posed
from neurok.mechanics.search import single_moves

MOVING = 1e-2  # deviations from rest, below which a coordinate does not count as moving
WORTH = 0.9  # of the distance: what must be left of it at most for all coordinates to move
USUAL = 5.0  # doubt of a coordinate, above which it does not count as likely


@dataclass(frozen=True)
class Exact:
    """Samples of the object (their shares in its rows) to the target's surface, and the target's to the object's."""

    problem: Problem
    target: Mesh
    shares: csr_matrix
    samples: SurfacePoints

    @property
    def rest(self) -> Array:
        return self.problem.space.rest.numpy().astype(np.float64)

    def distance(self, q: Array) -> float:
        """Mean squared distance, both ways."""
        back = self.samples.position - find_nearest(posed(self.problem.space, q), self.samples.position).position
        return (self._off(q) + float((back**2).sum(axis=1).mean())) / 2

    def settled(self, q: Array, rounds: int) -> tuple[Array, float]:
        """The last bit of the way, where it brings the surfaces nearer, and the distance; rest where that is nearer."""
        space, rest = self.problem.space, self.rest
        still = self.distance(rest)
        if still <= 1e-12 * space.mesh.diagonal**2 or np.array_equal(q, rest):
            return rest, still
        best, distance = q, self.distance(q)
        if space.skin is not None and rounds:
            moving = space.prior.find_moving(q, MOVING)
            mended = moving | (space.prior.is_correction & moving[space.prior.corrects])
            for free, share in ((moving, 1.0), (mended, WORTH), (np.ones_like(moving), WORTH)):
                found = self._descended(best, rounds, free)
                nearer = self.distance(found)
                if nearer < share * distance:
                    best, distance = found, nearer
        return (best, distance) if distance <= still else (rest, still)

    def look(self, amplitudes: tuple[float, ...], leaders: int) -> Array:
        """Rest, or a state of one likely coordinate that is nearer, where samples were too coarse to tell.

        A round cap that turns moves nearly into itself: what its knurls say is far below the noise of samples.
        """
        space, rest = self.problem.space, self.rest
        usual = (space.prior.penalty < USUAL) & ~space.prior.is_correction
        states = single_moves(space, rest, amplitudes)
        states = states[((states != rest) <= usual).all(axis=1)]
        costs = np.array([self._off(q) for q in states])
        starts = states[np.argsort(costs, kind="stable")[:leaders]]
        return min([rest, *(self._along(q - rest) for q in starts)], key=self.distance)

    def _off(self, q: Array) -> float:
        """Mean squared distance of the object's samples from the target."""
        mine = self.shares @ self.problem.rows(q)
        return float(((mine - find_nearest(self.target, mine).position) ** 2).sum(axis=1).mean())

    def _along(self, way: Array) -> Array:
        """The best state from rest to twice as far as `way` [k]. Matches would creep along a surface that slides."""
        from scipy.optimize import minimize_scalar

        state = lambda far: admit(self.problem.space, self.rest + far * way)  # noqa: E731
        best = minimize_scalar(
            lambda far: self._off(state(far)), bounds=(0.0, 2.0), method="bounded",
            options={"xatol": 1e-3, "maxiter": 20},
        )  # fmt: skip
        return state(best.x)

    def _descended(self, q: Array, rounds: int, free: Array) -> Array:
        """A few descents in some coordinates [k].

        Surfaces that slide along each other are matched where they are, and creep. Each descent begins ahead of where
        the last one ended, as in Nesterov's method, and gets as far as many more.
        """
        space, ahead = self.problem.space, q
        for index in range(rounds):
            before = q
            q, _ = self.problem.descend(ahead, self._match(ahead), iterations=3, free=free)
            if np.abs((q - before) / space.prior.deviation).max() < 1e-5:
                break
            ahead = admit(space, q + index / (index + 2) * (q - before))
        return q

    def _match(self, q: Array) -> Quadratic:
        space = self.problem.space
        aims = find_nearest(self.target, self.shares @ self.problem.rows(q)).position
        feet = find_nearest(posed(space, q), self.samples.position)
        both = vstack([self.shares, shares_of(space.mesh, space.skin, feet)]).tocsr()
        aims = np.concatenate([aims, self.samples.position])
        return Quadratic.of(both, np.full(len(aims), 1.0 / len(aims)), aims)
