"""Trajectory: the states of one simulation over time, with energies and a sentence on how it went."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.far import choose_frame_dtype
from neurok.geometry.motion import Motion
from neurok.geometry.surface import at_vertices
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.energies import measure_drift


class FrameRecord(NamedTuple):
    """What is kept of one frame: state and velocity, [k] each, the pose of the base [4, 4], energies [J], how many
    points touch, and the greatest force of a hold [N]."""

    state: Array
    velocity: Array
    T_base: Array
    kinetic: float
    potential: float
    contacts: int
    pull_force: float


@dataclass(frozen=True)
class Trajectory:
    """What `animate` returns.

    space: the kinematics. time [t, s]; states, velocities [t, k];
    bases [t, 4, 4]: the pose of a free base (identity where it is fixed), to which the state's own six are added.
    kinetic, potential [t, J]: weight counts from the origin of the file, or, where that is far, from near the object.
    contacts [t]: points that touch; pull_force [t, N]: the greatest force of a hold.
    status: one sentence.
    """

    space: Kinematics
    time: Array
    states: Array
    velocities: Array
    bases: Array
    kinetic: Array
    potential: Array
    contacts: Indices
    pull_force: Array
    status: str

    @property
    def total(self) -> Array:
        """Kinetic plus potential energy [J], [t]."""
        return self.kinetic + self.potential

    @property
    def drift(self) -> float:
        """max |E - E0| / max kinetic energy: zero where nothing adds or takes energy and the scheme keeps it."""
        return measure_drift(self.kinetic, self.potential)

    def space_at(self, index: int) -> Kinematics:
        """The kinematics with the base where it was at one time."""
        return self.space.with_base_pose(self.bases[index])

    def motion(self) -> Motion:
        """The object over time: a skin where the kinematics is one, else vertices."""
        mesh = self.space.mesh
        facts = {
            "status": self.status,
            "kinetic_energy": self.kinetic.tolist(),
            "potential_energy": self.potential.tolist(),
        }
        spaces = [self.space_at(i) for i in range(len(self.time))]
        states = torch.from_numpy(self.states)
        if self.space.skin is not None:
            if self.space.has_free_base:
                X = np.stack([s.transforms(q).numpy() for s, q in zip(spaces, states)])
            else:
                X = torch.vmap(self.space.transforms)(states).numpy()
            return Motion(mesh, self.time, skin=self.space.skin, transforms=X, facts=facts)
        where = at_vertices(mesh)
        frames = np.stack([s.positions(q, where).numpy() for s, q in zip(spaces, states)])
        return Motion(mesh, self.time, positions=frames.astype(choose_frame_dtype(mesh)), facts=facts)


def build_trajectory(space: Kinematics, interval: float, records: Sequence[FrameRecord], status: str) -> Trajectory:
    """The trajectory of frames that are an interval [s] apart."""
    return Trajectory(
        space=space,
        time=np.arange(len(records)) * interval,
        states=np.array([record.state for record in records]),
        velocities=np.array([record.velocity for record in records]),
        bases=np.array([record.T_base for record in records]),
        kinetic=np.array([record.kinetic for record in records]),
        potential=np.array([record.potential for record in records]),
        contacts=np.array([record.contacts for record in records]),
        pull_force=np.array([record.pull_force for record in records]),
        status=status,
    )
