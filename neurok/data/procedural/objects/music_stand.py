"""A music stand: a desk that tilts on a rod that rises out of a tube on three feet."""

import numpy as np

from neurok.data.procedural.fittings import knob
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import mirror, paint, rotate
from neurok.data.procedural.shapes import block, fillet, frame, pipe, plate, rod, tube
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    tall = kit.between(0.55, 0.75, name="height")  # of the outer tube
    top = tall + kit.between(0.1, 0.3, name="top share")  # where the desk tilts
    outer = kit.between(0.014, 0.018, name="outer")
    steel, dark = (
        kit.material("dark_metal", "black", "metal", "paint", name="steel"),
        kit.material("black", "dark_metal", "brass", name="dark"),
    )
    post = [pipe((0, 0, 0.12), (0, 0, tall), outer, 0.25 * outer)]
    collar = [
        pipe((0, 0, tall - 0.05), (0, 0, tall + 0.004), 1.5 * outer, 0.72 * outer),
        *knob((0, 1.4 * outer, tall - 0.025), "y", 0.014),
    ]
    kit.link("foot", paint(steel, post, _feet(kit, outer), parts="post, feet"), paint(dark, collar, parts="collar"))

    inner = 0.62 * outer
    stem = rod((0, 0, 0.24), (0, 0, top), inner)
    knuckle = rod((-0.03, 0, top), (0.03, 0, top), 0.018)
    pin = rod((-0.05, 0, top), (0.05, 0, top), 0.008)
    kit.link(
        "rod",
        paint(kit.material("metal", "dark_metal", name="stem"), stem, pin, parts="stem, pin"),
        paint(dark, knuckle, parts="hinges"),
    )
    kit.slide(
        "foot",
        "rod",
        axis="z",
        lower=-0.75 * min(top - tall - 0.03, 0.08),
        upper=kit.between(0.25, 0.35, name="rod opens to"),
    )

    # The desk is made upright behind its axis, then leans back.
    lean = kit.between(15, 30, name="lean")
    pieces = _desk(kit, top, steel)
    lugs = [block((0.012, 0.05, 0.045), (s * 0.042, -0.014, top), round=0.006) for s in (-1, 1)]
    pieces.append(paint(dark, lugs, parts="lugs"))
    kit.link("desk", *(rotate(piece, "-x", lean, (0, 0, top)) for piece in pieces))
    kit.hinge(
        "rod", "desk", at=(0, 0, top), axis="-x", lower=-lean, upper=kit.between(85, 92, name="desk opens to") - lean
    )


def _feet(kit: Kit, outer: float) -> list[Mesh]:
    """Three legs: bent tubes, or struts joined by stays as on a folding stand."""
    reach = kit.between(0.24, 0.34, name="feet reach")
    if kit.chance(0.5, name="curved legs"):
        leg = [
            tube(fillet(np.array([[2 * outer, 0, 0.19], [0.3 * reach, 0, 0.12], [reach, 0, 0.012]]), 0.1), 0.8 * outer)
        ]
    else:
        leg = [
            rod((1.6 * outer, 0, 0.29), (reach, 0, 0.008), 0.55 * outer, sides=10),
            rod((1.5 * outer, 0, 0.13), (0.52 * reach, 0, 0.14), 0.5 * outer, sides=10),
        ]
    rings = [pipe((0, 0, low), (0, 0, high), 1.4 * outer, 0.6 * outer) for low, high in ((0.11, 0.22), (0.26, 0.31))]
    return [rotate(m, "z", a) for a in (90, 210, 330) for m in leg] + rings


def _desk(kit: Kit, top: float, steel: Material) -> list[Mesh]:
    """The desk in the xz plane in front of its axis, with a ledge for the music, and some music."""
    wide, high = kit.between(0.42, 0.56, name="desk width"), kit.between(0.27, 0.36, name="desk height")
    y, low = -0.04, top - 0.12
    middle = low + 0.5 * high
    style = kit.pick("solid", "slotted", "folding", name="desk style")
    if style == "solid":
        cut = kit.between(0.0, 0.09, name="desk cut")
        outline = np.array(
            [
                [-0.5 * wide, 0],
                [0.5 * wide, 0],
                [0.5 * wide, high - cut],
                [0.5 * wide - 1.2 * cut - 0.01, high],
                [-0.5 * wide + 1.2 * cut + 0.01, high],
                [-0.5 * wide, high - cut],
            ]
        )
        board = [plate(fillet(outline, 0.03, closed=True), 0.009, (0, y, low), "xz")]
    elif style == "slotted":
        board = [
            frame(wide, high, 0.05, 0.009, (0, y, middle), round=0.02),
            block((0.1, 0.009, high - 0.02), (0, y, middle)),
        ]
        board += [block((wide - 0.06, 0.009, 0.03), (0, y, low + t * high)) for t in (0.3, 0.5, 0.7)]
    else:
        half = [
            rod(
                (0.0, y, low + 0.02 + t * 0.6 * high),
                (0.5 * wide, y, low + 0.02 + (t * 0.75 + 0.15) * high),
                0.006,
                sides=8,
            )
            for t in (0.0, 0.45, 0.95)
        ]
        half += [
            rod(
                (0.5 * wide * t, y, low + 0.01),
                (0.5 * wide * t, y, low + (0.62 + 0.25 * t) * high + 0.01),
                0.006,
                sides=8,
            )
            for t in (0.35, 0.98)
        ]
        board = [
            *half,
            *(mirror(m) for m in half),
            block((0.03, 0.012, 0.75 * high), (0, y, low + 0.37 * high)),
            rod((-0.5 * wide, y, low), (0.5 * wide, y, low), 0.007),
        ]
    board.append(block((0.1, 0.02, 0.04), (0, y + 0.008, top), round=0.004))
    ledge = [
        block((0.95 * wide, 0.06, 0.008), (0, y - 0.028, low + 0.004)),
        block((0.95 * wide, 0.008, 0.03), (0, y - 0.056, low + 0.015)),
    ]
    pieces = [paint(steel, board, ledge, parts="board, ledge")]
    if kit.chance(0.75, name="sheet music"):
        pieces += _music(kit, wide, high, y - 0.011, low + 0.01)
    return pieces


def _music(kit: Kit, wide: float, high: float, y: float, low: float) -> list[Mesh]:
    """One or two pages with staves."""
    page, tall = min(0.21, 0.44 * wide), min(0.3, kit.between(0.8, 1.0, name="music height share") * high)
    spots = (
        (-0.51 * page, 0.51 * page)
        if kit.chance(0.7, name="two clips")
        else (kit.between(-0.4, 0.4, name="music spots share") * page,)
    )
    sheets = [block((page, 0.008, tall), (x, y, low + 0.5 * tall), round=0.002) for x in spots]
    lines = [
        block((0.8 * page, 0.003, 0.007), (x, y - 0.004, low + (0.18 + 0.16 * i + j) * tall), round=0)
        for x in spots for i in range(5) for j in (0.0, 0.045)
    ]  # fmt: skip
    return [
        paint(kit.material("paper", name="music sheets"), sheets, parts="sheets"),
        paint(kit.material("black", name="music lines"), lines, parts="lines"),
    ]
