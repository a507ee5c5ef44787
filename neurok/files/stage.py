"""Stage: where pages show an object, upright on y = 0, its middle over the origin, its diagonal one."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh
from neurok.geometry.placement import quarter_turn


@dataclass(frozen=True)
class Stage:
    """x' = turn (x - centre) / size, from the file's axes and units to the page's.

    Single precision then suffices for any object, however far out its file puts it.
    centre: [unit], [3]; turn: [3, 3] rotation; size: [unit].
    """

    centre: Array
    turn: Array
    size: float

    @staticmethod
    def of(mesh: Mesh) -> "Stage":
        up = mesh.up_axis
        centre = mesh.bounds.mean(axis=0)
        centre = centre + (float((mesh.bounds @ up).min()) - float(centre @ up)) * up
        return Stage(centre, quarter_turn(mesh.up, "y"), mesh.diagonal or 1.0)

    def points(self, points: Array) -> Array:
        """Points of the file [unit], [..., 3], on the stage."""
        return (np.asarray(points, dtype=np.float64) - self.centre) @ self.turn.T / self.size

    def file_points(self, points: Array) -> Array:
        """Points of the stage in the file's axes [unit], [..., 3]."""
        return np.asarray(points, dtype=np.float64) @ self.turn * self.size + self.centre

    def file_vectors(self, vectors: Array) -> Array:
        """Displacements or velocities of the stage in the file's axes [unit], [..., 3]."""
        return np.asarray(vectors, dtype=np.float64) @ self.turn * self.size

    def motions(self, transforms: Array) -> Array:
        """Motions of the file's points, [..., 4, 4], as motions of the stage's, [..., 3, 4]."""
        linear = self.turn @ transforms[..., :3, :3] @ self.turn.T
        # X c - c first, in the file's numbers: the difference of two large ones is taken exactly once.
        shift = transforms[..., :3, :3] @ self.centre + transforms[..., :3, 3] - self.centre
        return np.concatenate([linear, (shift @ self.turn.T / self.size)[..., None]], axis=-1)
