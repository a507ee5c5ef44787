"""Valid states: draws of jointed objects in which no part has gone through another.

A drawn state is reached from rest one coordinate after another, in an order that is drawn too: a lid opens, then what
is below it comes up. Where a part would go through another one, its coordinate stops before.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neurok.articulate.check.criteria import TOLERANCE
from neurok.articulate.sweep.surfaces import SweptSurface
from neurok.articulate.sweep.trials import SweptObject, count_steps
from neurok.files.bodies import split_links
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.links import link_motions
from neurok.geometry.mesh import Mesh
from neurok.geometry.rigid import inverse
from neurok.kinematics.articulated import Articulated
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.sampling import draw_states

MAX_COORDINATES = 64  # of an object whose draws are tried; with more it would take minutes


def draw_valid_states(
    space: Kinematics, count: int, *, seed: int = 0, progress: Callable[[float], None] | None = None
) -> Array:
    """Plausible states of an object, [count, k]; the same for the same seed."""
    states = draw_states(space, count, seed=seed)
    if not isinstance(space, Articulated) or not 1 < space.size <= MAX_COORDINATES:
        return states
    trial, generator = StateTrial(space), np.random.default_rng(seed)
    for number in range(count):
        states[number] = trial.approach(states[number], generator.permutation(space.size))
        if progress is not None:
            progress((number + 1) / count)
    return states


@dataclass(frozen=True)
class _Way:
    """The way from rest so far: the states it goes through [t, k], and the motions of all links, [t, L, 4, 4]."""

    states: Array
    motions: Array

    def join(self, other: "_Way", length: int) -> "_Way":
        """This way, and the first steps of another one."""
        return _Way(*(np.concatenate([a, b[:length]]) for a, b in
                      ((self.states, other.states), (self.motions, other.motions))))  # fmt: skip


class StateTrial:
    """The bodies of a jointed object, moved from rest towards a state for as long as none goes through another.

    Two bodies whose place against each other is one coordinate's alone are left to the limits of that coordinate.
    """

    def __init__(self, space: Articulated, tolerance: float = 0.5 * TOLERANCE) -> None:
        joints = space.articulation
        self.space, self.tolerance, self.size = space, tolerance, joints.mesh.diagonal or 1.0
        self.place = np.argsort(joints.order)  # bones come parents first, links as the file has them
        meshes = (Mesh(mesh.vertices / self.size, mesh.faces) for mesh in split_links(replace(joints, mesh=space.mesh)))
        self.thing = SweptObject([SweptSurface.of(mesh) for mesh in meshes], TOLERANCE)
        self.shared = self._find_shared()

    def approach(self, state: Array, order: Indices) -> Array:
        """How far towards a state [k] the coordinates come, moved one after another in an order, [k]."""
        rest = self.space.rest.numpy().astype(np.float64)
        way = self._move(rest[None])
        for coordinate in order:
            goal = way.states[-1].copy()
            goal[coordinate] = state[coordinate]
            if goal[coordinate] != way.states[-1][coordinate]:
                way = self._go(way, goal)
        return way.states[-1]

    def is_clear(self, state: Array) -> bool:
        """Whether all coordinates at once can go the straight way from rest to a state [k]."""
        rest = self.space.rest.numpy().astype(np.float64)
        return bool(np.array_equal(self._go(self._move(rest[None]), state).states[-1], state))

    def _go(self, way: _Way, goal: Array) -> _Way:
        """The way and what follows on a straight line towards a state, until a body would be deep in another one."""
        start = way.states[-1]
        rough = self._move(np.linspace(start, goal, 9))
        steps = count_steps(self.thing.surfaces, rough.motions, most=100)
        leg = self._move(np.linspace(start, goal, 1 + steps)[1:])
        clear = steps
        for one, other in self.thing.list_pairs(np.concatenate([way.motions[-1:], leg.motions[:clear]])):
            if clear and self.shared[one, other]:
                clear = min(clear, self._pass(way, leg, (one, other)))
        return way.join(leg, clear)

    def _pass(self, way: _Way, leg: _Way, pair: tuple[int, int]) -> int:
        """How many steps of a leg two bodies do not hinder."""
        one, other = pair
        whole = np.concatenate([way.motions, leg.motions])
        against = inverse(whole[:, other]) @ whole[:, one]
        moves = np.ones(len(whole), dtype=bool)  # where the one does not move against the other, nothing is new
        moves[1:] = np.abs(np.diff(against, axis=0)).max(axis=(1, 2)) > 1e-9
        depth = self.thing.measure_pair(pair, whole[moves])
        step = np.flatnonzero(moves) - len(way.motions)
        deep = (depth > self.tolerance) & (step >= 0)
        return int(step[deep].min()) if deep.any() else len(leg.motions)

    def _move(self, states: Array) -> _Way:
        """The motions of all links in states [t, k], in diagonals."""
        joints = self.space.articulation
        every = np.zeros((1 + len(states), len(joints.coordinate_freedoms)))
        every[1:, self.space.kept] = states
        moved = link_motions(joints, every)[:, self.place]
        motions = moved[1:] @ inverse(moved[:1])
        motions[..., :3, 3] /= self.size
        return _Way(states, motions)

    def _find_shared(self) -> Mask:
        """Whether the place of two links against each other is that of two coordinates or more, [L, L]."""
        by_coordinate = np.abs(self.space.coupling) > 0  # [freedoms, k]
        moves = self.space.articulation.path.astype(np.float64) @ by_coordinate > 0  # [L, k]
        return np.sum(moves[:, None] != moves[None], axis=2) > 1
