"""Inverse kinematics onto an unordered surface: which point goes where is not known."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from scipy.spatial import cKDTree

from neurok.errors import InputError
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, corner, nearest, sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import shares as shares_of
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic, posed, starts_of

Array = NDArray[np.float64]

POINTS = 4096  # samples of either surface
SCOUTS = 48  # sampled states the search looks at
LEADERS = 4  # of them that are refined
NORMAL_SHARE = 0.15  # of the diagonal: how far apart two points count whose normals are opposite, halved


def fit_surface(
    space: Kinematics, target: Mesh, pull: float, seed: int, progress: Callable[[float], None] | None
) -> tuple[Array, float]:
    """The state nearest to an unordered surface, and the mean squared distance left, both ways.

    Samples with normals find the state; then exact nearest points settle it. Rest is always among the candidates,
    so that a fit is never worse than not moving.
    """
    if target.face_count == 0:
        raise InputError("the target has no faces", "give a surface, or use corresponding vertices")
    source = sample_even(space.mesh, POINTS, np.random.default_rng([seed, 0]))
    goal_points = sample_even(target, POINTS, np.random.default_rng([seed, 1]))
    corners = [corner(space.mesh, source, i) for i in range(3)]
    carrier, (shares, *corner_shares) = carry(space, [source, *corners])
    problem = Problem(space, carrier, pull * space.mesh.diagonal**2)
    surface = _Surface(shares, corner_shares, goal_points, NORMAL_SHARE * space.mesh.diagonal)
    starts = starts_of(space, SCOUTS, seed)
    ranked = sorted(starts, key=lambda q: surface.match(problem.rows(q), q, coarse=True)[1])
    found = []
    for index, q in enumerate(ranked[:LEADERS]):
        found.append(_register(problem, surface.match, q))
        if progress is not None:
            progress((index + 1) / (LEADERS + 1))
    best = min(found, key=lambda pair: pair[1])[0]
    candidates = [space.rest.numpy().astype(np.float64), best]
    exact = _Exact(space, target, shares, goal_points)
    if space.skin is not None:
        candidates.append(_register(problem, exact.match, best, rounds=12)[0])
    if progress is not None:
        progress(1.0)
    distances = [exact.distance(problem.rows(q), q) for q in candidates]
    nearest_one = int(np.argmin(distances))
    return candidates[nearest_one], distances[nearest_one]


def _register(problem: Problem, match: Callable, q: Array, *, rounds: int = 40) -> tuple[Array, float]:
    """Alternate between matching nearest points, both ways, and a few Levenberg-Marquardt steps."""
    spread = problem.space.spread.numpy()
    for _ in range(rounds):
        goal, _ = match(problem.rows(q), q)
        moved, _ = problem.descend(q, goal, iterations=3)
        step = np.abs((moved - q) / spread).max(initial=0.0)
        q = moved
        if step < 1e-5:
            break
    return q, match(problem.rows(q), q)[1] + problem.penalty(q)


@dataclass(frozen=True)
class _Surface:
    """An unordered target: samples with normals, and the source's samples with the corners that give theirs."""

    shares: csr_matrix
    corners: list[csr_matrix]
    target: SurfacePoints
    normal_weight: float

    def match(self, Y: Array, q: Array, *, coarse: bool = False) -> tuple[Quadratic, float]:
        """Nearest points both ways at rows Y (near in place and in normal): the goal they make, and its value."""
        skip = 8 if coarse else 1
        shares = self.shares[::skip]
        a, b, c = (corner[::skip] @ Y for corner in self.corners)
        normal = np.cross(b - a, c - a)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        mine = np.concatenate([shares @ Y, self.normal_weight * normal], axis=1)
        theirs = np.concatenate([self.target.position, self.normal_weight * self.target.normal], axis=1)[::skip]
        _, to_target = cKDTree(theirs).query(mine)
        _, to_source = cKDTree(mine).query(theirs)
        both = vstack([shares, shares[to_source]]).tocsr()
        aims = np.concatenate([theirs[to_target, :3], theirs[:, :3]])
        goal = Quadratic.of(both, np.full(len(aims), 1.0 / len(aims)), aims)
        return goal, goal.value(Y)


@dataclass(frozen=True)
class _Exact:
    """The same target by exact nearest points: samples of the object to its surface, its samples to the object's."""

    space: Kinematics
    target: Mesh
    shares: csr_matrix
    samples: SurfacePoints

    def match(self, Y: Array, q: Array) -> tuple[Quadratic, float]:
        aims = nearest(self.target, self.shares @ Y).position
        feet = nearest(posed(self.space, q), self.samples.position)
        both = vstack([self.shares, shares_of(self.space.mesh, self.space.skin, feet)]).tocsr()
        aims = np.concatenate([aims, self.samples.position])
        goal = Quadratic.of(both, np.full(len(aims), 1.0 / len(aims)), aims)
        return goal, goal.value(Y)

    def distance(self, Y: Array, q: Array) -> float:
        """Mean squared distance, both ways."""
        mine = self.shares @ Y
        there = mine - nearest(self.target, mine).position
        back = self.samples.position - nearest(posed(self.space, q), self.samples.position).position
        return float((there**2).sum(axis=1).mean() + (back**2).sum(axis=1).mean()) / 2
