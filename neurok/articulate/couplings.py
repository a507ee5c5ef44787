"""Limits of joints that go together, cut down to what all of them can reach at once.

A joint that follows another states limits of its own, and each counts for the whole train: with theta = A q + b, the
coordinate q goes as far as the narrowest of (theta_limit - b) / A allows, and the limit of every joint is where that
takes it. Simulators obey a follower's limit as they obey its coupling, so a wider one is a promise that no state keeps.
"""

from dataclasses import replace

import numpy as np

from neurok.errors import InputError
from neurok.geometry.articulation import Articulation, Joint


def unify_limits(articulation: Articulation) -> Articulation:
    """The articulation with limits that coupled joints reach together; joints that go alone stay as they are."""
    A, b = articulation.coupling
    joints = list(articulation.joints)
    for column in range(A.shape[1]):
        together = np.flatnonzero(A[:, column])
        if len(together) < 2:
            continue
        limits = np.array([(articulation.freedoms[d].lower, articulation.freedoms[d].upper) for d in together])
        rate, offset = A[together, column, None], b[together, None]
        ends = np.sort((limits - offset) / rate, axis=1)
        lower, upper = float(ends[:, 0].max()), float(ends[:, 1].min())
        if lower > upper:
            name = joints[articulation.freedoms[together[0]].joint].name
            raise InputError(f"joint '{name}' and those that follow it have no state within all limits", "widen them")
        for d, (low, high) in zip(together, np.sort(rate * (lower, upper) + offset, axis=1)):
            freedom = articulation.freedoms[d]
            joints[freedom.joint] = _set_limits(joints[freedom.joint], freedom.turns, float(low), float(high))
    return replace(articulation, joints=tuple(joints))


def _set_limits(joint: Joint, turns: bool, lower: float, upper: float) -> Joint:
    if joint.kind == "cylindrical" and not turns:
        return replace(joint, slide=(lower, upper))
    bounded = np.isfinite(lower) or np.isfinite(upper)
    kind = "revolute" if joint.kind == "continuous" and bounded else joint.kind
    return replace(joint, kind=kind, lower=lower, upper=upper)
