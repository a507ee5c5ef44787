"""Snap: a mode that is nearly one screw of some handles becomes just that.

A network says of every handle how far it follows a screw, and says it with small errors: a body that should rest
follows its lid by a hundredth. Where a mode is one screw of one part for all that can be told, the part follows it
whole, and the rest not at all. Modes that bend a body are no such screws and stay as they are.
"""

from dataclasses import replace

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.handle_metric import HandleMetric
from neurok.kinematics.learned.modes import Modes
from neurok.kinematics.learned.observe import ObservedObject
from neurok.kinematics.learned.options import LearnedOptions


def snap_modes(observed: ObservedObject, modes: Modes, options: LearnedOptions) -> Modes:
    """The modes, of which the sure ones that are nearly one screw are exactly that.

    Handles of one patch follow a screw together, or not at all: patches hardly ever come apart.
    """
    label = np.unique(observed.handle_patch, return_inverse=True)[1]
    twist, follows = modes.twist.copy(), np.zeros(modes.twist.shape[:2])
    for mode in np.flatnonzero(modes.support >= options.min_support):
        twist[:, mode], follows[:, mode] = snap_mode(modes.twist[:, mode], observed.metric, label, options)
    return replace(modes, twist=twist, follows=follows)


def snap_mode(twist: Array, metric: HandleMetric, label: Indices, options: LearnedOptions) -> tuple[Array, Array]:
    """One mode, [h, 6], and how far the handles follow its screw, [h]; zeros where it is no one screw.

    label: the patch of each handle, [h].
    """
    unchanged = twist, np.zeros(len(twist))
    factor, weight = np.asarray(metric.factors()), np.asarray(metric.share)
    motion = _apply(factor, twist)
    strongest = twist[np.argmax(weight * (motion**2).sum(axis=1))]
    follows = _project(motion, _apply(factor, strongest))
    own = weight * np.where(follows > 0.5, follows, 0.0)
    if not own.sum() > 0:
        return unchanged
    screw = own @ twist / own.sum()  # the mean of those that follow the strongest
    whole = _apply(factor, screw)
    follows = _project(motion, whole)
    otherwise = weight @ ((motion - follows[:, None] * whole) ** 2).sum(axis=1)
    if otherwise > options.tolerance * (weight @ (motion**2).sum(axis=1)):
        return unchanged
    follows = (np.bincount(label, weight * follows.clip(0.0, 1.0)) / np.bincount(label, weight))[label]
    follows = np.where(np.abs(follows - 0.5) > options.tolerance, np.round(follows), follows)
    if not (follows > 0.5).any():
        return unchanged
    centre, inertia = measure_part(metric, follows > 0.5)
    return follows[:, None] * snap_screw(screw, centre, inertia, options), follows


def snap_screw(screw: Array, centre: Array, inertia: Array, options: LearnedOptions) -> Array:
    """A screw (v, w) as a pure slide or turn where it nearly is one.

    It moves a part with this centre [3], whose RMS displacement by a turn w about it is sqrt(w^T inertia w).
    """
    v, w = screw[:3], screw[3:]
    shift, turn = v + np.cross(w, centre), float(np.linalg.norm(w))
    turned = float(np.sqrt(max(float(w @ inertia @ w), 0.0)))
    if turned <= options.tolerance * np.linalg.norm(shift):
        return np.concatenate([shift, np.zeros(3)])
    axis = w / turn
    arm = np.cross(w, shift) / turn**2  # from the centre to the axis
    along = float(axis @ shift)
    if abs(along) < options.tolerance * np.hypot(turned, turn * np.linalg.norm(arm)):
        along = 0.0
    return np.concatenate([np.cross(centre + arm, turn * axis) + along * axis, turn * axis])


def measure_part(metric: HandleMetric, part: Mask) -> tuple[Array, Array]:
    """The centre [3] of the handles of a mask [h], and tr(M) 1 - M of their second moments M about it, [3, 3]."""
    share = np.asarray(metric.share)[part]
    centres = np.asarray(metric.centre)[part]
    centre = share @ centres / share.sum()
    off = centres - centre
    moments = np.asarray(metric.moments)[part] + off[:, :, None] * off[:, None, :]
    M = np.tensordot(share, moments, axes=1) / share.sum()
    return centre, np.trace(M) * np.eye(3) - M


def _apply(factor: Array, twist: Array) -> Array:
    """R xi of each handle [h, 6, 6], whose length is how far its samples go, [h, 6]; twist: [6] or [h, 6]."""
    return np.einsum("hab,hb->ha", factor, np.broadcast_to(twist, factor.shape[:2]))


def _project(motion: Array, whole: Array) -> Array:
    """How far each handle's motion [h, 6] goes along another, [h]."""
    return (motion * whole).sum(axis=1) / np.maximum((whole**2).sum(axis=1), 1e-12)
