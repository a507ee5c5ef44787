"""Fittings that many objects share, as lists of closed pieces without colour."""

import numpy as np

from neurok.data.procedural.placing import Vector, align, direction, label, repeat_around, rotate, translate
from neurok.data.procedural.shapes import block, fillet, frame, hoop, lathe, plate, rectangle, rod, tube
from neurok.geometry.mesh import Mesh


def bar_handle(
    start: Vector, end: Vector, out: str | Vector, *, height: float, radius: float, square: bool = False
) -> list[Mesh]:
    """A bow between two points of a surface, standing out by a height: round wire, or square bar on two posts."""
    a, b, up = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64), direction(out)
    sunk = 0.5 * radius * up
    if not square:
        path = fillet(np.stack([a - sunk, a + height * up, b + height * up, b - sunk]), 0.6 * height)
        return [label("handle", tube(path, radius))]
    along = (b - a) / np.linalg.norm(b - a)
    posts = [rod(p - sunk, p + height * up, 0.8 * radius, sides=10) for p in (a, b)]
    bar = rod(a - 1.5 * radius * along + height * up, b + 1.5 * radius * along + height * up, radius, sides=12)
    return [label("handle", piece) for piece in (*posts, bar)]


def knob(
    at: Vector, axis: str | Vector, radius: float, *, length: float | None = None, segments: int = 20
) -> list[Mesh]:
    """A turned knob on a surface, standing out along the axis."""
    length = 1.5 * radius if length is None else length
    profile = np.array([[0.45, -0.1], [0.4, 0.45], [0.85, 0.55], [1.0, 0.8], [0.8, 1.0], [0.0, 1.05]])
    return [label("knob", lathe(fillet(profile, 0.15) * (radius, length), at, axis, segments))]


def make_panelled_front(
    width: float, height: float, thickness: float, at: Vector, *, style: str = "plain", border: float | None = None
) -> list[Mesh]:
    """A door or drawer front in the xz plane, its face to -y, centred at `at`; its back is flat.

    style: plain; shaker (a raised frame); raised (a frame with a raised field in it); planks (upright boards).
    """
    x, y, z = at
    border = 0.16 * min(width, height) if border is None else border
    if style == "planks":
        count = max(2, round(width / 0.09))
        board = width / count
        return [
            block((board * 0.985, thickness, height), (x - width / 2 + (i + 0.5) * board, y, z), round=0.12 * thickness)
            for i in range(count)
        ] + [block((width * 0.96, 0.5 * thickness, height * 0.96), (x, y + 0.2 * thickness, z), round=0)]
    if style == "plain":
        return [block((width, thickness, height), at, round=0.2 * thickness)]
    back = block((width - 0.02 * border, 0.6 * thickness, height - 0.02 * border), (x, y + 0.2 * thickness, z), round=0)
    pieces = [back, frame(width, height, border, thickness, at)]
    if style == "raised":
        inner = (width - 2.8 * border, 0.7 * thickness, height - 2.8 * border)
        pieces.append(block(inner, (x, y + 0.02 * thickness, z), round=0.25 * thickness))
    return pieces


def legs(width: float, depth: float, height: float, radius: float, *, style: str = "round") -> list[Mesh]:
    """Four legs from z = 0 up to a height, at the corners of a width x depth rectangle; a little sunk in above.

    style: round, square, tapered, splayed.
    """
    pieces = []
    for x in (-0.5 * width, 0.5 * width):
        for y in (-0.5 * depth, 0.5 * depth):
            top = height + 0.2 * radius
            if style == "square":
                pieces.append(block((2 * radius, 2 * radius, top), (x, y, 0.5 * top), round=0.15 * radius))
                continue
            out = 1.0 + (0.25 * height / max(width, depth) if style == "splayed" else 0.0)
            low = 0.55 * radius if style in ("tapered", "splayed") else radius
            pieces.append(rod((x * out, y * out, 0.0), (x, y, top), low, end_radius=radius, sides=12))
    return [label("legs", piece) for piece in pieces]


def wheel(
    radius: float, width: float, at: Vector, axis: str | Vector = "x", *, segments: int = 24
) -> tuple[Mesh, Mesh]:
    """A tyre and a hub (two pieces, so that they may have two colours)."""
    r, w = radius, 0.5 * width
    tyre = np.array([[0.6 * r, -w], [r - 0.2 * w, -w], [r, -0.6 * w], [r, 0.6 * w], [r - 0.2 * w, w], [0.6 * r, w]])
    hub = np.array([[0.15 * r, -1.1 * w], [0.25 * r, -0.7 * w], [0.65 * r, -0.6 * w]])
    profile = np.concatenate([hub, (hub * (1, -1))[::-1]])
    return (
        lathe(fillet(tyre, 0.3 * w, steps=2, closed=True), at, axis, segments, ring=True),
        lathe(profile, at, axis, segments),
    )


def barrel(at: Vector, axis: str | Vector, length: float, radius: float) -> Mesh:
    """The knuckle of a hinge, centred on a point of its axis."""
    way = 0.5 * length * direction(axis)
    at = np.asarray(at, dtype=np.float64)
    return label("hinges", rod(at - way, at + way, radius, sides=14))


def knuckles(at: Vector, axis: str | Vector, apart: float, length: float, radius: float) -> list[Mesh]:
    """Two barrels on a hinge's axis, one on each side of a point and this far from it."""
    at = np.asarray(at, dtype=np.float64)
    return [barrel(at + s * apart * direction(axis), axis, length, radius) for s in (-1, 1)]


def make_knurled_knob(
    at: Vector, radius: float, low: float, high: float, *, rib: tuple[float, float], round: float, sides: int
) -> list[Mesh]:
    """A ribbed knob that stands on a deck, between two heights above it; rib: the ribs' length and middle height."""
    x, y, z = at
    long, level = rib
    drum = rod((x, y, z + low), (x, y, z + high), radius, round=round, sides=sides)
    return [drum, *repeat_around(block((0.0008, 0.0012, long), (x + radius, y, z + level), round=0), 18, "z", at)]


def rim(radius: float, thickness: float, z: float, segments: int = 40) -> Mesh:
    """A rolled edge around a round mouth."""
    return hoop(radius, thickness, (0.0, 0.0, z), segments=segments)


def feet(width: float, depth: float, radius: float, height: float) -> list[Mesh]:
    """Four low round feet on z = 0 at the corners of a rectangle, a little sunk into what stands on them."""
    foot = rod((0, 0, 0), (0, 0, 1.15 * height), radius, sides=12)
    return [label("feet", translate(foot, x, y)) for x in (-width / 2, width / 2) for y in (-depth / 2, depth / 2)]


def screw_head(at: Vector, axis: str | Vector, radius: float) -> Mesh:
    """A low domed head, as of a rivet or bolt."""
    profile = np.array([[1.0, -0.3], [1.0, 0.15], [0.75, 0.45], [0.0, 0.6]]) * radius
    return align(lathe(profile, segments=16), axis, at)


def crawler(length: float, height: float, width: float, x: float, *, wheels: int = 5) -> tuple[list[Mesh], list[Mesh]]:
    """A track along y on z = 0, centred at x: its belt with cleats, and the wheels inside it."""
    r, half = 0.5 * height, 0.5 * (length - height)
    pitch = 0.42 * r
    way = 2 * (2 * half + np.pi * (r - 0.06 * height))  # round the belt
    count = int(way / pitch)
    belt = [plate(rectangle(length - 0.12 * height, 0.88 * height, 0.44 * height), width, (x, 0, r), "yz")]
    cleat = block((1.04 * width, 0.45 * pitch, 0.12 * height), round=0)
    for at in way / count * np.arange(count):
        belt.append(translate(_on_belt(cleat, at, half, r - 0.06 * height), x, 0, r))
    spots = np.linspace(-half, half, wheels)
    ends = [rod((x - 0.53 * width, y, r), (x + 0.53 * width, y, r), 0.62 * r, sides=18) for y in (-half, half)]
    small = [rod((x - 0.53 * width, y, 0.8 * r), (x + 0.53 * width, y, 0.8 * r), 0.3 * r) for y in spots[1:-1]]
    return belt, ends + small


def _on_belt(cleat: Mesh, way: float, half: float, radius: float) -> Mesh:
    """A cleat at a distance along the belt's loop, from the rear of its lower run on."""
    straight, bend = 2 * half, np.pi * radius
    lap, rest = divmod(way, straight + bend)
    if rest < straight:
        mesh = translate(cleat, 0, half - rest, -radius)
    else:
        mesh = rotate(translate(cleat, 0, 0, -radius), "x", -180.0 * (rest - straight) / bend)
        mesh = translate(mesh, 0, -half, 0)
    return rotate(mesh, "x", 180) if lap else mesh
