"""How far a motion goes: from the reference shape, and from its own first frame."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.motion import Motion

MAX_POSITIONS = 20_000_000  # vertices x frames looked at for distances; beyond that, every k-th vertex
STILLNESS = 1e-6  # of the diagonal: what moves less is not seen to move


def measure_farthest(motion: Motion) -> tuple[Array, Indices]:
    """How far vertices of the surface ever get from the reference shape [unit], and which ones were looked at."""
    looked_at = _choose_vertices(motion)
    return _measure_reach(motion, motion.mesh.vertices[looked_at], looked_at), looked_at


def is_still(motion: Motion) -> bool:
    """Whether nothing of a motion is seen to move."""
    looked_at = _choose_vertices(motion)
    reach = _measure_reach(motion, motion.frame(0)[looked_at], looked_at)
    return bool(reach.max(initial=0.0) <= STILLNESS * motion.mesh.diagonal)


def _choose_vertices(motion: Motion) -> Indices:
    mesh = motion.mesh
    used: Indices = np.unique(mesh.faces) if mesh.face_count else np.arange(mesh.vertex_count)
    return used[:: 1 + len(used) * motion.frame_count // MAX_POSITIONS]


def _measure_reach(motion: Motion, start: Array, looked_at: Indices) -> Array:
    """How far some vertices [m] ever get from places [m, 3], [m]."""
    reach = np.zeros(len(looked_at))
    for index in range(motion.frame_count):
        np.maximum(reach, np.linalg.norm(motion.frame(index)[looked_at] - start, axis=1), out=reach)
    return reach
