"""Where soft pieces run into each other, or a piece into itself, when an object moves.

Points of the soft surface are carried along with it. A little way outside the surface the winding number of all soft
pieces together is zero, a little way inside it is one; where both are one more, the point lies at least so deep in
another piece, or in another part of its own. Points that are buried at rest, as at the root of a leaf, do not count.
"""

from collections.abc import Iterator

import numpy as np

from neurok.data.procedural.procedural import ProceduralObject
from neurok.geometry.arrays import Array, Indices, Mask
from neurok.geometry.triangles import area_vectors, unit_or_zero

SAMPLE_POINT_COUNT = 600
MAX_STATES = 32  # that are tried, beside rest
BURIAL_DEPTH = 1e-3  # how deep, as a share of the diagonal: less than half of the thinnest piece
MIN_JUDGED_SHARE = 0.03  # share of the points that makes a piece one to judge by itself
MAX_BURIED_PIECE_SHARE = 0.1  # of a piece's points may be buried by the motion,
MAX_BURIED_SHARE = 0.03  # and of all points


def find_burials(thing: ProceduralObject, motions: Array) -> Iterator[tuple[int, float]]:
    """(state, share of points) for every soft piece that sinks too far into others in the motions [t, b, 4, 4]."""
    faces, piece = _collect_soft_faces(thing)
    used, faces = np.unique(faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    chosen = np.unique(np.linspace(0, len(motions) - 1, MAX_STATES + 1).astype(int))
    point_face, weights = _sample_points(thing.mesh.vertices[used], faces)
    frames = [thing.bones.blend(motions[i], thing.mesh.vertices)[used] for i in chosen]
    depth = BURIAL_DEPTH * thing.mesh.diagonal
    inside = np.stack([_find_inside(vertices, faces, point_face, weights, depth) for vertices in frames])
    fresh = inside & ~inside[0]
    groups = [(np.ones(SAMPLE_POINT_COUNT, dtype=bool), MAX_BURIED_SHARE)]
    groups += [(piece[point_face] == name, MAX_BURIED_PIECE_SHARE) for name in np.unique(piece)]
    for mine, most in groups:
        if mine.mean() < MIN_JUDGED_SHARE:
            continue
        share = fresh[:, mine].mean(axis=1)
        if share.max() > most:
            yield int(chosen[np.argmax(share)]), float(share.max())


def _collect_soft_faces(thing: ProceduralObject) -> tuple[Indices, Indices]:
    """The faces of soft pieces, [m, 3], and the piece of each, [m]."""
    mesh = thing.mesh
    top = np.arange(len(mesh.parts))
    for index, part in enumerate(mesh.parts):
        top[index] = index if part.parent < 0 else top[part.parent]
    soft = thing.soft[mesh.faces[:, 0]]
    return mesh.faces[soft], top[mesh.face_part[soft]]


def _sample_points(vertices: Array, faces: Indices) -> tuple[Indices, Array]:
    """Places spread evenly over the surface: their faces [p] and the weights of the faces' corners [p, 3]."""
    rng = np.random.default_rng(0)
    areas = np.linalg.norm(area_vectors(vertices, faces), axis=1)
    return rng.choice(len(faces), SAMPLE_POINT_COUNT, p=areas / areas.sum()), rng.dirichlet(
        (1.0, 1.0, 1.0), SAMPLE_POINT_COUNT
    )


def _find_inside(vertices: Array, faces: Indices, point_face: Indices, weights: Array, depth: float) -> Mask:
    """Which places lie this deep [m] in another piece, or in another part of their own, [p]."""
    import igl

    own = faces[point_face]
    points = np.einsum("pc,pcd->pd", weights, vertices[own])
    way = depth * unit_or_zero(area_vectors(vertices, own))
    winding = igl.fast_winding_number(vertices, faces, np.concatenate([points + way, points - way]))
    return (winding[: len(points)] > 0.5) & (winding[len(points) :] > 1.5)
