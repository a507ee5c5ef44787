"""Inverse kinematics onto an unordered surface: which point goes where is not known.

Two points match by place and by direction of their surface, |x - y|^2 + c^2 |n - n'|^2, nearest ones both ways.
Matches find the nearest valley only, so first a search over single coordinates, sampled states and what follows
from them scores hundreds of states on a few hundred points; the best few are then registered on more of them.
In a soft body no coordinate moves alone: there it is registered from rest, stiff at first and softer each time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.sparse import csr_matrix, vstack
from scipy.spatial import cKDTree

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, move_to_corner, sample_even
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, admit
from neurok.mechanics.exact import MOVING_THRESHOLD, ExactMatcher
from neurok.mechanics.search import MAX_SEARCH_COORDINATES, Beam, search_states

TANGENT_WEIGHT = 0.2  # of distances along the surface in a step, of those off it
SPACING_SHARE = 0.8  # of the side of the square that a sample stands for
STATE_BATCH = 8  # states scored at once: their distances then stay in the cache


@dataclass(frozen=True)
class Effort:
    """How much is spent on one fit, and what makes a state likely."""

    scout_points: int = 256  # of either surface, for scores; more where there are few coordinates
    points: int = 1200  # of either surface, for registration
    samples: int = 150  # of the prior
    beam: Beam = Beam(width=3, depth=3, amplitudes=(0.25, 0.6, 1.0, 1.5, 2.0, 2.8))
    leaders: int = 3  # states that are registered
    rounds: int = 2  # of search and registration
    register: int = 15  # re-matchings
    settle: int = 12  # re-matchings by exact nearest points at the end
    normal: float = 0.2  # c, of the diagonal
    regularisation: float = 1e-6  # rho, of the squared diagonal, per squared deviation
    price: float = 6e-6  # of the squared diagonal, per coordinate that moves
    stiff: tuple[float, ...] = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)  # times rho, where all move


DEFAULT_EFFORT = Effort()


def fit_surface(
    space: Kinematics,
    target: Mesh,
    seed: int,
    progress: Callable[[float], None] | None = None,
    effort: Effort = DEFAULT_EFFORT,
) -> tuple[Array, float]:
    """The state nearest to an unordered surface, and the mean squared distance left, both ways.

    Rest is always among the candidates, so that a fit is never worse than not moving.
    """
    if target.face_count == 0:
        raise InputError("the target has no faces", "give a surface, or use corresponding vertices")
    # A state costs the square of the points, and there are as many to look at as coordinates.
    scouts = int(effort.scout_points * np.clip(np.sqrt(16 / space.size), 1.0, 2.0))
    coarse = _sample_surfaces(space, target, scouts, effort, seed)
    fine = _sample_surfaces(space, target, effort.points, effort, seed + 1)
    rest = space.rest.numpy().astype(np.float64)
    if not space.prior.is_sparse:
        return _fit_soft(fine, effort, target, progress)
    others: Array = space.prior.sample(effort.samples, torch.Generator().manual_seed(seed)).numpy().astype(np.float64)
    cost = np.inf
    found: list[tuple[Array, float]] = []
    for index in range(effort.rounds):
        leaders = _choose_leaders(space, coarse, effort, others)
        found += [fine.register(q, effort.register) for q in leaders]
        found.append(fine.register(min(found, key=lambda pair: pair[1])[0], effort.register, every=True))
        found.sort(key=lambda pair: pair[1])
        if not found[0][1] < cost - 1e-9:
            break
        cost = found[0][1]
        others = np.array([q for q, _ in found[: effort.leaders]])
        if progress is not None:
            progress((index + 1) / (effort.rounds + 1))
    # Judged by samples that no state was fitted to.
    judge = _sample_surfaces(space, target, effort.points, effort, seed + 2)
    candidates = np.array([rest, *(q for q, _ in found[: effort.leaders])])
    best: Array = candidates[np.argmin(judge.score(candidates))]
    exact = ExactMatcher(fine.problem, target, fine.shares, fine.samples)
    if np.array_equal(best, rest) and space.size <= MAX_SEARCH_COORDINATES and space.skin is not None:
        best = exact.search_single_moves(effort.beam.amplitudes, effort.leaders)
    result = exact.settle(best, effort.settle)
    if progress is not None:
        progress(1.0)
    return result


def _fit_soft(
    fine: "_SampledSurfaces", effort: Effort, target: Mesh, progress: Callable[[float], None] | None
) -> tuple[Array, float]:
    """`fit_surface` where all coordinates move, and none has a price."""
    fine = replace(fine, price=0.0)
    q: Array = fine.problem.space.rest.numpy().astype(np.float64)
    for index, factor in enumerate(effort.stiff):
        stiffer = replace(fine, problem=replace(fine.problem, regularisation=factor * fine.problem.regularisation))
        q = stiffer.register(q, effort.register, every=True)[0]
        if progress is not None:
            progress((index + 1) / (len(effort.stiff) + 1))
    return ExactMatcher(fine.problem, target, fine.shares, fine.samples).settle(q, effort.settle)


def _choose_leaders(space: Kinematics, coarse: "_SampledSurfaces", effort: Effort, others: Array) -> list[Array]:
    """The states to register: the best of a search, or of the others alone where there are too many coordinates."""
    if space.size <= MAX_SEARCH_COORDINATES:
        return search_states(space, coarse.score, effort.beam, others=others)[: effort.leaders]
    seen = np.concatenate([space.rest.numpy().astype(np.float64)[None], others])
    return list(seen[np.argsort(coarse.score(seen), kind="stable")[: effort.leaders]])


def _sample_surfaces(space: Kinematics, target: Mesh, count: int, effort: Effort, seed: int) -> "_SampledSurfaces":
    size = space.mesh.diagonal
    source = sample_even(space.mesh, count, np.random.default_rng([seed, 0]))
    goal = sample_even(target, count, np.random.default_rng([seed, 1]))
    carrier, (shares, *corners) = carry(space, [source, *(move_to_corner(space.mesh, source, i) for i in range(3))])
    theirs = np.concatenate([goal.position, effort.normal * size * goal.normal], axis=1)
    return _SampledSurfaces(
        problem=Problem(space, carrier, effort.regularisation * size**2),
        price=effort.price * size**2,
        shares=shares,
        corners=vstack(corners).tocsr(),
        samples=goal,
        normal_weight=effort.normal * size,
        theirs=theirs,
        tree=cKDTree(theirs),
        spacing=SPACING_SHARE * np.sqrt(max(source.area.sum(), goal.area.sum()) / count),
    )


@dataclass(frozen=True)
class _SampledSurfaces:
    """Samples of both surfaces: what a state costs, and the goal that its matches make."""

    problem: Problem
    price: float
    shares: csr_matrix
    corners: csr_matrix  # three per sample, one after another
    samples: SurfacePoints
    normal_weight: float
    theirs: Array  # place and weighted normal of each of the target's samples, [p, 6]
    tree: cKDTree  # of them
    spacing: float  # how far a sample's neighbours are from it

    def compute_features(self, rows: Array) -> Array:
        """Place and weighted normal of the object's samples at rows [s, r, 3], [s, p, 6]."""
        s, r, _ = rows.shape
        flat = np.ascontiguousarray(rows.transpose(1, 0, 2)).reshape(r, 3 * s)
        place = (self.shares @ flat).reshape(-1, s, 3)
        a, b, c = (self.corners @ flat).reshape(3, -1, s, 3)
        u, v = b - a, c - a
        normal = np.stack([u[..., i - 2] * v[..., i - 1] - u[..., i - 1] * v[..., i - 2] for i in range(3)], axis=-1)
        normal *= self.normal_weight / np.maximum(np.sqrt((normal**2).sum(-1, keepdims=True)), 1e-300)
        return np.concatenate([place, normal], axis=-1).transpose(1, 0, 2)

    def score(self, states: Array) -> Array:
        """What each state costs: mean squared distance of nearest samples both ways, penalty and price, [s]."""
        space = self.problem.space
        values = self.problem.regularisation * np.sum(self._whiten(states) ** 2, axis=1)
        values += self.price * self._count_moving(states)
        features = self.compute_features(self.problem.carrier.compute_rows(space, states))
        for start in range(0, len(states), STATE_BATCH):
            values[start : start + STATE_BATCH] += self._measure_distances(features[start : start + STATE_BATCH])
        return values

    def _measure_distances(self, mine: Array) -> Array:
        """What the matches of features [s, p, 6] cost, [s].

        All distances at once are quicker than trees for a few hundred points:
        |a - b|^2 = (a, |a|^2, 1) . (-2 b, 1, |b|^2).
        """
        s, m, _ = mine.shape
        theirs = self.theirs.astype(np.float32)
        left = mine.astype(np.float32)
        left = np.concatenate([left, (left**2).sum(-1, keepdims=True), np.ones_like(left[..., :1])], axis=-1)
        right = np.concatenate([-2 * theirs, np.ones_like(theirs[:, :1]), (theirs**2).sum(-1, keepdims=True)], axis=1)
        square = (left.reshape(s * m, -1) @ np.ascontiguousarray(right.T)).reshape(s, m, -1)
        there = self.measure_gap(mine, self.theirs[square.argmin(axis=2)])
        back = self.measure_gap(np.take_along_axis(mine, square.argmin(axis=1)[..., None], axis=1), self.theirs)
        return (there.mean(axis=1) + back.mean(axis=1)) / 2

    def measure_gap(self, mine: Array, theirs: Array) -> Array:
        """The squared distance of matched features [..., 6] from one another, [...].

        Along the surface it counts only beyond the spacing of the samples, or their noise would hide small parts.
        """
        apart = mine[..., :3] - theirs[..., :3]
        off = np.einsum("...a,...a->...", apart, theirs[..., 3:]) / self.normal_weight
        square = np.einsum("...a,...a->...", apart, apart)
        along = np.sqrt(np.maximum(square - off**2, 0.0))
        turned = mine[..., 3:] - theirs[..., 3:]
        return off**2 + np.maximum(along - self.spacing, 0.0) ** 2 + np.einsum("...a,...a->...", turned, turned)

    def match_samples(self, rows: Array) -> tuple[Indices, Indices, float]:
        """Nearest features both ways at rows [r, 3]: the object's samples, the target's, and what that costs."""
        mine = self.compute_features(rows[None])[0]
        to_target = self.tree.query(mine)[1]
        to_source = cKDTree(mine, balanced_tree=False, compact_nodes=False).query(self.theirs)[1]
        there, back = self.measure_gap(mine, self.theirs[to_target]), self.measure_gap(mine[to_source], self.theirs)
        ours = np.concatenate([np.arange(len(mine)), to_source])
        return ours, np.concatenate([to_target, np.arange(len(self.theirs))]), (there.mean() + back.mean()) / 2

    def register(self, q: Array, rounds: int, *, every: bool = False) -> tuple[Array, float]:
        """Alternate between matching and a Gauss-Newton step; the best state met and what it costs.

        Coordinates at rest stay there, unless `every` one may move: free ones fit noise.
        """
        free = np.ones(len(q), dtype=bool) if every else self._find_moving(q)
        problem, deviation = self.problem, self.problem.space.prior.deviation
        best, cost, damping = q, np.inf, 1e-3
        if not free.any():
            return q, float(self.score(q[None])[0])
        for _ in range(rounds):
            jet = problem.compute_jet(q)
            ours, theirs, distance = self.match_samples(jet.value)
            value = distance + problem.compute_penalty(q) + self.price * float(self._count_moving(q))
            damping = damping / 4 if value < cost else damping * 8
            if value < cost:
                best, cost = q, value
            step = self._compute_step(q, jet, ours, theirs, damping, free)
            q = admit(problem.space, q + deviation * step)
            if np.abs(step).max(initial=0.0) < 1e-4 or damping > 1e3:
                break
        return best, cost

    def _compute_step(self, q: Array, jet: Jet, ours: Indices, theirs: Indices, damping: float, free: Mask) -> Array:
        """Towards the planes of the matched samples, and a little along them; in deviations of the prior, [k].

        min_d sum_i |P_i (x_i + J_i d - y_i)|^2 / m + rho |q + d|^2 with P = n n^T + ALONG (1 - n n^T).
        """
        k, shares = int(free.sum()), self.shares[ours]
        flat = np.ascontiguousarray(jet.jacobian[free].transpose(1, 2, 0)) * self.problem.space.prior.deviation[free]
        J = (shares @ flat.reshape(len(flat), -1)).reshape(-1, 3, k)
        apart = shares @ jet.value - self.theirs[theirs, :3]
        normal = self.theirs[theirs, 3:] / self.normal_weight
        J = TANGENT_WEIGHT * J + (1 - TANGENT_WEIGHT) * normal[..., None] * np.einsum("ma,mak->mk", normal, J)[:, None]
        apart = TANGENT_WEIGHT * apart + (1 - TANGENT_WEIGHT) * normal * np.einsum("ma,ma->m", normal, apart)[:, None]
        J, residual = J.reshape(-1, k), apart.reshape(-1)
        hessian = J.T @ J / len(ours) + self.problem.regularisation * np.eye(k)
        slope = J.T @ residual / len(ours) + self.problem.regularisation * self._whiten(q)[free]
        largest = max(hessian.diagonal().max(initial=0.0), 1e-300)
        step = np.zeros(len(q))
        step[free] = -np.linalg.solve(
            hessian + damping * np.diag(np.maximum(hessian.diagonal(), 1e-9 * largest)), slope
        )
        return step

    def _whiten(self, states: Array) -> Array:
        return self.problem.space.prior.whiten(states)

    def _count_moving(self, states: Array) -> Array:
        """How many coordinates leave rest, each times its penalty, [...]."""
        return self.problem.space.prior.price(states, MOVING_THRESHOLD)

    def _find_moving(self, states: Array) -> Mask:
        return self.problem.space.prior.find_moving(states, MOVING_THRESHOLD)
