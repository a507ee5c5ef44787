"""Writing normals and tangents: unit vectors for the reference shape, and how they turn with morph targets."""

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.triangles import area_vectors, unit_or_zero

# Vertices times frames whose normals are computed, at half a microsecond each. Longer motions are looked at
# in some frames only; a mesh for which even two frames a target are too many is so dense that the facets
# which viewers then light by themselves cannot be seen.
MAX_NORMAL_COUNT = 6_000_000


def normalise_normals(normal: Array, vertices: Array, faces: Indices) -> Array | None:
    """Stored normals [n, 3] with lengths of one; single gaps are filled from the faces, all gaps mean none."""
    length = np.linalg.norm(normal, axis=1)
    good = np.isfinite(length) & (length > 1e-6)
    if not good.any():
        return None
    if not good.all():
        filled = compute_vertex_normals(vertices, faces)
        size = np.linalg.norm(filled, axis=1)
        filled = np.where((size > 0)[:, None], filled, [0.0, 1.0, 0.0])
        normal = np.where(good[:, None], normal, filled)
        length = np.linalg.norm(normal, axis=1)
    off = np.abs(length - 1.0) > 1e-5  # leaves what is already of unit length bit for bit
    return np.where(off[:, None], normal / length[:, None], normal)


def compute_vertex_normals(vertices: Array, faces: Indices) -> Array:
    """Sums of the area vectors of the faces at each vertex [unit^2], [n, 3]; zero where there is no face."""
    area = area_vectors(vertices, faces)
    total = np.empty((len(vertices), 3))
    flat = faces.T.reshape(-1)
    for axis in range(3):
        total[:, axis] = np.bincount(flat, weights=np.tile(area[:, axis], 3), minlength=len(vertices))
    return total


def normalise_tangents(tangent: Array, normal: Array) -> Array | None:
    """Stored tangents [n, 4] with lengths of one and signs; a gap is filled by some direction along the surface."""
    length = np.linalg.norm(tangent[:, :3], axis=1)
    good = np.isfinite(length) & (length > 1e-6)
    if not good.any():
        return None
    least = np.eye(3)[np.abs(normal).argmin(axis=1)]  # the axis farthest from the normal
    along = np.where(good[:, None], tangent[:, :3], np.cross(normal, least))
    length = np.linalg.norm(along, axis=1)
    off = np.abs(length - 1.0) > 1e-5
    along = np.where(off[:, None], along / length[:, None], along)
    return np.concatenate([along, np.where(tangent[:, 3:] < 0, -1.0, 1.0)], axis=1)


def choose_frame_step(vertex_count: int, weights: NDArray) -> int:
    """The step between frames whose normals are computed (1: every frame); zero where they would be too many."""
    frame_count, target_count = weights.shape
    step = -(-vertex_count * frame_count // MAX_NORMAL_COUNT)
    return step if step <= 1 or frame_count // step >= 2 * target_count else 0


def carry_directions(
    directions: Mapping[str, Array], mesh: Mesh, frames: Sequence[NDArray], weights: NDArray
) -> dict[str, NDArray]:
    """Changes of directions that belong to morph weights, in the least-squares sense, each [r, n, 3] float32.

    directions: unit vectors on the mesh by name, each [n, 3], `NORMAL` among them;
    frames: clips [t_c, n, 3]; weights: [t, r] over all clips.
    """
    step = choose_frame_step(len(mesh.vertices), weights)
    # Modes that the chosen frames hardly show are left out of the fit rather than blown up.
    share = np.linalg.pinv(weights[::step].astype(np.float64), rcond=1e-3).astype("<f4")  # [r, t]
    carried = {k: np.zeros((len(share), mesh.vertices.size), dtype="<f4") for k in directions}
    # Copies of a vertex along a texture seam have one normal: they are welded, or the seam would open in the light.
    key = np.hstack([mesh.vertices, directions["NORMAL"]])
    _, first, weld = np.unique(key, axis=0, return_index=True, return_inverse=True)
    weld = weld.reshape(-1)
    faces = weld[mesh.faces]
    before = unit_or_zero(compute_vertex_normals(mesh.vertices[first], faces))[weld]
    chosen = islice((frame for clip in frames for frame in clip), 0, None, step)
    for index, frame in enumerate(chosen):
        after = unit_or_zero(compute_vertex_normals(np.asarray(frame, dtype=np.float64)[first], faces))[weld]
        for name, direction in directions.items():
            change = (turn_vectors(direction, before, after) - direction).astype("<f4").reshape(-1)
            for target, factor in zip(carried[name], share[:, index]):
                target += factor * change
    return {k: v.reshape(len(share), -1, 3) for k, v in carried.items()}


def turn_vectors(vector: Array, before: Array, after: Array) -> Array:
    """Vectors [n, 3] under the smallest rotation that takes unit vectors before to after (Rodrigues); either may be 0.

    x + w × x + w × (w × x) / (1 + c),    w = before × after, c = before · after.
    """
    w = np.cross(before, after)
    c = np.sum(before * after, axis=1, keepdims=True)
    step = np.cross(w, vector)
    turned = vector + step + np.cross(w, step) / np.maximum(1.0 + c, 1e-6)
    return np.where(c < -1.0 + 1e-6, -vector, turned)
