"""Twists: every handle of a skin moved by the exponential of a twist that is linear in the state."""

from copy import copy

import numpy as np
import torch
from torch import Tensor

from neurok.errors import InputError
from neurok.geometry.arrays import Array
from neurok.geometry.far import translate_mesh, translate_skin
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.rigid import exp_twist
from neurok.geometry.rotation import skew
from neurok.geometry.twist_jacobian import COMPLEX_STEP, TwistMotion, cross, twist_motion
from neurok.geometry.twist_lines import follow_twists
from neurok.kinematics.ball import ball_radius
from neurok.kinematics.jet import Jet, Line, Lines
from neurok.kinematics.kinematics import clamp
from neurok.kinematics.prior import NormalPrior, SparsePrior, sparse_prior
from neurok.kinematics.skinned import Skinned
from neurok.kinematics.translated import translate_masses

MAX_WEIGHTS = 4  # per vertex, what glTF and USD play


class Twists(Skinned):
    """x = sum_b w_b X_b(q) x(rest),   X_b(q) = exp([sum_m basis[b, :, m] q_m]).

    A hinge or a slider of any amplitude is a straight line through rest.

    skin: b handles, at most 4 weights per vertex. basis: [b, 6, k], the twist (angular [rad], linear [file units])
    of each handle per unit of each coordinate, about the common point `origin` [file units], [3].
    prior: of the coordinates, whose bounds `low` and `high` are the limits of the states; a plain sparse one within
    the deviations that hold 99 % of a normal coordinate where none is given.
    """

    def __init__(
        self,
        mesh: Mesh,
        skin: Skin,
        basis: Array,
        *,
        origin: Array,
        names: tuple[str, ...] = (),
        prior: SparsePrior | NormalPrior | None = None,
    ) -> None:
        basis, origin = np.asarray(basis, dtype=np.float64), np.asarray(origin, dtype=np.float64)
        count = basis.shape[2] if basis.ndim == 3 else 0
        prior = sparse_prior(np.full((count, 2), ball_radius(1))) if prior is None else prior
        _check(mesh, skin, basis, origin, names, prior)
        self.mesh, self.skin, self.basis, self.origin = mesh, skin, basis, origin
        self.names = tuple(names) or tuple(f"mode {i + 1}" for i in range(count))
        self.prior: SparsePrior | NormalPrior = prior
        self.rest = torch.zeros(count, dtype=torch.float64)
        self.lower, self.upper = torch.from_numpy(prior.low), torch.from_numpy(prior.high)
        self._settle()

    def _settle(self) -> None:
        """The basis as (v, w) about the file's own origin, which is what the exponentials take."""
        angular, linear = self.basis[:, :3], self.basis[:, 3:]
        self._basis = np.concatenate([linear + skew(self.origin) @ angular, angular], axis=1)
        self._columns = np.ascontiguousarray(self._basis.transpose(1, 0, 2)).reshape(-1, self.size)  # [6 b, k]
        self._rows = np.ascontiguousarray(self._columns.T)

    def transforms(self, q: Tensor) -> Tensor:
        return exp_twist(torch.as_tensor(self._basis, dtype=q.dtype) @ q)

    def admit(self, q: Tensor) -> Tensor:
        return clamp(q, self.lower.to(q), self.upper.to(q))

    def translate(self, by: Array) -> "Twists":
        moved = copy(self)
        moved.mesh, moved.skin, moved.origin = (
            translate_mesh(self.mesh, by),
            translate_skin(self.skin, by),
            self.origin + by,
        )
        moved.stated_masses = translate_masses(self.stated_masses, by)
        moved._settle()
        return moved

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """Closed-form derivatives of `transforms`; its slow twin is torch's forward mode over `transforms`.

        With J the left Jacobian at xi = basis q, T_m = J basis_m and V = J basis v:  dX/dq_m = [T_m] X,  X' = [V] X.
        Rates along v are told by an imaginary step (see `twist_jacobian`).
        """
        if not rate and not np.any(velocity):
            motion = twist_motion((self._columns @ q).reshape(6, -1))
            value, jacobian = _squared(motion.X, 1.0), _moved(self._combined(motion.J), motion.X)
            return Jet(value, jacobian, np.zeros_like(value))
        motion, eta = self._along(q, velocity)
        value, second = _squared(motion.X.real, 1.0), _squared(_second(motion, eta))
        if not rate:
            return Jet(value, _moved(self._combined(motion.J.real), motion.X.real), second)
        jacobian = _moved(self._combined(motion.J), motion.X)
        return Jet(value, jacobian.real, second, jacobian.imag / COMPLEX_STEP)

    def transforms_line(self, q: Array, velocity: Array, *, rate: bool = True) -> Line:
        """What `transforms_jet` tells, without its Jacobians: momenta of a handle are a wrench F about the origin, of
        the coordinates basis^T J^T F, and their rate is told by an imaginary step like all rates."""
        motion, eta = self._along(q, velocity)

        def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
            Z = (P + (1j * COMPLEX_STEP) * dP).transpose(1, 2, 0)
            F = np.concatenate([Z[:, 3], cross(motion.X, Z).sum(axis=1)])  # <Z, [T] X> = T . F
            along = (motion.J * F[:, None]).sum(axis=0).ravel()
            return along.real @ self._columns, (along.imag / COMPLEX_STEP) @ self._columns

        return Line(
            value=motion.X.real.transpose(2, 0, 1),
            first=(motion.X.imag / COMPLEX_STEP).transpose(2, 0, 1),
            second=lambda: _second(motion, eta).transpose(2, 0, 1),
            to_coordinates=to_coordinates,
        )

    def transforms_lines(self, states: Array, velocities: Array) -> Lines:
        """Rates are told by an imaginary step; real and imaginary parts go side by side through real products."""
        n, bones, scale = len(states), self.skin.bone_count, 1.0 / COMPLEX_STEP
        along = np.stack([states.T, COMPLEX_STEP * velocities.T], axis=2).reshape(-1, 2 * n)
        found = follow_twists((self._columns @ along).view(np.complex128).reshape(6, -1))
        X = found.X.reshape(3, 4, bones, n).transpose(2, 0, 1, 3)

        def to_coordinates(P: Array, dP: Array) -> tuple[Array, Array]:
            both = np.empty((3, 4, bones, n), dtype=np.complex128)
            both.real = P.transpose(1, 2, 0, 3)
            np.multiply(dP.transpose(1, 2, 0, 3), COMPLEX_STEP, out=both.imag)
            felt = found.pull_back(both.reshape(3, 4, -1)).reshape(-1, n).view(np.float64)
            p, dp = (self._rows @ felt).reshape(-1, n, 2).T
            return p, scale * dp

        return Lines(lambda: X.real, X.imag * scale, to_coordinates)

    def _along(self, q: Array, velocity: Array) -> tuple[TwistMotion, Array]:
        """The motion at basis (q + i STEP v), and basis v, [6, b]."""
        xi, eta = (np.array([q, velocity]) @ self._columns.T).reshape(2, 6, -1)
        return twist_motion(xi + (1j * COMPLEX_STEP) * eta), eta

    def _combined(self, J: Array) -> Array:
        """J basis_m, [6, k, b]."""
        return (J.transpose(2, 0, 1) @ self._basis).transpose(1, 2, 0)


def _second(motion: TwistMotion, eta: Array) -> Array:
    """X'' = ([V] X)' with V = J eta, upper rows, [3, 4, b]; the motion holds an imaginary step along eta."""
    V = (motion.J * eta).sum(axis=1)
    first = cross(V[3:, None], motion.X)
    first[:, 3] += V[:3]
    return first.imag / COMPLEX_STEP


def _moved(twists: Array, X: Array) -> Array:
    """[T_m] X of twists [6, k, b] and upper rows [3, 4, b], [k, b, 4, 4].

    In memory the last axis but one comes first, and so a carrier can take it for rows as it is.
    """
    moved = np.zeros((4, *twists.shape[1:], 4), dtype=X.dtype)
    moved[:3] = cross(twists[3:, ..., None], X.transpose(0, 2, 1)[:, None])
    moved[:3, ..., 3] += twists[:3]
    return moved.transpose(1, 2, 0, 3)


def _squared(upper: Array, last: float = 0.0) -> Array:
    """Matrices [b, 4, 4] of their upper rows [3, 4, b] and the last number of the fourth."""
    matrices = np.zeros((upper.shape[2], 4, 4))
    matrices[:, :3], matrices[:, 3, 3] = upper.transpose(2, 0, 1), last
    return matrices


def _check(
    mesh: Mesh, skin: Skin, basis: Array, origin: Array, names: tuple[str, ...], prior: SparsePrior | NormalPrior
) -> None:
    if len(skin.joints) != mesh.vertex_count:
        raise InputError("the skin does not match the mesh", "give one row of weights per vertex")
    if skin.joints.shape[1] > MAX_WEIGHTS:
        raise InputError(
            f"the skin has {skin.joints.shape[1]} weights per vertex", f"keep the {MAX_WEIGHTS} greatest of each"
        )
    if basis.ndim != 3 or basis.shape[:2] != (skin.bone_count, 6):
        raise InputError(
            f"the basis has shape {basis.shape}", f"give [{skin.bone_count} handles, 6, number of coordinates]"
        )
    if origin.shape != (3,) or not (np.all(np.isfinite(basis)) and np.all(np.isfinite(origin))):
        raise InputError("the basis or its origin holds numbers that are not finite", "check how it was made")
    bounds = np.array([-prior.low, prior.high])
    if bounds.shape != (2, basis.shape[2]) or not np.all(bounds >= 0):
        raise InputError("the bounds of the coordinates do not fit them", "give two for each, rest between them")
    if names and len(names) != basis.shape[2]:
        raise InputError(f"{len(names)} names for {basis.shape[2]} coordinates", "give one name for each")
