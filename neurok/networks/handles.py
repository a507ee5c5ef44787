"""The model of handles: a shape's state space F(q) = skin o exp(B q), learned by the evidence of observed motions.

It is a variational autoencoder whose decoder is linear in twist coordinates, so that nothing need be sampled: the most
likely state is found by reweighted least squares, and the evidence is approximated about it (see `evidence`).
"""

import torch
from torch import nn

from neurok.networks.basis import Basis, BasisNetwork, BasisSize
from neurok.networks.shapes import Shapes


class HandlesModel(nn.Module):
    """The basis network; what it is learned by is in training.losses."""

    def __init__(self, size: BasisSize) -> None:
        super().__init__()
        self.network = BasisNetwork(size)

    def basis(self, shapes: Shapes) -> Basis:
        """The modes of shapes alone."""
        with torch.inference_mode():
            basis: Basis = self.network(shapes)
            return basis
