"""What a simulation by particles returns: the surface over time, with energies and a sentence on how it went."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Motion
from neurok.mechanics.energies import measure_drift


class ParticleRecord(NamedTuple):
    """One frame: vertices [unit], [n, 3], energies [J], and how many particles touch something."""

    vertices: NDArray
    kinetic: float
    potential: float
    contacts: int


@dataclass(frozen=True)
class ParticleTrajectory:
    """mesh: at rest. time [s], [t]. positions: of its vertices [unit], [t, n, 3].

    kinetic, potential [J], [t]: of the particles; the second is of their weight alone, not of what is strained.
    contacts: particles that touch the ground or an obstacle, [t]. status: one sentence.
    """

    mesh: Mesh
    time: Array
    positions: NDArray
    kinetic: Array
    potential: Array
    contacts: Indices
    status: str

    @property
    def total(self) -> Array:
        """Kinetic energy and that of the weight [J], [t]."""
        return self.kinetic + self.potential

    @property
    def drift(self) -> float:
        """max |E - E0| / max kinetic energy."""
        return measure_drift(self.kinetic, self.potential)

    def motion(self) -> Motion:
        """The object over time."""
        facts: dict[str, object] = {
            "status": self.status,
            "kinetic_energy": self.kinetic.tolist(),
            "potential_energy": self.potential.tolist(),
        }
        return Motion(self.mesh, self.time, positions=self.positions, facts=facts)


def build_particle_trajectory(
    mesh: Mesh, interval: float, records: list[ParticleRecord], status: str
) -> ParticleTrajectory:
    """The trajectory of frames that are an interval [s] apart."""
    return ParticleTrajectory(
        mesh=mesh,
        time=np.arange(len(records)) * interval,
        positions=np.stack([record.vertices for record in records]),
        kinetic=np.array([record.kinetic for record in records]),
        potential=np.array([record.potential for record in records]),
        contacts=np.array([record.contacts for record in records]),
        status=status,
    )
