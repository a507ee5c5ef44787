"""Conditions that will do less than they seem to: said before the work, since the result would not say why."""

import numpy as np

from neurok.geometry.articulation import Articulation
from neurok.geometry.mesh import Mesh
from neurok.geometry.surface import carry, find_nearest
from neurok.mechanics.conditions import Conditions

MAX_SURFACE_DISTANCE = 0.1  # of the diagonal: a point this far off the surface is rather a slip than a click


def list_remarks(conditions: Conditions, mesh: Mesh, joints: Articulation | None) -> list[str]:
    """A sentence for each condition that comes too late, lies far off the object, or holds a part that cannot move."""
    return [*_find_late(conditions), *_find_misplaced(conditions, mesh, joints)]


def _find_late(conditions: Conditions) -> list[str]:
    begins = [("pull", pull.path[0][0] if pull.path else pull.start) for pull in conditions.pulls]
    begins += [("push", push.start) for push in conditions.pushes]
    return [
        f"the {kind} from {begin:g} s on begins when the motion of {conditions.seconds:g} s is over and does nothing"
        for kind, begin in begins
        if begin is not None and begin >= conditions.seconds
    ]


def _find_misplaced(conditions: Conditions, mesh: Mesh, joints: Articulation | None) -> list[str]:
    named = [("pull", pull.point) for pull in conditions.pulls] + [("push", push.point) for push in conditions.pushes]
    named += [("start", start.point) for start in conditions.starts]
    named += [("velocity", velocity.point) for velocity in conditions.velocities]
    if not named:
        return []
    points = np.array([point for _, point in named], dtype=np.float64)
    where = find_nearest(mesh, points)
    places = carry(mesh.vertices, where)
    lines = []
    for (kind, point), place, corner in zip(named, places, where.corners[:, 0]):
        words = f"the {kind} at {format_place(point)}"
        distance = float(np.linalg.norm(place - point))
        if distance > MAX_SURFACE_DISTANCE * mesh.diagonal:
            lines.append(
                f"{words} is {distance:.4g} away from the object: its nearest point, {format_place(place)}, is meant"
            )
        if joints is not None and conditions.base == "fixed":
            link = int(joints.vertex_link[corner])
            if not joints.path[link].any():
                lines.append(f"{words} lies on '{joints.links[link].name}', which no joint moves, and does nothing")
    return lines


def format_place(point: object) -> str:
    """'0,0.1,2'."""
    return ",".join(f"{x:.4g}" for x in np.asarray(point, dtype=np.float64))
