"""Colliders of a part from its grid: its hull where it fills that, else the largest boxes of full cells."""

from collections.abc import Sequence

import numpy as np

from neurok.files.hulls import compute_convex_hull
from neurok.generate.learned.fields import PartGrid
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.measure import compute_volume
from neurok.geometry.mesh import Mesh
from neurok.geometry.primitives import box

FULL = 0.9  # of its hull that a part fills
MAX_BOXES = 24


def find_colliders(mesh: Mesh, grid: PartGrid) -> tuple[Mesh, ...]:
    """Convex pieces in the frame of the mesh and the grid."""
    hull = compute_convex_hull(mesh.vertices)
    if hull is None:
        return ()
    if abs(compute_volume(mesh)) > FULL * abs(compute_volume(hull)):
        return (hull,)
    return tuple(_place_box(grid, lower, upper) for lower, upper in pack_boxes(find_full(grid.values))) or (hull,)


def find_full(values: Array) -> Mask:
    """The cells between points of a grid whose middle lies inside, [x - 1, y - 1, z - 1]."""
    total = np.zeros(np.array(values.shape) - 1)
    for corner in np.ndindex(2, 2, 2):
        total += values[tuple(slice(c, c + n) for c, n in zip(corner, total.shape))]
    return total < 0


def pack_boxes(full: Mask) -> Sequence[tuple[Indices, Indices]]:
    """Boxes [lower, upper) of full cells that do not overlap, the largest first, at most MAX_BOXES."""
    left, found = full.copy(), []
    while left.any():
        lower = np.array(np.unravel_index(np.argmax(left), left.shape))
        upper = lower + 1
        for axis in range(3):
            while upper[axis] < left.shape[axis]:
                layer = [slice(a, b) for a, b in zip(lower, upper)]
                layer[axis] = slice(upper[axis], upper[axis] + 1)
                if not left[tuple(layer)].all():
                    break
                upper[axis] += 1
        left[tuple(slice(a, b) for a, b in zip(lower, upper))] = False
        found.append((lower, upper))
    found.sort(key=lambda one: -float(np.prod(one[1] - one[0])))
    return found[:MAX_BOXES]


def _place_box(grid: PartGrid, lower: Indices, upper: Indices) -> Mesh:
    sides = (upper - lower) * grid.step
    mesh = box(float(sides[0]), float(sides[1]), float(sides[2]))
    return Mesh(mesh.vertices + grid.origin + grid.step * (lower + upper) / 2, mesh.faces, up="z")
