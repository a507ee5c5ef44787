"""Arrows: the axes of joints drawn over a picture. A hinge is its line with a curved arrow, a slide a double arrow."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.files.camera import Camera
from neurok.geometry.arrays import Array
from neurok.geometry.moving_parts import JointAxis

# Set by hand, by what looks well.
INK, HALO = (32, 36, 46, 255), (255, 255, 255, 190)
WIDTH_SHARE = 0.0062  # of the picture's shorter side: the width of a line
OVERHANG = 0.11  # of the object's size: how far an axis stands out of its part on either side
LEAST_SPAN = 0.1  # of the object's size: of the axis of a small part
CURVE_RADIUS = 0.06  # of the object's size
CURVE_FROM, CURVE_TO = -0.75 * np.pi, 0.75 * np.pi  # [rad]
FINENESS = 4  # lines are drawn so many times as large, and then reduced: smooth edges
HEAD_WIDTHS = 5.5  # length of an arrow's head in widths of its line


def draw_axes(picture: NDArray[np.uint8], camera: Camera, axes: Sequence[JointAxis]) -> NDArray[np.uint8]:
    """A picture [h, w, 3] with the axes of joints over it."""
    from PIL import Image, ImageDraw

    if not axes:
        return picture
    height, width = picture.shape[:2]
    size = width * FINENESS, height * FINENESS
    layer = Image.new("RGBA", size, (*HALO[:3], 0))
    draw = ImageDraw.Draw(layer)
    thick = max(WIDTH_SHARE * min(size), 1.2 * FINENESS)
    lines = [line for axis in axes for line in _trace_axis(axis, camera)]
    for ink, extra in ((HALO, 1.9), (INK, 1.0)):
        for points, heads in lines:
            _draw_line(draw, camera.project(points, size), heads, thick, extra, ink)
    layer = layer.resize((width, height), Image.Resampling.LANCZOS)
    below = Image.fromarray(picture).convert("RGBA")
    return np.asarray(Image.alpha_composite(below, layer).convert("RGB"))


def _trace_axis(axis: JointAxis, camera: Camera) -> list[tuple[Array, tuple[bool, bool]]]:
    """Lines in space [n, 3], each with whether its first and its last end have a head."""
    half = 0.5 * max(axis.span, LEAST_SPAN * camera.size) + OVERHANG * camera.size * (0.5 if axis.turns else 1.0)
    ends = axis.point + np.array([[-half], [half]]) * axis.direction
    if not axis.turns:
        return [(ends, (True, True))]
    u = np.cross(axis.direction, camera.axes[2])
    if np.linalg.norm(u) < 1e-6:  # seen from its end
        u = camera.axes[0]
    u = u / np.linalg.norm(u)
    angle = np.linspace(CURVE_FROM, CURVE_TO, 49)[:, None]
    ring = np.cos(angle) * np.cross(u, axis.direction) + np.sin(angle) * u
    upper = ends[int(np.argmax(ends @ camera.axes[1]))]
    towards = axis.point + (upper - axis.point) * (1.0 - 0.35 * OVERHANG * camera.size / half)
    return [(ends, (False, False)), (towards + CURVE_RADIUS * camera.size * ring, (False, True))]


def _draw_line(draw: Any, points: Array, heads: tuple[bool, bool], thick: float, extra: float, ink: Any) -> None:
    """A line through pixels [n, 2], extra times as thick, with a head where it has one."""
    wide, length = thick * extra, HEAD_WIDTHS * thick
    body = points
    for which, way in ((heads[0], 1), (heads[1], -1)):
        if which:
            tip, body = _cut_end(body[::way], length)
            body = body[::way]
            _draw_head(draw, tip, body[0 if way == 1 else -1], length, wide - thick, ink)
    draw.line([(float(x), float(y)) for x, y in body], fill=ink, width=round(wide), joint="curve")


def _cut_end(points: Array, length: float) -> tuple[Array, Array]:
    """The first of some points [n, 2], and the line without its first stretch of this length."""
    far = np.linalg.norm(points - points[0], axis=1)
    beyond = np.flatnonzero(far >= 0.8 * length)
    if not len(beyond) or beyond[0] == 0:
        return points[0], points[-2:]
    last = int(beyond[0])
    before = points[last - 1]
    share = (0.8 * length - far[last - 1]) / max(far[last] - far[last - 1], 1e-9)
    return points[0], np.concatenate([[before + share * (points[last] - before)], points[last:]])


def _draw_head(draw: Any, tip: Array, base: Array, length: float, rim: float, ink: Any) -> None:
    """A triangle with its tip at a pixel, pointing away from another; rim: how much larger it is on every side."""
    way = tip - base
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    side = np.array([-way[1], way[0]])
    half = 0.42 * length
    corners = [tip + rim * 1.3 * way, tip - (length + 0.5 * rim) * way + (half + rim) * side,
               tip - (length + 0.5 * rim) * way - (half + rim) * side]  # fmt: skip
    draw.polygon([(float(x), float(y)) for x, y in corners], fill=ink)
