"""A safe: thick walls, a heavy door with a dial or keypad, and a spoked or lever handle."""

import numpy as np

from neurok.data.procedural.fittings import barrel, feet
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around
from neurok.data.procedural.shapes import ball, block, frame, hoop, rod, tray
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width = kit.between(0.32, 0.65, name="width")
    depth, height = (
        width * kit.between(0.75, 1.05, name="depth share"),
        width * kit.between(0.8, 1.5, name="height share"),
    )
    foot, wall = 0.04 * width, 0.1 * width
    shell = kit.material("dark_metal", "dark_metal", "paint", "metal", name="shell")
    steel, left = kit.material("metal", "brass", name="steel"), kit.chance(0.5, name="opens left")
    y, middle, side = -0.5 * depth, foot + height / 2, -1 if left else 1
    thick = 0.1 * width
    knuckles = [
        barrel((side * 0.515 * width, y - 0.02 * width, middle + k * height), "z", 0.12 * height, 0.035 * width)
        for k in (-0.3, 0.3)
    ]
    shelf = block((width - wall, 0.8 * depth, 0.02 * width), (0, 0.05 * depth, middle), round=0.002)
    body = tray((width, height, depth), wall, (0, depth / 2, middle), "-y", round=0.04 * width)
    stand = feet(0.8 * width, 0.8 * depth, 0.06 * width, foot)
    kit.link(
        "body",
        paint(shell, body, shelf, parts="body, shelf"),
        paint(kit.material("black", "metal", name="stand"), stand, parts="stand"),
        paint(steel, knuckles, parts="hinges"),
    )

    face = y - 0.003 - thick
    w, h = width - 0.01, height - 0.01
    slab = block((w, thick, h), (0, y - 0.003 - thick / 2, middle), round=0.02 * width)
    raised = frame(0.86 * w, h - 0.14 * w, 0.05 * w, 0.03 * w, (0, face, middle), round=0.04 * w)
    # The inner plug swings out of the mouth: it is narrow enough for its far edge to clear the wall.
    plug = block((0.62 * width, 0.05 * width, h - 2.6 * wall), (0, y + 0.01 * width, middle), round=0.01 * width)
    bolts = [
        rod(
            (-side * 0.31 * width, y + 0.015 * width, middle + k * h),
            (-side * 0.335 * width, y + 0.015 * width, middle + k * h),
            0.014 * width,
            sides=12,
        )
        for k in (-0.25, 0.0, 0.25)
    ]
    door, plate = (
        [
            paint(shell, slab, parts="slab"),
            paint(steel if kit.chance(0.5, name="steel plate") else shell, raised, parts="raised"),
        ],
        [],
    )
    dial_at = np.array([-side * 0.05 * w, face, middle + 0.17 * h])
    keypad = kit.chance(0.35, name="keypad")
    if keypad:
        plate = _keypad(dial_at, 0.26 * w)
    kit.link(
        "door",
        *door,
        paint(kit.material("dark_metal", "metal", name="plug"), plug, parts="plug"),
        paint(steel, bolts, plate[1:], parts="bolts, plate"),
        *[paint(kit.material("black", name="p"), p) for p in plate[:1]],
    )
    kit.hinge(
        "body",
        "door",
        at=(side * 0.515 * width, y - 0.02 * width, middle),
        axis="z" if side > 0 else "-z",
        lower=0,
        upper=kit.between(90, 120, name="door opens to"),
    )
    if not keypad:
        _dial(kit, dial_at, 0.11 * w, steel)
    _handle(kit, np.array([-side * 0.05 * w, face, middle - 0.15 * h]), 0.15 * w, steel)


def _keypad(at: Array, size: float) -> list[Mesh]:
    keys = [
        block(
            (0.2 * size, 0.08 * size, 0.2 * size),
            at + (size * 0.28 * i, -0.08 * size, size * (0.27 * j - 0.18)),
            round=0.02 * size,
        )
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
    ]
    screen = block((0.78 * size, 0.06 * size, 0.22 * size), at + (0, -0.08 * size, 0.44 * size), round=0.02 * size)
    return [block((size, 0.16 * size, 1.3 * size), at, round=0.05 * size), screen, *keys]


def _dial(kit: Kit, at: Array, radius: float, steel: Material) -> None:
    out = np.array([0.0, -1.0, 0.0])
    disc = rod(at - 0.1 * radius * out, at + 0.25 * radius * out, radius, sides=36)
    cap = rod(at, at + 0.8 * radius * out, 0.55 * radius, end_radius=0.48 * radius, sides=24)
    mark = rod(at + (0, 0, 0.86 * radius), at + 0.32 * radius * out + (0, 0, 0.86 * radius), 0.07 * radius, sides=8)
    ticks = repeat_around(mark, 12, "y", at)
    kit.link(
        "dial",
        paint(kit.material("black", name="dial disc"), disc, parts="disc"),
        paint(steel, cap, ticks, parts="cap, ticks"),
    )
    kit.spin("door", "dial", at=at, axis="-y")


def _handle(kit: Kit, at: Array, reach: float, steel: Material) -> None:
    """A hub with three to five spokes, a wheel, or a single lever."""
    out = np.array([0.0, -1.0, 0.0])
    height, style = 0.45 * reach, kit.pick("spokes", "spokes", "wheel", "lever", name="handle")
    hub = rod(at - 0.05 * reach * out, at + height * out + 0.1 * reach * out, 0.2 * reach, sides=20)
    tip = at + height * out
    count = 1 if style == "lever" else kit.count(3, 5, name="spokes")
    length = 1.3 * reach if style == "lever" else reach
    spoke = [rod(tip, tip + (0, 0, length), 0.075 * reach, sides=10)]
    if style != "wheel":
        spoke.append(ball(0.14 * reach, tip + (0, 0, length), segments=14))
    pieces = [copy for piece in spoke for copy in repeat_around(piece, count, "y", tip, 90.0 if count == 1 else 0.0)]
    if style == "wheel":
        pieces.append(hoop(length, 0.09 * reach, tip, "y", segments=32))
    kit.link("handle", paint(steel, hub, pieces, parts="hub, "))
    kit.hinge("door", "handle", at=at, axis="-y", lower=-90 if style == "lever" else -120, upper=0.0)
