"""An unordered surface by exact nearest points: slower than samples against samples, and without their noise."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, vstack

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints, find_nearest
from neurok.kinematics.skinning import shares as shares_of
from neurok.mechanics.descent import Problem, Quadratic, admit, pose_mesh
from neurok.mechanics.search import list_single_moves

MOVING_THRESHOLD = 1e-2  # deviations from rest, below which a coordinate does not count as moving
MAX_REMAINING_SHARE = 0.9  # of the distance: what may be left of it at most for more coordinates to move
MAX_LIKELY_PENALTY = 5.0  # of a coordinate, above which it does not count as likely


@dataclass(frozen=True)
class ExactMatcher:
    """Samples of the object (their shares in its rows) to the target's surface, and the target's to the object's."""

    problem: Problem
    target: Mesh
    shares: csr_matrix
    samples: SurfacePoints

    @property
    def rest(self) -> Array:
        return self.problem.space.rest.numpy().astype(np.float64)

    def measure_distance(self, q: Array) -> float:
        """Mean squared distance, both ways."""
        back = self.samples.position - find_nearest(pose_mesh(self.problem.space, q), self.samples.position).position
        return (self._measure_offset(q) + float((back**2).sum(axis=1).mean())) / 2

    def settle(self, q: Array, rounds: int) -> tuple[Array, float]:
        """The last bit of the way, where it brings the surfaces nearer, and the distance; rest where that is nearer."""
        space, rest = self.problem.space, self.rest
        still = self.measure_distance(rest)
        if still <= 1e-12 * space.mesh.diagonal**2 or np.array_equal(q, rest):
            return rest, still
        best, distance = q, self.measure_distance(q)
        if space.skin is not None and rounds:
            moving = space.prior.find_moving(q, MOVING_THRESHOLD)
            for free, share in ((moving, 1.0), (np.ones_like(moving), MAX_REMAINING_SHARE)):
                found = self._descend(best, rounds, free, space.skin)
                nearer = self.measure_distance(found)
                if nearer < share * distance:
                    best, distance = found, nearer
        return (best, distance) if distance <= still else (rest, still)

    def search_single_moves(self, amplitudes: tuple[float, ...], leaders: int) -> Array:
        """Rest, or a state of one likely coordinate that is nearer, where samples were too coarse to tell.

        A round cap that turns moves nearly into itself: what its knurls say is far below the noise of samples.
        """
        space, rest = self.problem.space, self.rest
        likely = space.prior.penalty < MAX_LIKELY_PENALTY
        states = list_single_moves(space, rest, amplitudes)
        states = states[((states != rest) <= likely).all(axis=1)]
        costs = np.array([self._measure_offset(q) for q in states])
        starts = states[np.argsort(costs, kind="stable")[:leaders]]
        return min([rest, *(self._search_line(q - rest) for q in starts)], key=self.measure_distance)

    def _measure_offset(self, q: Array) -> float:
        """Mean squared distance of the object's samples from the target."""
        mine = self.shares @ self.problem.compute_rows(q)
        return float(((mine - find_nearest(self.target, mine).position) ** 2).sum(axis=1).mean())

    def _search_line(self, way: Array) -> Array:
        """The best state from rest to twice as far as `way` [k]. Matches would creep along a surface that slides."""
        from scipy.optimize import minimize_scalar

        state = lambda far: admit(self.problem.space, self.rest + far * way)  # noqa: E731
        best = minimize_scalar(
            lambda far: self._measure_offset(state(far)), bounds=(0.0, 2.0), method="bounded",
            options={"xatol": 1e-3, "maxiter": 20},
        )  # fmt: skip
        return state(best.x)

    def _descend(self, q: Array, rounds: int, free: Mask, skin: Skin) -> Array:
        """A few descents in some coordinates [k].

        Surfaces that slide along each other are matched where they are, and creep. Each descent begins ahead of where
        the last one ended, as in Nesterov's method, and gets as far as many more.
        """
        space, ahead = self.problem.space, q
        for index in range(rounds):
            before = q
            q, _ = self.problem.descend(ahead, self._match_surfaces(ahead, skin), iterations=3, free=free)
            if np.abs((q - before) / space.prior.deviation).max() < 1e-5:
                break
            ahead = admit(space, q + index / (index + 2) * (q - before))
        return q

    def _match_surfaces(self, q: Array, skin: Skin) -> Quadratic:
        """The squared distances of the nearest points both ways, which the state then shortens."""
        space = self.problem.space
        aims = find_nearest(self.target, self.shares @ self.problem.compute_rows(q)).position
        feet = find_nearest(pose_mesh(space, q), self.samples.position)
        both = vstack([self.shares, shares_of(space.mesh, skin, feet)]).tocsr()
        aims = np.concatenate([aims, self.samples.position])
        return Quadratic.from_targets(both, np.full(len(aims), 1.0 / len(aims)), aims)
