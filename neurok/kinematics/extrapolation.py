"""How much of a state's motion lies beyond what was learned of the object."""

import numpy as np
import torch

from neurok.geometry.arrays import Array
from neurok.geometry.surface import at_vertices
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.twists import Twists

ROUNDING = 1e-9  # of the diagonal, or of what else is there: less is none


def measure_extrapolation(space: Kinematics, q: Array) -> float:
    """|F(q) - F(q')| / |F(q) - F(rest)|, root mean squares over the vertices, with q' the nearest state within the
    typical range of every coordinate; 0 where nothing moves, or where nothing was learned.

    Fits may leave the typical range, since a target tells how far the object goes. q: [k], with the coordinates of the
    base, which are left out: where an object stands was never learned.
    """
    inner = space.without_base()
    if not isinstance(inner, Twists) or not inner.size:
        return 0.0
    state = np.asarray(q, dtype=np.float64)[space.base_count :]
    where = at_vertices(inner.mesh)
    there, nearest, rest = (
        inner.positions(torch.as_tensor(x), where).numpy()
        for x in (state, inner.prior.clip_to_typical(state), np.zeros_like(state))
    )
    moved = float(np.linalg.norm(there - rest))
    if moved <= ROUNDING * inner.mesh.diagonal:
        return 0.0
    return float(np.linalg.norm(there - nearest)) / moved
