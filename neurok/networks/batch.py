"""A batch of training as tensors: shapes, and where states of them take their points."""

from dataclasses import dataclass

from torch import Tensor

from neurok.networks.shapes import Shapes


@dataclass(frozen=True)
class TrainingBatch:
    """b shapes of n points and s states of each; lengths in diagonals.

    displacement: [b, s, n, 3]. dual: unit dual quaternions, scalar of the real part >= 0, [b, s, n, 8].
    draw: uniform random numbers of each state, [b, s, c].
    is_soft: one for soft bodies, which bend or walk, zero for articulated objects, of which few parts move, [b].
    """

    shapes: Shapes
    displacement: Tensor
    dual: Tensor
    draw: Tensor
    is_soft: Tensor
