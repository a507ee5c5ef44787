"""The ceiling: a fit of the true joints, limits and all."""

from neurok.evaluate.methods.recipe import fit_space
from neurok.evaluate.targets import Target
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.kinematics.articulated import Articulated


class OracleMethod:
    name = "oracle"
    sees_truth = True

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Articulated | None:
        return None if truth is None else Articulated(truth)

    def fit(self, space: Articulated, target: Target) -> Array:
        """The true parts come apart where they were welded."""
        return fit_space(space, target)
