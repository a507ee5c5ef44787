"""Where a hand takes hold of a part, from where it comes, and how its fingers shut on it."""

from collections.abc import Callable

import numpy as np

from neurok.generate.parts import means
from neurok.geometry.arrays import Array, Indices
from neurok.geometry.grasp import Hinge, find_grasp
from neurok.scenes.thing import PlacedThing

Way = Callable[[float], Array]
HANDLE_WORDS = ("handle", "knob", "pull", "bow", "grip", "bar", "ring")
HANDLE_REACH = 0.05  # [m] around a grasp point: what lies between the fingers


def find_hold(each: PlacedThing, link: int, hinge: Hinge | None) -> tuple[Array, Indices]:
    """The point of a link to take hold of [m], [3], and the faces it is of: a handle where the link has one."""
    articulation = each.thing.articulation
    mesh = articulation.mesh.with_vertices(each.vertices)
    faces = np.flatnonzero(articulation.vertex_link[mesh.faces[:, 0]] == link)
    if hinge is None:
        faces = np.arange(mesh.face_count)
        top = each.bounds[1, 2] - 0.25 * float(np.ptp(each.bounds[:, 2]))
        high = np.flatnonzero(mesh.vertices[mesh.faces][:, :, 2].min(axis=1) > top)
        faces = high if len(high) else faces
    named = [i for i, part in enumerate(mesh.parts) if any(means(part.name, word) for word in HANDLE_WORDS)]
    handle = faces[np.isin(mesh.face_part[faces], named)]
    chosen = handle if len(handle) else faces
    found = find_grasp(mesh, chosen, hinge, stands=hinge is None)
    return np.asarray(found.position[0], dtype=np.float64), chosen


def choose_reach(each: PlacedThing, way: Way, point: Array, hinge: Hinge | None) -> Array:
    """From where the hand comes: against the way that the part opens, else from above or from the thing's outside."""
    if hinge is None:
        return np.array([0.0, 0.0, -1.0])
    first = way(0.05) - way(0.0)
    tangent = first / max(float(np.linalg.norm(first)), 1e-12)
    outside = point - each.bounds.mean(axis=0)
    if tangent @ outside < 0:  # it goes in, as a drawer that is pushed shut: the hand comes from where it stands out
        tangent = -tangent
    if tangent[2] < -0.5:
        tangent = outside * (1.0, 1.0, 0.0)
        tangent = tangent / max(float(np.linalg.norm(tangent)), 1e-9)
    return np.asarray(-tangent)


def choose_shut(each: PlacedThing, faces: Indices, point: Array, reach: Array) -> tuple[Array, float]:
    """The direction in which what lies at the grasp is thinnest across the reach, and how thick it is there [m]."""
    points = each.vertices[np.unique(each.thing.articulation.mesh.faces[faces])]
    near = points[np.linalg.norm(points - point, axis=1) < HANDLE_REACH]
    if len(near) < 3:
        near = points
    side = np.linalg.svd(np.eye(3) - np.outer(reach, reach))[0][:, :2]
    best, thin = side[:, 0], np.inf
    for angle in np.linspace(0.0, np.pi, 12, endpoint=False):
        direction = side @ (np.cos(angle), np.sin(angle))
        width = float(np.ptp(near @ direction))
        if width < thin - 1e-6:
            best, thin = direction, width
    return np.asarray(best), thin
