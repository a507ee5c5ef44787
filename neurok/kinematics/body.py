"""The state space of a body that bends: what was learned of its motions, elastic modes beside it, and a smooth skin.

Coordinates are normal, and the softer an elastic mode the farther it goes:

    deviation of mode m = FAR (1 + value_m / (EASY value_1))^(-1/2)   [diagonals, RMS],

so that a few dragged points take along what is near, and what is far from them stays. Learned modes alone say too
little of a body that is not of a kind with those trained on; elastic ones alone know nothing of gaits and clamped ends.
"""

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Array, Indices, Mesh
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.elastic import elastic_modes
from neurok.kinematics.in_file import origin_in_file, skin_in_file, twists_in_file
from neurok.kinematics.modes import Modes
from neurok.kinematics.twists import MOST_WEIGHTS, Twists

LEARNED = 16  # modes of the network at most, and no more than half of all
FAR = 0.06  # root mean square displacement [diagonals] by one deviation of the softest mode
EASY = 2.0
SIDES = 3.0  # deviations that a coordinate goes either way; as far as it takes where a fit says how far
KNOWN_SIDES = 30.0
LOOSE = 1e-4  # of the stiffest mode's value, below which a mode counts as one of pieces that nothing holds together
NEAR = 1e-3  # added to distances from handles [diagonals]


def body(
    mesh: Mesh, seen: Mesh, where: SurfacePoints, placed: Handles, component: Indices, modes: Modes, place: Array, *,
    count: int, known: bool = False,
) -> Twists:  # fmt: skip
    """The states of a body. seen: the mesh in the canonical place; where: samples of it; component: of its faces.

    modes: what was learned. known: whether what is known of a state will say how far it goes.
    """
    learned = modes.twist[:, : min(LEARNED, count // 2)]
    value, twist = elastic_modes(where, placed, component[where.face], count - learned.shape[1])
    firm = value[value > LOOSE * value.max(initial=0.0)]
    softest = firm[0] if len(firm) else 1.0
    reach = FAR / np.sqrt(1.0 + value / (EASY * softest))
    twist = np.concatenate([learned, twist * reach[:, None]], axis=1)
    anchor = where.position[placed.anchor]
    joints, weights = _smooth_skin(seen.vertices, anchor)
    return Twists(
        mesh, skin_in_file(anchor, joints, weights, place), twists_in_file(twist, place),
        origin=origin_in_file(place), sides=np.full((twist.shape[1], 2), KNOWN_SIDES if known else SIDES), sparse=False,
    )  # fmt: skip


def _smooth_skin(vertices: Array, anchor: Array) -> tuple[Indices, Array]:
    """The nearest handles of each vertex and their weights, by the inverse square of the distance, [n, 4] twice."""
    count = min(MOST_WEIGHTS, len(anchor))
    distance, joints = (x.reshape(len(vertices), count) for x in cKDTree(anchor).query(vertices, k=count))
    weights = 1.0 / (distance + NEAR) ** 2
    return joints.astype(np.int64), weights / weights.sum(axis=1, keepdims=True)
