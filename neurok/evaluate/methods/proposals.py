"""What geometry proposes and a ranker chooses, without the learned modes: an object is known to have parts that move.

The shipped network, which tells bodies that bend from things with parts, saw all kinds; here it is not asked.
"""

from functools import cached_property
from pathlib import Path

import numpy as np

from neurok.evaluate.targets import CorrespondingTarget, Target, UnorderedTarget
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import sample_even
from neurok.kinematics.learned.proposed import ProposedState, Proposer
from neurok.mechanics.descent import pose_mesh
from neurok.networks.weights import TENSORS, read_weights
from neurok.proposals.ranker import Ranker, load_ranker, parse_ranker

MAX_COORDINATES = 16
SURFACE_SAMPLE_COUNT = 8192  # of a target surface


class ProposalsMethod:
    """One coordinate for each part that moves, at most 16; the surface may tear between parts.

    weights: a folder with the weights of a ranker; that of the package where none is named.
    """

    name = "proposals"
    sees_truth = False

    def __init__(self, weights: str | None = None) -> None:
        self.weights = weights

    @cached_property
    def ranker(self) -> Ranker:
        if self.weights is None:
            return load_ranker()
        read_weights(self.weights)  # which checks that they are whole
        return parse_ranker((Path(self.weights) / TENSORS).read_bytes())

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Proposer:
        return Proposer(mesh, most=MAX_COORDINATES, split=True, ranker=self.ranker)

    def fit(self, space: Proposer, target: Target) -> Array:
        found = propose_state(space, target)
        mesh = space.whole if found is None else pose_mesh(found.space, found.state)
        return mesh.vertices[mesh.faces]


def propose_state(space: Proposer, target: Target) -> ProposedState | None:
    """The state that answers a target; None where nothing moves."""
    if isinstance(target, UnorderedTarget):
        samples = sample_even(target.surface, SURFACE_SAMPLE_COUNT, np.random.default_rng(0))
        return space.propose_surface(samples)
    corresponding = isinstance(target, CorrespondingTarget)
    return space.propose_points(target.where, target.positions, corresponding=corresponding)
