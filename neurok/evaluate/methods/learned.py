"""The learned state space, and the same network untrained as its control."""

from functools import cached_property
from typing import Any

import torch

from neurok.evaluate.methods.recipe import fit_space
from neurok.evaluate.targets import Target
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Array, Mesh
from neurok.kinematics.build import learned
from neurok.kinematics.kinematics import Kinematics
from neurok.networks.config import from_values
from neurok.networks.models import build_model
from neurok.networks.weights import SHIPPED, load_model, read_weights


class Learned:
    """weights: a folder of them; those that came with neurok where none is named."""

    name = "learned"
    sees_truth = False

    def __init__(self, weights: str | None = None) -> None:
        self.weights = weights or SHIPPED

    @cached_property
    def model(self) -> Any:
        return load_model(self.weights)

    def space(self, mesh: Mesh, truth: Articulation | None) -> Kinematics:
        # What is measured is where points of the surface go; vertices shared by two parts would tie them together.
        return learned(mesh, self.model, tear=True)

    def fit(self, space: Kinematics, target: Target) -> Array:
        return fit_space(space, target)


class Untrained(Learned):
    """What the same network gives before it has learned anything."""

    name = "untrained"

    @cached_property
    def model(self) -> Any:
        config = from_values(read_weights(self.weights)[1]["config"])
        torch.manual_seed(config.seed)
        return build_model(config).eval().requires_grad_(False)
