"""A cage: a coarse closed surface around a shape whose vertices carry everything inside by mean value coordinates."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.primitives import icosphere

CAGE_SCALE = 1.25  # how much farther out the cage is than the shape reaches
MIN_MARGIN = 0.05  # and by how much at least, of the diagonal
CHUNK_SIZE = 4096  # points at a time


def make_cage(points: Array) -> tuple[Array, Indices]:
    """A sphere of 42 vertices drawn in to points [n, 3] of diagonal 1: vertices [42, 3] and faces [80, 3].

    Each vertex lies in its direction from the middle of the box as far out as any point reaches, and a little more.
    """
    ball = icosphere(1.0, 1)
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    reach = ((points - centre) @ ball.vertices.T).max(axis=0)
    return centre + ball.vertices * (CAGE_SCALE * reach + MIN_MARGIN)[:, None], ball.faces


def compute_mean_value_coordinates(points: Array, vertices: Array, faces: Indices) -> Array:
    """Weights [n, c] by which cage vertices [c, 3] carry points [n, 3] that lie on none of its faces.

    They sum to one and reproduce the points, sum_j w_j p_j = x (Ju, Schaefer and Warren 2005). For each triangle seen
    from x, with theta_i the angle opposite its corner i, h half their sum and

        c_i = 2 sin h sin(h - theta_i) / (sin theta_i+1 sin theta_i-1) - 1,   s_i = +-sqrt(1 - c_i^2),

    corner i gains (theta_i - c_i+1 theta_i-1 - c_i-1 theta_i+1) / (|p_i - x| sin theta_i+1 s_i-1).
    """
    parts = [
        _compute_weights(points[at : at + CHUNK_SIZE], vertices, faces) for at in range(0, len(points), CHUNK_SIZE)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, len(vertices)))


def _compute_weights(points: Array, vertices: Array, faces: Indices) -> Array:
    apart = vertices[None] - points[:, None]
    distance = np.linalg.norm(apart, axis=2)
    u = (apart / distance[..., None])[:, faces]  # [n, f, 3 corners, 3]
    # The side opposite corner i joins the two others.
    side = np.linalg.norm(u[:, :, [1, 2, 0]] - u[:, :, [2, 0, 1]], axis=3)
    theta = 2.0 * np.arcsin(np.clip(side / 2.0, 0.0, 1.0))
    h = theta.sum(axis=2, keepdims=True) / 2.0
    after, before = theta[:, :, [1, 2, 0]], theta[:, :, [2, 0, 1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        c = 2.0 * np.sin(h) * np.sin(h - theta) / (np.sin(after) * np.sin(before)) - 1.0
        hand = np.einsum("nfa,nfa->nf", np.cross(u[:, :, 0], u[:, :, 1]), u[:, :, 2])
        s = np.sign(hand)[..., None] * np.sqrt(np.maximum(1.0 - c**2, 0.0))
        gain = theta - c[:, :, [1, 2, 0]] * before - c[:, :, [2, 0, 1]] * after
        gain = gain / (distance[:, faces] * np.sin(after) * s[:, :, [2, 0, 1]])
    # A triangle whose plane holds x, which lies beside it, is seen as a line and counts nothing.
    gain = np.where((np.abs(s) > 1e-9).all(axis=2, keepdims=True) & np.isfinite(gain), gain, 0.0)
    of_corner = np.eye(len(vertices))[faces.ravel()]
    total = gain.reshape(len(points), -1) @ of_corner
    return total / total.sum(axis=1, keepdims=True)
