"""Finding parts: from the labels of a file, from geometry or from a state space."""

from typing import TYPE_CHECKING

import numpy as np

from neurok.errors import InputError
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.parts import Parts, name_parts
from neurok.geometry.patches import MIN_AREA_SHARE
from neurok.geometry.triangles import face_areas
from neurok.proposals.hypotheses import Hypotheses
from neurok.proposals.selection import label_faces, select_parts

if TYPE_CHECKING:
    from neurok.kinematics.twists import Twists
    from neurok.proposals.ranker import Ranker

# Set by hand, never measured.
MAX_FOUND_PARTS = 24  # parts that geometry alone proposes; a person or a network has to name more
MOTION_TOLERANCE = 0.05  # by which the motions of two handles of one part may differ, as a share of the greatest


def choose_parts(mesh: Mesh) -> tuple[Parts, str]:
    """The parts a mesh states, else those its geometry suggests; and where they are from."""
    given = read_parts(mesh)
    if given is not None and given.count > 1:
        return given, "the file's own parts"
    return find_parts(mesh), "the geometry"


def read_parts(mesh: Mesh) -> Parts | None:
    """The named pieces of the file (glTF nodes, OBJ groups, USD prims); None where no face has one."""
    piece = mesh.face_part
    if not len(mesh.parts) or piece is None or np.all(piece < 0):
        return None
    # A node with several materials comes as a piece for each, named after it: those are no parts of their own.
    coats = {material.name for material in mesh.materials if material.name}
    whole = [p.parent if p.parent >= 0 and p.name in coats else i for i, p in enumerate(mesh.parts)]
    labels = np.where(piece < 0, len(mesh.parts), np.array([*whole, len(mesh.parts)])[piece])
    return name_parts(labels, [*(part.name for part in mesh.parts), "rest"])


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
        piece = _find_pieces(mesh)
        for name in dict.fromkeys(mesh.parts[i].name for i in np.unique(piece[(joint < 0) & (piece >= 0)])):
            # A semantic part is often several files of one name.
            own = np.array([part.name == name for part in mesh.parts] + [False])
            labels[own[piece] & (joint < 0)] = len(names)
            names.append(name)
    found = name_parts(labels, names)
    above = np.full(found.count, -1)
    above[found.face] = joint
    return found, above


def find_moving_joints(articulation: Articulation) -> Indices:
    """The nearest joint with a range above each link, [L]; -1 for links that never move."""
    found = np.full(len(articulation.links), -1)
    for link in articulation.order:
        above = articulation.parent_joint[link]
        if above >= 0:
            joint = articulation.joints[above]
            slides = joint.kind == "cylindrical" and joint.slide[1] > joint.slide[0]
            moves = joint.kind != "fixed" and (joint.kind == "continuous" or joint.upper > joint.lower or slides)
            found[link] = above if moves else found[joint.parent]
    return found


def _find_pieces(mesh: Mesh) -> Indices:
    """The named piece of each face one level below its link, [m]; -1 where there is none."""
    level = np.full(len(mesh.parts) + 1, -1)
    for index, part in enumerate(mesh.parts):
        above, here = part.parent, index
        while above >= 0 and mesh.parts[above].parent >= 0:
            here, above = above, mesh.parts[above].parent
        level[index] = here if above >= 0 else -1
    return level[mesh.face_part]


# ---------------------------------------------------------------- geometry


def find_parts(mesh: Mesh, *, most: int = MAX_FOUND_PARTS, ranker: "Ranker | None" = None) -> Parts:
    """The parts that seem to move, as geometry proposes them, and the welded components of what is left.

    Specks go with what is nearest to them, and the smallest are merged until at most `most` are left.
    """
    if mesh.face_count == 0:
        raise InputError("the mesh has no faces", "give a surface")
    if not face_areas(mesh.vertices, mesh.faces).sum() > 0:
        return name_parts(np.zeros(mesh.face_count, dtype=np.int64), ["part_0"])
    found = Hypotheses.of(mesh)
    moving = label_faces(found, select_parts(found, ranker))
    component = found.units.component[found.units.face]
    labels = np.where(moving > 0, moving - 1, moving.max() + component)
    labels = merge_labels(mesh, np.unique(labels, return_inverse=True)[1].reshape(-1), most)
    return name_parts(labels, [f"part_{i}" for i in range(int(labels.max()) + 1)])


def merge_labels(mesh: Mesh, labels: Indices, most: int) -> Indices:
    """Components too small to be parts, and the smallest beyond `most`, given to the nearest kept one, [m]."""
    from scipy.spatial import cKDTree

    areas = face_areas(mesh.vertices, mesh.faces)
    size = np.bincount(labels, areas)
    order = np.argsort(-size, kind="stable")
    kept = order[:most][size[order[:most]] >= MIN_AREA_SHARE * size.sum()]
    if len(kept) == 0:
        kept = order[:1]
    if len(kept) == len(size):
        return labels
    stays = np.isin(labels, kept)
    corners = np.unique(mesh.faces[stays])
    owner = np.empty(mesh.vertex_count, dtype=np.int64)
    owner[mesh.faces[stays]] = labels[stays, None]
    tree = cKDTree(mesh.vertices[corners])
    merged = labels.copy()
    small = np.flatnonzero(~stays)
    corner_distance, nearest = tree.query(mesh.vertices[mesh.faces[small, 0]])
    by_component = np.lexsort((corner_distance, labels[small]))
    groups, start = np.unique(labels[small][by_component], return_index=True)
    target = np.zeros(len(size), dtype=np.int64)
    target[groups] = owner[corners[nearest[by_component[start]]]]
    merged[small] = target[labels[small]]
    return np.unique(merged, return_inverse=True)[1].reshape(-1)


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
