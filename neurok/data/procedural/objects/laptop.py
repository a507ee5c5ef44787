"""A laptop: a lid with a screen hinged behind a keyboard."""

import numpy as np

from neurok.data.procedural.fittings import barrel, feet
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint
from neurok.data.procedural.shapes import block, rod
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width = kit.between(0.28, 0.38, name="width")
    depth = width * kit.between(0.62, 0.74, name="depth share")
    thick, lid_thick = kit.between(0.012, 0.022, name="thickness"), kit.between(0.007, 0.011, name="lid thickness")
    stand = 0.003
    deck, gap = stand + thick, 0.0035  # the deck's height; between it and the shut lid lie the keys
    shell = kit.material("metal", "dark_metal", "white", "plastic", "black", name="shell")
    dark = kit.material("black", name="dark")
    corner = kit.between(0.1, 0.45, name="corner")

    back = 0.5 * depth
    hinge = np.array([0.0, back + 0.001, deck])
    knuckles = []
    for x in kit.pick((-0.33, 0.33), (-0.25, 0.25), (0.0,), name="hinges"):
        length = width * (0.5 if x == 0.0 else 0.12)
        radius = gap + 0.0003
        knuckles.append(barrel(hinge + (x * width, 0, 0), "x", length, radius))
    body = block((width, depth, thick), (0, 0, stand + 0.5 * thick), round=corner * thick)
    kit.link(
        "body",
        paint(shell, body, parts="body"),
        paint(dark, knuckles, feet(0.85 * width, 0.8 * depth, 0.008, stand), parts="hinges, feet"),
        *_keyboard(kit, width, depth, deck, dark if shell.name not in ("black", "dark_metal") else shell),
    )

    # The lid is made shut, then turned to where it rests.
    level = deck + gap
    lid = block(
        (width, back + hinge[1], lid_thick),
        (0, 0.5 * (hinge[1] - back), level + 0.5 * lid_thick),
        round=corner * lid_thick,
    )
    rim = kit.between(0.006, 0.016, name="rim")
    high = depth - rim - kit.between(0.01, 0.022, name="height share")
    glass = block((width - 2 * rim, high, 0.002), (0, -back + rim + 0.5 * high, level - 0.0001), round=0.0008)
    pieces = [
        paint(shell, lid, parts="lid"),
        paint(
            kit.material("glass", name="pieces") if kit.chance(0.7, name="glass screen") else dark, glass, parts="glass"
        ),
    ]
    if kit.chance(0.6, name="windows"):
        pieces.append(
            paint(
                kit.material("white", "light", "plastic", name="windows"),
                _windows(kit, width - 2 * rim, high, -back + rim, level),
                parts="windows",
            )
        )
    if kit.chance(0.6, name="badge"):
        badge = rod((0, 0, level + lid_thick - 0.002), (0, 0, level + lid_thick + 0.001), 0.05 * width, sides=24)
        pieces.append(paint(kit.material("white", "metal", "black", name="badge"), badge, parts="badge"))
    widest = kit.pick(125, 135, 150, 178, name="opens to")
    rest = 0.0 if kit.chance(0.05, name="shut") else kit.between(85, 118, name="rest")
    kit.add_swung("body", "lid", pieces, at=hinge, axis="-x", upper=widest, rest=rest)


def _keyboard(kit: Kit, width: float, depth: float, deck: float, dark: Material) -> list[Mesh]:
    """Rows of keys behind a touchpad."""
    rows, columns = kit.count(5, 6, name="key rows"), kit.count(11, 15, name="key columns")
    pitch = 0.86 * width / columns
    tall = min(0.5 * depth / rows, 1.1 * pitch)
    first = 0.5 * depth - 0.1 * depth
    keys = []
    for row in range(rows):
        y = first - (row + 0.5) * tall
        for column in range(columns):
            if row == rows - 1 and abs(column - (columns - 1) / 2) <= 2:
                continue  # the space bar's place
            keys.append(_key(((column - (columns - 1) / 2) * pitch, y, deck), 0.84 * pitch, 0.84 * tall))
    keys.append(_key((0, first - (rows - 0.5) * tall, deck), (4.8 if columns % 2 else 3.8) * pitch, 0.84 * tall))
    pad = block(
        (kit.between(0.28, 0.42, name="keyboard pad share") * width, 0.75 * (0.9 * depth - rows * tall), 0.002),
        (0, -0.5 * depth + 0.47 * (0.9 * depth - rows * tall), deck - 0.0003),
        round=0.0008,
    )
    key_color = (
        dark if kit.chance(0.7, name="dark keys") else kit.material("white", "black", name="keyboard key colour")
    )
    return [
        paint(key_color, keys, parts="keys"),
        paint(kit.material("metal", "dark_metal", name="keyboard pad"), pad, parts="pad"),
    ]


def _key(at: Vector, width: float, tall: float) -> Mesh:
    return block((width, tall, 0.0036), at, round=0)


def _windows(kit: Kit, width: float, high: float, front: float, level: float) -> list[Mesh]:
    """Two or three things shown on the screen, a hair in front of it."""
    pieces = []
    for x, y, w, h in kit.pick(
        ((-0.2, 0.55, 0.45, 0.5), (0.25, 0.45, 0.3, 0.6)),
        ((0.0, 0.5, 0.6, 0.6),),
        ((-0.35, 0.5, 0.15, 0.8), (0.1, 0.68, 0.6, 0.4), (0.1, 0.25, 0.6, 0.3)),
        name="window layout",
    ):
        pieces.append(block((w * width, h * high, 0.0012), (x * width, front + y * high, level - 0.0008), round=0))
    return pieces
