"""The canonical place in which networks see shapes: centred on the box, diagonal 1, +Z up."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.placement import quarter_turn


def canonical_place(points: Array, up: str) -> Array:
    """The similarity [4, 4] that centres the bounding box of points [n, 3], makes its diagonal 1 and turns up to +Z."""
    turn = quarter_turn(up, "z")
    turned = points @ turn.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    size = np.linalg.norm(high - low)
    scale = 1.0 / size if size > 0 else 1.0
    place = np.eye(4)
    place[:3, :3] = scale * turn
    place[:3, 3] = -scale * (low + high) / 2.0
    return place
