"""A folding knife: one to three blades that fold into the handle."""

import numpy as np

from neurok.data.procedural.fittings import screw_head
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate, translate
from neurok.data.procedural.shapes import curve, fillet, hoop, plate, rod
from neurok.geometry.arrays import Array

MARGIN = 0.0022  # clearance of a folded blade's tip [m]


def draw(kit: Kit) -> None:
    long, tall = kit.between(0.085, 0.12, name="length"), kit.between(0.017, 0.024, name="height")  # of the handle
    blades = kit.pick(1, 1, 2, 3, name="blades")
    thick, gap = kit.between(0.0016, 0.0026, name="thickness"), 0.0005
    liner = 0.0011
    pitch = thick + 2 * gap + liner  # from one blade's layer to the next
    pivot_x = 0.5 * long - 0.42 * tall
    bow = kit.between(-0.12, 0.12, name="bow share") * tall if blades == 1 else 0.0

    # In the xz plane, the handle along x; blades open upwards, their slots' mouths are on top.
    outline = _handle(kit, long, tall, bow)
    shell, steel = (
        kit.material("wood", "black", "red", "plastic", "brass", "metal", name="shell"),
        kit.material("metal", name="steel"),
    )
    half = 0.5 * (blades - 1) * pitch + 0.5 * thick + gap
    scale = kit.between(0.0028, 0.004, name="scale")
    layers = [-half - 0.5 * liner + i * pitch for i in range(blades + 1)]
    liners = [plate(0.99 * outline, liner, (0, y, 0), "xz", bevel=0) for y in layers]
    cheeks = [
        plate(outline, scale, (0, s * (half + liner + 0.45 * scale), 0), "xz", bevel=0.35 * scale) for s in (-1, 1)
    ]
    spine = [
        [-0.47 * long, -0.46 * tall],
        [0.36 * long, -0.46 * tall],
        [0.36 * long, -0.4 * tall],
        [-0.4 * long, -0.4 * tall],
    ]
    spacer = plate(np.array(spine), 2 * half + 0.2 * liner, (0, 0, min(bow, 0.0)), "xz", bevel=0)
    outer = half + liner + 0.9 * scale
    ends = [(pivot_x, 0.0)] + ([(-pivot_x, 0.0)] if blades > 1 else [])
    bolts = [rod((x, -outer, z), (x, outer, z), 0.11 * tall) for x, z in ends]
    bolts += [screw_head((x, s * outer, z), (0, s, 0), 0.16 * tall) for x, z in ends for s in (-1, 1)]
    bolts += [
        screw_head((x * long, s * outer, -0.28 * tall), (0, s, 0), 0.08 * tall) for x in (-0.3, 0.15) for s in (-1, 1)
    ]
    extra = (
        [hoop(0.005, 0.0009, (-0.5 * long - 0.002, 0, -0.3 * tall), "y", 20)]
        if blades == 1 and kit.chance(0.6, name="ring")
        else []
    )
    badge = (
        [rod((-0.05 * long, -outer - 0.0004, 0), (-0.05 * long, -outer + 0.5 * scale, 0), 0.2 * tall)]
        if kit.chance(0.4, name="badge")
        else []
    )
    lift = 0.55 * tall + 0.004
    pieces = [
        paint(shell, cheeks, parts="cheeks"),
        paint(steel, liners, spacer, bolts, extra, parts="liners, spacer, bolts, "),
        *([paint(kit.material("white", "metal", "brass", name="pieces"), badge, parts="badge")] if badge else []),
    ]
    kit.link("handle", *(translate(piece, 0, 0, lift) for piece in pieces))

    # From a pivot to the far end of its slot, or to the bolt at the other end.
    room = pivot_x + 0.5 * long - 0.14 * tall - MARGIN if blades == 1 else 2 * pivot_x - 0.11 * tall - MARGIN
    for i in range(blades):
        side = 1.0 if i % 2 == 0 else -1.0  # by turns at either end
        name = "blade" if blades == 1 else f"blade_{i + 1}"
        y = -half + gap + 0.5 * thick + i * pitch
        shape = _blade(
            kit,
            room
            * (kit.between(0.9, 0.98, name="shape share") if i == 0 else kit.between(0.55, 0.85, name="shape share")),
            0.58 * tall,
        )
        at = np.array([side * pivot_x, 0.0, lift])
        # The blade is drawn folded, its point away from the pivot along the handle and its edge down.
        blade = translate(plate(shape * (-side, 1), thick, (0, y, 0), "xz", bevel=0.3 * thick), *at)
        boss = rod(at + (0, y - 0.5 * thick - gap, 0), at + (0, y + 0.5 * thick + gap, 0), 0.24 * tall)
        open_ = (
            kit.between(150, 180, name="open")
            if i == 0
            else kit.pick(0.0, kit.between(60, 170, name="open share"), name="blade rest")
        )
        open_ = 0.0 if kit.chance(0.04, name="shut") else open_
        # Opening lifts the point and carries it over to the outside of the handle.
        axis = (0.0, side, 0.0)
        kit.link(
            name,
            rotate(
                paint(kit.material("metal", "metal", "dark_metal", name="blade"), blade, boss, parts="blade, boss"),
                axis,
                open_,
                at,
            ),
        )
        kit.hinge("handle", name, at=at, axis=axis, lower=-open_, upper=180 - open_)


def _handle(kit: Kit, long: float, tall: float, bow: float) -> Array:
    """The outline of a cheek, counter-clockwise, [p, 2]."""
    style = kit.pick("round", "swell", "square", name="handle style")
    a, b = 0.5 * long, 0.5 * tall
    if style == "square":
        points = np.array([[-a, -b], [a, -b], [a, b], [-a, b]])
        outline = fillet(points, 0.4 * tall, closed=True, steps=5)
    elif style == "round":
        outline = fillet(np.array([[-a, -b], [a, -b], [a, b], [-a, b]]), 0.5 * tall, closed=True, steps=7)
    else:
        low = curve(np.array([[-a, -0.7 * b], [-0.4 * a, -1.15 * b], [0.2 * a, -0.85 * b], [a, -b]]), 12)
        outline = fillet(np.concatenate([low, [[a, b], [-a, 0.9 * b]]]), 0.3 * tall, closed=True, steps=3)
    return outline + np.c_[0 * outline[:, 0], bow * np.cos(np.pi * outline[:, 0] / long)]


def _blade(kit: Kit, long: float, tall: float) -> Array:
    """A folded blade from its pivot at the origin, its point at +x, its edge down, [p, 2]."""
    style = kit.pick("drop", "clip", "sheep", "spear", name="blade style")
    h = 0.5 * tall
    back = {
        "drop": [[0.72, 1.0], [0.9, 0.6]],
        "clip": [[0.6, 1.0], [0.72, 0.55]],
        "sheep": [[0.85, 0.9], [0.97, 0.3]],
        "spear": [[0.7, 0.8], [0.9, 0.4]],
    }[style]
    tip = {"drop": [1.0, 0.0], "clip": [1.0, 0.1], "sheep": [1.0, -0.7], "spear": [1.0, 0.0]}[style]
    belly = [[0.9, -0.65], [0.75, -1.0]] if style != "sheep" else [[0.9, -0.95], [0.75, -1.0]]
    points = np.array(
        [[-0.06, -0.5], [0.08, -0.6], [0.16, -0.95], *belly[::-1], tip, *back[::-1], [0.18, 1.0], [-0.06, 0.7]]
    ) * (long, h)
    return fillet(points, 0.08 * long, closed=True, steps=3)
