"""Twists: every handle of a skin moved by the exponential of a twist that is linear in the state."""

import numpy as np
import torch
from torch import Generator, Tensor

from neurok.errors import InputError
from neurok.geometry.mesh import Array, Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.rigid import exp_twist
from neurok.geometry.rotation import skew
from neurok.geometry.surface import SurfacePoints
from neurok.geometry.twist_jacobian import twist_jacobian, twist_jacobian_jet
from neurok.kinematics.jet import Jet
from neurok.kinematics.kinematics import Kinematics, clamp
from neurok.kinematics.skinning import skinned_positions

SIDES = 2.6  # deviations that hold 99 % of a coordinate's prior, where nothing else is known
MOVING = 2.0  # coordinates that leave rest in a sample, on average, where there are more
MOST_WEIGHTS = 4  # per vertex, what glTF and USD play


class Twists(Kinematics):
    """x = sum_b w_b X_b(q) x(rest),   X_b(q) = exp([sum_m basis[b, :, m] q_m]).

    A hinge or a slider of any amplitude is a straight line through rest. What objects do is sparse, and so is the
    prior: a coordinate stays at rest, or lies anywhere between its lower and its upper side, as a drawer does.

    skin: b handles, at most 4 weights per vertex. basis: [b, 6, k], the twist (angular [rad], linear [file units])
    of each handle per unit of each coordinate, about the common point `origin` [file units], [3].
    sides: how far each coordinate goes below and above rest, both >= 0, [k, 2]. doubt: see Kinematics, [k].
    """

    def __init__(
        self,
        mesh: Mesh,
        skin: Skin,
        basis: Array,
        *,
        origin: Array,
        names: tuple[str, ...] = (),
        sides: Array | None = None,
        doubt: Array | None = None,
    ) -> None:
        basis, origin = np.asarray(basis, dtype=np.float64), np.asarray(origin, dtype=np.float64)
        count = basis.shape[2] if basis.ndim == 3 else 0
        sides = np.full((count, 2), SIDES) if sides is None else np.asarray(sides, dtype=np.float64)
        _check(mesh, skin, basis, origin, names, sides)
        self.mesh, self.skin, self.basis, self.origin = mesh, skin, basis, origin
        self.names = tuple(names) or tuple(f"mode {i + 1}" for i in range(count))
        self.rest = torch.zeros(count, dtype=torch.float64)
        self.spread = torch.ones(count, dtype=torch.float64)
        self.doubt = None if doubt is None else torch.as_tensor(doubt, dtype=torch.float64)
        self.sides, self.lower, self.upper = sides, torch.as_tensor(-sides[:, 0]), torch.as_tensor(sides[:, 1])
        # As (v, w) about the file's own origin, which is what the exponentials take.
        angular, linear = basis[:, :3], basis[:, 3:]
        self._basis = np.concatenate([linear + skew(origin) @ angular, angular], axis=1)

    def transforms(self, q: Tensor) -> Tensor:
        return exp_twist(torch.as_tensor(self._basis, dtype=q.dtype) @ q)

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return skinned_positions(self.transforms(q), self.mesh, self.skin, where)

    def sample(self, count: int, generator: Generator) -> Tensor:
        """Draws of the prior: a few coordinates, at least one, anywhere between their sides; doubtful ones rest."""
        draw = torch.rand((2, count, self.size), generator=generator, dtype=torch.float64)
        eager = torch.ones(self.size, dtype=torch.float64) if self.doubt is None else 1.0 / self.doubt
        order = draw[0] / eager.clamp_min(1e-9)
        chance = (eager * (MOVING / eager.sum().clamp_min(1e-9))).clamp_max(0.75)
        moves = (draw[0] < chance) | (order == order.min(dim=1, keepdim=True).values)
        return torch.where(moves, self.lower + draw[1] * (self.upper - self.lower), 0.0)

    def admit(self, q: Tensor) -> Tensor:
        return clamp(q, self.lower.to(q), self.upper.to(q))

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


def _hat(xi: Array) -> Array:
    """Twists (v, w) [..., 6] as matrices [..., 4, 4]."""
    hat = np.zeros(xi.shape[:-1] + (4, 4))
    hat[..., :3, :3] = skew(xi[..., 3:])
    hat[..., :3, 3] = xi[..., :3]
    return hat


def _moved(twists: Array, X: Array) -> Array:
    """[T_m] X for twists [b, 6, k] and matrices [b, 4, 4], [k, b, 4, 4]."""
    return _hat(np.ascontiguousarray(np.moveaxis(twists, -1, 0))) @ X


def _check(mesh: Mesh, skin: Skin, basis: Array, origin: Array, names: tuple[str, ...], sides: Array) -> None:
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
    if sides.shape != (basis.shape[2], 2) or not (np.all(np.isfinite(sides)) and np.all(sides >= 0)):
        raise InputError("the sides of the coordinates do not fit them", "give two lengths for each, none below zero")
    if names and len(names) != basis.shape[2]:
        raise InputError(f"{len(names)} names for {basis.shape[2]} coordinates", "give one name for each")
