"""Inverse kinematics of known points: a few dragged ones, or all that correspond.

A few points leave most of a state open. Of the states that bring them where they are wanted, the likely one moves
few coordinates, each by a likely amount, and leaves the rest of the object alone:

    min_q  sum_p |F(q)_p - x_p|^2 / (m sigma^2 L^2) + locality <|F(q) - F(rest)|^2> / L^2
           + rho |(q - rest) / deviation|^2 + price * (number of coordinates that move, each times its penalty),

L the RMS distance the points are dragged, or the diagonal where that is less, or a drag far beyond the object would
weigh nothing beside what a state costs; < > the mean over the surface. All points of an object leave nothing open: then
nothing but the first term counts. In a soft body all coordinates move: nothing is chosen or priced.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Mask
from neurok.geometry.surface import SurfacePoints, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic
from neurok.mechanics.search import MAX_SEARCH_COORDINATES, Beam, admit_states, search_states

REST_THRESHOLD = 1e-6  # deviations from rest, up to which a coordinate does not count as moving
SURFACE_POINT_COUNT = 512  # where the motion of the rest of the object is measured


@dataclass(frozen=True)
class DragWeights:
    """The weights of the terms that make a state likely where points leave it open."""

    sigma: float = 0.1  # how far points may miss, of the distance they are dragged
    locality: float = 5.0
    regularisation: float = 0.5  # rho
    price: float = 2.0
    release: float = 0.1  # of rho, once it is decided what moves


SPARSE_WEIGHTS = DragWeights(sigma=0.05)
SOFT_WEIGHTS = DragWeights(locality=2.0, regularisation=2.0)  # where all coordinates move a little


def fit_drag(space: Kinematics, where: SurfacePoints, positions: Array, weights: DragWeights | None = None) -> Array:
    """The likely state in which points of the surface at rest are dragged to positions [m, 3]; [k].

    weights: SPARSE_WEIGHTS where none are given, or SOFT_WEIGHTS in a space whose coordinates all move.
    """
    weights = weights or (SPARSE_WEIGHTS if space.prior.is_sparse else SOFT_WEIGHTS)
    surface = sample_even(space.mesh, SURFACE_POINT_COUNT, np.random.default_rng(0))
    carrier, (dragged, everywhere) = carry(space, [where, surface])
    length = float(np.mean(np.sum((positions - where.position) ** 2, axis=1)))
    if not length > 0:
        return space.rest.numpy().astype(np.float64)
    length = min(length, space.mesh.diagonal**2)
    m = len(positions)
    data = Quadratic.from_targets(dragged, np.full(m, 1 / (m * weights.sigma**2 * length)), positions)
    still = Quadratic.from_targets(
        everywhere, np.full(surface.count, weights.locality / (surface.count * length)), surface.position
    )
    rest = space.rest.numpy().astype(np.float64)
    if not space.prior.is_sparse:
        return Problem(space, carrier, weights.regularisation).descend(rest, data + still)[0]
    if space.size > MAX_SEARCH_COORDINATES:  # too many to choose from: all may move
        return Problem(space, carrier, weights.regularisation * weights.release).descend(rest, data + still * 1e-3)[0]
    goal = CorrespondenceGoal(Problem(space, carrier, weights.regularisation), data + still, weights.price)
    q = goal.solve(Beam(width=4, depth=4))
    # What moves is decided; how far, the points alone say.
    settled = Problem(space, carrier, weights.regularisation * weights.release)
    return settled.descend(q, data, free=goal.find_moving(q))[0]


def fit_corresponding(space: Kinematics, where: SurfacePoints, positions: Array, weights: Array) -> Array:
    """The state in which points of the surface at rest are nearest to positions [m, 3], weights [m]; [k]."""
    carrier, (shares,) = carry(space, [where])
    problem, goal = Problem(space, carrier, 0.0), Quadratic.from_targets(shares, weights, positions)
    q: Array = space.rest.numpy().astype(np.float64)
    if space.prior.is_sparse and space.size <= MAX_SEARCH_COORDINATES:
        # Half turns and long ways round are no valley of rest's: begin where single coordinates lead.
        q = CorrespondenceGoal(problem, goal).solve(Beam(width=2, depth=min(space.size, 16)))
    return problem.descend(q, goal)[0]


@dataclass(frozen=True)
class CorrespondenceGoal:
    """A goal that does not depend on the state, with a price for every coordinate that moves."""

    problem: Problem
    goal: Quadratic
    price: float = 0.0

    def find_moving(self, states: Array) -> Mask:
        """Which coordinates are away from rest, [..., k]."""
        return self.problem.space.prior.find_moving(states, REST_THRESHOLD)

    def score(self, states: Array) -> Array:
        """What each of states [s, k] costs, [s]."""
        space = self.problem.space
        values = self.goal.evaluate_many(self.problem.carrier.compute_rows(space, states))
        scaled = space.prior.whiten(states)
        return (
            values
            + self.problem.regularisation * np.sum(scaled**2, axis=1)
            + self.price * space.prior.price(states, REST_THRESHOLD)
        )

    def refine(self, q: Array) -> tuple[Array, float]:
        """A short descent in the coordinates that move already; the state and its cost."""
        free = self.find_moving(q)
        if not free.any():
            return q, float(self.score(q[None])[0])
        q, value = self.problem.descend(q, self.goal, iterations=12, step_tolerance=1e-3, free=free)
        return q, value + self.price * float(self.problem.space.prior.price(q, REST_THRESHOLD))

    def propose_moves(self, q: Array) -> Array:
        """q with each one coordinate where the goal, made linear at q, is least, [k, k]."""
        slope, hessian, _ = self.problem.form_equations(q, self.goal)
        steps = np.clip(-slope / np.maximum(hessian.diagonal(), 1e-300), -2.0, 2.0)
        return admit_states(self.problem.space, q + np.diag(steps * self.problem.space.prior.deviation))

    def solve(self, beam: Beam, rounds: int = 3) -> Array:
        """The cheapest state found by rounds of search and descent."""
        best: Array = self.problem.space.rest.numpy().astype(np.float64)
        others: Array | None = None
        cost = np.inf
        for _ in range(rounds):
            starts = search_states(self.problem.space, self.score, beam, others=others, propose=self.propose_moves)
            found = [self.refine(q) for q in starts]
            q, value = min(found, key=lambda pair: pair[1])
            if not value < cost - 1e-6:
                break
            best, cost = q, value
            others = np.array([q for q, _ in found])
        return best
