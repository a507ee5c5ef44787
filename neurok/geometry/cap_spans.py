"""Cap spans: triangles across a closed line in space and around its holes.

A line is spanned in its own plane. Where it leaves the plane, points are added within, which settle between the heights
of the line, so that the span is smooth whatever its border. Where lines cross in projection, a line and its one hole
are joined by a strip, and a line alone gets the least area in space.
"""

from collections.abc import Sequence

import numpy as np

from neurok.geometry.arrays import Array, Indices
from neurok.geometry.membranes import settle_heights, span_loop, span_strip
from neurok.geometry.polygons import add_inner_points, contains_point, triangulate_polygon
from neurok.geometry.triangles import face_areas, unit_or_zero

# Set by hand, never measured.
FLAT_HEIGHT = 1e-3  # of the root of its area: a line that leaves its plane by less on average is flat
MAX_INNER_COUNT = 12  # points that are added along the root of the area; fewer where the line itself is coarser


def span_lines(place: Array, lines: Sequence[Indices]) -> tuple[Indices, Array] | None:
    """Triangles [t, 3] that run as the first line does, and points that had to be added, [a, 3].

    place: [p, 3]. lines: places in it, of the outer line and of its holes, which run the other way. None where lines
    cross in projection, and there is more than one hole.
    """
    normal, nothing = unit_or_zero(measure_vector_area(place[lines[0]])), np.zeros((0, 3))
    axes = make_plane_axes(normal)
    laid = (place - place.mean(axis=0)) @ axes.T
    nested = normal.any() and all(contains_point(laid[lines[0], :2], laid[line[0], :2]) for line in lines[1:])
    faces = triangulate_polygon(laid[:, :2], lines) if nested else None
    if faces is not None:
        faces, added = _fill_span(laid, faces, float(np.mean([measure_steps(place[line]).mean() for line in lines])))
        return faces, added @ axes + place.mean(axis=0)
    if len(lines) == 2:
        return span_strip(place, lines[0], lines[1]), nothing
    return span_loop(place[lines[0]]) if len(lines) == 1 else None


def measure_vector_area(points: Array) -> Array:
    """The area of a closed line [p, 3] seen along each axis, [3]; along the normal about which it runs."""
    arms = points - points.mean(axis=0)
    return 0.5 * np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)


def make_plane_axes(normal: Array) -> Array:
    """Two unit vectors across a unit normal and the normal itself, right-handed, [3, 3]."""
    first = unit_or_zero(np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))]))
    return np.stack([first, np.cross(normal, first), normal])


def measure_steps(line: Array) -> Array:
    """The length from each point of a closed line [p, 3] to the next, [p]."""
    return np.linalg.norm(np.roll(line, -1, axis=0) - line, axis=1)


def _fill_span(laid: Array, faces: Indices, step: float) -> tuple[Indices, Array]:
    """Triangles with inner points where the line is not flat, and these points, [a, 3].

    laid: points in plane and height, [p, 3]. step: between points of the lines.
    """
    root = float(np.sqrt(face_areas(np.pad(laid[:, :2], ((0, 0), (0, 1))), faces).sum()))
    if not laid[:, 2].std() > FLAT_HEIGHT * root:
        return faces, np.zeros((0, 3))
    flat, faces = add_inner_points(laid[:, :2], faces, max(step, root / MAX_INNER_COUNT))
    height = np.concatenate([laid[:, 2], np.zeros(len(flat) - len(laid))])
    height = settle_heights(height, faces, len(laid))
    return faces, np.column_stack([flat, height])[len(laid) :]
