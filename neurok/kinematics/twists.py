"""Twists: every handle of a skin moved by the exponential of a twist that is linear in the state."""

import numpy as np
import torch
from scipy.special import gammaincinv
from torch import Generator, Tensor

from neurok.errors import InputError
from neurok.geometry.mesh import Array, Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.rigid import exp_twist
from neurok.geometry.rotation import skew
from neurok.geometry.surface import SurfacePoints
from neurok.geometry.twist_jacobian import twist_jacobian, twist_jacobian_jet
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import skinned_positions

INSIDE = 0.99  # of the prior's mass is admissible
MOST_WEIGHTS = 4  # per vertex, what glTF and USD play


class Twists(Kinematics):
    """x = sum_b w_b X_b(q) x(rest),   X_b(q) = exp([sum_m basis[b, :, m] q_m]),   q ~ N(0, 1).

    A hinge or a slider of any amplitude is a straight line through rest. The admissible states are the ball that
    holds 99 % of the prior: |q|^2 <= the chi-square quantile of k coordinates.

    skin: b handles, at most 4 weights per vertex. basis: [b, 6, k], the twist (angular [rad], linear [file units])
    of each handle per unit of each coordinate, about the common point `origin` [file units], [3].
    """

    def __init__(self, mesh: Mesh, skin: Skin, basis: Array, *, origin: Array, names: tuple[str, ...] = ()) -> None:
        basis, origin = np.asarray(basis, dtype=np.float64), np.asarray(origin, dtype=np.float64)
        _check(mesh, skin, basis, origin, names)
        self.mesh, self.skin, self.basis, self.origin = mesh, skin, basis, origin
        count = basis.shape[2]
        self.names = tuple(names) or tuple(f"mode {i + 1}" for i in range(count))
        self.rest = torch.zeros(count, dtype=torch.float64)
        self.spread = torch.ones(count, dtype=torch.float64)
        self.radius = ball_radius(count)
        self.upper = torch.full((count,), self.radius, dtype=torch.float64)
        self.lower = -self.upper
        # As (v, w) about the file's own origin, which is what the exponentials take.
        angular, linear = basis[:, :3], basis[:, 3:]
        self._basis = np.concatenate([linear + skew(origin) @ angular, angular], axis=1)

    def transforms(self, q: Tensor) -> Tensor:
        return exp_twist(torch.as_tensor(self._basis, dtype=q.dtype) @ q)

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return skinned_positions(self.transforms(q), self.mesh, self.skin, where)

    def sample(self, count: int, generator: Generator) -> Tensor:
        """Draws from N(0, 1) that are admissible; those that are not are drawn anew."""
        states = torch.randn((count, self.size), generator=generator, dtype=torch.float64)
        while (outside := states.norm(dim=1) > self.radius).any():
            again = (int(outside.sum()), self.size)
            states[outside] = torch.randn(again, generator=generator, dtype=torch.float64)
        return states

    def admit(self, q: Tensor) -> Tensor:
        return within(q, self.radius)

    def transforms_jet(self, q: Array, velocity: Array, *, rate: bool = False) -> Jet:
        """Closed-form derivatives of `transforms`; its slow twin is torch's forward mode over `transforms`.

        With J the left Jacobian at xi = basis q, J' its rate, T_m = J basis_m and V = J basis v:
        dX/dq_m = [T_m] X,   d/ds dX/dq_m = ([J' basis_m] + [T_m][V]) X,   X'' = ([J' basis v] + [V]^2) X.
        """
        xi, along = self._basis @ q, self._basis @ velocity
        X = exp_twist(xi)
        if not rate and not np.any(velocity):
            return Jet(X, _moved(twist_jacobian(xi) @ self._basis, X), np.zeros_like(X))
        J, dJ = twist_jacobian_jet(xi, along)
        T, V = J @ self._basis, (J @ along[..., None])[..., 0]
        V_hat = _hat(V)
        carried = V_hat @ X
        second = _hat((dJ @ along[..., None])[..., 0]) @ X + V_hat @ carried
        moved = _moved(dJ @ self._basis, X) + _moved(T, carried) if rate else None
        return Jet(X, _moved(T, X), second, moved)


def ball_radius(count: int) -> float:
    """The radius of the ball that holds 99 % of N(0, 1) in so many dimensions."""
    return float(np.sqrt(2.0 * gammaincinv(count / 2.0, INSIDE))) if count else 0.0


def within(q: Tensor, radius: float) -> Tensor:
    """The nearest state in a ball about zero; compared in squares, so that zero has a derivative."""
    square = (q * q).sum()
    limit = radius**2
    return q * torch.where(square > limit, (limit / square.clamp(min=limit)).sqrt(), torch.ones_like(square))


def _hat(xi: Array) -> Array:
    """Twists (v, w) [..., 6] as matrices [..., 4, 4]."""
    hat = np.zeros(xi.shape[:-1] + (4, 4))
    hat[..., :3, :3] = skew(xi[..., 3:])
    hat[..., :3, 3] = xi[..., :3]
    return hat


def _moved(twists: Array, X: Array) -> Array:
    """[T_m] X for twists [b, 6, k] and matrices [b, 4, 4], [k, b, 4, 4]."""
    return _hat(np.ascontiguousarray(np.moveaxis(twists, -1, 0))) @ X


def _check(mesh: Mesh, skin: Skin, basis: Array, origin: Array, names: tuple[str, ...]) -> None:
    if len(skin.joints) != mesh.vertex_count:
        raise InputError("the skin does not match the mesh", "give one row of weights per vertex")
    if skin.joints.shape[1] > MOST_WEIGHTS:
        raise InputError(
            f"the skin has {skin.joints.shape[1]} weights per vertex", f"keep the {MOST_WEIGHTS} greatest of each"
        )
    if basis.ndim != 3 or basis.shape[:2] != (skin.bone_count, 6):
        raise InputError(
            f"the basis has shape {basis.shape}", f"give [{skin.bone_count} handles, 6, number of coordinates]"
        )
    if origin.shape != (3,) or not (np.all(np.isfinite(basis)) and np.all(np.isfinite(origin))):
        raise InputError("the basis or its origin holds numbers that are not finite", "check how it was made")
    if names and len(names) != basis.shape[2]:
        raise InputError(f"{len(names)} names for {basis.shape[2]} coordinates", "give one name for each")
