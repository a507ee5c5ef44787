"""Heat: how far a coordinate moves each vertex."""

from dataclasses import replace

import numpy as np
import torch

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.surface import at_vertices
from neurok.kinematics.kinematics import Kinematics


def measure_heat(space: Kinematics, index: int, rows: Indices | slice = slice(None)) -> Array:
    """How far one deviation of a coordinate moves each vertex (or those of some rows), 0 to 1, [n]."""
    moved = np.linalg.norm(compute_displacements(space, index, rows), axis=1)
    return moved / max(float(moved.max(initial=0.0)), 1e-300)


def compute_displacements(space: Kinematics, index: int, rows: Indices | slice = slice(None)) -> Array:
    """Where one deviation of a coordinate takes each vertex [unit], [n, 3]; up or down, whichever is farther."""
    rest, deviation = space.rest.numpy().astype(np.float64), float(space.prior.deviation[index])
    still, best = space.mesh.vertices[rows], np.zeros((1, 3))
    for sign in (1.0, -1.0):
        there = rest.copy()
        there[index] += sign * deviation
        moved = _compute_vertices(space, space.admit(torch.from_numpy(there)), rows) - still
        if not np.abs(best).max() > 0.5 * np.abs(moved).max(initial=0.0):
            best = moved
    return best


def _compute_vertices(space: Kinematics, q: torch.Tensor, rows: Indices | slice) -> Array:
    """Some vertices of the mesh in a state [unit], [., 3]."""
    if space.skin is None:
        return space.positions(q, at_vertices(space.mesh)).numpy()[rows]
    some = replace(space.skin, joints=space.skin.joints[rows], weights=space.skin.weights[rows])
    return some.blend(space.transforms(q).numpy(), space.mesh.vertices[rows])
