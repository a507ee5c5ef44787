"""FloatingBase: any kinematics with six rigid coordinates in front, so that the object may fall, slide and tumble."""

from copy import copy

import numpy as np
import torch
from torch import Tensor

from neurok.geometry.arrays import Array
from neurok.geometry.rigid import left_jacobian, rotation, rotation_jet
from neurok.geometry.rotation import rotation_vector
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.jet import Jet, Line
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.prior import with_base
from neurok.kinematics.translated import translate_space

BASE_NAMES = ("move x", "move y", "move z", "turn x", "turn y", "turn z")


class FloatingBase(Kinematics):
    """x = base R(phi) turned about the centre, then shifted by d:  x = exp([phi]) R0 (F(q) - c) + c + p0 + d.

    Coordinates: d [3, file units], phi [3, rad], then those of the wrapped kinematics.
    T_base = (R0, p0) is the pose so far. phi is an increment: `recentre` folds it into the base, so a
    simulation that does so every step never meets the singularity of rotation vectors.
    """

    def __init__(self, inner: Kinematics, T_base: Array | None = None) -> None:
        self.inner = inner
        self.mesh, self.skin = inner.mesh, inner.skin
        self.stated_masses, self.is_elastic = inner.stated_masses, inner.is_elastic
        self.elasticity = None if inner.elasticity is None else inner.elasticity.add_base(len(BASE_NAMES))
        self._T_base = np.eye(4) if T_base is None else np.asarray(T_base, dtype=np.float64)
        self.centre = inner.mesh.bounds.mean(axis=0)
        self.names = BASE_NAMES + tuple(inner.names)
        self.prior = with_base(inner.prior, np.array([inner.mesh.diagonal] * 3 + [np.pi / 2] * 3))
        far = torch.full((6,), torch.inf, dtype=torch.float64)
        self.rest = torch.cat([torch.zeros(6, dtype=torch.float64), inner.rest])
        self.lower = torch.cat([-far, inner.lower])
        self.upper = torch.cat([far, inner.upper])

    @property
    def base_count(self) -> int:
        return 6

    @property
    def T_base(self) -> Array:
        return self._T_base

    def without_base(self) -> Kinematics:
        return self.inner

    def with_base_pose(self, T_base: Array) -> "FloatingBase":
        moved = copy(self)
        moved._T_base = np.asarray(T_base, dtype=np.float64)
        return moved

    def transforms(self, q: Tensor) -> Tensor:
        return self._pose(q[:6]) @ self.inner.transforms(q[6:])

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        pose = self._pose(q[:6])
        return self.inner.positions(q[6:], where) @ pose[:3, :3].T + pose[:3, 3]

    def translate(self, by: Array) -> "FloatingBase":
        return FloatingBase(translate_space(self.inner, by), self.T_base)

    def admit(self, q: Tensor) -> Tensor:
        return torch.cat([q[:6], self.inner.admit(q[6:])])

    def recentre(self, q: Array, velocity: Array) -> tuple["FloatingBase", Array, Array]:
        """The same state with d = phi = 0: the base takes them over; phi's rate becomes the angular velocity."""
        velocity = velocity.copy()
        velocity[3:6] = left_jacobian(q[3:6]) @ velocity[3:6]
        return self.with_base_pose(self._base_pose(q[:6])), np.concatenate([np.zeros(6), q[6:]]), velocity

    def unroll(self, q: Array, velocity: Array) -> tuple["FloatingBase", Array, Array]:
        """The same state with all of the base's pose in d and phi, counted from the pose in the file."""
        moved, q, velocity = self.recentre(q, velocity)
        phi = np.asarray(rotation_vector(moved.T_base[:3, :3]))
        rates = np.concatenate([velocity[:3], np.linalg.solve(left_jacobian(phi), velocity[3:6]), velocity[6:]])
        return FloatingBase(self.inner), np.concatenate([moved.T_base[:3, 3], phi, q[6:]]), rates

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
        if inner.rate is not None and rate:
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

        def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
            p, dp = inner.to_coordinates(turn.T @ P, dturn.T @ P + turn.T @ dP)
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
            to_coordinates=to_coordinates,
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
