"""How deep colliders of links that no joint connects lie in each other."""

from typing import Any

import numpy as np

from neurok.articulate.check.criteria import TOLERANCE
from neurok.articulate.check.loading import name_body
from neurok.geometry.arrays import Indices


def find_deepest(model: Any, data: Any, size: float) -> tuple[float, tuple[str, str]]:
    """The greatest depth [m] between colliders of links that no joint connects, and their names."""
    import mujoco

    solid = np.flatnonzero((model.geom_contype != 0) & (model.geom_bodyid > 0))
    first, second = solid[np.stack(np.triu_indices(len(solid), 1))]
    weld, above = model.body_weldid, _find_carriers(model, solid)
    a, b = weld[model.geom_bodyid[first]], weld[model.geom_bodyid[second]]
    joined = (a == b) | (above[a] == b) | (above[b] == a)
    apart = np.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1)
    near = np.flatnonzero(~joined & (apart < model.geom_rbound[first] + model.geom_rbound[second]))
    worst, names = 0.0, ("", "")
    for pair in near:
        one, other = int(first[pair]), int(second[pair])
        depth = -mujoco.mj_geomDistance(model, data, one, other, TOLERANCE * size, None)
        if depth > worst:
            worst, names = depth, (name_body(model, model.geom_bodyid[one]), name_body(model, model.geom_bodyid[other]))
    return worst, names


def _find_carriers(model: Any, solid: Indices) -> Indices:
    """The body above each body, [bodies]: welded ones are one, those without colliders (a screw's helper) no one."""
    weld, own = model.body_weldid, set(model.body_weldid[model.geom_bodyid[solid]].tolist())
    found = np.zeros(model.nbody, dtype=int)
    for body in range(1, model.nbody):
        above = weld[model.body_parentid[weld[body]]]
        while above > 0 and above not in own:
            above = weld[model.body_parentid[above]]
        found[body] = above
    return found
