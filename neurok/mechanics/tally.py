"""Tally: what happened in a simulation, and the sentence that says so."""

from dataclasses import dataclass, field

import numpy as np

from neurok.mechanics.conditions import Conditions
from neurok.mechanics.scene import Scene

REPORTED_MISS = 0.01  # of the diagonal: how far a held point may stay from its place before it is worth saying


@dataclass
class Tally:
    """Counted while stepping.

    smallest: the smallest step [s]. limited: steps in which more speed was asked for than there is.
    contacts: the most at a time. hold_force: the greatest [kg unit / s^2].
    missed: how far held points stayed from their places at most [unit], by name.
    """

    steps: int = 0
    halved: int = 0
    smallest: float = np.inf
    limited: int = 0
    contacts: int = 0
    hold_force: float = 0.0
    missed: dict[str, float] = field(default_factory=dict)

    def count_halving(self, h: float) -> None:
        self.halved += 1
        self.smallest = min(self.smallest, h / 2)

    def count_limited(self, h: float) -> None:
        self.limited += 1
        self.smallest = min(self.smallest, h)

    def count_hold(self, force: float, missed: dict[str, float]) -> None:
        self.hold_force = max(self.hold_force, force)
        for what, distance in missed.items():
            self.missed[what] = max(self.missed.get(what, 0.0), distance)

    def describe(self, scene: Scene, conditions: Conditions, h: float) -> str:
        """How it went; h: the whole step [s]."""
        said = [
            f"{conditions.seconds:g} s in {_count(self.steps, 'step')} of 1/{1 / h:.0f} s ({conditions.integrator})",
            f"mass {scene.masses.total:.3g} kg ({scene.masses.origin})",
        ]
        if self.halved:
            said.append(f"{_count(self.halved, 'step')} had to be halved, down to 1/{1 / self.smallest:.0f} s")
        if self.limited:
            said.append(
                f"in {_count(self.limited, 'step')} the speed had to be limited: what was asked for is too strong, "
                f"and it went as fast as it may in 1/{1 / self.smallest:.0f} s: a smaller dt or milder conditions help"
            )
        if self.contacts:
            said.append(f"up to {_count(self.contacts, 'contact')} at a time")
        if self.hold_force:
            said.append(f"the strongest hold took {self.hold_force * scene.system.unit:.3g} N")
        diagonal = scene.system.space.mesh.diagonal
        for what, distance in self.missed.items():
            if distance > REPORTED_MISS * diagonal:
                said.append(f"the object could not follow {what}, which was up to {distance:.3g} file units off")
        return "; ".join(said) + "."


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
