"""How a region moves, in a word: it tilts, turns, rolls, slides or bends."""

import numpy as np

from neurok.geometry.arrays import Array
from neurok.geometry.rotation import rotation_vector

TURN_WORDS = ("tilts", "turns", "rolls")  # about the stage's axes: to the right, up, to the front
SLIDE_WORDS = ("slides sideways", "slides up and down", "slides to and fro")
MAX_RIGID_RESIDUAL = 0.25  # share of a motion that the best rigid motion may leave, for it to be called rigid
MAX_SLIDE_TURN = 0.3  # share of a motion that turns, below which it is called a slide


def describe_motion(places: Array, moved: Array, weight: Array) -> str:
    """How points [m, 3] with displacements [m, 3] and weights [m] move; on the stage."""
    keep = weight > 0.05 * weight.max(initial=0.0)
    if keep.sum() < 3:
        return ""
    x, d, w = places[keep], moved[keep], weight[keep] / weight[keep].sum()
    middle, shift = w @ x, w @ d
    size = np.sqrt(w @ np.sum(d**2, axis=1))
    R = _find_rotation(x - middle, x + d - middle - shift, w)
    left = x + d - middle - shift - (x - middle) @ R.T
    if np.sqrt(w @ np.sum(left**2, axis=1)) > MAX_RIGID_RESIDUAL * size:
        return "bends"
    turned = np.sqrt(w @ np.sum((d - shift) ** 2, axis=1))
    if turned < MAX_SLIDE_TURN * size:
        return SLIDE_WORDS[int(np.abs(shift).argmax())]
    return TURN_WORDS[int(np.abs(np.asarray(rotation_vector(R))).argmax())]


def _find_rotation(a: Array, b: Array, w: Array) -> Array:
    """R with R a_i nearest to b_i in weighted squares (Kabsch), [3, 3]."""
    U, _, Vt = np.linalg.svd((a * w[:, None]).T @ b)
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(Vt.T @ U.T)) or 1.0])
    return Vt.T @ flip @ U.T
