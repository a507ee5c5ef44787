"""SimulatedClip: the result of a simulated kind: a surface and its recorded frames."""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh, merge


@dataclass(frozen=True)
class SimulatedClip:
    """A surface and its recorded frames.

    mesh: the surface in the first frame, +z up. frames: its vertices [m], [t, n, 3].
    held: vertices that are fixed to the world, [h]; where there are none the object is free, and its rigid motion is
    removed from its states.
    """

    mesh: Mesh
    frames: Array
    held: Indices

    def with_scenery(self, *scenery: Mesh) -> "SimulatedClip":
        """The clip together with static objects: a pole, a table, a pot."""
        meshes = [self.mesh, *scenery]
        fixed = np.concatenate([mesh.vertices for mesh in scenery])
        frames = np.concatenate([self.frames, np.broadcast_to(fixed, (len(self.frames), *fixed.shape))], axis=1)
        held = np.concatenate([self.held, np.arange(self.mesh.vertex_count, frames.shape[1])])
        return SimulatedClip(merge(meshes), frames, held)


def list_edges(faces: Indices) -> Indices:
    """The edges of triangles [m, 3], each once, [e, 2]."""
    return np.unique(np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1), axis=0)
