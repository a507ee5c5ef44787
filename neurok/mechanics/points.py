"""Inverse kinematics of known points: a few dragged ones, or all that correspond.

A few points leave most of a state open. Of the states that bring them where they are wanted, the likely one moves
few coordinates, each by a likely amount, and leaves the rest of the object alone:

    min_q  sum_p |F(q)_p - x_p|^2 / (m sigma^2 L^2) + locality <|F(q) - F(rest)|^2> / L^2
           + pull |(q - rest) / spread|^2 + price * (number of coordinates that move, each times its doubt),

L the RMS distance the points are dragged, or the diagonal where that is less, or a pull beyond all reach would weigh
nothing beside what a state costs; < > the mean over the surface. All points of an object leave nothing
open: then nothing but the first term counts. Where a body bends, all coordinates move: nothing is chosen or priced.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic
from neurok.mechanics.search import LARGE, Beam, admitted, search

STILL = 1e-6  # deviations from rest, below which a coordinate does not count as moving
LIES = 3  # points that tell how a rigid part lies
MISSED = 0.25  # of what missing the points by sigma counts, above which it is asked how parts lie
WORTH = 0.7  # of what it counts: what may be left of it at most for that
SURFACE_POINTS = 512  # where the motion of the rest of the object is measured


@dataclass(frozen=True)
class Likely:
    """What makes a state likely where points leave it open."""

    sigma: float = 0.1  # how far points may miss, of the distance they are dragged
    locality: float = 5.0
    pull: float = 0.5
    price: float = 2.0
    release: float = 0.1  # of the pull, once it is decided what moves


DRAGGED = Likely(sigma=0.05)
BENT = Likely(locality=2.0, pull=2.0)  # where all coordinates move a little


def fit_drag(space: Kinematics, where: SurfacePoints, positions: Array, likely: Likely | None = None) -> Array:
    """The likely state in which points of the surface at rest are dragged to positions [m, 3]; [k].

    likely: DRAGGED where none is given, or BENT in a space whose coordinates all move.
    """
    likely = likely or (DRAGGED if space.prior.is_sparse else BENT)
    surface = sample_even(space.mesh, SURFACE_POINTS, np.random.default_rng(0))
    carrier, (dragged, spread) = carry(space, [where, surface])
    length = float(np.mean(np.sum((positions - where.position) ** 2, axis=1)))
    if not length > 0:
        return space.rest.numpy().astype(np.float64)
    length = min(length, space.mesh.diagonal**2)
    m = len(positions)
    data = Quadratic.of(dragged, np.full(m, 1 / (m * likely.sigma**2 * length)), positions)
    still = Quadratic.of(spread, np.full(surface.count, likely.locality / (surface.count * length)), surface.position)
    rest = space.rest.numpy().astype(np.float64)
    if not space.prior.is_sparse:
        return Problem(space, carrier, likely.pull).descend(rest, data + still)[0]
    if space.size > LARGE:  # too many to choose from: all may move
        return Problem(space, carrier, likely.pull * likely.release).descend(rest, data + still * 1e-3)[0]
    known = Known(Problem(space, carrier, likely.pull), data + still, likely.price)
    q = known.solve(Beam(width=4, depth=4))
    # What moves is decided; how far, the points alone say.
    return _settled(Problem(space, carrier, likely.pull * likely.release), q, data, known.moving(q), m)


def _settled(problem: Problem, q: Array, data: Quadratic, moving: Array, count: int) -> Array:
    """The state that meets the points by what moves [k]; and by how its parts lie, where the points tell that and it
    brings them much nearer."""
    q = problem.descend(q, data, free=moving)[0]
    space = problem.space
    if not space.prior.is_correction.any() or count < LIES:
        return q
    found = problem.descend(q, data, free=moving | (space.prior.is_correction & moving[space.prior.corrects]))[0]
    missed, now = data.values(problem.carrier.rows(space, np.array([q, found])))
    return found if missed > MISSED and now < WORTH * missed else q


def fit_corresponding(space: Kinematics, where: SurfacePoints, positions: Array, weights: Array) -> Array:
    """The state in which points of the surface at rest are nearest to positions [m, 3], weights [m]; [k]."""
    carrier, (shares,) = carry(space, [where])
    problem, goal = Problem(space, carrier, 0.0), Quadratic.of(shares, weights, positions)
    q = space.rest.numpy().astype(np.float64)
    if space.prior.is_sparse and space.size <= LARGE:
        # Half turns and long ways round are no valley of rest's: begin where single coordinates lead.
        q = Known(problem, goal).solve(Beam(width=2, depth=min(space.size, 16)))
    return problem.descend(q, goal)[0]


@dataclass(frozen=True)
class Known:
    """A goal that does not depend on the state, with a price for every coordinate that moves."""

    problem: Problem
    goal: Quadratic
    price: float = 0.0

    def moving(self, states: Array) -> Array:
        """Which coordinates are away from rest, [..., k]."""
        return self.problem.space.prior.find_moving(states, STILL)

    def score(self, states: Array) -> Array:
        space = self.problem.space
        values = self.goal.values(self.problem.carrier.rows(space, states))
        scaled = space.prior.whiten(states)
        return values + self.problem.pull * np.sum(scaled**2, axis=1) + self.price * space.prior.price(states, STILL)

    def refine(self, q: Array) -> tuple[Array, float]:
        """A short descent in the coordinates that move already; the state and its cost."""
        free = self.moving(q)
        if not free.any():
            return q, float(self.score(q[None])[0])
        q, value = self.problem.descend(q, self.goal, iterations=12, step_tolerance=1e-3, free=free)
        return q, value + self.price * float(self.problem.space.prior.price(q, STILL))

    def linear_moves(self, q: Array) -> Array:
        """q with each one coordinate where the goal, made linear at q, is least, [k, k]."""
        slope, hessian, _ = self.problem.normal_equations(q, self.goal)
        steps = np.clip(-slope / np.maximum(hessian.diagonal(), 1e-300), -2.0, 2.0)
        return admitted(self.problem.space, q + np.diag(steps * self.problem.space.prior.deviation))

    def solve(self, beam: Beam, rounds: int = 3) -> Array:
        """The cheapest state found by rounds of search and descent."""
        best, cost, others = self.problem.space.rest.numpy().astype(np.float64), np.inf, None
        for _ in range(rounds):
            starts = search(self.problem.space, self.score, beam, others=others, propose=self.linear_moves)
            found = [self.refine(q) for q in starts]
            q, value = min(found, key=lambda pair: pair[1])
            if not value < cost - 1e-6:
                break
            best, cost = q, value
            others = np.array([q for q, _ in found])
        return best
