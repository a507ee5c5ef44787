"""The ceiling: a fit of the true joints, limits and all."""

from dataclasses import replace

import numpy as np

from neurok.evaluate.targets import Target, Unordered
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Array, Mesh
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.articulated import Articulated
from neurok.mechanics.carrier import carry
from neurok.mechanics.descent import Problem, Quadratic, best_of, posed, starts_of
from neurok.mechanics.inverse import fit

STARTS = 8
PULL = 1e-10  # to rest, of the squared diagonal: decides only what the points do not


class Oracle:
    name = "oracle"
    sees_truth = True

    def space(self, mesh: Mesh, truth: Articulation | None) -> Articulated | None:
        return None if truth is None else Articulated(truth)

    def fit(self, space: Articulated, target: Target) -> Array:
        """The corners of the faces in the state found, [m, 3, 3]: the true parts come apart where they were welded."""
        if isinstance(target, Unordered):
            found = fit(space, target.surface).mesh
        else:
            found = posed(space, fit_points(space, target.where, target.positions))
        return found.vertices[found.faces]


def fit_points(space: Articulated, where: SurfacePoints, positions: Array) -> Array:
    """The state in which points of known faces come nearest to their positions, [k]."""
    own = replace(where, corners=space.mesh.faces[where.face])
    carrier, (shares,) = carry(space, [own])
    problem = Problem(space, carrier, PULL)
    goal = Quadratic.of(shares, np.full(where.count, 1.0 / where.count), positions)
    return best_of(problem, goal, starts_of(space, STARTS, 0), enough=1e-14)[0]
