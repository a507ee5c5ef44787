"""Any state space on any target: what the oracle and every learned method do once they have a Kinematics."""

from dataclasses import replace

from neurok.evaluate.targets import Corresponding, Target, Unordered
from neurok.geometry.mesh import Array
from neurok.kinematics.kinematics import Kinematics
from neurok.mechanics.inverse import fit


def fit_space(space: Kinematics, target: Target) -> Array:
    """The corners of the faces in the state found, [m, 3, 3].

    Face i of the space's mesh must be face i of the pair's; its vertices may be others, where the space tears it.
    """
    if isinstance(target, Unordered):
        found = fit(space, target.surface)
    else:
        where = replace(target.where, corners=space.mesh.faces[target.where.face])
        found = fit(space, target.positions, where=where, corresponding=isinstance(target, Corresponding))
    return found.mesh.vertices[found.mesh.faces]
