"""Any kinematics, its object moved as a whole: built anew at the other place where its class can be, else wrapped."""

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.geometry.arrays import Array
from neurok.geometry.far import translate_mesh, translate_skin
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics


def elsewhere(space: Kinematics, by: Array) -> Kinematics:
    """The same states of the same object, moved by a vector [file units], [3]."""
    built = space.shifted(by)
    return Elsewhere(space, by) if built is None else built


class Elsewhere(Kinematics):
    """x = F(q) + by; coordinates, limits and names are the inner kinematics'. by: [file units], [3].

    What the inner one loses to rounding at its own place stays lost.
    """

    def __init__(self, inner: Kinematics, by: Array) -> None:
        self.inner, self.by = inner, np.asarray(by, dtype=np.float64)
        self.mesh = translate_mesh(inner.mesh, self.by)
        self.skin = None if inner.skin is None else translate_skin(inner.skin, self.by)
        self.rest, self.spread, self.lower, self.upper = inner.rest, inner.spread, inner.lower, inner.upper
        self.names, self.doubt, self.mends, self.mass_note = inner.names, inner.doubt, inner.mends, inner.mass_note
        self.rigid_count, self.is_elastic, self.is_sparse = inner.rigid_count, inner.is_elastic, inner.is_sparse
        if inner.bone_moments is not None:
            T = np.eye(4)
            T[:3, 3] = self.by
            self.bone_moments = T @ inner.bone_moments @ T.T

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return self.inner.positions(q, where) + torch.as_tensor(self.by, dtype=q.dtype)

    def transforms(self, q: Tensor) -> Tensor:
        X = self.inner.transforms(q)
        by = torch.as_tensor(self.by, dtype=X.dtype)
        shift = X[:, :3, 3] + (by - X[:, :3, :3] @ by)
        upper = torch.cat([X[:, :3, :3], shift[..., None]], dim=2)
        return torch.cat([upper, X[:, 3:]], dim=1)

    def sample(self, count: int, generator: Generator) -> Tensor:
        return self.inner.sample(count, generator)

    def admit(self, q: Tensor) -> Tensor:
        return self.inner.admit(q)
