"""The ground of a picture: where it lies, and how wide its grid is."""

import numpy as np

from neurok.files.camera import Camera
from neurok.geometry.arrays import Array


def find_ground_axes(camera: Camera) -> Array:
    """Two directions in the ground and the vertical, columns, [3, 3]."""
    sideways = camera.axes[0]
    return np.stack([sideways, np.cross(camera.vertical, sideways), camera.vertical], axis=1)


def find_ground_origin(camera: Camera) -> Array:
    """The point of the ground below the middle of everything, a hair below the lowest point, [3]."""
    return (camera.ground / camera.size - camera.centre @ camera.vertical / camera.size - 1e-3) * camera.vertical


def round_length(length: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten below a length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)))
