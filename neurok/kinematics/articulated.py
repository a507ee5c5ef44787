"""Articulated: the joint coordinates of any tree of joints as a state space."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.far import translate_mesh
from neurok.geometry.links import link_skin
from neurok.geometry.motion import Skin
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import StatedMasses, clamp
from neurok.kinematics.prior import UniformPrior, plain_fields
from neurok.kinematics.skinned import Skinned

ArrayOrTensor = TypeVar("ArrayOrTensor", Array, Tensor)

OPEN_ANGLE = np.pi / 2  # sampled range of a joint that turns without limits [rad]
OPEN_SLIDE = 0.2  # sampled range of a joint that slides without limits, of the diagonal


class Articulated(Skinned):
    """F(q): every link moved by the product of exponentials along its path from the base.

    The coordinates are those of the joints that do not mimic another and whose range is not empty.
    Rest is q = 0, the pose of the file; limits that exclude it are widened to contain it.
    """

    is_elastic = False

    def __init__(self, articulation: Articulation) -> None:
        self.articulation = articulation
        coupling, offset = articulation.coupling
        lower, upper, deviation, kept = _ranges(articulation)
        self.kept = kept  # of the coordinates that the joints have
        self.coupling = coupling[:, kept]
        self.offset = offset
        self.rest = torch.zeros(len(kept), dtype=torch.float64)
        self.lower, self.upper = torch.from_numpy(lower[kept]), torch.from_numpy(upper[kept])
        self.prior = _uniform_prior(lower[kept], upper[kept], deviation[kept])
        self.names = tuple(articulation.coordinate_names[i] for i in kept)
        self._chain = _Chain(articulation)
        X_rest = self._chain.motions(self.offset)
        self._X_rest_inverse = np.linalg.inv(X_rest)
        self.mesh = articulation.mesh
        self.skin = link_skin(articulation, X_rest)
        self.stated_masses = StatedMasses(*_stated_moments(articulation, self.skin))
        if np.any(self.offset != 0):  # a mimic with an offset moves links away from zero already at rest
            self.mesh = self.mesh.with_vertices(self.skin.blend(X_rest, self.mesh.vertices))

    def transforms(self, q: Tensor) -> Tensor:
        coupling = torch.as_tensor(self.coupling, dtype=q.dtype)
        theta = coupling @ q + torch.as_tensor(self.offset, dtype=q.dtype)
        return self._chain.motions(theta) @ torch.as_tensor(self._X_rest_inverse, dtype=q.dtype)

    def admit(self, q: Tensor) -> Tensor:
        return clamp(q, self.lower.to(q), self.upper.to(q))

    def translate(self, by: Array) -> "Articulated":
        return Articulated(translate_mesh(self.articulation, by))

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """Closed-form derivatives of `transforms`; its slow twin is torch's forward mode over `transforms`."""
        jet = self._chain.jet(self.coupling @ q + self.offset, self.coupling @ velocity, rate=rate)
        right = self._X_rest_inverse

        def coordinates(by_freedom: Array) -> Array:
            return _combine(self.coupling.T, by_freedom) @ right

        return Jet(
            value=jet.value @ right,
            jacobian=coordinates(jet.jacobian),
            second=jet.second @ right,
            rate=None if jet.rate is None or not rate else coordinates(jet.rate),
        )


def _ranges(articulation: Articulation) -> tuple[Array, Array, Array, list[int]]:
    """Limits, half ranges and the indices of coordinates that can move at all."""
    diagonal = articulation.mesh.diagonal
    lower, upper, deviation, empty = [], [], [], []
    for d in articulation.coordinate_freedoms:
        freedom = articulation.freedoms[d]
        reach = OPEN_ANGLE if freedom.turns else OPEN_SLIDE * diagonal
        low, high = min(freedom.lower, 0.0), max(freedom.upper, 0.0)
        lower.append(low)
        upper.append(high)
        deviation.append((high - low) / 2 if np.isfinite(high - low) else reach)
        empty.append(deviation[-1] <= (1e-9 if freedom.turns else 1e-9 * diagonal))
    kept = [i for i, none in enumerate(empty) if not none]
    return np.array(lower), np.array(upper), np.array(deviation), kept


def _uniform_prior(lower: Array, upper: Array, deviation: Array) -> UniformPrior:
    """Uniform over the joints' ranges; over a default range about rest where a joint has no limits, or from the one
    limit that it has."""
    low = np.where(np.isfinite(lower), lower, np.minimum(upper, 1e300) - 2 * deviation)
    low = np.where(np.isfinite(lower) | np.isfinite(upper), low, -deviation)
    return UniformPrior(low=low, **plain_fields(deviation, lower, upper))


def _stated_moments(articulation: Articulation, skin: Skin) -> tuple[Array | None, str]:
    """The links' masses as their file states them, [b, 4, 4], or None and why they are not taken.

    Not taken where a link that moves and has a shape states none, or states what its shape cannot have: many
    files carry placeholders (one kilogram, an inertia of one), and a box of 20 cm would then turn like a wardrobe.
    """
    if all(link.inertia is None for link in articulation.links):
        return None, ""
    unit = articulation.mesh.unit
    moments = np.zeros((skin.bone_count, 4, 4))
    shaped = np.bincount(articulation.vertex_link, minlength=len(articulation.links)) > 0
    for bone, link in enumerate(articulation.order):
        name, inertia = articulation.links[link].name, articulation.links[link].inertia
        if inertia is None:
            if shaped[link] and articulation.path[link].any():
                return None, f"the file states no mass of link '{name}'"
            continue
        R, p = skin.frames[bone, :3, :3], skin.frames[bone, :3, 3]
        # Stated in metres; lengths here are in the file's unit.
        centre = R @ inertia.centre / unit + p
        tensor = R @ inertia.tensor @ R.T / unit**2
        if shaped[link]:
            own = articulation.mesh.vertices[articulation.vertex_link == link]
            reach = np.linalg.norm(own - centre, axis=1).max()
            if np.trace(tensor) / 2 > inertia.mass * reach**2:  # no body within that reach is so hard to turn
                return None, f"the inertia that the file states of link '{name}' does not fit its shape"
        moments[bone, :3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor + inertia.mass * np.outer(centre, centre)
        moments[bone, :3, 3] = moments[bone, 3, :3] = inertia.mass * centre
        moments[bone, 3, 3] = inertia.mass
    if not moments[:, 3, 3].sum() > 0:
        return None, "the masses that the file states are zero"
    return moments, ""


@dataclass(frozen=True)
class _Chain:
    """The tree's exponentials, for numpy arrays and torch tensors alike; links in the order parents first."""

    articulation: Articulation

    @cached_property
    def _hats(self) -> Array:
        """The screws as 4 x 4 matrices [S], [D, 4, 4]; the turning part is zero where a freedom slides."""
        screws = np.array([f.screw for f in self.articulation.freedoms]).reshape(-1, 6)
        hats = np.zeros((len(screws), 4, 4))
        hats[:, [2, 0, 1], [1, 2, 0]] = screws[:, 3:]
        hats[:, [1, 2, 0], [2, 0, 1]] = -screws[:, 3:]
        hats[:, :3, 3] = screws[:, :3]
        return hats

    @cached_property
    def _series(self) -> Array:
        """[S] + [S]^3, -[S]^3 and [S]^2: what theta, sin theta and 1 - cos theta multiply, [D, 3, 16]."""
        S = self._hats
        return np.stack([S + S @ S @ S, -S @ S @ S, S @ S], axis=1).reshape(-1, 3, 16)

    @cached_property
    def _walk(self) -> list[tuple[int, int, list[int]]]:
        """(link, parent link, its joint's freedoms), parents first."""
        walk = []
        for link in self.articulation.order:
            above = self.articulation.parent_joint[link]
            own = [d for d, f in enumerate(self.articulation.freedoms) if f.joint == above]
            walk.append((link, int(self.articulation.link_parents[link]), own))
        return walk

    @cached_property
    def _before(self) -> Array:
        """before[d, e] = 1 where freedom e acts before d on d's own path, [D, D]."""
        path = self.articulation.path.astype(np.float64)
        before = np.zeros((path.shape[1],) * 2)
        for _link, parent, own in self._walk:
            for rank, d in enumerate(own):
                if parent >= 0:
                    before[d] = path[parent]
                before[d, own[:rank]] = 1.0
        return before

    @cached_property
    def _path(self) -> Array:
        """Which freedoms move which link, links parents first, [L, D]."""
        return self.articulation.path[list(self.articulation.order)].astype(np.float64)

    def _exponentials(self, theta: ArrayOrTensor) -> ArrayOrTensor:
        """exp([S_d] theta_d), [D, 4, 4], smooth everywhere: with |w| 1 or 0, [S]^4 = -[S]^2 and the series closes to

        exp([S] theta) = 1 + theta ([S] + [S]^3) - sin theta [S]^3 + (1 - cos theta) [S]^2.

        One product with constants, because forward mode is slow in every sum of a tensor and a constant.
        """
        if isinstance(theta, np.ndarray):
            rows = np.stack([theta, np.sin(theta), 1 - np.cos(theta)], axis=1)
            return np.eye(4) + (rows[:, None] @ self._series).reshape(-1, 4, 4)
        terms = torch.stack([theta, torch.sin(theta), 1 - torch.cos(theta)], dim=1)
        series = torch.as_tensor(self._series, dtype=theta.dtype)
        return torch.eye(4, dtype=theta.dtype) + (terms[:, None] @ series).reshape(-1, 4, 4)

    def motions(self, theta: ArrayOrTensor, before: dict[int, Any] | None = None) -> ArrayOrTensor:
        """Motion of each link relative to zero, [L, 4, 4]; `before` collects the motion just before each freedom."""
        exponentials = self._exponentials(theta)
        one: Any = np.eye(4) if isinstance(theta, np.ndarray) else torch.eye(4, dtype=theta.dtype)
        motions = [one] * len(self.articulation.links)
        for link, parent, own in self._walk:
            X = motions[parent] if parent >= 0 else one
            for d in own:
                if before is not None:
                    before[d] = X
                X = X @ exponentials[d]
            motions[link] = X
        ordered = [motions[link] for link in self.articulation.order]
        return np.stack(ordered) if isinstance(theta, np.ndarray) else torch.stack(ordered)

    def jet(self, theta: Array, speed: Array, *, rate: bool) -> Jet:
        """X, dX/dtheta, and the second derivative along the line theta + s speed.

        With S_d the screw of freedom d where it is now and V the twist of what carries it:
        dX_l/dtheta_d = [S_d] X_l,   d[S_d]/ds = [V_before_d][S_d] - [S_d][V_before_d],
        d^2 X_l/ds^2 = (d[V_l]/ds + [V_l]^2) X_l.
        """
        path = self._path
        if not len(theta):
            still = np.tile(np.eye(4), (len(path), 1, 1))
            none = np.zeros((0, len(path), 4, 4))
            return Jet(still, none, np.zeros_like(still), none)
        before: dict[int, Array] = {}
        X = self.motions(theta, before)
        B = np.stack([before[d] for d in range(len(theta))])
        S = B @ self._hats @ _rigid_inverse(B)
        scaled = S * speed[:, None, None]
        V_before = _combine(self._before, scaled)
        dS = V_before @ S - S @ V_before
        V = _combine(path, scaled)
        dV = _combine(path, dS * speed[:, None, None])
        on = path.T[:, :, None, None]
        jacobian = on * (S[:, None] @ X)
        moved = (on * ((dS[:, None] + S[:, None] @ V) @ X)) if rate else None
        return Jet(X, jacobian, (dV + V @ V) @ X, moved)


def _combine(weights: Array, matrices: Array) -> Array:
    """sum_d weights[l, d] matrices[d]: [l, d] x [d, ...] -> [l, ...] (tensordot, without its overhead)."""
    shape = matrices.shape[1:]
    return (weights @ matrices.reshape(len(matrices), int(np.prod(shape)))).reshape(len(weights), *shape)


def _rigid_inverse(T: Array) -> Array:
    inverse = np.zeros_like(T)
    rotation = np.swapaxes(T[..., :3, :3], -1, -2)
    inverse[..., :3, :3] = rotation
    inverse[..., :3, 3] = -(rotation @ T[..., :3, 3, None])[..., 0]
    inverse[..., 3, 3] = 1.0
    return inverse
