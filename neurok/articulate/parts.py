"""Finding parts: from the labels of a file, from geometry or from a state space."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from neurok.articulate.grown_pieces import add_grown_pieces
from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.articulation import Articulation
from neurok.geometry.border_cuts import make_face_graph, smooth_borders
from neurok.geometry.links import find_moving_joints
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import MAX_NAMED_PARTS, Parts, find_pieces, name_parts, read_parts
from neurok.geometry.patches import MIN_AREA_SHARE
from neurok.geometry.surface import find_nearest
from neurok.geometry.triangles import face_areas
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.mechanism import MIN_LOG_ODDS, PartMotion, find_mechanism
from neurok.proposals.sampling import TOUCH_DISTANCE
from neurok.proposals.selection import label_units

if TYPE_CHECKING:
    from neurok.kinematics.twists import Twists
    from neurok.proposals.motion_ranker import MotionRanker

GEOMETRY = "the geometry"
# Set by hand, never measured.
MAX_FOUND_PARTS = 24  # parts that geometry alone proposes; a person or a network has to name more
MOTION_TOLERANCE = 0.05  # by which the motions of two handles of one part may differ, as a share of the greatest


@dataclass(frozen=True)
class FoundParts:
    """Parts and where they are from, in words. motions: of parts that were found because they move, None where one
    seems to stay, [p]; None in all where others named the parts."""

    parts: Parts
    origin: str
    motions: tuple[PartMotion | None, ...] | None = None


def choose_parts(mesh: Mesh) -> FoundParts:
    """The parts a mesh states, unless they are very many; else those its geometry suggests."""
    given = read_parts(mesh)
    if given is not None and 1 < given.count <= MAX_NAMED_PARTS:
        return FoundParts(given, "the file's own parts")
    return find_moving_parts(mesh)


def read_link_parts(articulation: Articulation, *, split_fixed: bool = True) -> tuple[Parts, Indices]:
    """Every moving body a part; what never moves cut into the named pieces its file tells, if wanted.

    Also the joint above each part, [p], -1 for those that stay.
    """
    mesh = articulation.mesh
    joint = find_moving_joints(articulation)[np.asarray(articulation.vertex_link)[mesh.faces[:, 0]]]
    names = [articulation.links[each.child].name for each in articulation.joints]
    labels = np.where(joint >= 0, joint, len(names))
    names.append("base")
    if split_fixed:
        piece = find_pieces(mesh)
        for name in dict.fromkeys(mesh.parts[i].name for i in np.unique(piece[(joint < 0) & (piece >= 0)])):
            # A semantic part is often several files of one name.
            own = np.array([part.name == name for part in mesh.parts] + [False])
            labels[own[piece] & (joint < 0)] = len(names)
            names.append(name)
    found = name_parts(labels, names)
    above = np.full(found.count, -1)
    above[found.face] = joint
    return found, above


# ---------------------------------------------------------------- geometry


def find_parts(mesh: Mesh, *, most: int = MAX_FOUND_PARTS, ranker: "MotionRanker | None" = None) -> Parts:
    """The parts of `find_moving_parts`, without their motions."""
    return find_moving_parts(mesh, most=most, ranker=ranker).parts


def find_moving_parts(
    mesh: Mesh, *, most: int = MAX_FOUND_PARTS, ranker: "MotionRanker | None" = None, least: float = MIN_LOG_ODDS
) -> FoundParts:
    """The parts that seem to move, as geometry proposes them, and the welded components of what is left.

    Specks go with what they sit on, the smallest parts are merged until at most `most` are left, and borders on one
    surface are smoothed. least: log odds of moving from which a part is taken.
    """
    if mesh.face_count == 0:
        raise InputError("the mesh has no faces", "give a surface")
    if not face_areas(mesh.vertices, mesh.faces).sum() > 0:
        return FoundParts(name_parts(np.zeros(mesh.face_count, dtype=np.int64), ["part_0"]), GEOMETRY, (None,))
    found = Hypotheses.of(mesh)
    moving = find_mechanism(found, ranker, least=least)
    members = np.array([part.members for part in moving], dtype=bool).reshape(len(moving), found.units.count)
    label, moving = add_grown_pieces(found.units, label_units(members, found.units.area), moving)
    owner = label[found.units.face]  # of each face, 0 where it stays
    component = found.units.component[found.units.face]
    labels = np.where(owner > 0, owner - 1, len(moving) + component)
    merged = merge_labels(mesh, np.unique(labels, return_inverse=True)[1].reshape(-1), most)
    parts = name_parts(merged, [f"part_{i}" for i in range(int(merged.max()) + 1)])
    motions: list[PartMotion | None] = [None] * parts.count
    for number, part in enumerate(moving):
        mine = np.bincount(parts.face[owner == number + 1], minlength=parts.count)
        if mine.any():
            motions[int(mine.argmax())] = part
    return FoundParts(
        replace(parts, face=smooth_borders(mesh, make_face_graph(mesh), parts.face)), GEOMETRY, tuple(motions)
    )


def merge_labels(mesh: Mesh, labels: Indices, most: int) -> Indices:
    """Components too small to be parts, and the smallest beyond `most`, given to the kept one that they sit on, [m]."""
    areas = face_areas(mesh.vertices, mesh.faces)
    size = np.bincount(labels, areas)
    order = np.argsort(-size, kind="stable")
    kept = order[:most][size[order[:most]] >= MIN_AREA_SHARE * size.sum()]
    if len(kept) == 0:
        kept = order[:1]
    if len(kept) == len(size):
        return labels
    small = ~np.isin(labels, kept)
    target = np.arange(len(size))
    specks, carriers = _find_carriers(mesh, labels, small)
    target[specks] = carriers
    return np.unique(target[labels], return_inverse=True)[1].reshape(-1)


def _find_carriers(mesh: Mesh, labels: Indices, small: Mask) -> tuple[Indices, Indices]:
    """The labels of small faces [m], and of the other faces the label at which most of each one's corners lie; of those
    that touch nothing, the label of the nearest face."""
    rest = np.flatnonzero(~small)
    owner, corner = np.unique(np.stack([np.repeat(labels[small], 3), mesh.faces[small].reshape(-1)], axis=1), axis=0).T
    nearest = find_nearest(Mesh(mesh.vertices, mesh.faces[rest]), mesh.vertices[corner])
    distance = np.linalg.norm(nearest.position - mesh.vertices[corner], axis=1)
    specks, group = np.unique(owner, return_inverse=True)
    least = np.full(len(specks), np.inf)
    np.minimum.at(least, group.reshape(-1), distance)
    counts = distance <= np.maximum(TOUCH_DISTANCE * mesh.diagonal, least[group.reshape(-1)])
    votes = np.zeros((len(specks), int(labels.max()) + 1))
    np.add.at(votes, (group.reshape(-1)[counts], labels[rest[nearest.face[counts]]]), 1.0)
    return specks, votes.argmax(axis=1)


# ---------------------------------------------------------------- motion


def group_by_motion(space: "Twists") -> Parts:
    """Parts that move rigidly together over the states of a space: handles whose rows of the basis agree are one."""
    basis = np.array(space.basis, dtype=np.float64)
    size = space.mesh.diagonal or 1.0
    basis[:, 3:] /= size  # angles and shares of the diagonal are then of one kind
    rows = basis.reshape(len(basis), -1)
    group = _group_rows(rows)
    if space.skin is None:
        raise InputError("the state space has no handles", "use --parts geometry")
    strongest = np.asarray(space.skin.joints)[np.arange(space.mesh.vertex_count), np.argmax(space.skin.weights, axis=1)]
    corner = group[strongest][space.mesh.faces]
    a, b, c = corner.T
    labels = np.where(b == c, b, a)
    return name_parts(labels, [f"part_{i}" for i in range(int(group.max()) + 1)])


def _group_rows(rows: Array) -> Indices:
    """Groups of rows that differ by less than MOTION_TOLERANCE of the greatest, joined by average linkage, [h]."""
    if len(rows) == 1:
        return np.zeros(1, dtype=np.int64)
    from scipy.cluster.hierarchy import fcluster, linkage

    scale = np.linalg.norm(rows, axis=1).max()
    if not scale > 0:
        return np.zeros(len(rows), dtype=np.int64)
    return fcluster(linkage(rows, "average"), MOTION_TOLERANCE * scale, "distance") - 1
