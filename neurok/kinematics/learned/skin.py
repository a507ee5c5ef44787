"""Skin: which handles carry each vertex. Handles share vertices only where they move alike: soft parts bend smoothly,
rigid parts stay apart; and the surface may be split where two parts meet."""

from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.mesh import Mesh, split_corners
from neurok.geometry.observation import Observation
from neurok.geometry.surface import at_vertices
from neurok.kinematics.learned.options import NEIGHBOUR_COUNT
from neurok.kinematics.twists import MAX_WEIGHTS


def find_vertex_handles(surface: Observation, anchors: Indices) -> Indices:
    """The handle each vertex belongs to: the nearest of its own patch, [n]. anchors: samples where handles sit, [h]."""
    at = at_vertices(surface.mesh)
    label = np.where(at.face >= 0, surface.face_patch[at.face], -1)
    return _find_nearest(surface.mesh.vertices, label, surface, anchors)


def find_split_corners(
    surface: Observation, anchors: Indices, unlike: Array, group: Indices, own: Indices, tolerance: float
) -> Indices:
    """Which corners of faces leave their vertex, since their face moves with another part: [m, 3].

    Zero where the corner stays, else one more than the part it goes with. unlike: how differently two handles move,
    [h, h]. group: the part of each handle, [h]. own: the handle of each vertex, [n].
    """
    faces = surface.mesh.faces
    middle = surface.mesh.vertices[faces].mean(axis=1)
    of_face = _find_nearest(middle, surface.face_patch, surface, anchors)[:, None]
    leaves = (group[of_face] != group[own[faces]]) & (unlike[of_face, own[faces]] > 2.0 * tolerance)
    return np.where(leaves, group[of_face] + 1, 0)


def split_mesh(mesh: Mesh, corners: Indices, own: Indices, group: Indices) -> tuple[Mesh, Indices, Indices]:
    """The mesh with vertices of their own for corners [m, 3] that leave; where each came from, and its handle, [n]."""
    attributes = {**mesh.corner_attributes, "part": corners[..., None].astype(np.float64)}
    split, source = split_corners(replace(mesh, corner_attributes=attributes))
    part = np.asarray(split.attributes["part"])[:, 0].astype(np.int64)
    kept = {name: value for name, value in split.attributes.items() if name != "part"}
    first_of = np.unique(group, return_index=True)[1]
    return replace(split, attributes=kept), source, np.where(part > 0, first_of[part - 1], own[source])


def blend_handles(
    vertices: Array, own: Indices, anchor: Array, unlike: Array, tolerance: float
) -> tuple[Indices, Array]:
    """Handles and weights of each vertex, [n, 4] twice; everything in the canonical place.

    A vertex belongs to its own handle [n]; the nearest others that move much as that one does share it, the nearer and
    the more alike the more. unlike: how differently two handles move, [h, h]; infinite where they share nothing.
    """
    count = min(NEIGHBOUR_COUNT, len(anchor))
    distance, near = (x.reshape(-1, count) for x in cKDTree(anchor).query(vertices, k=count))
    missing = ~(near == own[:, None]).any(axis=1)
    near[missing, -1] = own[missing]
    distance[missing, -1] = np.linalg.norm(vertices[missing] - anchor[own[missing]], axis=1)
    gap = unlike[own[:, None], near] / tolerance
    # A handle that moves otherwise counts for nothing, not for little: a rigid part would slowly shear.
    score = np.where(gap > 2.0, 0.0, np.exp(-(np.minimum(gap, 2.0) ** 2)) / (distance + 1e-4) ** 2)
    order = np.argsort(-score, axis=1)[:, :MAX_WEIGHTS]
    near, score = np.take_along_axis(near, order, axis=1), np.take_along_axis(score, order, axis=1)
    if near.shape[1] < MAX_WEIGHTS:
        fill = ((0, 0), (0, MAX_WEIGHTS - near.shape[1]))
        near, score = np.pad(near, fill), np.pad(score, fill)
    return near, score / score.sum(axis=1, keepdims=True)


def merge_bones(joints: Indices, weights: Array, group: Indices) -> tuple[Indices, Array]:
    """The same skin with groups of handles for bones, each at most once per vertex; bones without weight are bone 0."""
    joints, weights = group[joints], weights.copy()
    for later in range(1, joints.shape[1]):
        for earlier in range(later):
            same = joints[:, later] == joints[:, earlier]
            weights[same, earlier] += weights[same, later]
            weights[same, later] = 0.0
    return np.where(weights > 0, joints, 0), weights


def _find_nearest(x: Array, label: Indices, surface: Observation, anchors: Indices) -> Indices:
    """The nearest anchor of the same patch, or of any where the patch has none, [n]; x: [n, 3], label: its patch."""
    anchor, anchor_patch = surface.samples.position[anchors], surface.patch[anchors]
    found = np.empty(len(x), dtype=np.int64)
    homes = np.unique(anchor_patch)
    for home in (*homes, None):
        mine = ~np.isin(label, homes) if home is None else label == home
        own = np.arange(len(anchor)) if home is None else np.flatnonzero(anchor_patch == home)
        found[mine] = own[cKDTree(anchor[own]).query(x[mine])[1]]
    return found
