"""State: where an object is at one time of a simulation, and how fast it moves."""

from dataclasses import dataclass

from neurok.geometry.arrays import Array
from neurok.kinematics.kinematics import Kinematics


@dataclass(frozen=True)
class State:
    """q, v [k], the time [s], and the kinematics with the base where it is."""

    space: Kinematics
    q: Array
    v: Array
    t: float
