"""Free: any kinematics with six rigid coordinates in front, so that the object may fall, slide and tumble."""

from copy import copy

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.geometry.arrays import Array
from neurok.geometry.rigid import left_jacobian, rotation, rotation_jet
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.elsewhere import elsewhere
from neurok.kinematics.jet import Jet, Line
from neurok.kinematics.kinematics import Kinematics

RIGID = ("move x", "move y", "move z", "turn x", "turn y", "turn z")


class Free(Kinematics):
    """x = base R(phi) turned about the centre, then shifted by d:  x = exp([phi]) R0 (F(q) - c) + c + p0 + d.

    Coordinates: d [3, file units], phi [3, rad], then those of the wrapped kinematics.
    T_base = (R0, p0) is the pose so far. phi is an increment: `recentred` folds it into the base, so a
    simulation that does so every step never meets the singularity of rotation vectors.
    """

    rigid_count = 6

    def __init__(self, inner: Kinematics, T_base: Array | None = None) -> None:
        self.inner = inner
        self.mesh = inner.mesh
        self.skin = inner.skin
        self.bone_moments = inner.bone_moments
        self.mass_note = inner.mass_note
        self.is_elastic, self.is_sparse = inner.is_elastic, inner.is_sparse
        if inner.doubt is not None:
            self.doubt = torch.cat([torch.ones(6, dtype=torch.float64), inner.doubt])
        if inner.mends is not None:
            self.mends = np.concatenate([np.full(6, -1), np.where(inner.mends >= 0, inner.mends + 6, -1)])
        self.T_base = np.eye(4) if T_base is None else np.asarray(T_base, dtype=np.float64)
        self.centre = inner.mesh.bounds.mean(axis=0)
        self.names = RIGID + tuple(inner.names)
        far = torch.full((6,), torch.inf, dtype=torch.float64)
        size = torch.tensor([inner.mesh.diagonal] * 3 + [np.pi / 2] * 3, dtype=torch.float64)
        self.rest = torch.cat([torch.zeros(6, dtype=torch.float64), inner.rest])
        self.spread = torch.cat([size, inner.spread])
        self.lower = torch.cat([-far, inner.lower])
        self.upper = torch.cat([far, inner.upper])

    def transforms(self, q: Tensor) -> Tensor:
        return self._pose(q[:6]) @ self.inner.transforms(q[6:])

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        pose = self._pose(q[:6])
        return self.inner.positions(q[6:], where) @ pose[:3, :3].T + pose[:3, 3]

    def shifted(self, by: Array) -> "Free":
        return Free(elsewhere(self.inner, by), self.T_base)

    def sample(self, count: int, generator: Generator) -> Tensor:
        """Samples of the wrapped kinematics, the base where it is."""
        inner = self.inner.sample(count, generator)
        return torch.cat([torch.zeros((count, 6), dtype=inner.dtype), inner], dim=1)

    def admit(self, q: Tensor) -> Tensor:
        return torch.cat([q[:6], self.inner.admit(q[6:])])

    def recentred(self, q: Array, velocity: Array) -> tuple["Free", Array, Array]:
        """The same state with d = phi = 0: the base takes them over; phi's rate becomes the angular velocity."""
        moved = copy(self)
        moved.T_base = self._base_pose(q[:6])
        velocity = velocity.copy()
        velocity[3:6] = left_jacobian(q[3:6]) @ velocity[3:6]
        return moved, np.concatenate([np.zeros(6), q[6:]]), velocity

    def _base_pose(self, q: Array) -> Array:
        """T_base with the increments d, phi applied."""
        pose = np.eye(4)
        pose[:3, :3] = rotation(q[3:6]) @ self.T_base[:3, :3]
        pose[:3, 3] = self.T_base[:3, 3] + q[:3]
        return pose

    def _pose(self, q: Tensor) -> Tensor:
        """The rigid motion of the whole object, [4, 4]."""
        R0 = torch.as_tensor(self.T_base[:3, :3], dtype=q.dtype)
        centre = torch.as_tensor(self.centre, dtype=q.dtype)
        R = rotation(q[3:6]) @ R0
        shift = centre + torch.as_tensor(self.T_base[:3, 3], dtype=q.dtype) + q[:3] - R @ centre
        last = torch.tensor([[0.0, 0.0, 0.0, 1.0]], dtype=q.dtype)
        return torch.cat([torch.cat([R, shift[:, None]], dim=1), last])

    def _pose_jet(self, q: Array, velocity: Array) -> tuple[Array, Array, Array, Array]:
        """The pose [4, 4], its six derivatives and their rates along the velocity [6, 4, 4], its second derivative."""
        spin, axes = velocity[3:6], np.eye(3)
        # The mixed second derivative along (e_i, spin) by polarisation: B(a, b) = (B(a+b, a+b) - B(a-b, a-b)) / 4.
        R, dR, ddR = rotation_jet(q[3:6], np.concatenate([spin[None], axes, axes + spin, axes - spin]))
        mixed_R = (ddR[4:7] - ddR[7:]) / 4
        R0 = self.T_base[:3, :3]

        def about_centre(rotations: Array, shifts: Array) -> Array:
            T = np.zeros(rotations.shape[:-2] + (4, 4))
            T[..., :3, :3] = rotations @ R0
            T[..., :3, 3] = shifts - T[..., :3, :3] @ self.centre
            return T

        pose = about_centre(R[0], self.centre + self.T_base[:3, 3] + q[:3])
        pose[3, 3] = 1.0
        first = np.concatenate([about_centre(np.zeros((3, 3, 3)), np.eye(3)), about_centre(dR[1:4], np.zeros((3, 3)))])
        mixed = np.concatenate([np.zeros((3, 4, 4)), about_centre(mixed_R, np.zeros((3, 3)))])
        return pose, first, mixed, about_centre(ddR[0], np.zeros(3))

    @property
    def has_closed_form(self) -> bool:
        return self.inner.has_closed_form

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """P X by the product rule: (P X)'' = P'' X + 2 P' X' + P X''."""
        pose, first, mixed, second = self._pose_jet(q, velocity)
        inner = self.inner.transforms_jet(q[6:], velocity[6:], rate=rate)
        along = np.tensordot(velocity[:6], first, axes=1)
        inner_along = np.tensordot(velocity[6:], inner.jacobian, axes=1)
        moved = None
        if rate:
            moved = np.concatenate(
                [
                    mixed[:, None] @ inner.value + first[:, None] @ inner_along,
                    along @ inner.jacobian + pose @ inner.rate,
                ]
            )
        return Jet(
            value=pose @ inner.value,
            jacobian=np.concatenate([first[:, None] @ inner.value, pose @ inner.jacobian]),
            second=second @ inner.value + 2 * along @ inner_along + pose @ inner.second,
            rate=moved,
        )

    def transforms_line(self, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        """P X by the product rule; what acts on it acts on X through P^T, and on P through X^T."""
        pose, first, mixed, second = (T[..., :3, :] for T in self._pose_jet(q, velocity))
        inner = self.inner.transforms_line(q[6:], velocity[6:], rate=rate)
        dpose = np.tensordot(velocity[:6], first, axes=1)
        turn, dturn, X, dX = pose[:, :3], dpose[:, :3], inner.value, inner.first

        def pull(P: Array, dP: Array) -> tuple[Array, Array]:
            p, dp = inner.pull(turn.T @ P, dturn.T @ P + turn.T @ dP)
            on_pose = _outer(P, X, 1.0)
            rates = _outer(P, dX, 0.0) + _outer(dP, X, 1.0)
            own = np.tensordot(first, on_pose, axes=2)
            return np.concatenate([own, p]), np.concatenate(
                [np.tensordot(mixed, on_pose, axes=2) + np.tensordot(first, rates, axes=2), dp]
            )

        return Line(
            value=_times(pose, X, 1.0),
            first=_times(dpose, X, 1.0) + turn @ dX,
            second=lambda: _times(second, X, 1.0) + 2 * dturn @ dX + turn @ inner.second(),
            pull=pull,
        )


def _times(T: Array, X: Array, last: float) -> Array:
    """T [3, 4] times matrices of which X [b, 3, 4] are the upper rows and `last` the last number of the fourth."""
    product = T[:, :3] @ X
    product[..., 3] += last * T[:, 3]
    return product


def _outer(P: Array, X: Array, last: float) -> Array:
    """What P on T X, [b, 3, 4] both, does to T: sum_b P X^T, [3, 4]; X and its last number as above."""
    own = np.tensordot(P, X, axes=((0, 2), (0, 2)))
    return np.concatenate([own, last * P[..., 3].sum(axis=0)[:, None]], axis=1)
