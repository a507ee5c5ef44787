"""Matrices as translation, rotation and scale, over time."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.rotation import quaternion_from_matrix, quaternion_normalise, quaternion_to_matrix

SHEAR_TOLERANCE = 1e-6  # of the axes' unit length: more is not a rotation
ROUNDING_SHEAR = 1e-8  # shear of a rotation in single precision, which is not worth mending


def decompose_transforms(T: Array, shear: float = SHEAR_TOLERANCE) -> tuple[Array, Array, Array] | None:
    """T = translate rotate scale: t [..., 3], q (w, x, y, z) [..., 4], s [..., 3]; None where T shears or is flat."""
    A = T[..., :3, :3]
    s = np.linalg.norm(A, axis=-2)
    if not np.isfinite(T).all() or np.any(s < 1e-9):
        return None
    s = s.copy()
    s[..., 0] *= np.where(np.linalg.det(A) < 0, -1.0, 1.0)
    R = A / s[..., None, :]
    lacking = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2))
    if np.max(lacking, initial=0.0) > shear:
        return None
    if np.any(lacking > ROUNDING_SHEAR):
        u, _, v = np.linalg.svd(R[lacking > ROUNDING_SHEAR])  # the nearest rotation
        R[lacking > ROUNDING_SHEAR] = u @ v
    s = np.where(np.abs(np.abs(s) - 1) < 1e-9, np.sign(s), s)
    return T[..., :3, 3].copy(), quaternion_from_matrix(R), s


def unwind_quaternions(q: Array) -> Array:
    """The same rotations [t, ..., 4] with signs that do not jump from one time to the next."""
    step = np.where(np.sum(q[1:] * q[:-1], axis=-1, keepdims=True) < 0, -1.0, 1.0)
    sign = np.cumprod(np.concatenate([np.ones_like(q[:1, ..., :1]), step]), axis=0)
    return q * sign


def compute_local_poses(T_world: Array, parents: Indices) -> Array | None:
    """T_parent_bone of T_world_bone [..., b, 4, 4]; None where a parent is flat and cannot be undone."""
    used = np.unique(parents[parents >= 0])
    size = np.abs(np.linalg.det(T_world[..., used, :3, :3]))
    if not np.isfinite(T_world).all() or np.any(size < 1e-12):
        return None
    local = T_world.copy()
    child = np.flatnonzero(parents >= 0)
    local[..., child, :, :] = np.linalg.inv(T_world[..., parents[child], :, :]) @ T_world[..., child, :, :]
    return local


def compose_transforms(t: Array, q: Array, s: Array) -> Array:
    """translate rotate scale as matrices, [..., 4, 4]; q need not be of unit length."""
    T = np.zeros((*np.broadcast_shapes(t.shape[:-1], q.shape[:-1], s.shape[:-1]), 4, 4))
    T[..., :3, :3] = quaternion_to_matrix(quaternion_normalise(q)) * s[..., None, :]
    T[..., :3, 3], T[..., 3, 3] = t, 1.0
    return T


def compute_world_poses(local: Array, parents: Indices) -> Array:
    """T_world_bone of T_parent_bone [..., b, 4, 4], parents before children."""
    world = local.copy()
    for bone, parent in enumerate(parents):
        if parent >= 0:
            world[..., bone, :, :] = world[..., parent, :, :] @ local[..., bone, :, :]
    return world
