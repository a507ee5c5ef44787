"""Joints moved from rest to an end of their range: what is then penetrated, and where a part comes away."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neurok.articulate.sweep.attachment import Contact, find_detached, find_touching, has_pin
from neurok.articulate.sweep.penetration import measure_depths
from neurok.articulate.sweep.surfaces import SweptSurface
from neurok.geometry.arrays import Array
from neurok.geometry.rigid import inverse


@dataclass(frozen=True)
class MovedPart:
    """The bodies below a joint; for a plain turn also a point of its axis and its direction at rest, [3] each."""

    bodies: frozenset[int]
    axis: tuple[Array, Array] | None = None


@dataclass(frozen=True)
class JointTrial:
    """A joint's values from rest to an end [k], and the motions of all bodies from rest, [k, L, 4, 4], in diagonals.

    parts: what each joint moves, the one that leads first.
    """

    values: Array
    motions: Array
    parts: tuple[MovedPart, ...]


@dataclass(frozen=True)
class TrialFault:
    """What goes wrong in a trial: at which step, the two bodies, and how deep they come.

    contact: the last step at which all is well. step: the first beyond the tolerance. worst: the deepest. A part that
    comes away has no other body (-1) and no depth.
    """

    contact: int
    step: int
    worst: int
    pair: tuple[int, int]
    depth: float

    @property
    def detaches(self) -> bool:
        return self.pair[1] < 0


class SweptObject:
    """The surfaces of all bodies at rest, in diagonals, and what each part touches."""

    def __init__(self, surfaces: Sequence[SweptSurface | None], tolerance: float) -> None:
        self.surfaces, self.tolerance = list(surfaces), tolerance
        self._contacts: dict[frozenset[int], list[Contact]] = {}

    def find_contacts(self, part: frozenset[int]) -> list[Contact]:
        if part not in self._contacts:
            self._contacts[part] = find_touching(self.surfaces, set(part), self.tolerance)
        return self._contacts[part]

    def find_faults(self, trial: JointTrial, tolerance: float) -> list[TrialFault]:
        """Pairs that penetrate by more than a tolerance, and the part where it comes away; the earliest first."""
        faults = [fault for pair in self.list_pairs(trial.motions) if (fault := self._pass(trial, pair, tolerance))]
        for part in trial.parts:
            contacts = self.find_contacts(part.bodies)
            if not contacts or (part.axis is not None and has_pin(self.surfaces, contacts, *part.axis, self.tolerance)):
                continue
            step = find_detached(self.surfaces, contacts, trial.motions, tolerance)
            if step is not None:
                faults.append(TrialFault(step - 1, step, step, (min(part.bodies), -1), 0.0))
        return sorted(faults, key=lambda fault: fault.step)

    def _pass(self, trial: JointTrial, pair: tuple[int, int], tolerance: float) -> TrialFault | None:
        depth = self.measure_pair(pair, trial.motions)
        deep = np.flatnonzero(depth > tolerance)
        if not len(deep):
            return None
        step, worst = int(deep[0]), int(np.argmax(depth))
        clear = np.flatnonzero(depth[:step] <= 0.2 * tolerance)
        return TrialFault(int(clear[-1]), step, worst, pair, float(depth[worst]))

    def measure_pair(self, pair: tuple[int, int], motions: Array) -> Array:
        """How deep two bodies penetrate at each step of the motions of all, [k]."""
        first, second = (self.surfaces[index] for index in pair)
        if first is None or second is None:
            return np.zeros(len(motions))
        return measure_depths(first, second, inverse(motions[:, pair[1]]) @ motions[:, pair[0]], self.tolerance)

    def list_pairs(self, motions: Array) -> list[tuple[int, int]]:
        """Bodies that move against each other and whose ways come near each other."""
        moving = np.abs(motions - motions[:1]).max(axis=(0, 2, 3)) > 1e-9
        boxes = np.stack([self._bound_way(body, motions[:, body]) for body in range(len(self.surfaces))])
        meet = np.all(boxes[:, None, 0] <= boxes[None, :, 1], axis=2)
        found = []
        for one, other in zip(*np.nonzero(np.triu(meet & meet.T & (moving[:, None] | moving[None]), 1))):
            if not np.allclose(motions[:, one], motions[:, other], atol=1e-9):
                found.append((int(one), int(other)) if moving[one] else (int(other), int(one)))
        return found

    def _bound_way(self, body: int, motions: Array) -> Array:
        """The box around all that a body passes and the tolerance around it, [2, 3]; nowhere without a surface."""
        surface = self.surfaces[body]
        if surface is None:
            return np.array([[np.inf] * 3, [-np.inf] * 3])
        corners = np.array(np.meshgrid(*surface.box.T)).reshape(3, -1).T
        ways = np.einsum("kab,nb->kna", motions[:, :3, :3], corners) + motions[:, None, :3, 3]
        return np.stack([ways.min(axis=(0, 1)) - self.tolerance, ways.max(axis=(0, 1)) + self.tolerance])


def count_steps(surfaces: Sequence[SweptSurface | None], motions: Array, *, least: int = 8, most: int = 200) -> int:
    """In how many steps a motion, given roughly [k, L, 4, 4], moves no box by more than a per cent of the diagonal."""
    longest = 0.0
    for body, surface in enumerate(surfaces):
        if surface is not None:
            corners = np.array(np.meshgrid(*surface.box.T)).reshape(3, -1).T
            ways = np.einsum("kab,nb->kna", motions[:, body, :3, :3], corners) + motions[:, body, None, :3, 3]
            longest = max(longest, float(np.linalg.norm(np.diff(ways, axis=0), axis=2).sum(axis=0).max()))
    return int(np.clip(np.ceil(100 * longest), least, most))
