"""Inverse kinematics: targets -> state. The descent itself is in `descent`, unordered surfaces in `unordered`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from neurok.errors import InputError
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import at_vertices, nearest
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic, best_of, posed, starts_of
from neurok.mechanics.lagrangian import System, gram
from neurok.mechanics.unordered import fit_surface

Array = NDArray[np.float64]

PULL = {"corresponding": 0.0, "surface": 1e-7, "points": 1e-6}  # rho, of the squared diagonal


@dataclass(frozen=True)
class Fit:
    """state [k]; mesh: the object in it, same vertex order; residual: RMS distance left [file units]; status."""

    state: Array
    mesh: Mesh
    residual: float
    status: str


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
    if space.size == 0:
        raise InputError("the object has one state only", "give one with joints, or set its base free")
    if pulls:
        points, moves = (np.array([p[i] for p in pulls], dtype=np.float64) for i in (0, 1))
        if not np.all(np.isfinite(moves)):
            raise InputError("a pull holds a number that is not finite", "give ordinary numbers")
        return _fit_points(space, points, moves, seed)
    if corresponding:
        return _fit_corresponding(space, target, seed, progress)
    if not isinstance(target, Mesh):
        target = space.mesh.with_vertices(np.asarray(target))
    q, left = fit_surface(space, target, PULL["surface"], seed, progress)
    return _finish(space, q, left, "an unordered surface")


def _fit_corresponding(space: Kinematics, target, seed: int, progress) -> Fit:
    vertices = np.asarray(target.vertices if isinstance(target, Mesh) else target, dtype=np.float64)
    if vertices.shape != space.mesh.vertices.shape:
        raise InputError(
            f"the target has {len(vertices)} vertices and the object {space.mesh.vertex_count}",
            "give a target with the same vertices, or fit it as an unordered surface",
        )
    if not np.all(np.isfinite(vertices)):
        raise InputError("the target has vertices that are not finite", "export it again")
    where = at_vertices(space.mesh)
    carrier, (shares,) = carry(space, [where])
    # Every vertex counts: by its area, and a little in any case (small parts, stray vertices).
    weights = where.area / max(where.area.sum(), 1e-300) + 0.1 / where.count
    weights /= weights.sum()
    problem = Problem(space, carrier, PULL["corresponding"] * space.mesh.diagonal**2)
    goal = Quadratic.of(shares, weights, vertices)
    q, value = best_of(
        problem, goal, starts_of(space, 8, seed), enough=1e-16 * space.mesh.diagonal**2, progress=progress
    )
    return _finish(space, q, goal.value(problem.rows(q)), "corresponding vertices")


def _fit_points(space: Kinematics, points: Array, moves: Array, seed: int) -> Fit:
    where = nearest(space.mesh, points)
    carrier, (shares,) = carry(space, [where])
    problem = Problem(space, carrier, PULL["points"] * space.mesh.diagonal**2)
    goal = Quadratic.of(shares, np.full(len(points), 1.0 / len(points)), where.position + moves)
    q, _ = best_of(problem, goal, starts_of(space, 8, seed), enough=0.0)
    return _finish(space, q, goal.value(problem.rows(q)), f"{len(points)} pulled point{'s' * (len(points) > 1)}")


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
    return best_of(problem, goal, starts or starts_of(space, 8, seed), enough=0.0)[0]


def solve_velocity(system: System, q: Array, shares: Array, wanted: Array) -> Array:
    """min_v sum |J_p v - u_p|^2, of all such the one of least kinetic energy (METHOD: boundary conditions)."""
    jet = system.carrier.jet(system.space, q, np.zeros_like(q))
    J = np.tensordot(shares, jet.jacobian, axes=([1], [1])).transpose(0, 2, 1).reshape(-1, len(q))
    mass = gram(jet.jacobian, system.inertia, jet.jacobian) + np.diag(system.armature)
    root = np.linalg.cholesky(mass)
    # In coordinates y = root^T v the kinetic energy is |y|^2 / 2 and lstsq returns the shortest y.
    y, *_ = np.linalg.lstsq(J @ np.linalg.inv(root.T), wanted.ravel(), rcond=1e-9)
    return np.linalg.solve(root.T, y)


def _finish(space: Kinematics, q: Array, squared: float, what: str) -> Fit:
    residual = float(np.sqrt(squared))
    share = residual / space.mesh.diagonal if space.mesh.diagonal > 0 else 0.0
    status = (
        f"fitted {space.size} coordinates to {what}; {residual:.3g} file units ({share:.2%} of the diagonal) are left."
    )
    return Fit(q, posed(space, q), residual, status)
