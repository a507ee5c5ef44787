"""Between Blender's axes, z up in Blender's unit, and those of a glTF file, y up in metres."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # file from Blender


@dataclass(frozen=True)
class Axes:
    """The frame that a file is in.

    frame: T_world_frame of the object in whose frame the file is written, [4, 4]; metres: of a unit of Blender's.
    """

    frame: Array
    metres: float = 1.0

    def write_points(self, points: Array) -> Array:
        """World positions [n, 3] as those of the file [m]."""
        inside = np.linalg.inv(self.frame)
        return (points @ inside[:3, :3].T + inside[:3, 3]) @ TURN.T * self.metres

    def write_vectors(self, vectors: Array, *, are_lengths: bool) -> Array:
        """World vectors [..., 3] as those of the file; lengths change with the unit, forces and accelerations not."""
        linear = np.linalg.inv(self.frame)[:3, :3]
        if are_lengths:
            return vectors @ linear.T @ TURN.T * self.metres
        turned = linear / np.cbrt(np.linalg.det(linear))
        return vectors @ turned.T @ TURN.T

    def read_points(self, points: Array) -> Array:
        """Positions of the file [n, 3] in the frame, in Blender's unit."""
        return points @ TURN / self.metres

    def read_directions(self, directions: Array) -> Array:
        """Directions of the file [..., 3] in the frame."""
        return directions @ TURN
