"""Crisp modes: a mode that is nearly one screw of some handles becomes just that, about an axis of the object.

A network says of every handle how far it follows a screw, and says it with small errors: a body that should rest
follows its lid by a hundredth, a hinge leans by two degrees. Where a mode is one screw of one part for all that can be
told, the part follows it whole, the rest not at all, and an axis that is nearly the object's own is taken for it.
Modes that bend a body are no such screws and stay as they are.
"""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import Handles
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.bilateral import LEVER

OTHERWISE = 0.1  # share of a mode's square motion that may go otherwise than its screw
RESTS, FOLLOWS = 0.4, 0.6  # how far a handle follows the screw at most, at least, to count as not, as wholly
NEAR = np.cos(np.radians(12.0))  # to one of the object's axes
SLIDES = 0.12  # of how far a part is shifted, below which its turning, at its own radius, is left out
TURNS = 0.1  # of how far a part turns, below which the shift along the axis is left out
LEAST_RADIUS = 0.03  # of a part [diagonals]
ROUNDS = 4


def crisp_modes(twist: Array, where: SurfacePoints, placed: Handles, patch: Indices) -> tuple[Array, Array]:
    """The modes with those made crisp that are one screw; twists (v, w) about the canonical origin, [h, m, 6].

    patch: of each point. Handles of one patch follow a screw together, or not at all: patches hardly ever come apart.
    Returns the twists, and how far each handle follows the screw of each mode that was made crisp, [h, m]; else zero.
    """
    area = np.bincount(placed.owner, where.area, placed.count)
    total = np.stack([np.bincount(placed.owner, where.area * x, placed.count) for x in where.position.T], axis=1)
    centre = np.where(area[:, None] > 0, total / np.maximum(area, 1e-300)[:, None], where.position[placed.anchor])
    weight = area / area.sum() + 0.2 / placed.count
    label = np.unique(patch[placed.anchor], return_inverse=True)[1]
    modes = [_crisp(mode, centre, weight, label) for mode in np.moveaxis(twist, 1, 0)]
    return np.stack([mode for mode, _ in modes], axis=1), np.stack([gate for _, gate in modes], axis=1)


def _crisp(twist: Array, centre: Array, weight: Array, label: Indices) -> tuple[Array, Array]:
    """One mode, [h, 6], and how far handles follow it, [h]; label: the patch of each handle, [h]."""
    as_it_is = twist, np.zeros(len(twist))
    motion = _motion(twist, centre)
    screw = twist[np.argmax(weight * (motion**2).sum(axis=1))]
    for _ in range(ROUNDS):
        gate = _follows(motion, _motion(screw, centre))
        own = weight * np.where(gate > 0.5, gate, 0.0)
        if not own.sum() > 0:
            return as_it_is
        screw = own @ twist / own.sum()
    whole = _motion(screw, centre)
    gate = _follows(motion, whole)
    otherwise = weight @ ((motion - gate[:, None] * whole) ** 2).sum(axis=1)
    if otherwise > OTHERWISE * (weight @ (motion**2).sum(axis=1)):
        return as_it_is
    gate = (np.bincount(label, weight * gate.clip(0.0, 1.0)) / np.bincount(label, weight))[label]
    gate = np.where(gate > FOLLOWS, 1.0, np.where(gate < RESTS, 0.0, gate))
    if not (gate > 0.5).any():
        return as_it_is
    return gate[:, None] * _plain(screw, centre, weight * (gate > 0.5)), gate


def _motion(twist: Array, centre: Array) -> Array:
    """How a twist, or each handle's own, moves the handles' centres [h, 3] and turns them, [h, 6]."""
    v, w = (np.broadcast_to(x, centre.shape) for x in (twist[..., :3], twist[..., 3:]))
    return np.concatenate([v + np.cross(w, centre), LEVER * w], axis=1)


def _follows(motion: Array, whole: Array) -> Array:
    """How far each handle's motion [h, 6] goes along another, [h]."""
    return (motion * whole).sum(axis=1) / np.maximum((whole**2).sum(axis=1), 1e-12)


def _plain(screw: Array, centre: Array, weight: Array) -> Array:
    """A screw as a pure slide or turn where it is nearly one, along one of the object's axes where it nearly is."""
    v, w = screw[:3], screw[3:]
    middle = weight @ centre / weight.sum()
    radius = np.sqrt(weight @ ((centre - middle) ** 2).sum(axis=1) / weight.sum()) + LEAST_RADIUS
    shift, turn = v + np.cross(w, middle), float(np.linalg.norm(w))
    if turn * radius < SLIDES * np.linalg.norm(shift):
        return np.concatenate([np.linalg.norm(shift) * _axis(shift), np.zeros(3)])
    axis = _axis(w)
    arm = np.cross(w, shift) / turn**2  # from the middle to the axis
    along = axis @ shift
    if abs(along) < TURNS * turn * max(radius, float(np.linalg.norm(arm))):
        along = 0.0
    return np.concatenate([np.cross(middle + arm, turn * axis) + along * axis, turn * axis])


def _axis(direction: Array) -> Array:
    """A direction of length one; that of the object's axis where it is near to one."""
    unit = direction / max(float(np.linalg.norm(direction)), 1e-300)
    place = int(np.abs(unit).argmax())
    return np.sign(unit[place]) * np.eye(3)[place] if abs(unit[place]) > NEAR else unit
