"""A swing: seats on ropes or chains under a bar between two trestles."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate, translate
from neurok.data.procedural.shapes import block, fillet, hoop, lathe, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    height = kit.between(1.9, 2.6, name="height")
    style = kit.pick("plank", "plank", "tyre", "bench", "toddler", name="style")
    count = 1 if style == "bench" else kit.count(1, 3, name="seats")
    seat = kit.between(1.0, 1.4, name="seat") if style == "bench" else kit.between(0.42, 0.52, name="seat")
    room = seat + kit.between(0.35, 0.5, name="room share")
    width = count * room + 0.3
    bar = kit.between(0.03, 0.05, name="bar")
    _trestles(kit, width, height, bar)
    metal = kit.material("metal", "dark_metal", name="metal")
    line = metal if kit.chance(0.5, name="metal lines") else kit.material("cardboard", "fabric", name="line")
    chained = line is metal and kit.chance(0.6, name="chains")
    reach = kit.between(35, 55, name="reach")
    board = kit.material("wood", "plastic", "black", name="board")
    for i in range(count):
        x = (i - (count - 1) / 2) * room
        low = kit.between(0.42, 0.55, name="lower edge")
        pieces = [paint(metal, [hoop(bar + 0.012, 0.014, (x + s * 0.5 * seat, 0, height), "x") for s in (-1, 1)])]
        for s in (-1, 1):
            pieces.append(paint(line, _line(x + s * 0.5 * seat, low, height - bar - 0.02, chained), parts="line"))
        pieces.append(paint(board, [translate(piece, x, 0, low) for piece in _seat(style, seat)]))
        kit.link(f"seat_{i + 1}", *pieces)
        kit.hinge("frame", f"seat_{i + 1}", at=(x, 0, height), axis="x", lower=-reach, upper=reach)


def _trestles(kit: Kit, width: float, height: float, bar: float) -> None:
    spread = height * kit.between(0.3, 0.42, name="trestles spread share")
    style = kit.pick("legs", "braced", "arch", name="frame style")
    body = kit.material("wood", "paint", "metal", "plastic", name="trestles body")
    half = 0.5 * width
    if style == "arch":
        feet = np.array(
            [
                [half + 0.1, -spread, 0],
                [half, -0.1 * spread, height],
                [half, 0.1 * spread, height],
                [half + 0.1, spread, 0],
            ]
        )
        side = [tube(fillet(feet, 0.3 * height), bar)]
    else:
        out = half + kit.between(0.0, 0.25, name="trestles out share")
        side = [rod((out, y * spread, 0), (half, 0.3 * y * bar, height + 0.5 * bar), bar) for y in (-1, 1)]
    if style == "braced":
        level = kit.between(0.3, 0.6, name="trestles level")
        reach = (1 - level) * spread + 0.5 * bar
        x = out + (half - out) * level
        side.append(rod((x, -reach, level * height), (x, reach, level * height), 0.75 * bar))
    ridge = rod((-half - 0.08, 0, height), (half + 0.08, 0, height), bar)
    caps = [rod((s * (half - 0.04), 0, height), (s * (half + 0.09), 0, height), 1.5 * bar) for s in (-1, 1)]
    kit.link(
        "frame",
        paint(body, side, [mirror(piece) for piece in side], parts="side, "),
        paint(kit.material("wood", "paint", "metal", name="trestles ridge"), ridge, parts="ridge"),
        paint(kit.material("dark_metal", "plastic", name="trestles caps"), caps, parts="caps"),
    )


def _line(x: float, low: float, high: float, chained: bool) -> list[Mesh]:
    """A rope, or a chain of rings that lie across each other by turns."""
    if not chained:
        return [rod((x, 0, low), (x, 0, high), 0.013, sides=10)]
    count = max(2, round((high - low) / 0.13))
    step = (high - low) / count
    loop = tube(_oval(0.022, 0.62 * step), 0.009, sides=5, closed=True)
    return [translate(loop if i % 2 else rotate(loop, "z", 90), x, 0, low + (i + 0.5) * step) for i in range(count)]


def _oval(half: float, tall: float) -> Array:
    angle = 2 * np.pi * np.arange(10) / 10
    return np.stack([half * np.cos(angle), 0 * angle, tall * np.sin(angle)], axis=1)


def _seat(style: str, width: float) -> list[Mesh]:
    """The seat with its top near z = 0."""
    if style == "tyre":
        profile = (
            np.array([[0.62, -0.17], [0.9, -0.2], [1.0, -0.1], [1.0, 0.1], [0.9, 0.2], [0.62, 0.17]]) * 0.56 * width
        )
        return [lathe(fillet(profile, 0.03, closed=True), segments=28, ring=True)]
    if style == "toddler":
        w = width
        shell = [block((w + 0.04, 0.3, 0.04), round=0.015), block((w + 0.04, 0.035, 0.3), (0, 0.14, 0.14), round=0.015)]
        sides = [block((0.04, 0.3, 0.15), (s * 0.5 * w, 0, 0.07), round=0.015) for s in (-1, 1)]
        return [
            *shell,
            *sides,
            rod((-0.5 * w, -0.13, 0.14), (0.5 * w, -0.13, 0.14), 0.022),
            rod((0, -0.13, 0), (0, -0.13, 0.14), 0.02),
        ]
    if style == "bench":
        slats = [block((width + 0.08, 0.09, 0.03), (0, -0.2 + 0.1 * i, 0)) for i in range(5)]
        slats += [block((width + 0.08, 0.03, 0.09), (0, 0.25 + 0.02 * i, 0.12 + 0.11 * i)) for i in range(4)]
        posts = [rod((s * 0.42 * width, 0.2, -0.02), (s * 0.42 * width, 0.32, 0.5), 0.02) for s in (-1, 1)]
        rails = [block((0.05, 0.5, 0.04), (s * 0.5 * width, 0, -0.02)) for s in (-1, 1)]
        arms = [block((0.05, 0.5, 0.035), (s * 0.5 * width, 0.03, 0.24)) for s in (-1, 1)]
        fronts = [rod((s * 0.5 * width, -0.18, 0), (s * 0.5 * width, -0.18, 0.24), 0.018) for s in (-1, 1)]
        return [*slats, *posts, *rails, *arms, *fronts]
    knots = [rod((s * 0.5 * width, 0, -0.05), (s * 0.5 * width, 0, 0.03), 0.026, sides=12) for s in (-1, 1)]
    return [block((width + 0.1, 0.2, 0.04), round=0.015), *knots]
