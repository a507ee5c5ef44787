"""The canonical place in which networks see shapes: centred on the box, diagonal 1, +Z up."""

import numpy as np

from neurok.geometry.mesh import Array
from neurok.geometry.placement import quarter_turn


def canonical_place(vertices: Array, up: str) -> Array:
    """The similarity that centres vertices [n, 3] on their box, makes its diagonal 1 and the up axis +Z, [4, 4]."""
    turn = quarter_turn(up, "z")
    turned = vertices @ turn.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    size = np.linalg.norm(high - low)
    scale = 1.0 / size if size > 0 else 1.0
    place = np.eye(4)
    place[:3, :3] = scale * turn
    place[:3, 3] = -scale * (low + high) / 2.0
    return place
