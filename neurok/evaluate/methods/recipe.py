"""Any state space on any target: what the oracle and every learned method do once they have a Kinematics.

A state of a decoder without a closed form costs a network for every query point, and its Jacobian as many more as there
are coordinates. There the wide search of `mechanics.inverse` would take minutes a pair; such spaces are descended in
from rest and from one state more: what the posterior encoder sees in corresponding points, else a draw; and unordered
surfaces are searched with less effort.
"""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from neurok.evaluate.methods.reduction import Reduced
from neurok.evaluate.targets import CorrespondingTarget, DragTarget, Target, UnorderedTarget
from neurok.geometry.arrays import Array
from neurok.geometry.surface import sample_even
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.learned.decoded import Decoded
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic, pose_mesh
from neurok.mechanics.inverse import fit
from neurok.mechanics.search import Beam
from neurok.mechanics.unordered import Effort, fit_surface

DESCENT_STEPS = 12  # of a descent
SURFACE_POINT_COUNT = 512  # points that would rather stay, when others are dragged
MISS, LOCALITY, PULL = 0.1, 5.0, 0.5  # as in mechanics.points: how far points may miss, and what the rest weighs
LITTLE_EFFORT = Effort(samples=40, beam=Beam(width=1, depth=2, amplitudes=(0.6, 1.5)), leaders=1, rounds=1, register=8,
                settle=0)  # fmt: skip


def fit_space(space: Kinematics, target: Target) -> Array:
    """The corners of the faces in the state found, [m, 3, 3].

    Face i of the space's mesh must be face i of the pair's; its vertices may be others, where the space tears it.
    """
    if not isinstance(target, UnorderedTarget):
        target = replace(target, where=replace(target.where, corners=space.mesh.faces[target.where.face]))
    if is_slow(space):
        mesh = pose_mesh(space, _fit_slowly(space, target))
    elif isinstance(target, UnorderedTarget):
        mesh = fit(space, target.surface).mesh
    else:
        mesh = fit(
            space, target.positions, where=target.where, corresponding=isinstance(target, CorrespondingTarget)
        ).mesh
    return mesh.vertices[mesh.faces]


def is_slow(space: Kinematics) -> bool:
    """Whether the derivatives of a skin's bones are only known by differentiating a network."""
    return space.skin is not None and not space.has_closed_form


def _fit_slowly(space: Kinematics, target: Target) -> Array:
    """The best state of a few descents, [k]."""
    if isinstance(target, UnorderedTarget):
        return fit_surface(space, target.surface, 0, effort=LITTLE_EFFORT)[0]
    rest = space.rest.numpy().astype(np.float64)
    other = recognise_state(space, target) if isinstance(target, CorrespondingTarget) else None
    other = space.prior.sample(1, torch.Generator().manual_seed(0))[0] if other is None else other
    starts = rest, other.numpy().astype(np.float64)
    surface = sample_even(space.mesh, SURFACE_POINT_COUNT, np.random.default_rng(0))
    carrier, (shares, everywhere) = carry(space, [target.where, surface])
    m, length = len(target.positions), float(np.mean(np.sum((target.positions - target.where.position) ** 2, axis=1)))
    if not length > 0:
        return rest
    data = Quadratic.from_targets(shares, np.full(m, 1.0 / (m * MISS**2 * length)), target.positions)
    goal, pull = data, 1e-6
    if isinstance(target, DragTarget):
        stay = np.full(SURFACE_POINT_COUNT, LOCALITY / (SURFACE_POINT_COUNT * length))
        goal, pull = data + Quadratic.from_targets(everywhere, stay, surface.position), PULL
    problem = Problem(space, carrier, pull)
    found = [problem.descend(start, goal, iterations=DESCENT_STEPS, step_tolerance=1e-3) for start in starts]
    return min(found, key=lambda pair: pair[1])[0]


def recognise_state(space: Kinematics, target: CorrespondingTarget) -> Tensor | None:
    """The state, [k], that the posterior encoder of a space sees in corresponding points; None where it has none."""
    if isinstance(space, Decoded):
        return space.recognise(target.where, target.positions)
    if isinstance(space, Reduced) and isinstance(space.inner, Decoded):
        q = recognise_state(space.inner, target)
        if q is None:
            return None
        return space.admit(torch.from_numpy(space.W.T @ space.inner.prior.whiten(q.numpy())))
    return None
