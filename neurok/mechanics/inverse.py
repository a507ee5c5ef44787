"""Inverse kinematics: targets -> state, by Levenberg-Marquardt with exact Jacobians and several starts.

    min_q  sum_i w_i |F(q)_i - x_i|^2 + rho |(q - rest) / spread|^2

With F_i = H_i Y(q) (see `carrier`) the sum over points is a quadratic form in the rows Y,
    sum_i w_i |H_i Y - x_i|^2 = <Y, G Y> - 2 <Y, B> + const,   G = sum w H^T H,  B = sum w H^T x,
so that a step costs the same for ten points and for all vertices.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from neurok.errors import InputError
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices, nearest, sample_even
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import Carrier, carry
from neurok.mechanics.lagrangian import System, gram

Array = NDArray[np.float64]

POINTS = 4096  # samples of an unordered surface
SCOUTS = 48  # sampled states an unordered search looks at
NORMAL_SHARE = 0.15  # of the diagonal: how far apart two points count whose normals are opposite, halved
PULL = {"corresponding": 0.0, "surface": 1e-7, "points": 1e-6}  # rho, of the squared diagonal


@dataclass(frozen=True)
class Fit:
    """state [k]; mesh: the object in it, same vertex order; residual: RMS distance left [file units]; status."""

    state: Array
    mesh: Mesh
    residual: float
    status: str


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


@dataclass(frozen=True)
class Problem:
    """One least-squares problem over a state space."""

    space: Kinematics
    carrier: Carrier
    pull: float  # rho

    def penalty(self, q: Array) -> float:
        return self.pull * float(np.sum(self._scaled(q) ** 2))

    def _scaled(self, q: Array) -> Array:
        return (q - self.space.rest.numpy()) / self.space.spread.numpy()

    def rows(self, q: Array) -> Array:
        return self.carrier.jet(self.space, q, np.zeros_like(q)).value

    def descend(
        self, q: Array, goal: Quadratic, *, iterations: int = 60, tolerance: float = 1e-14
    ) -> tuple[Array, float]:
        """Levenberg-Marquardt from q; every iterate is admissible. Returns the state and its objective."""
        spread = self.space.spread.numpy()
        q = _admit(self.space, q)
        damping = 1e-6
        jet = self.carrier.jet(self.space, q, np.zeros_like(q))
        value = goal.value(jet.value) + self.penalty(q)
        for _ in range(iterations):
            slope, hessian, scale = self._normal_equations(q, jet, goal)
            moved = None
            while damping < 1e8:
                step = np.linalg.solve(hessian + damping * np.diag(scale), -slope)
                trial = _admit(self.space, q + spread * step)
                trial_jet = self.carrier.jet(self.space, trial, np.zeros_like(q))
                trial_value = goal.value(trial_jet.value) + self.penalty(trial)
                if trial_value < value:
                    moved = np.abs((trial - q) / spread).max()
                    gain = value - trial_value
                    q, jet, value = trial, trial_jet, trial_value
                    damping = max(damping / 10, 1e-12)
                    break
                damping *= 10
            if moved is None or (gain <= tolerance * value and moved < 1e-9) or moved < 1e-13:
                break
        return self._polish(q, goal), value

    def _polish(self, q: Array, goal: Quadratic) -> Array:
        """A few plain Gauss-Newton steps while they shrink.

        The objective is a difference of large numbers and stops improving at half precision; its slope is not,
        so the last digits (of small parts above all) come from here.
        """
        spread, before = self.space.spread.numpy(), 1e-3
        for _ in range(6):
            slope, hessian, scale = self._normal_equations(q, self.carrier.jet(self.space, q, np.zeros_like(q)), goal)
            step = np.linalg.solve(hessian + 1e-12 * np.diag(scale), -slope)
            length = np.abs(step).max(initial=0.0)
            if not length < 0.5 * before:
                break
            q, before = _admit(self.space, q + spread * step), length
        return q

    def _normal_equations(self, q: Array, jet: Jet, goal: Quadratic) -> tuple[Array, Array, Array]:
        """Slope [k], Gauss-Newton matrix [k, k] and its scale [k], in coordinates of one spread each."""
        J = jet.jacobian * self.space.spread.numpy()[:, None, None]
        slope = J.reshape(len(q), -1) @ (goal.G @ jet.value - goal.B).ravel() + self.pull * self._scaled(q)
        hessian = gram(J, goal.G, J) + self.pull * np.eye(len(q))
        diagonal = hessian.diagonal()
        return slope, hessian, np.maximum(diagonal, 1e-12 * max(diagonal.max(initial=0.0), 1e-300))


def fit(
    space: Kinematics,
    target: Mesh | Array | None = None,
    *,
    corresponding: bool = False,
    pulls: Sequence[tuple[Sequence[float], Sequence[float]]] = (),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Fit:
    """The state whose shape comes nearest to a target.

    target: a mesh (or vertices [n, 3]); an unordered surface unless `corresponding`, which means the same
        vertices in the same order.
    pulls: instead of a target, pairs (point, displacement) of dragged points [file units].
    """
    if (target is None) == (not pulls):
        raise InputError("a fit needs either a target or pulled points", "give one of the two")
    if pulls:
        points, moves = (np.array([p[i] for p in pulls], dtype=np.float64) for i in (0, 1))
        return _fit_points(space, points, moves, seed)
    if corresponding:
        return _fit_corresponding(space, target, seed, progress)
    if not isinstance(target, Mesh):
        target = space.mesh.with_vertices(np.asarray(target))
    return _fit_surface(space, target, seed, progress)


def posed(space: Kinematics, q: Array) -> Mesh:
    """The object in a state, with the vertices of the mesh in their order."""
    if space.skin is not None:
        return space.mesh.with_vertices(
            space.skin.blend(space.transforms(torch.from_numpy(q)).numpy(), space.mesh.vertices)
        )
    return space.mesh.with_vertices(space.positions(torch.from_numpy(q), at_vertices(space.mesh)).numpy())


def _fit_corresponding(space: Kinematics, target, seed: int, progress) -> Fit:
    vertices = np.asarray(target.vertices if isinstance(target, Mesh) else target, dtype=np.float64)
    if vertices.shape != space.mesh.vertices.shape:
        raise InputError(
            f"the target has {len(vertices)} vertices and the object {space.mesh.vertex_count}",
            "give a target with the same vertices, or fit it as an unordered surface",
        )
    where = at_vertices(space.mesh)
    carrier, (shares,) = carry(space, [where])
    # Every vertex counts: by its area, and a little in any case (small parts, stray vertices).
    weights = where.area / max(where.area.sum(), 1e-300) + 0.1 / where.count
    weights /= weights.sum()
    problem = Problem(space, carrier, PULL["corresponding"] * space.mesh.diagonal**2)
    goal = Quadratic.of(shares, weights, vertices)
    q, value = _best(problem, goal, _starts(space, 8, seed), enough=1e-16 * space.mesh.diagonal**2, progress=progress)
    return _finish(space, q, goal.value(problem.rows(q)), "corresponding vertices")


def _fit_points(space: Kinematics, points: Array, moves: Array, seed: int) -> Fit:
    where = nearest(space.mesh, points)
    carrier, (shares,) = carry(space, [where])
    problem = Problem(space, carrier, PULL["points"] * space.mesh.diagonal**2)
    goal = Quadratic.of(shares, np.full(len(points), 1.0 / len(points)), where.position + moves)
    q, _ = _best(problem, goal, _starts(space, 8, seed), enough=0.0)
    return _finish(space, q, goal.value(problem.rows(q)), f"{len(points)} pulled points")


def solve_points(
    system: System, shares: Array, moves: Array, *, seed: int = 0, starts: list[Array] | None = None
) -> Array:
    """The state in which points (their H, [p, r]) are displaced from rest by `moves` [p, 3], as nearly as can be.

    starts: where to look from, [k] each, instead of rest, the ends of the ranges and states sampled with the seed.
    """
    space = system.space
    rest = space.rest.numpy().astype(np.float64)
    problem = Problem(space, system.carrier, 0.0 if starts else PULL["points"] * space.mesh.diagonal**2)
    targets = shares @ problem.rows(rest) + moves
    goal = Quadratic.of(csr_matrix(shares), np.full(len(shares), 1.0 / len(shares)), targets)
    return _best(problem, goal, starts or _starts(space, 8, seed), enough=0.0)[0]


def solve_velocity(system: System, q: Array, shares: Array, wanted: Array) -> Array:
    """min_v sum |J_p v - u_p|^2, of all such the one of least kinetic energy (METHOD: boundary conditions)."""
    jet = system.carrier.jet(system.space, q, np.zeros_like(q))
    J = np.tensordot(shares, jet.jacobian, axes=([1], [1])).transpose(0, 2, 1).reshape(-1, len(q))
    mass = gram(jet.jacobian, system.inertia, jet.jacobian) + np.diag(system.armature)
    root = np.linalg.cholesky(mass)
    # In coordinates y = root^T v the kinetic energy is |y|^2 / 2 and lstsq returns the shortest y.
    y, *_ = np.linalg.lstsq(J @ np.linalg.inv(root.T), wanted.ravel(), rcond=1e-9)
    return np.linalg.solve(root.T, y)


def _fit_surface(space: Kinematics, target: Mesh, seed: int, progress) -> Fit:
    if target.face_count == 0:
        raise InputError("the target has no faces", "give a surface, or use corresponding vertices")
    source = sample_even(space.mesh, POINTS, np.random.default_rng([seed, 0]))
    goal_points = sample_even(target, POINTS, np.random.default_rng([seed, 1]))
    corners = [_corner_points(space.mesh, source, i) for i in range(3)]
    carrier, (shares, *corner_shares) = carry(space, [source, *corners])
    problem = Problem(space, carrier, PULL["surface"] * space.mesh.diagonal**2)
    surface = _Surface(shares, corner_shares, goal_points, NORMAL_SHARE * space.mesh.diagonal)
    starts = _starts(space, SCOUTS, seed)
    ranked = sorted(starts, key=lambda q: surface.match(problem.rows(q), coarse=True)[1])
    best, best_value = None, np.inf
    leaders = ranked[:4]
    for index, q in enumerate(leaders):
        q, value = _register(problem, surface, q)
        if value < best_value:
            best, best_value = q, value
        if progress is not None:
            progress((index + 1) / len(leaders))
    return _finish(space, best, surface.match(problem.rows(best))[1], "an unordered surface")


def _register(problem: Problem, surface: "_Surface", q: Array, *, rounds: int = 40) -> tuple[Array, float]:
    """Alternate between matching nearest points, both ways, and a few Levenberg-Marquardt steps."""
    spread = problem.space.spread.numpy()
    value = np.inf
    for _ in range(rounds):
        goal, value = surface.match(problem.rows(q))
        moved, _ = problem.descend(q, goal, iterations=3)
        step = np.abs((moved - q) / spread).max(initial=0.0)
        q = moved
        if step < 1e-5:
            break
    return q, surface.match(problem.rows(q))[1] + problem.penalty(q)


@dataclass(frozen=True)
class _Surface:
    """An unordered target: samples with normals, and the source's samples with the corners that give theirs."""

    shares: csr_matrix
    corners: list[csr_matrix]
    target: SurfacePoints
    normal_weight: float

    def match(self, Y: Array, *, coarse: bool = False) -> tuple[Quadratic, float]:
        """Nearest points both ways at rows Y (near in place and in normal): the goal they make, and its value."""
        from scipy.spatial import cKDTree

        skip = 8 if coarse else 1
        shares = self.shares[::skip]
        a, b, c = (corner[::skip] @ Y for corner in self.corners)
        normal = np.cross(b - a, c - a)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        mine = np.concatenate([shares @ Y, self.normal_weight * normal], axis=1)
        theirs = np.concatenate([self.target.position, self.normal_weight * self.target.normal], axis=1)[::skip]
        _, to_target = cKDTree(theirs).query(mine)
        _, to_source = cKDTree(mine).query(theirs)
        from scipy.sparse import vstack

        both = vstack([shares, shares[to_source]]).tocsr()
        aims = np.concatenate([theirs[to_target, :3], theirs[:, :3]])
        goal = Quadratic.of(both, np.full(len(aims), 1.0 / len(aims)), aims)
        return goal, goal.value(Y)


def _corner_points(mesh: Mesh, where: SurfacePoints, index: int) -> SurfacePoints:
    weights = np.tile(np.eye(3)[index], (where.count, 1))
    return SurfacePoints(
        where.face, where.corners, weights, mesh.vertices[where.corners[:, index]], where.normal, where.area
    )


def _starts(space: Kinematics, count: int, seed: int) -> list[Array]:
    """Rest, then each coordinate at both ends of its range, then sampled states."""
    rest = space.rest.numpy().astype(np.float64)
    starts = [rest]
    if space.size <= 16:
        for i in range(space.rigid_count, space.size):
            for sign in (-1.0, 1.0):
                q = rest.copy()
                q[i] += sign * float(space.spread[i])
                starts.append(_admit(space, q))
    samples = space.sample(count, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    return starts + list(samples)


def _best(
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


def _finish(space: Kinematics, q: Array, squared: float, what: str) -> Fit:
    residual = float(np.sqrt(squared))
    share = residual / space.mesh.diagonal if space.mesh.diagonal > 0 else 0.0
    status = (
        f"fitted {space.size} coordinates to {what}; {residual:.3g} file units ({share:.2%} of the diagonal) are left."
    )
    return Fit(q, posed(space, q), residual, status)


def _admit(space: Kinematics, q: Array) -> Array:
    return space.admit(torch.from_numpy(np.ascontiguousarray(q))).numpy()
