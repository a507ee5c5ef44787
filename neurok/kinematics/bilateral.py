"""A skin that blends between handles only where they move alike: soft bodies bend smoothly, rigid parts stay apart."""

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.handles import Handles, nearest_anchor
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices

MOST = 4  # weights per vertex, what glTF and USD play
ALIKE = 0.25  # how differently two handles may move, of the farthest that any goes in a mode, and still be blended
SAME = 0.1  # below it they count as one rigid group
SMALL = 0.02  # a mode counts as going at least this far [diagonals]
LEVER = 0.15  # what a turn counts as [diagonals per radian]
CHUNK = 65536  # vertices at a time


def rigid_groups(
    twist: Array, where: SurfacePoints, placed: Handles, slack: Array | float = 1.0
) -> tuple[Array, Indices]:
    """Handles that hardly differ in any mode get their common mean, so that a rigid part is exactly rigid.

    twist: (v, w) about the canonical origin, [h, m, 6]. Greedily from the largest handle on: a group takes every
    handle that moves like its first one. slack: how many times as much handles may differ in each mode, [m].
    Returns the twists and the group of each handle, [h].
    """
    like = relative(twist, where.position[placed.anchor]) / np.broadcast_to(slack, twist.shape[1])[:, None]
    area = np.bincount(placed.owner, where.area, placed.count)
    centre = where.position[placed.anchor]
    group = np.full(placed.count, -1)
    result = twist.copy()
    for first in np.argsort(-area, kind="stable"):
        if group[first] >= 0:
            continue
        reach = np.maximum(_apart(like, like[first], centre), _apart(like, like[first], centre[first]))
        mine = (group < 0) & (reach < SAME)
        mine[first] = True
        result[mine] = np.average(twist[mine], axis=0, weights=area[mine] + 1e-9)
        group[mine] = group.max() + 1
    return result, group


def relative(twist: Array, centre: Array) -> Array:
    """Twists (v, w) [h, m, 6] of handles with centres [h, 3], each mode in units of the farthest that it takes any."""
    far = _size(twist, centre).max(axis=0)
    return twist / np.maximum(far, SMALL)[:, None]


def vertex_handles(mesh: Mesh, patch: Indices, where: SurfacePoints, placed: Handles) -> Indices:
    """The handle each vertex belongs to: the nearest of its own patch, [n]; everything in the canonical place."""
    at = at_vertices(mesh)
    label = np.where(at.face >= 0, patch[at.face], -1)
    return _nearest(mesh.vertices, label, where, patch, placed)


def torn_corners(
    mesh: Mesh, patch: Indices, where: SurfacePoints, placed: Handles, twist: Array, group: Indices, own: Indices
) -> Indices:
    """Which corners of faces leave their vertex, since their face moves with another part: [m, 3].

    Zero where the corner stays, else one more than the group of handles it goes with. own: the handle of each vertex.
    """
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    of_face = _nearest(middle, patch, where, patch, placed)
    twist = relative(twist, where.position[placed.anchor])
    corners = np.zeros(mesh.faces.shape, dtype=np.int64)
    for k in range(3):
        vertex = mesh.faces[:, k]
        other = np.flatnonzero(group[of_face] != group[own[vertex]])
        x = mesh.vertices[vertex[other]]
        gap = _apart(twist[of_face[other]], twist[own[vertex[other]]], x)
        leaves = other[gap > 2.0 * ALIKE]
        corners[leaves, k] = group[of_face[leaves]] + 1
    return corners


def bilateral_skin(
    vertices: Array, own: Indices, anchor: Array, twist: Array, gate: Array | None = None
) -> tuple[Indices, Array]:
    """Handles and weights of each vertex, [n, 4] twice; everything in the canonical place.

    A vertex belongs to its own handle [n]; the nearest others that would carry it much as that one does share it, the
    nearer and the more alike the more. gate: how far handles follow single screws, [h, m]; those of which one follows
    and the other does not share nothing, however little they differ next to a hinge.
    """
    twist = relative(twist, anchor)
    joints = np.empty((len(vertices), MOST), dtype=np.int64)
    weights = np.empty((len(vertices), MOST))
    for start in range(0, len(vertices), CHUNK):
        rows = slice(start, start + CHUNK)
        joints[rows], weights[rows] = _blend(vertices[rows], own[rows], anchor, twist, gate)
    return joints, weights


def grouped(joints: Indices, weights: Array, group: Indices) -> tuple[Indices, Array]:
    """The same skin with groups of handles for bones, each at most once per vertex; bones without weight are bone 0."""
    joints, weights = group[joints], weights.copy()
    for later in range(1, joints.shape[1]):
        for earlier in range(later):
            same = joints[:, later] == joints[:, earlier]
            weights[same, earlier] += weights[same, later]
            weights[same, later] = 0.0
    return np.where(weights > 0, joints, 0), weights


def _nearest(x: Array, label: Indices, where: SurfacePoints, patch: Indices, placed: Handles) -> Indices:
    anchor, anchor_patch = where.position[placed.anchor], patch[where.face[placed.anchor]]
    found = np.empty(len(x), dtype=np.int64)
    for start in range(0, len(x), CHUNK):
        rows = slice(start, start + CHUNK)
        found[rows] = nearest_anchor(x[rows], label[rows], anchor, anchor_patch)
    return found


def _blend(x: Array, own: Indices, anchor: Array, twist: Array, gate: Array | None) -> tuple[Indices, Array]:
    square = (x**2).sum(1)[:, None] - 2.0 * x @ anchor.T + (anchor**2).sum(1)
    count = min(8, len(anchor))
    near = np.argpartition(square, count - 1, axis=1)[:, :count]
    near[~(near == own[:, None]).any(axis=1), -1] = own[~(near == own[:, None]).any(axis=1)]
    distance = np.sqrt(np.maximum(np.take_along_axis(square, near, axis=1), 0.0)) + 1e-4
    unlike = _apart(twist[near], twist[own][:, None], x[:, None])
    score = np.exp(-((unlike / ALIKE) ** 2)) / distance**2
    # A handle that moves otherwise counts for nothing, not for little: a rigid part would slowly shear.
    score[unlike > 2.0 * ALIKE] = 0.0
    if gate is not None:
        score[(np.abs(gate[near] - gate[own][:, None]) > 0.5).any(axis=-1)] = 0.0
    order = np.argsort(-score, axis=1)[:, :MOST]
    near, score = np.take_along_axis(near, order, axis=1), np.take_along_axis(score, order, axis=1)
    if near.shape[1] < MOST:
        fill = ((0, 0), (0, MOST - near.shape[1]))
        near, score = np.pad(near, fill), np.pad(score, fill)
    return near, score / score.sum(axis=1, keepdims=True)


def _apart(one: Array, other: Array, x: Array) -> Array:
    """How differently twists [..., m, 6] carry points x [..., 3] and turn there, in the mode where most, [...]."""
    return _size(one - other, x).max(axis=-1)


def _size(twist: Array, x: Array) -> Array:
    """How far twists [..., m, 6] carry points x [..., 3], and turn there, [..., m]."""
    w = twist[..., 3:]
    shift = twist[..., :3] + np.cross(w, x[..., None, :])
    return np.sqrt((shift**2).sum(-1) + LEVER**2 * (w**2).sum(-1))
