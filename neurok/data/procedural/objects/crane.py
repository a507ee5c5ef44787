"""A crane: a tower crane with a trolley on its jib, or a crawler crane whose boom luffs; a hook on ropes."""

import numpy as np

from neurok.data.procedural.fittings import crawler
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, align, paint, translate
from neurok.data.procedural.shapes import block, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    color = kit.material("yellow", "yellow", "red", "paint", "white", name="colour")
    dark = kit.material("dark_metal", "black", name="dark")
    if kit.chance(0.65, name="tower crane"):
        _tower(kit, color, dark)
    else:
        _mobile(kit, color, dark)


def _tower(kit: Kit, color: Material, dark: Material) -> None:
    """The jib reaches towards +x."""
    height, half = kit.between(8.0, 13.0, name="tower height"), kit.between(0.42, 0.55, name="tower half")
    jib, tail = kit.between(7.0, 11.0, name="tower jib"), kit.between(2.6, 3.8, name="tower tail")
    bar = 0.085
    foot = 1.5 + half
    base = [block((2 * foot, 0.5, 0.35), (0, 0, 0.175)), block((0.5, 2 * foot, 0.35), (0, 0, 0.175))]
    ballast = [
        block((0.9, 0.9, 0.5), (x * 0.75 * foot, y * 0.75 * foot, 0.25)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    mast = lattice(height - 0.2, half, round(height / (2.1 * half)), bar)
    ring = rod((0, 0, height - 0.15), (0, 0, height + 0.1), 1.35 * half, sides=28)
    kit.link(
        "mast",
        paint(color, [translate(m, 0, 0, 0.2) for m in mast]),
        paint(kit.material("white", "metal", name="tower ballast"), ballast, parts="ballast"),
        paint(dark, base, ring, parts="base, ring"),
    )

    z = height + 0.12
    deck = rod((0, 0, z), (0, 0, z + 0.25), 1.3 * half, sides=28)
    level = z + 0.25 + bar  # of the jib's lower chords
    wide = 0.42
    peak = np.array([0.0, 0.0, level + kit.between(1.6, 2.6, name="tower peak share")])
    arm = [align(m, "x", (0.3, 0, level)) for m in _jib(jib, wide, round(jib / 0.9), 0.8 * bar)]
    back = [block((tail + half, 2 * wide, 0.14), (-0.5 * (tail + half), 0, level), round=0.03)]
    rails = [rod((-tail - half, s * wide, level + 0.45), (0, s * wide, level + 0.45), 0.035, sides=6) for s in (-1, 1)]
    head = [rod((x * half, y * wide, z + 0.2), peak, 0.09, end_radius=0.07, sides=8) for x in (-1, 1) for y in (-1, 1)]
    flat = kit.chance(0.25, name="flat top")
    ties = [] if flat else [
        rod(peak, (t * jib, 0, level + 0.68), 0.04, sides=6) for t in (0.45, 0.9)
    ] + [rod(peak, (-0.9 * tail - half, s * 0.8 * wide, level), 0.04, sides=6) for s in (-1, 1)]  # fmt: skip
    count = kit.count(2, 4, name="counterweights")
    weights = [block((0.32, 1.9 * wide, 1.1), (-tail - half + 0.3 + 0.36 * i, 0, level - 0.35)) for i in range(count)]
    winch = rod((-0.55 * tail, -0.3, level + 0.3), (-0.55 * tail, 0.3, level + 0.3), 0.28)
    cab_at = (half + 0.45, -wide - 0.5, level - 0.35)
    cab = block((1.0, 0.8, 1.1), cab_at, round=0.1)
    panes = block((1.04, 0.84, 0.5), np.array(cab_at) + (0.05, 0, 0.12), round=0.06)
    stay = block((0.6, 0.7, 0.12), (half, -wide, level + 0.02))
    kit.link(
        "jib",
        paint(color, deck, arm, back, rails, stay, [] if flat else head, parts="deck, arm, back, rails, stay, "),
        paint(kit.material("white", "paint", name="tower cab"), cab, parts="cab"),
        paint(kit.material("glass", "black", name="tower panes"), panes, parts="panes"),
        paint(kit.material("metal", "clay", name="tower weights"), weights, parts="weights"),
        paint(dark, ties, winch, parts="ties, winch"),
    )
    kit.spin("mast", "jib", at=(0, 0, z), axis="z")

    x = kit.between(0.5, 0.8, name="tower x share") * jib
    top = level - 0.8 * bar - 0.012  # just under the chords
    cart = [block((0.8, 2 * wide + 0.2, 0.14), (x, 0, top - 0.07)), block((0.3, 0.5, 0.3), (x, 0, top - 0.25))]
    wheels = [
        rod((x + a * 0.3, s * (wide + 0.14), top), (x + a * 0.3, s * (wide + 0.2), top), 0.13)
        for a in (-1, 1)
        for s in (-1, 1)
    ]
    pivot = np.array([x, 0.0, top - 0.34])
    kit.link(
        "trolley",
        paint(dark, cart, wheels, rod(pivot - (0, 0.3, 0), pivot + (0, 0.3, 0), 0.09), parts="cart, wheels, "),
    )
    kit.slide("jib", "trolley", axis="x", lower=2.9 - x, upper=0.93 * jib - x)
    _hook(kit, "trolley", pivot, kit.between(0.25, 0.45, name="tower hook") * height, "y", color, dark)
    swing = kit.between(6, 11, name="tower swing")
    kit.hinge("trolley", "hook", at=pivot, axis="y", lower=-swing, upper=swing)


def _mobile(kit: Kit, color: Material, dark: Material) -> None:
    """The boom reaches towards -y."""
    length, half = kit.between(4.2, 5.2, name="mobile length"), kit.between(1.3, 1.6, name="mobile half")
    belts, rollers = zip(*(crawler(length, 0.95, 0.7, s * half, wheels=6) for s in (-1, 1)))
    frame = [block((2 * half, 1.6, 0.4), (0, 0, 0.6)), rod((0, 0, 0.5), (0, 0, 1.12), 0.8)]
    kit.link(
        "base",
        paint(kit.material("rubber", "dark_metal", name="mobile belts"), *belts, parts="belts"),
        paint(color, *rollers, parts="rollers"),
        paint(dark, frame, parts="frame"),
    )
    z, wide = 1.14, 2.4
    deck = block((wide, 4.2, 0.3), (0, 0.6, z + 0.15), round=0.06)
    hood = block((0.75 * wide, 2.0, 1.2), (0.1, 1.3, z + 0.85), round=0.12)
    weights = [
        block((wide + 0.2, 0.7, 0.5), (0, 2.6, z + 0.3 + 0.54 * i), round=0.06)
        for i in range(kit.count(2, 3, name="counterweights"))
    ]
    at = np.array([-0.5 * wide + 0.1, -1.0, z + 1.0])
    cab = block((0.95, 1.5, 1.6), at, round=0.12)
    panes = [
        block((0.99, 1.0, 0.7), at + (0, -0.1, 0.25), round=0.06),
        block((0.75, 1.54, 0.9), at + (0, 0, 0.2), round=0.06),
    ]
    foot = np.array([0.0, -1.1, z + 0.6])
    lugs = [block((0.1, 0.5, 0.8), (s * 0.48, foot[1], z + 0.45), round=0.04) for s in (-1, 1)]
    pin = rod(foot - (0.55, 0, 0), foot + (0.55, 0, 0), 0.11)
    kit.link(
        "house",
        paint(color, deck, hood, cab, parts="deck, hood, cab"),
        paint(kit.material("glass", "black", name="mobile panes"), panes, parts="panes"),
        paint(dark, weights, lugs, pin, parts="weights, lugs, pin"),
    )
    kit.spin("base", "house", at=(0, 0, z), axis="z")

    long, lift = kit.between(8.0, 11.0, name="mobile length"), kit.between(45, 62, name="mobile lift")
    slope = np.radians(lift)
    way = np.array([0.0, -np.cos(slope), np.sin(slope)])
    girder = [align(m, way, foot + 0.3 * way) for m in lattice(long - 0.3, 0.3, round(long / 0.75), 0.06)]
    heel = [rod(foot - (0.36, 0, 0), foot + (0.36, 0, 0), 0.2), rod(foot, foot + 0.6 * way, 0.2)]
    out = np.array([0.0, -np.sin(slope), -np.cos(slope)])  # square to the boom, towards its front
    tip = foot + long * way + 0.75 * out
    nose = [
        rod(foot + long * way + s * 0.26 * np.array([1, 0, 0]), tip + s * np.array([0.24, 0, 0]), 0.08, sides=10)
        for s in (-1, 1)
    ]
    sheave = rod(tip - (0.3, 0, 0), tip + (0.3, 0, 0), 0.09)
    kit.link("boom", paint(color, girder, nose, parts="girder, nose"), paint(dark, heel, sheave, parts="heel, sheave"))
    low, high = (
        lift - kit.between(28, 38, name="mobile lower edge share"),
        kit.between(68, 73, name="mobile height share") - lift,
    )
    kit.hinge("house", "boom", at=foot, axis="-x", lower=-low, upper=high)
    _hook(kit, "boom", tip, kit.between(0.22, 0.33, name="mobile hook") * long, "x", color, dark)
    kit.hinge("boom", "hook", at=tip, axis="-x", lower=-high, upper=low)
    kit.follow("hook", "boom", -1.0)  # it hangs straight down however the boom stands


def _hook(kit: Kit, parent: str, pivot: Array, rope: float, across: str, color: Material, dark: Material) -> None:
    """Two ropes from eyes on the pivot down to a block with a hook."""
    side = np.array([0, 1.0, 0]) if across == "y" else np.array([1.0, 0, 0])
    low = pivot - (0, 0, rope)
    eyes = [rod(pivot + s * 0.09 * side - 0.04 * side, pivot + s * 0.09 * side + 0.04 * side, 0.17) for s in (-1, 1)]
    lines = [rod(pivot + s * 0.09 * side, low + s * 0.16 * side, 0.04, sides=8) for s in (-1, 1)]
    size = (0.34, 0.55, 0.5) if across == "y" else (0.55, 0.34, 0.5)
    body = block(size, low, round=0.1)
    turn = np.radians(np.linspace(90, -150, 17))
    bend = np.stack([0.24 * np.cos(turn), 0 * turn, 0.24 * np.sin(turn)], axis=1)
    if across == "x":
        bend = bend[:, [1, 0, 2]]
    steel = tube(
        np.concatenate([[[0, 0, 0.5]], bend]) + low - (0, 0, 0.62), np.r_[0.07, np.linspace(0.085, 0.04, 17)], sides=8
    )
    load = kit.chance(0.35, name="load")
    pieces = [paint(dark, eyes, lines, steel, parts="eyes, lines, steel"), paint(color, body, parts="body")]
    if load:
        crate = block((1.1, 1.1, 0.8), low - (0, 0, 1.35), round=0.05)
        slings = [
            rod(low - (0, 0, 0.8), low + (x * 0.5, y * 0.5, -1.0), 0.035, sides=6) for x in (-1, 1) for y in (-1, 1)
        ]
        pieces.append(paint(kit.material("wood", "paint", name="hook crate"), crate, parts="crate"))
        pieces.append(paint(dark, slings, parts="slings"))
    kit.link("hook", *pieces)


def lattice(length: float, half: float, bays: int, bar: float) -> list[Mesh]:
    """A square lattice mast along +z from 0: four chords, rungs and zigzag braces."""
    corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    levels = np.linspace(0.0, length, bays + 1)
    pieces = [rod((*c, 0), (*c, length), bar, sides=8) for c in corners]
    for side in range(4):
        a, b = corners[side], corners[(side + 1) % 4]
        pieces += [_brace((*a, z), (*b, z), 0.6 * bar) for z in levels]
        for i in range(bays):
            start, end = (a, b) if (i + side) % 2 else (b, a)
            pieces.append(_brace((*start, levels[i]), (*end, levels[i + 1]), 0.6 * bar))
    return pieces


def _jib(length: float, half: float, bays: int, bar: float) -> list[Mesh]:
    """A three-chord jib along +z from 0; its ridge is on the side that becomes the upper one when z turns to x."""
    high = 0.7
    low, ridge = [np.array([0.0, s * half]) for s in (-1, 1)], np.array([-high, 0.0])
    levels = np.linspace(0.0, length, bays + 1)
    pieces = [rod((*c, 0), (*c, length), bar, sides=8) for c in low]
    pieces.append(rod((*ridge, 0.2), (*ridge, length - 0.4), bar, sides=8))
    pieces += [_brace((*low[0], z), (*low[1], z), 0.6 * bar) for z in levels]
    for i in range(bays):
        middle = np.clip(0.5 * (levels[i] + levels[i + 1]), 0.2, length - 0.4)
        pieces += [_brace((*c, levels[j]), (*ridge, middle), 0.6 * bar) for c in low for j in (i, i + 1)]
    return pieces


def _brace(start: Vector, end: Vector, radius: float) -> Mesh:
    return rod(start, end, radius, sides=5, round=0)
