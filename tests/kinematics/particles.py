"""Particles: the dense twin of every space; control points that move freely and drag the surface along."""

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import compute_drive, farthest_points
from neurok.kinematics.jet import Jet
from neurok.kinematics.prior import NormalPrior, plain_fields
from neurok.kinematics.skinned import Skinned

DEVIATION = 0.05  # of the diagonal: how far a particle strays by default


class Particles(Skinned):
    """x_v = x_v(rest) + sum_b w_vb q_b: each of `count` particles carries the vertices nearest to it.

    With one particle per vertex this is the full space of 3 n coordinates, in which nothing is known of the
    object: what a learned or jointed space is measured against.
    """

    def __init__(self, mesh: Mesh, count: int = 64, *, nearest: int = 4) -> None:
        count = min(count, mesh.vertex_count)
        self.mesh = mesh
        chosen = np.sort(farthest_points(mesh.vertices, count))
        centres = mesh.vertices[chosen]
        index, weights = compute_drive(centres, mesh.vertices, min(nearest, count))
        frames = np.tile(np.eye(4), (count, 1, 1))
        frames[:, :3, 3] = centres
        names = tuple(f"particle {i}" for i in range(count))
        self.skin = Skin(index, weights, names, np.full(count, -1), frames)
        size = 3 * count
        self.rest = torch.zeros(size, dtype=torch.float64)
        self.lower = torch.full((size,), -torch.inf, dtype=torch.float64)
        self.upper = -self.lower
        far, deviation = np.full(size, np.inf), np.full(size, DEVIATION * mesh.diagonal)
        self.prior = NormalPrior(low=-far, high=far, is_sparse=True, **plain_fields(deviation, -far, far))
        self.names = tuple(f"{name} {axis}" for name in names for axis in "xyz")

    def transforms(self, q: Tensor) -> Tensor:
        shifts = q.reshape(-1, 3)
        turn = torch.eye(4, dtype=q.dtype)[:, :3].expand(len(shifts), 4, 3)
        last = torch.cat([shifts, torch.ones((len(shifts), 1), dtype=q.dtype)], dim=1)
        return torch.cat([turn, last[:, :, None]], dim=2)

    def admit(self, q: Tensor) -> Tensor:
        return q

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """The map is linear: a constant Jacobian and no second derivative."""
        bones = self.skin.bone_count
        value = np.tile(np.eye(4), (bones, 1, 1))
        value[:, :3, 3] = q.reshape(-1, 3)
        by_axis = np.zeros((bones, 3, bones, 4, 4))
        each = np.arange(bones)
        for axis in range(3):
            by_axis[each, axis, each, axis, 3] = 1.0
        jacobian = by_axis.reshape(3 * bones, bones, 4, 4)
        return Jet(value, jacobian, np.zeros_like(value), np.zeros_like(jacobian) if rate else None)
