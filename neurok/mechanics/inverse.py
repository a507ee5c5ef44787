"""Inverse kinematics: targets -> state. The descent itself is in `descent`, unordered surfaces in `unordered`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.far import find_far_centre, translate_mesh
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices, find_nearest, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.proposed import Proposing
from neurok.kinematics.translated import translate_space
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic, find_best_descent, list_starts, pose_mesh
from neurok.mechanics.gram import compute_gram
from neurok.mechanics.lagrangian import System
from neurok.mechanics.points import fit_corresponding, fit_drag
from neurok.mechanics.unordered import fit_surface

SURFACE_SAMPLE_COUNT = 8192  # of a target surface, for which parts are proposed
JUDGE_SAMPLE_COUNT = 2048  # of two surfaces whose distance is measured
TRUSTED_SHARE = 0.1  # of the way: where proposals leave less, the learned modes are not asked as well; set by hand
REGULARISATION = 1e-6  # rho, of the squared diagonal


@dataclass(frozen=True)
class FitResult:
    """space: the one that was fitted, or, of one that proposes parts, the one that was made for the target; state: in
    it, [k]; mesh: the object in it, same order of faces; residual: RMS distance left [file units]; status."""

    space: Kinematics
    state: Array
    mesh: Mesh
    residual: float
    status: str


def fit(
    space: Kinematics,
    target: Mesh | Array | None = None,
    *,
    corresponding: bool = False,
    where: SurfacePoints | None = None,
    pulls: Sequence[tuple[Sequence[float], Sequence[float]]] = (),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> FitResult:
    """The state whose shape comes nearest to a target.

    target: a mesh (or vertices [n, 3]); an unordered surface unless `corresponding`, which means the same
        vertices in the same order.
    where: points of the surface at rest; the target is then where they go, [m, 3]: all that is asked of the object
        if `corresponding`, else a few that are dragged there, and the likeliest such state is sought.
    pulls: instead of a target, pairs (point, displacement) of dragged points [file units].
    """
    if (target is None) == (not pulls):
        raise InputError("a fit needs either a target or pulled points", "give one of the two")
    if space.size == 0:
        raise InputError("the object has one state only", "give one with joints, or set its base free")
    away = find_far_centre(space.mesh)
    if away is not None:  # squares of distant coordinates would cancel: it is fitted about its own place
        near = None if where is None else replace(where, position=where.position - away)
        if target is not None:
            target = translate_mesh(target, -away) if isinstance(target, Mesh) else np.asarray(target) - away
        pulls = [(np.subtract(point, away).tolist(), by) for point, by in pulls]
        moved = translate_space(space, -away)
        found = fit(moved, target, corresponding=corresponding, where=near, pulls=pulls, seed=seed, progress=progress)
        back = space if found.space is moved else translate_space(found.space, away)
        return replace(found, space=back, mesh=pose_mesh(back, found.state))
    if target is None:
        points, moves = (_read_vectors([p[i] for p in pulls]) for i in (0, 1))
        where = find_nearest(space.mesh, points)
        target = where.position + moves
    if where is not None or corresponding:
        return _fit_points(space, where, target, corresponding)
    surface = target if isinstance(target, Mesh) else space.mesh.with_vertices(np.asarray(target))
    proposed = _propose_surface(space, surface, seed) if isinstance(space, Proposing) else None
    if proposed is not None and proposed.residual <= TRUSTED_SHARE * _measure_surface(space.mesh, surface, seed):
        return proposed
    q, left = fit_surface(space, surface, seed, progress)
    learned = _describe_result(space, q, left, "an unordered surface")
    if proposed is None or _measure_surface(learned.mesh, surface, seed) < proposed.residual:
        return learned
    return proposed


def _read_vectors(rows: Sequence[Sequence[float]]) -> Array:
    """Points or displacements, [p, 3]."""
    try:
        found = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("a pull is not made of numbers", "give points and displacements of three numbers") from None
    if found.ndim != 2 or found.shape[1] != 3:
        raise InputError("a pull is not a point and a displacement", "give three numbers for each")
    return found


def _fit_points(space: Kinematics, where: SurfacePoints | None, target: Mesh | Array, corresponding: bool) -> FitResult:
    """Known points: the mesh's own vertices where none are named."""
    positions = np.asarray(target.vertices if isinstance(target, Mesh) else target, dtype=np.float64)
    what, of_vertices = ("vertices", True) if where is None else ("points", False)
    where = at_vertices(space.mesh) if where is None else where
    if positions.shape != (where.count, 3):
        raise InputError(
            f"the target has {len(positions)} vertices and the object {where.count}",
            "give a target with the same vertices, or fit it as an unordered surface",
        )
    if not np.all(np.isfinite(positions)):
        raise InputError("the target has positions that are not finite", "give ordinary numbers")
    wanted = _WantedPoints(where, positions, corresponding, what)
    proposed = None
    if isinstance(space, Proposing):
        state = (
            space.propose_vertices(positions)
            if of_vertices
            else space.propose_points(where, positions, corresponding=corresponding)
        )
        proposed = None if state is None else wanted.describe(state.space, state.state)
    if proposed is not None and (not corresponding or proposed.residual <= TRUSTED_SHARE * wanted.motion):
        return proposed
    if corresponding:
        q = fit_corresponding(space, where, positions, wanted.weights)
    else:
        q = fit_drag(space, where, positions)
    learned = wanted.describe(space, q)
    return learned if proposed is None or learned.residual < proposed.residual else proposed


@dataclass(frozen=True)
class _WantedPoints:
    """Points of the surface and where they should be, [p, 3]; what: they are called in a status."""

    where: SurfacePoints
    positions: Array
    corresponding: bool
    what: str

    @property
    def weights(self) -> Array:
        """How much each point counts, [p]; where all are known by its area, and a little in any case (small parts,
        stray vertices)."""
        if not self.corresponding:
            return np.full(self.where.count, 1.0 / self.where.count)
        weights = self.where.area / max(self.where.area.sum(), 1e-300) + 0.1 / self.where.count
        return weights / weights.sum()

    @property
    def motion(self) -> float:
        """How far the points are to go, RMS [file units]."""
        return float(np.sqrt(self.weights @ ((self.positions - self.where.position) ** 2).sum(axis=1)))

    def describe(self, space: Kinematics, q: Array) -> FitResult:
        """A state, of whose mesh face i is face i of the surface that the points lie on."""
        on_face = self.where.face[:, None] >= 0  # stray vertices keep their own
        corners = np.where(on_face, space.mesh.faces[self.where.face], self.where.corners)
        carrier, (shares,) = carry(space, [replace(self.where, corners=corners)])
        there = shares @ carrier.compute_jet(space, q, np.zeros_like(q)).value
        count = self.where.count
        status = f"corresponding {self.what}" if self.corresponding else f"{count} pulled point{'s' * (count > 1)}"
        return _describe_result(space, q, float(self.weights @ ((there - self.positions) ** 2).sum(axis=1)), status)


def _propose_surface(space: Proposing, surface: Mesh, seed: int) -> FitResult | None:
    """What geometry proposes for an unordered surface; None where no part comes nearer to it."""
    if surface.face_count == 0:
        raise InputError("the target has no faces", "give a surface, or use corresponding vertices")
    state = space.propose_surface(sample_even(surface, SURFACE_SAMPLE_COUNT, np.random.default_rng(seed)))
    if state is None:
        return None
    left = _measure_surface(pose_mesh(state.space, state.state), surface, seed)
    return _describe_result(state.space, state.state, left**2, "an unordered surface")


def _measure_surface(one: Mesh, other: Mesh, seed: int) -> float:
    """The distance between two surfaces, RMS over samples of either [file units]."""
    squares = []
    for here, there in ((one, other), (other, one)):
        points = sample_even(here, JUDGE_SAMPLE_COUNT, np.random.default_rng(seed + 1)).position
        squares.append(((points - find_nearest(there, points).position) ** 2).sum(axis=1).mean())
    return float(np.sqrt(np.mean(squares)))


def solve_points(
    system: System, shares: Array, moves: Array, *, seed: int = 0, starts: list[Array] | None = None
) -> Array:
    """The state in which points (their H, [p, r]) are displaced from rest by `moves` [p, 3], as nearly as can be.

    starts: where to look from, [k] each, instead of rest, the ends of the ranges and states sampled with the seed.
    """
    space = system.space
    rest = space.rest.numpy().astype(np.float64)
    problem = Problem(space, system.carrier, 0.0 if starts else REGULARISATION * space.mesh.diagonal**2)
    targets = shares @ problem.compute_rows(rest) + moves
    goal = Quadratic.from_targets(csr_matrix(shares), np.full(len(shares), 1.0 / len(shares)), targets)
    return find_best_descent(problem, goal, starts or list_starts(space, 8, seed), enough=0.0)[0]


def solve_velocity(system: System, q: Array, shares: Array, wanted: Array) -> Array:
    """min_v sum |J_p v - u_p|^2, of all such the one of least kinetic energy (METHOD: boundary conditions)."""
    jet = system.carrier.compute_jet(system.space, q, np.zeros_like(q))
    J = np.tensordot(shares, jet.jacobian, axes=([1], [1])).transpose(0, 2, 1).reshape(-1, len(q))
    mass = compute_gram(jet.jacobian, system.inertia, jet.jacobian) + system.armature
    root = np.linalg.cholesky(mass)
    # In coordinates y = root^T v the kinetic energy is |y|^2 / 2 and lstsq returns the shortest y.
    y, *_ = np.linalg.lstsq(J @ np.linalg.inv(root.T), wanted.ravel(), rcond=1e-9)
    return np.linalg.solve(root.T, y)


def _describe_result(space: Kinematics, q: Array, squared: float, what: str) -> FitResult:
    residual = float(np.sqrt(squared))
    share = residual / space.mesh.diagonal if space.mesh.diagonal > 0 else 0.0
    count = f"{space.size} coordinate{'s' * (space.size != 1)}"
    status = f"fitted {count} to {what}; {residual:.3g} file units ({share:.2%} of the diagonal) are left."
    return FitResult(space, q, pose_mesh(space, q), residual, status)
