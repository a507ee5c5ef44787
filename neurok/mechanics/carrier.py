"""What carries the points of an object: rows Y(q) of which every point is a fixed linear combination.

    x_p = sum_r H[p, r] Y_r(q)

For a skin the rows are the bones' matrices (4 per bone, whatever the number of
points); for any other kinematics they are the points themselves. Masses,
forces and contacts are then all written in terms of Y and its derivatives.
"""

from dataclasses import dataclass, fields

import numpy as np
import torch
from scipy.sparse import csr_matrix, identity

from neurok.geometry.arrays import Array
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.jet import Jet, Line, forward_jet, forward_line
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import shares


@dataclass(frozen=True)
class Carrier:
    """Rows of one kinematics; `points` is None for a skin."""

    points: SurfacePoints | None

    def jet(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """Y [r, 3], its Jacobian [k, r, 3], second derivative along the velocity [r, 3], and Jacobian's rate."""
        if self.points is not None:
            return forward_jet(lambda state: space.positions(state, self.points), q, velocity, rate=rate)
        jet = space.transforms_jet(q, velocity, rate=rate)
        moved = None if jet.rate is None else _rows(jet.rate)
        return Jet(_rows(jet.value), _rows(jet.jacobian), _rows(jet.second), moved)

    def line(self, space: Kinematics, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        """Y along a velocity, [r, 3]; rate: whether its `pull` will be asked."""
        if self.points is not None:
            return forward_line(lambda state: space.positions(state, self.points), q, velocity)
        line = space.transforms_line(q, velocity, rate=rate)
        return Line(
            value=_rows(line.value),
            first=_rows(line.first),
            second=lambda: _rows(line.second()),
            to_coordinates=lambda P, dP: line.to_coordinates(_upper(P), _upper(dP)),
        )

    def rows(self, space: Kinematics, states: Array) -> Array:
        """Y of many states at once, [s, k] -> [s, r, 3]."""
        q = torch.as_tensor(np.ascontiguousarray(states, dtype=np.float64))
        if self.points is not None:
            return torch.vmap(lambda state: space.positions(state, self.points))(q).numpy()
        return _rows(torch.vmap(space.transforms)(q).numpy())


def carry(space: Kinematics, sets: list[SurfacePoints], *, dense: bool = False) -> tuple[Carrier, list[csr_matrix]]:
    """The carrier of several sets of points, and each set's H, [m, r].

    dense: use the points themselves as rows even where the kinematics is a skin (the slow twin of the skin's way).
    """
    if space.skin is not None and not dense:
        return Carrier(None), [shares(space.mesh, space.skin, where) for where in sets]
    every = join(sets)
    pick = identity(every.count, format="csr")
    ends = np.cumsum([0] + [where.count for where in sets])
    return Carrier(every), [pick[a:b] for a, b in zip(ends, ends[1:])]


def join(sets: list[SurfacePoints]) -> SurfacePoints:
    """Several sets of points as one, in order."""
    return SurfacePoints(*(np.concatenate([getattr(s, f.name) for s in sets]) for f in fields(SurfacePoints)))


def _upper(rows: Array) -> Array:
    """Rows [4 b, 3] as the upper rows of bone matrices, [b, 3, 4]."""
    return rows.reshape(-1, 4, 3).transpose(0, 2, 1)


def _rows(matrices: Array) -> Array:
    """Bone matrices [..., b, 4, 4] (or [..., b, 3, 4]) to rows [..., 4 b, 3], so that x = h Y."""
    upper = np.swapaxes(matrices[..., :3, :], -1, -2)
    return upper.reshape(*upper.shape[:-3], 4 * upper.shape[-3], 3)
