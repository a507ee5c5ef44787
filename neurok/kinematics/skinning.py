"""Linear blend skinning of surface points: x = sum_b h_b X_b, with h the point's homogeneous share in each bone."""

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints


def shares(mesh: Mesh, skin: Skin, where: SurfacePoints) -> csr_matrix:
    """h with x_p = sum_(b, c) h[p, 4 b + c] X[b, :, c], [m, 4 b]."""
    bones, values = _shares(mesh, skin, where)
    columns = 4 * bones[..., None] + np.arange(4)
    rows = np.broadcast_to(np.arange(where.count)[:, None, None], values.shape)
    entries = (values.ravel(), (rows.ravel(), columns.ravel()))
    return csr_matrix(entries, shape=(where.count, 4 * skin.bone_count))


def skinned_positions(X: Tensor, mesh: Mesh, skin: Skin, where: SurfacePoints) -> Tensor:
    """Surface points carried by bone motions X [b, 4, 4], [m, 3]."""
    bones, values = _shares(mesh, skin, where)
    return torch.einsum("mjab,mjb->ma", X[:, :3][torch.as_tensor(bones)], torch.as_tensor(values, dtype=X.dtype))


def _shares(mesh: Mesh, skin: Skin, where: SurfacePoints) -> tuple[Indices, Array]:
    """The bones that carry each point, [m, j], and the point's homogeneous share in each, [m, j, 4].

    A point on a face is carried by the face's corners, each corner v by its bones: beta_v w_vb (x_v, 1).
    Where the corners of every face follow the same bones their shares are one, a third as many.
    """
    bones = skin.joints[where.corners]  # [m, 3, w]
    weights = where.weights[:, :, None] * skin.weights[where.corners]
    corners = mesh.vertices[where.corners]
    homogeneous = np.concatenate([corners, np.ones((*corners.shape[:-1], 1))], axis=-1)
    values = weights[..., None] * homogeneous[:, :, None, :]  # [m, 3, w, 4]
    if np.array_equal(bones, np.broadcast_to(bones[:, :1], bones.shape)):
        return bones[:, 0], values.sum(axis=1)
    return bones.reshape(where.count, -1), values.reshape(where.count, -1, 4)
