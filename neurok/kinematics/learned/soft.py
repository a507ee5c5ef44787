"""The state space of a body that bends: what was learned of its motions, elastic modes beside it, and a smooth skin.

Coordinates are normal, and the softer an elastic mode the farther it goes:

    deviation of mode m = SOFTEST (1 + value_m / (2 value_1))^(-1/2)   [diagonals, RMS],

so that a few dragged points take along what is near, and what is far from them stays. Learned modes alone say too
little of a body that is not of a kind with those trained on; elastic ones alone know nothing of gaits and clamped ends.
"""

from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import at_vertices
from neurok.kinematics.extrapolation import ROUNDING
from neurok.kinematics.learned.bone_names import bone_names
from neurok.kinematics.learned.elastic import elastic_modes
from neurok.kinematics.learned.file_frame import origin_in_file, skin_in_file, twists_in_file
from neurok.kinematics.learned.modes import Modes
from neurok.kinematics.learned.observe import ObservedObject
from neurok.kinematics.learned.options import LearnedOptions
from neurok.kinematics.prior import normal_prior
from neurok.kinematics.twists import MAX_WEIGHTS, Twists

LOOSE_BOND = 0.02  # between two components of the mesh, of one within, where a target may part them
SOFTEST = 0.04  # RMS displacement [diagonals] by one deviation of the softest mode
CALM = 0.5  # how far states go that no target asks for, of what training saw: draws of all modes at once crumple
EXTENT = 6.0  # deviations that a coordinate goes either way, where no target tells how far


def soft_space(mesh: Mesh, observed: ObservedObject, seen: Modes, options: LearnedOptions) -> Twists:
    """The states of a soft body. seen: the modes that were learned; they are at most half of those that
    move it."""
    is_fit = options.is_for_fits
    learned = seen.twist[:, : options.coordinate_count if is_fit else options.coordinate_count // 2]
    surface, handles = observed.surface, observed.handles
    # A target says much of a state: as many elastic modes as there are handles.
    count = handles.count if is_fit else options.coordinate_count - learned.shape[1]
    across = LOOSE_BOND if is_fit else 1.0  # nothing else says that pieces which touch come apart
    value, twist = elastic_modes(
        surface.samples, handles, observed.metric, surface.component, count, across=across
    )  # fmt: skip
    softest = max(float(value[0]), ROUNDING * float(value[-1]), 1e-300) if len(value) else 1.0
    amplitude = SOFTEST / np.sqrt(1.0 + value / (2.0 * softest))
    twist = (1.0 if is_fit else CALM) * np.concatenate([learned, twist * amplitude[:, None]], axis=1)
    at = at_vertices(surface.mesh)
    piece = np.where(at.face >= 0, surface.face_component[at.face], -1)
    joints, weights = _smooth_skin(
        surface.mesh.vertices, piece, observed.anchor, surface.component[handles.anchor]
    )  # fmt: skip
    skin = skin_in_file(observed.anchor, joints, weights, surface.place)
    skin = replace(skin, names=bone_names(mesh, skin))
    typical = np.full((twist.shape[1], 2), EXTENT * (CALM if is_fit else 1.0))
    prior = normal_prior(np.full_like(typical, np.inf) if is_fit else typical, typical=typical)
    basis = twists_in_file(twist, surface.place)
    return Twists(mesh, skin, basis, origin=origin_in_file(surface.place), prior=prior)


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
        inverse = 1.0 / (distance + 1e-3)  # [diagonals]
        if count > MAX_WEIGHTS:
            inverse = (inverse - inverse[:, -1:])[:, :-1] + 1e-9  # a vertex as far from all still follows them
        kept = slice(None, inverse.shape[1])
        share = np.zeros((len(near), MAX_WEIGHTS))
        share[:, kept] = inverse**2 / (inverse**2).sum(axis=1, keepdims=True)
        found = np.zeros_like(share, dtype=np.int64)
        found[:, kept] = own[near[:, kept]]
        joints[mine], weights[mine] = found, share
    return joints, weights
