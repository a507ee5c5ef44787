"""Grasp: the point of a part that a person would take hold of.

It lies where the part is easiest to move, at the far end from what holds it. How far a point p of the surface is, its
reach, is

    the distance from the axis of a joint that turns, with pivot a and unit axis w:  |(p - a) - ((p - a) . w) w|,
    the way along a joint that slides, towards the side to which it goes farther:    p . w,
    the distance from the attachment of a part without a joint:                      |p - c|,

c being the middle of what lies nearest to the rest of the object, or of the foot of a part that carries the others.
The grasp is the sample of the surface nearest to the middle of those whose reach lies in the outer END_SHARE.
"""

from dataclasses import dataclass, replace

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.components import select_faces
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import SurfacePoints, at_vertices, find_nearest, sample_even
from neurok.geometry.triangles import face_areas

# Set by hand, never measured.
GRASP_SAMPLE_COUNT = 1024  # of a part's surface
END_SHARE = 0.1  # of the range of reaches: what counts as an end


@dataclass(frozen=True)
class Hinge:
    """What holds a part: it turns about a pivot and a unit axis, [3] each, or slides along the axis, to its farther
    end."""

    turns: bool
    pivot: Array
    axis: Array


def find_grasp(mesh: Mesh, faces: Indices, hinge: Hinge | None, *, stands: bool = False) -> SurfacePoints:
    """The point of some faces [f] of a mesh to take hold of, one point; stands: whether the part carries the others."""
    samples = _find_told_apart(mesh, faces, _sample_piece(mesh, faces))
    points = samples.position
    if hinge is not None:
        reach = _measure_reach(points, hinge)
    else:
        reach = np.linalg.norm(points - _attach(mesh, faces, points, stands), axis=1)
    far = np.flatnonzero(reach >= reach.max() - END_SHARE * np.ptp(reach))
    middle = points[far].mean(axis=0)
    return samples.subset(far[[np.linalg.norm(points[far] - middle, axis=1).argmin()]])


def _sample_piece(mesh: Mesh, faces: Indices) -> SurfacePoints:
    """Points spread over some faces; their corners, where they have no area."""
    piece = select_faces(mesh, faces)
    if face_areas(piece.vertices, piece.faces).sum() > 0:
        samples = sample_even(piece, GRASP_SAMPLE_COUNT, np.random.default_rng(0))
    else:
        samples = at_vertices(piece).subset(np.unique(piece.faces))
    return replace(samples, face=faces[samples.face])


def _find_told_apart(mesh: Mesh, faces: Indices, samples: SurfacePoints) -> SurfacePoints:
    """Those of some samples whose place alone tells that they lie on these faces; all, where none does."""
    own = np.flatnonzero(np.isin(find_nearest(mesh, samples.position).face, faces))
    return samples.subset(own) if len(own) else samples


def _measure_reach(points: Array, hinge: Hinge) -> Array:
    """How far points [m, 3] are out along a joint [unit], [m]."""
    along = (points - hinge.pivot) @ hinge.axis
    if not hinge.turns:
        return along
    return np.linalg.norm(points - hinge.pivot - along[:, None] * hinge.axis, axis=1)


def _attach(mesh: Mesh, faces: Indices, points: Array, stands: bool) -> Array:
    """Where a part without a joint is held, [3]: at its foot, or where it is nearest to the rest of the object."""
    others = np.setdiff1d(np.arange(mesh.face_count), faces)
    if stands or not len(others):
        distance = points @ mesh.up_axis
    else:
        nearest = find_nearest(select_faces(mesh, others), points).position
        distance = np.linalg.norm(points - nearest, axis=1)
    return points[distance <= distance.min() + END_SHARE * np.ptp(distance)].mean(axis=0)
