"""How much of a state's motion lies beyond what was learned of the object."""

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.geometry.surface import at_vertices
from neurok.kinematics.free import Free
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.twists import Twists


def beyond(space: Kinematics, q: Array) -> float:
    """|F(q) - F(q')| / |F(q) - F(rest)|, root mean squares over the vertices, with q' the nearest state that keeps to
    the usual sides of every coordinate; 0 where nothing moves, or where nothing was learned.

    Fits may leave those sides, since a target tells how far the object goes. q: [k], that of the base included, which
    is left out: where an object stands was never learned.
    """
    inner = space.inner if isinstance(space, Free) else space
    if not isinstance(inner, Twists) or not inner.size:
        return 0.0
    state = np.asarray(q, dtype=np.float64)[space.rigid_count :]
    usual = np.clip(state, -inner.usual[:, 0], inner.usual[:, 1])
    where = at_vertices(inner.mesh)
    there, nearest, rest = (
        inner.positions(torch.as_tensor(x), where).numpy() for x in (state, usual, np.zeros_like(state))
    )
    moved = float(np.linalg.norm(there - rest))
    if moved <= 1e-9 * inner.mesh.diagonal:  # what is left of rounding is no motion
        return 0.0
    return float(np.linalg.norm(there - nearest)) / moved
