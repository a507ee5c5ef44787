"""Assignment: parts with rigid motions, one over another; which units each moves, and where points then go."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.rigid import exp_twist

MAX_AXIS_DISTANCE = 2.0  # diagonals from the middle of the object: a turn about a farther axis is a slide


@dataclass(frozen=True)
class AssignedPart:
    """Units that move as one, [u], by a twist (v, w) in the canonical place, [6]."""

    members: Mask
    twist: Array

    @property
    def turns(self) -> bool:
        """Whether the part turns about an axis that passes within MAX_AXIS_DISTANCE; otherwise it slides."""
        return bool(MAX_AXIS_DISTANCE * np.linalg.norm(self.twist[3:]) > np.linalg.norm(self.twist[:3]))

    @property
    def amount(self) -> float:
        """How far it turns [rad] or slides [diagonals]."""
        return float(np.linalg.norm(self.twist[3:] if self.turns else self.twist[:3]))


@dataclass(frozen=True)
class Assignment:
    """Moved parts; a unit goes with the last one that holds it, and stays where none does."""

    moved: tuple[AssignedPart, ...]
    unit_count: int

    @property
    def owner(self) -> Indices:
        """The moved part of each unit, -1 where it stays, [u]."""
        owner = np.full(self.unit_count, -1)
        for number, part in enumerate(self.moved):
            owner[part.members] = number
        return owner

    def move_points(self, points: Array, unit: Indices) -> Array:
        """Points [p, 3] of units [p], moved."""
        T = np.stack([*(exp_twist(part.twist[None])[0] for part in self.moved), np.eye(4)])  # owner -1 is the last
        mine = T[self.owner[unit]]
        return np.einsum("pab,pb->pa", mine[:, :3, :3], points) + mine[:, :3, 3]

    def with_part(self, part: AssignedPart) -> "Assignment":
        return Assignment((*self.moved, part), self.unit_count)


def carry_points(twist: Array, points: Array) -> Array:
    """Points [p, 3] moved by each twist [c, 6], [c, p, 3]."""
    T = exp_twist(twist)
    return points @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
