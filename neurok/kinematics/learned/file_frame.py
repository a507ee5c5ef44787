"""From the canonical place, where networks look at objects, back to the axes and units of the file."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.motion import Skin


def twists_in_file(twist: Array, place: Array) -> Array:
    """Twists (v, w) [h, m, 6] of the canonical place as (angular, linear) in the file's axes and units, [h, 6, m]."""
    scale = np.linalg.norm(place[:3, 0])
    turn = place[:3, :3] / scale
    linear, angular = twist[..., :3] @ turn / scale, twist[..., 3:] @ turn
    return np.concatenate([angular, linear], axis=-1).swapaxes(1, 2)


def origin_in_file(place: Array) -> Array:
    return -np.linalg.solve(place[:3, :3], place[:3, 3])


def skin_in_file(seats: Array, joints: Indices, weights: Array, place: Array, name: str = "part") -> Skin:
    """The skin of bones that sit at points [b, 3] of the canonical place; name: of a bone, before its number."""
    count = len(seats)
    frames = np.tile(np.eye(4), (count, 1, 1))
    frames[:, :3, 3] = np.linalg.solve(place[:3, :3], (seats - place[:3, 3]).T).T
    return Skin(joints, weights, tuple(f"{name} {i + 1}" for i in range(count)), np.full(count, -1), frames)
