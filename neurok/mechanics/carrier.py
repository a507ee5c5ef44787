"""What carries the points of an object: rows Y(q) of which every point is a fixed linear combination.

    x_p = sum_r H[p, r] Y_r(q)

For a skin the rows are the bones' matrices (4 per bone, whatever the number of points); for any other kinematics they
are the points themselves. Masses, forces and contacts are then all written in terms of Y and its derivatives.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_matrix, identity

from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.jet import Jet, Line, Lines, forward_jet, forward_line, stack_lines
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import shares


class Carrier(ABC):
    """The rows of one kinematics. The space is given anew with each call, since a free base is re-centred."""

    @abstractmethod
    def compute_jet(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """Y [r, 3], its Jacobian [k, r, 3], second derivative along the velocity [r, 3], and Jacobian's rate."""

    @abstractmethod
    def compute_line(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        """Y along a velocity, [r, 3]; rate: whether its `to_coordinates` will be asked."""

    def compute_lines(self, space: Kinematics, states: Array, velocities: Array) -> Lines:
        """Y along many velocities at once, [r, 3, n]; states, velocities: [n, k]."""
        return stack_lines([self.compute_line(space, q, v) for q, v in zip(states, velocities)])

    @abstractmethod
    def compute_rows(self, space: Kinematics, states: Array) -> Array:
        """Y of many states at once, [s, k] -> [s, r, 3]."""


@dataclass(frozen=True)
class BoneCarrier(Carrier):
    """Rows that are the bones' matrices, for any kinematics with a skin."""

    def compute_jet(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        jet = space.transforms_jet(q, velocity, rate=rate)
        moved = None if jet.rate is None else _to_rows(jet.rate)
        return Jet(_to_rows(jet.value), _to_rows(jet.jacobian), _to_rows(jet.second), moved)

    def compute_line(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        line = space.transforms_line(q, velocity, rate=rate)
        return Line(
            value=_to_rows(line.value),
            first=_to_rows(line.first),
            second=lambda: _to_rows(line.second()),
            to_coordinates=lambda P, dP: line.to_coordinates(_to_matrices(P), _to_matrices(dP)),
        )

    def compute_lines(self, space: Kinematics, states: Array, velocities: Array) -> Lines:
        lines = space.transforms_lines(states, velocities)

        def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
            return lines.to_coordinates(*(_turn_rows(x.reshape(-1, 4, 3, x.shape[-1])) for x in (P, dP)))

        def to_rows(matrices: Array) -> Array:
            return _turn_rows(matrices).reshape(-1, 3, len(states))

        return Lines(lambda: to_rows(lines.value()), to_rows(lines.first), to_coordinates)

    def compute_rows(self, space: Kinematics, states: Array) -> Array:
        return _to_rows(torch.vmap(space.transforms)(_to_tensor(states)).numpy())


@dataclass(frozen=True)
class PointCarrier(Carrier):
    """Rows that are the points themselves, for any kinematics."""

    points: SurfacePoints

    def compute_jet(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        return forward_jet(lambda state: space.positions(state, self.points), q, velocity, rate=rate)

    def compute_line(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        return forward_line(lambda state: space.positions(state, self.points), q, velocity)

    def compute_rows(self, space: Kinematics, states: Array) -> Array:
        return torch.vmap(lambda state: space.positions(state, self.points))(_to_tensor(states)).numpy()


def carry(space: Kinematics, sets: list[SurfacePoints], *, dense: bool = False) -> tuple[Carrier, list[csr_matrix]]:
    """The carrier of several sets of points, and each set's H, [m, r].

    dense: use the points themselves as rows even where the kinematics is a skin (the slow twin of the skin's way).
    """
    if space.skin is not None and not dense:
        return BoneCarrier(), [shares(space.mesh, space.skin, where) for where in sets]
    every = join_points(sets)
    pick = identity(every.count, format="csr")
    ends = np.cumsum([0] + [where.count for where in sets])
    return PointCarrier(every), [pick[a:b] for a, b in zip(ends, ends[1:])]


def join_points(sets: list[SurfacePoints]) -> SurfacePoints:
    """Several sets of points as one, in order."""
    return SurfacePoints(
        face=np.concatenate([where.face for where in sets]),
        corners=np.concatenate([where.corners for where in sets]),
        weights=np.concatenate([where.weights for where in sets]),
        position=np.concatenate([where.position for where in sets]),
        normal=np.concatenate([where.normal for where in sets]),
        area=np.concatenate([where.area for where in sets]),
    )


def _to_tensor(states: Array) -> torch.Tensor:
    return torch.as_tensor(np.ascontiguousarray(states, dtype=np.float64))


def _turn_rows(matrices: Array) -> Array:
    """Rows of many states [b, 4, 3, n] to upper rows of bone matrices [b, 3, 4, n], and the other way round."""
    return matrices.swapaxes(1, 2)


def _to_matrices(rows: Array) -> Array:
    """Rows [4 b, 3] as the upper rows of bone matrices, [b, 3, 4]."""
    return rows.reshape(-1, 4, 3).transpose(0, 2, 1)


def _to_rows(matrices: Array) -> Array:
    """Bone matrices [..., b, 4, 4] (or [..., b, 3, 4]) to rows [..., 4 b, 3], so that x = h Y."""
    upper = np.swapaxes(matrices[..., :3, :], -1, -2)
    return upper.reshape(*upper.shape[:-3], 4 * upper.shape[-3], 3)
