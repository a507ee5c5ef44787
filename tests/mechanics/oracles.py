"""Slow plain twins and exact answers."""

import numpy as np
import torch
from torch.func import jacfwd

from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import NormalPrior, plain_fields


class Sphere(Kinematics):
    """One particle on the unit sphere, in longitude and latitude: not a skin, so the general way is taken."""

    def __init__(self) -> None:
        from neurok.geometry.primitives import box

        self.mesh = box()
        self.rest = torch.zeros(2, dtype=torch.float64)
        self.lower = torch.full((2,), -torch.inf, dtype=torch.float64)
        self.upper = -self.lower
        far = np.full(2, np.inf)
        self.prior = NormalPrior(low=-far, high=far, is_sparse=True, **plain_fields(np.ones(2), -far, far))
        self.names = ("longitude", "latitude")

    def positions(self, q, where):
        x = torch.stack([torch.cos(q[1]) * torch.cos(q[0]), torch.cos(q[1]) * torch.sin(q[0]), torch.sin(q[1])])
        return x.expand(where.count, 3)

    def admit(self, q):
        return q


def christoffel_term(positions, masses, q, v) -> np.ndarray:
    """c_i = sum_jk Gamma_ijk v_j v_k with Gamma_ijk = (d_k M_ij + d_j M_ik - d_i M_jk) / 2, all formed.

    positions: q -> [m, 3] in torch; masses [m].
    """

    def mass_matrix(state):
        J = jacfwd(positions)(state)
        return torch.einsum("m,mai,maj->ij", masses, J, J)

    dM = jacfwd(mass_matrix)(q)  # [i, j, k] = d_k M_ij
    gamma = 0.5 * (dM + dM.permute(0, 2, 1) - dM.permute(2, 0, 1))
    return torch.einsum("ijk,j,k->i", gamma, v, v).numpy()


def measured_bodies(scene, names):
    """Mass, centre and inertia tensor about the centre of each named bone, from the scene's own point masses."""
    space = scene.system.space
    leader = space.skin.leader[scene.masses.where.corners[:, 0]]
    found = []
    for name in names:
        mine = leader == space.skin.names.index(name)
        m, x = scene.masses.mass[mine], scene.masses.where.position[mine]
        if not m.sum() > 0:  # a helper link without a shape
            found.append((0.0, np.zeros(3), np.zeros((3, 3))))
            continue
        centre = m @ x / m.sum()
        d = x - centre
        tensor = np.einsum("i,ij,ik->jk", m, d, d)
        found.append((m.sum(), centre, np.trace(tensor) * np.eye(3) - tensor))
    return found
