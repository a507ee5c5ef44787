"""Linear blend skinning of surface points: x = sum_b h_b X_b, with h the point's homogeneous share in each bone."""

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from neurok.geometry.mesh import Mesh
from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints


def shares(mesh: Mesh, skin: Skin, where: SurfacePoints) -> csr_matrix:
    """h with x_p = sum_(b, c) h[p, 4 b + c] X[b, :, c], [m, 4 b].

    A point on a face is carried by the face's corners, each corner by its bones:
    h[p, (b, c)] = sum over corners v of beta_v w_vb (x_v, 1)_c.
    """
    corners = where.corners  # [m, 3]
    bones = skin.joints[corners]  # [m, 3, w]
    weights = where.weights[:, :, None] * skin.weights[corners]
    homogeneous = np.concatenate([mesh.vertices, np.ones((mesh.vertex_count, 1))], axis=1)[corners]
    values = weights[..., None] * homogeneous[:, :, None, :]  # [m, 3, w, 4]
    columns = 4 * bones[..., None] + np.arange(4)
    rows = np.broadcast_to(np.arange(where.count)[:, None, None, None], values.shape)
    entries = (values.ravel(), (rows.ravel(), columns.ravel()))
    return csr_matrix(entries, shape=(where.count, 4 * skin.bone_count))


def skinned_positions(X: Tensor, mesh: Mesh, skin: Skin, where: SurfacePoints) -> Tensor:
    """Surface points carried by bone motions X [b, 4, 4], [m, 3]."""
    corners = where.corners
    bones = torch.as_tensor(skin.joints[corners])
    weights = torch.as_tensor(where.weights[:, :, None] * skin.weights[corners], dtype=X.dtype)
    homogeneous = np.concatenate([mesh.vertices, np.ones((mesh.vertex_count, 1))], axis=1)[corners]
    moved = torch.einsum("mcwab,mcb->mcwa", X[bones][..., :3, :], torch.as_tensor(homogeneous, dtype=X.dtype))
    return (weights[..., None] * moved).sum(dim=(1, 2))
