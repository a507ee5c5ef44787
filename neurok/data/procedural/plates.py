"""Plates with openings: rims and cells of decks, a bored block, a wall with a hole."""

import numpy as np

from neurok.data.procedural.placing import translate
from neurok.data.procedural.shapes import rectangle, stack_outlines
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def inset_rectangle(width: float, height: float, arc: float, by: float, least: float = 1e-4) -> Array:
    """A rectangle with round corners drawn in on all sides, its corner radius at least `least`, [20, 2]."""
    return rectangle(width - 2 * by, height - 2 * by, max(arc - by, least))


def pierce_plate(outer: Array, hole: Array, floor: float, top: float, plane: str = "xy") -> Mesh:
    """A plate between two levels, from an outline in to a hole of as many points."""
    return stack_outlines([(outer, floor), (outer, top), (hole, top), (hole, floor)], plane, closed=True)


def bevel_pierced_plate(
    outer: Array, edge: Array, hole: Array, levels: tuple[float, float, float], plane: str = "xy"
) -> Mesh:
    """A pierced plate whose outer edge is bevelled. levels: its floor, where the bevel begins, and its top."""
    floor, shoulder, top = levels
    rings = [(hole, floor), (outer, floor), (outer, shoulder), (edge, top), (hole, top)]
    return stack_outlines(rings, plane, closed=True)


def bore_plate(outline: Array, radius: float, depth: float, bevel: float, *, upright: bool = False) -> Mesh:
    """A plate in the xz plane about y = 0 with a bore around the origin: round, or as wide but square and higher."""
    corners = np.arctan2(outline[:, 1], outline[:, 0])
    angles = np.unique(np.round(np.concatenate([corners, np.linspace(-np.pi, np.pi, 37)[:-1]]), 6))
    if upright:
        hole = _seen(rectangle(2 * radius, 2.4 * radius), angles)
    else:
        hole = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    outer = _seen(outline, angles)
    inner = outer * (1 - bevel / np.linalg.norm(outer, axis=1, keepdims=True))
    y = 0.5 * depth
    levels = [(hole, -y), (inner, -y), (outer, bevel - y), (outer, y - bevel), (inner, y), (hole, y)]
    return stack_outlines(levels, "xz", closed=True)


def _seen(outline: Array, angles: Array) -> Array:
    """Where rays from the origin at these angles meet an outline around it, [n, 2]."""
    order = np.argsort(np.arctan2(outline[:, 1], outline[:, 0]))
    start = outline[order]
    side = np.roll(start, -1, axis=0) - start
    at = np.searchsorted(np.arctan2(start[:, 1], start[:, 0]), angles + 1e-9) - 1
    way = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    (px, py), (sx, sy) = start[at].T, side[at].T
    return ((px * sy - py * sx) / (way[:, 0] * sy - way[:, 1] * sx))[:, None] * way


def holed_wall(width: float, low: float, high: float, y: float, hole: float, z: float, *, round_hole: bool) -> Mesh:
    """A wall in the xz plane between two heights, with an opening centred at a height: its radius or half its side."""
    half = width / 2
    corners = [np.arctan2(v, h) for h in (-half, half) for v in (low - z, high - z)]
    even = np.radians(np.arange(3.75, 360, 7.5))
    diagonal = np.radians([45, 135, 225, 315])  # towards a square opening's corners
    angle = np.unique(np.round(np.concatenate([even, diagonal, np.mod(corners, 2 * np.pi)]), 6))
    ray = np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def edge(left: float, right: float, down: float, up: float) -> Array:
        """Where the rays from the opening's centre leave a rectangle."""
        far = np.where(ray > 0, (right, up), (-left, -down)) / np.abs(ray)
        return ray * far.min(axis=1, keepdims=True)

    inner = hole * ray if round_hole else edge(-hole, hole, -hole, hole)
    return translate(pierce_plate(edge(-half, half, low - z, high - z), inner, y, y + 0.02, "xz"), z=z)
