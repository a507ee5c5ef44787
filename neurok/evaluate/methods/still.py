"""Not moving: what every figure has to beat."""

from neurok.evaluate.targets import Target
from neurok.geometry.arrays import Array
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh


class StillMethod:
    name = "still"
    sees_truth = False

    def make_space(self, mesh: Mesh, truth: Articulation | None) -> Mesh:
        return mesh

    def fit(self, space: Mesh, target: Target) -> Array:
        return space.vertices
