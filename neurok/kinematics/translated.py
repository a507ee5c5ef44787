"""Any kinematics, its object moved as a whole: built anew at the other place where its class can be, else wrapped."""

import numpy as np
import torch
from scipy.sparse import identity, kron
from torch import Tensor

from neurok.geometry.arrays import Array
from neurok.geometry.far import translate_mesh, translate_skin
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics, StatedMasses


def translate_space(space: Kinematics, by: Array) -> Kinematics:
    """The same states of the same object, moved by a vector [file units], [3]."""
    built = space.translate(by)
    return Translated(space, by) if built is None else built


def translate_masses(masses: StatedMasses, by: Array) -> StatedMasses:
    """The masses of the object moved by a vector [file units], [3]: of (x, 1) of every bone."""
    T = np.eye(4)
    T[:3, 3] = by
    moments, inertia = masses.moments, masses.inertia
    if moments is not None:
        moments = T @ moments @ T.T
    if inertia is not None:
        every = kron(identity(inertia.shape[0] // 4), T, format="csr")
        inertia = (every @ inertia @ every.T).tocsr()
    return StatedMasses(moments, masses.note, inertia)


class Translated(Kinematics):
    """x = F(q) + by; coordinates, limits and prior are the inner kinematics', whose base is held. by: [unit], [3].

    What the inner one loses to rounding at its own place stays lost.
    """

    def __init__(self, inner: Kinematics, by: Array) -> None:
        self.inner, self.by = inner, np.asarray(by, dtype=np.float64)
        self.mesh = translate_mesh(inner.mesh, self.by)
        self.skin = None if inner.skin is None else translate_skin(inner.skin, self.by)
        self.rest, self.lower, self.upper = inner.rest, inner.lower, inner.upper
        self.names, self.prior, self.is_elastic = inner.names, inner.prior, inner.is_elastic
        self.elasticity = inner.elasticity
        self.stated_masses = translate_masses(inner.stated_masses, self.by)

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return self.inner.positions(q, where) + torch.as_tensor(self.by, dtype=q.dtype)

    def transforms(self, q: Tensor) -> Tensor:
        X = self.inner.transforms(q)
        by = torch.as_tensor(self.by, dtype=X.dtype)
        shift = X[:, :3, 3] + (by - X[:, :3, :3] @ by)
        upper = torch.cat([X[:, :3, :3], shift[..., None]], dim=2)
        return torch.cat([upper, X[:, 3:]], dim=1)

    def admit(self, q: Tensor) -> Tensor:
        return self.inner.admit(q)
