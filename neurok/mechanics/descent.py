"""Levenberg-Marquardt over a state space, with exact Jacobians and several starts.

    min_q  sum_i w_i |F(q)_i - x_i|^2 + rho |(q - rest) / spread|^2

With F_i = H_i Y(q) (see `carrier`) the sum over points is a quadratic form in the rows Y,
    sum_i w_i |H_i Y - x_i|^2 = <Y, G Y> - 2 <Y, B> + const,   G = sum w H^T H,  B = sum w H^T x,
so that a step costs the same for ten points and for all vertices.
"""

from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_matrix, diags

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import at_vertices
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier
from neurok.mechanics.lagrangian import gram, weigh


@dataclass(frozen=True)
class Quadratic:
    """<Y, G Y> - 2 <Y, B> + constant: the weighted squared distance of all points to their targets."""

    G: Array | csr_matrix
    B: Array
    constant: float

    @staticmethod
    def of(shares: csr_matrix, weights: Array, targets: Array) -> "Quadratic":
        weighted = diags(weights) @ shares
        G = (shares.T @ weighted).tocsr()
        if G.shape[0] <= 512:
            G = G.toarray()
        return Quadratic(G, np.asarray(weighted.T @ targets), float(weights @ (targets**2).sum(axis=1)))

    def value(self, Y: Array) -> float:
        return max(float(np.sum(Y * (self.G @ Y)) - 2 * np.sum(Y * self.B)) + self.constant, 0.0)

    def values(self, Y: Array) -> Array:
        """The same of many rows at once, [s, r, 3] -> [s]."""
        slope = weigh(self.G, Y) - 2 * self.B
        return np.maximum(np.einsum("sra,sra->s", Y, slope) + self.constant, 0.0)

    def __add__(self, other: "Quadratic") -> "Quadratic":
        return Quadratic(self.G + other.G, self.B + other.B, self.constant + other.constant)

    def __mul__(self, factor: float) -> "Quadratic":
        return Quadratic(self.G * factor, self.B * factor, self.constant * factor)


@dataclass(frozen=True)
class Problem:
    """One least-squares problem over a state space."""

    space: Kinematics
    carrier: Carrier
    pull: float  # rho
    anchor: Array | None = None  # where rho pulls to, [k]; rest where None

    def penalty(self, q: Array) -> float:
        return self.pull * float(np.sum(self._scaled(q) ** 2))

    def _scaled(self, q: Array) -> Array:
        anchor = self.space.rest.numpy() if self.anchor is None else self.anchor
        return (q - anchor) / self.space.prior.deviation

    def rows(self, q: Array) -> Array:
        return self.carrier.rows(self.space, q[None])[0]

    def _jet(self, q: Array) -> Jet:
        return self.carrier.jet(self.space, q, np.zeros_like(q))

    def descend(
        self,
        q: Array,
        goal: Quadratic,
        *,
        iterations: int = 60,
        tolerance: float = 1e-14,
        step_tolerance: float = 1e-9,
        free: Array | None = None,
    ) -> tuple[Array, float]:
        """Levenberg-Marquardt from q; every iterate is admissible. Returns the state and its objective.

        free: which coordinates may move, a mask [k]; all where None. It ends where the objective falls by less
        than `tolerance` of itself and no coordinate moves by more than `step_tolerance` deviations.
        """
        spread = self.space.prior.deviation
        q = admit(self.space, q)
        damping = 1e-6
        jet = self._jet(q)
        value = goal.value(jet.value) + self.penalty(q)
        for _ in range(iterations):
            slope, hessian, scale = self._normal_equations(q, jet, goal, free)
            moved = None
            while damping < 1e8:
                step = np.linalg.solve(hessian + damping * np.diag(scale), -slope)
                trial = admit(self.space, q + spread * step)
                # A Jacobian that is not known in closed form costs many states: only where the step is taken.
                trial_jet = self._jet(trial) if self.space.has_closed_form else None
                rows = self.carrier.rows(self.space, trial[None])[0] if trial_jet is None else trial_jet.value
                trial_value = goal.value(rows) + self.penalty(trial)
                if trial_value < value:
                    moved = np.abs((trial - q) / spread).max()
                    gain = value - trial_value
                    q, jet, value = trial, trial_jet or self._jet(trial), trial_value
                    damping = max(damping / 10, 1e-12)
                    break
                damping *= 10
            if moved is None or (gain <= tolerance * value and moved < step_tolerance) or moved < 1e-13:
                break
        return self._polish(q, goal, free) if step_tolerance < 1e-6 else q, value

    def _polish(self, q: Array, goal: Quadratic, free: Array | None) -> Array:
        """A few plain Gauss-Newton steps while they shrink.

        The objective is a difference of large numbers and stops improving at half precision; its slope is not,
        so the last digits (of small parts above all) come from here.
        """
        spread, before = self.space.prior.deviation, 1e-3
        for _ in range(6):
            jet = self._jet(q)
            slope, hessian, scale = self._normal_equations(q, jet, goal, free)
            step = np.linalg.solve(hessian + 1e-12 * np.diag(scale), -slope)
            length = np.abs(step).max(initial=0.0)
            if not length < 0.5 * before:
                break
            q, before = admit(self.space, q + spread * step), length
        return q

    def normal_equations(self, q: Array, goal: Quadratic) -> tuple[Array, Array, Array]:
        """Slope [k], Gauss-Newton matrix [k, k] and its scale [k] at q, in coordinates of one spread each."""
        return self.equations_of(q, self._jet(q), goal)

    def equations_of(self, q: Array, jet: Jet, goal: Quadratic) -> tuple[Array, Array, Array]:
        """`normal_equations` where the jet at q is known."""
        return self._normal_equations(q, jet, goal, None)

    def _normal_equations(self, q: Array, jet: Jet, goal: Quadratic, free: Array | None) -> tuple[Array, Array, Array]:
        """Slope [k], Gauss-Newton matrix [k, k] and its scale [k], in coordinates of one spread each.

        Coordinates that are not free have no slope and are coupled to nothing.
        """
        J = jet.jacobian * self.space.prior.deviation[:, None, None]
        slope = J.reshape(len(q), -1) @ (goal.G @ jet.value - goal.B).ravel() + self.pull * self._scaled(q)
        hessian = gram(J, goal.G, J) + self.pull * np.eye(len(q))
        if free is not None:
            slope = np.where(free, slope, 0.0)
            hessian = np.where(np.outer(free, free), hessian, np.diag(hessian.diagonal()))
        diagonal = hessian.diagonal()
        most = diagonal.max(initial=0.0)
        return slope, hessian, np.maximum(diagonal, 1e-12 * most if most > 0 else 1.0)


def posed(space: Kinematics, q: Array) -> Mesh:
    """The object in a state, with the vertices of the mesh in their order."""
    if space.skin is not None:
        return space.mesh.with_vertices(
            space.skin.blend(space.transforms(torch.from_numpy(q)).numpy(), space.mesh.vertices)
        )
    return space.mesh.with_vertices(space.positions(torch.from_numpy(q), at_vertices(space.mesh)).numpy())


def starts_of(space: Kinematics, count: int, seed: int) -> list[Array]:
    """Rest, then each coordinate at both ends of its range, then sampled states."""
    rest = space.rest.numpy().astype(np.float64)
    starts = [rest]
    if space.size <= 16:
        for i in range(space.base_count, space.size):
            for sign in (-1.0, 1.0):
                q = rest.copy()
                q[i] += sign * float(space.prior.deviation[i])
                starts.append(admit(space, q))
    samples = space.prior.sample(count, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    return starts + list(samples)


def best_of(
    problem: Problem, goal: Quadratic, starts: list[Array], *, enough: float, progress=None
) -> tuple[Array, float]:
    """The best of several descents; stops early where one is as good as exact."""
    best, best_value = starts[0], np.inf
    for index, start in enumerate(starts):
        q, value = problem.descend(start, goal)
        if value < best_value:
            best, best_value = q, value
        if progress is not None:
            progress((index + 1) / len(starts))
        if goal.value(problem.rows(best)) <= enough:
            break
    return best, best_value


def admit(space: Kinematics, q: Array) -> Array:
    """The nearest admissible state, [k]."""
    return space.admit(torch.from_numpy(np.ascontiguousarray(q))).numpy()
