"""The state space of a body that bends: what was learned of its motions, elastic modes beside it, and a smooth skin.

Coordinates are normal, and the softer an elastic mode the farther it goes:

    deviation of mode m = FAR (1 + value_m / (EASY value_1))^(-1/2)   [diagonals, RMS],

so that a few dragged points take along what is near, and what is far from them stays. Learned modes alone say too
little of a body that is not of a kind with those trained on; elastic ones alone know nothing of gaits and clamped ends.
"""

from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import Handles
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices
from neurok.kinematics.elastic import ACROSS, elastic_modes
from neurok.kinematics.in_file import origin_in_file, skin_in_file, twists_in_file
from neurok.kinematics.modes import Modes
from neurok.kinematics.naming import bone_names
from neurok.kinematics.prior import normal_prior
from neurok.kinematics.twists import MAX_WEIGHTS, Twists

LEARNED = 16  # modes of the network at most, and no more than half of all
FAR = 0.04  # root mean square displacement [diagonals] by one deviation of the softest mode
EASY = 2.0
EASE = 0.5  # how far states go where none is asked for, of what training saw: draws of all modes at once crumple
HELD = 0.5  # how firmly pieces that touch hold together, of one piece, where nothing says that they come apart
LEAST = 1e-6  # of the stiffest mode's value, which the softest counts as having: less is rounding
SIDES = 6.0  # deviations that a coordinate goes either way; as far as it takes where a fit says how far
KNOWN_SIDES = 30.0
NEAR = 1e-3  # added to distances from handles [diagonals]
TINY = 1e-9  # a vertex as far from all its handles still follows them


def body(
    mesh: Mesh, seen: Mesh, where: SurfacePoints, placed: Handles, component: Indices, modes: Modes, place: Array, *,
    count: int, known: bool = False,
) -> Twists:  # fmt: skip
    """The states of a body. seen: the mesh in the canonical place; where: samples of it; component: of its faces.

    modes: what was learned. known: whether what is known of a state will say how far it goes.
    """
    learned = modes.twist[:, : min(LEARNED, count // 2)]
    across = ACROSS if known else HELD
    value, twist = elastic_modes(where, placed, component[where.face], count - learned.shape[1], across=across)
    softest = max(float(value[0]), LEAST * float(value[-1]), 1e-300) if len(value) else 1.0
    reach = FAR / np.sqrt(1.0 + value / (EASY * softest))
    twist = (1.0 if known else EASE) * np.concatenate([learned, twist * reach[:, None]], axis=1)
    anchor = where.position[placed.anchor]
    at = at_vertices(seen)
    piece = np.where(at.face >= 0, component[at.face], -1)
    joints, weights = _smooth_skin(seen.vertices, piece, anchor, component[where.face[placed.anchor]])
    sides = np.full((twist.shape[1], 2), KNOWN_SIDES if known else SIDES)
    skin, basis = skin_in_file(anchor, joints, weights, place), twists_in_file(twist, place)
    skin = replace(skin, names=bone_names(mesh, skin))
    usual = np.full_like(sides, EASE * SIDES if known else SIDES)
    return Twists(mesh, skin, basis, origin=origin_in_file(place), prior=normal_prior(sides, typical=usual))


def _smooth_skin(vertices: Array, piece: Indices, anchor: Array, of_anchor: Indices) -> tuple[Indices, Array]:
    """Handles of each vertex and their weights, [n, 4] twice: the nearest of its own piece, of any where it has none.

    piece, of_anchor: the component of each vertex and handle. Shepard's weights, (1/d - 1/d')^2 with d' the distance of
    the nearest handle that is left out, so that none comes in or goes with a jump.
    """
    joints, weights = np.zeros((len(vertices), MAX_WEIGHTS), dtype=np.int64), np.zeros((len(vertices), MAX_WEIGHTS))
    homes = np.unique(of_anchor)
    for home in (*homes, None):
        mine = ~np.isin(piece, homes) if home is None else piece == home
        own = np.arange(len(anchor)) if home is None else np.flatnonzero(of_anchor == home)
        if not mine.any():
            continue
        count = min(MAX_WEIGHTS + 1, len(own))
        distance, near = (x.reshape(-1, count) for x in cKDTree(anchor[own]).query(vertices[mine], k=count))
        inverse = 1.0 / (distance + NEAR)
        if count > MAX_WEIGHTS:
            inverse = (inverse - inverse[:, -1:])[:, :-1] + TINY
        kept = slice(None, inverse.shape[1])
        share = np.zeros((len(near), MAX_WEIGHTS))
        share[:, kept] = inverse**2 / (inverse**2).sum(axis=1, keepdims=True)
        found = np.zeros_like(share, dtype=np.int64)
        found[:, kept] = own[near[:, kept]]
        joints[mine], weights[mine] = found, share
    return joints, weights
