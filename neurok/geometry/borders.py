"""Borders: how the crease patches of a surface meet each other, and the pieces that adjoining patches form.

The faces of one part are mostly joined along convex edges; where one part ends and another begins, the edge is
concave, or more than two faces meet, or there is no common edge at all. A network that receives these features need
not guess them from sampled points.
"""

from dataclasses import dataclass

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import Edges, duplicate_faces, find_edges, weld
from neurok.geometry.mesh import Mesh
from neurok.geometry.orientation import orient_outwards
from neurok.geometry.patches import WELD_TOLERANCE
from neurok.geometry.triangles import area_vectors, unit_or_zero

BORDER_FEATURE_COUNT = 4  # shared length, convexity, concavity, share of non-manifold length
MAX_PAIRED_FACES = 4  # faces on one edge that are all paired; of more, each is paired with the next ones only
MIN_CONCAVITY = 0.1  # mean concave angle over pi from which on a border counts as concave


@dataclass(frozen=True)
class BorderLengths:
    """Where p patches meet along edges, in lengths [p, p]; symmetric, zero where two do not meet.

    length: of the common border. convex, concave: the integral of the angle over pi along it, where the surface bends
    that way. crowded: the length along which more than two faces meet. outline: of each patch with its open sides, [p].
    """

    length: Array
    convex: Array
    concave: Array
    crowded: Array
    outline: Array


def measure_borders(mesh: Mesh, patch: Indices, *, welded: Mesh | None = None) -> BorderLengths:
    """The borders between patches; patch: of each face of the mesh, [m]; welded: by `weld_plain`, if it is known."""
    count = int(patch.max(initial=-1)) + 1
    total, outline = np.zeros((4, count, count)), np.zeros(count)
    facing, kept = orient_proper_faces(mesh, WELD_TOLERANCE, welded=welded)
    if not len(kept):
        return BorderLengths(total[0], total[1], total[2], total[3], outline)
    label = patch[kept]
    lines = find_edges(facing)
    ends = facing.vertices[lines.vertices]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    first, second = pair_sides(lines)
    apart = label[first // 3] != label[second // 3]
    first, second = first[apart], second[apart]
    edge, one, other = lines.of_face.reshape(-1)[first], label[first // 3], label[second // 3]
    bend, crowded = measure_bends(facing, first, second), lines.non_manifold[edge]
    shares = (1.0, np.where(crowded, 0.0, bend.clip(min=0)), np.where(crowded, 0.0, (-bend).clip(min=0)), crowded)
    for place, share in enumerate(shares):
        np.add.at(total[place], (one, other), length[edge] * share)
        np.add.at(total[place], (other, one), length[edge] * share)
    for owner, lengths in ((one, length[edge]), (other, length[edge]), _find_open_sides(lines, length, label)):
        np.add.at(outline, owner, lengths)
    return BorderLengths(total[0], total[1], total[2], total[3], outline)


def orient_proper_faces(mesh: Mesh, tolerance: float, *, welded: Mesh | None = None) -> tuple[Mesh, Indices]:
    """The welded surface of all faces that have an area, each once, looking outwards; and which faces they are, [k].

    tolerance: within which vertices are welded, over the diagonal; welded: the mesh so welded, if it is known.
    """
    if welded is None:
        welded, _ = weld(mesh, tolerance * mesh.diagonal)
    plain = Mesh(welded.vertices, welded.faces)
    a, b, c = plain.faces.T
    good = ~duplicate_faces(plain) & (a != b) & (b != c) & (c != a)
    good &= np.linalg.norm(area_vectors(plain.vertices, plain.faces), axis=1) > 0
    return orient_outwards(Mesh(plain.vertices, plain.faces[good])), np.flatnonzero(good)


def patch_borders(mesh: Mesh, patch: Indices) -> Array:
    """Features of the border of each two patches, [p, p, BORDER_FEATURE_COUNT]; symmetric, zero where they do not meet.

    patch: the patch of each face of the mesh, [m]. The features are the length of the border as a share of the shorter
    of the two outlines; the mean convex and the mean concave angle over pi along it; and the share of its length where
    more than two faces meet. All lie in 0 .. 1.
    """
    return describe_borders(measure_borders(mesh, patch))


def describe_borders(found: BorderLengths) -> Array:
    """Border lengths as the features that networks take; see `patch_borders`."""
    shares = np.stack([found.convex, found.concave, found.crowded]) / np.maximum(found.length, 1e-300)
    shorter = np.minimum(found.outline[:, None], found.outline[None, :])
    features = np.stack([found.length / np.maximum(shorter, 1e-300), *shares], axis=-1)
    return np.clip(features, 0.0, 1.0)


def join_patches(border: Array) -> tuple[Indices, Indices]:
    """Patches joined into larger and into smaller pieces by their borders; the piece of each patch, [p] twice.

    border: features of the borders, [p, p, BORDER_FEATURE_COUNT]. The larger pieces join patches over all borders
    where mostly two faces meet: in 24 real objects whose moving parts are welded together, of two points that move
    apart 8 % lie in one piece (31 % in one component), of two that do not, 49 % (74 %). The smaller pieces join
    patches over those of these borders that are not concave: 3 % and 35 %.
    """
    from scipy.sparse.csgraph import connected_components

    sheet = (border[..., 0] > 0) & (border[..., 3] < 0.5)
    return connected_components(sheet)[1], connected_components(sheet & (border[..., 2] < MIN_CONCAVITY))[1]


def append_piece_flags(border: Array) -> Array:
    """The border features, and whether two patches are of one larger and of one smaller piece, [p, p, 4 + 2]."""
    same = [label[:, None] == label for label in join_patches(border)]
    return np.concatenate([border, np.stack(same, axis=-1)], axis=-1)


def pair_sides(lines: Edges) -> tuple[Indices, Indices]:
    """Pairs of face sides (numbered three per face) that lie on the same edge, [s] twice."""
    sides = lines.of_face.reshape(-1)
    order = np.argsort(sides, kind="stable")  # those of one edge are neighbours there
    edge = sides[order]
    pairs = []
    for step in range(1, MAX_PAIRED_FACES):
        same = np.flatnonzero((edge[step:] == edge[:-step]) & (edge[step:] >= 0))
        pairs.append(np.stack([order[same], order[same + step]]))
    first, second = np.concatenate(pairs, axis=1)
    return first, second


def measure_bends(mesh: Mesh, first: Indices, second: Indices) -> Array:
    """The dihedral angle over pi at pairs of sides, positive where convex, negative where concave, [s]."""
    normal = unit_or_zero(area_vectors(mesh.vertices, mesh.faces))
    n, m = normal[first // 3], normal[second // 3]
    angle = np.arccos(np.clip(np.einsum("sa,sa->s", n, m), -1.0, 1.0)) / np.pi
    start = mesh.vertices[mesh.faces[first // 3, first % 3]]
    tip = mesh.vertices[mesh.faces[second // 3, (second % 3 + 2) % 3]]
    return np.where(np.einsum("sa,sa->s", n, tip - start) <= 0, angle, -angle)


def _find_open_sides(lines: Edges, length: Array, label: Indices) -> tuple[Indices, Array]:
    """The patch of each side that no other face shares, and the side's length."""
    sides = lines.of_face.reshape(-1)
    alone = np.flatnonzero((sides >= 0) & lines.boundary[sides])
    return label[alone // 3], length[sides[alone]]
