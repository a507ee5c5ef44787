"""A room or house door in its frame, with a lever handle or knob that turns."""

import numpy as np

from neurok.data.procedural.fittings import barrel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import ball, block, fillet, frame, lathe, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, height, thick = (
        kit.between(0.75, 0.95, name="width"),
        kit.between(1.9, 2.15, name="height"),
        kit.between(0.035, 0.05, name="thickness"),
    )
    border, deep, gap = kit.between(0.07, 0.12, name="border"), kit.between(0.09, 0.14, name="depth"), 0.008
    wood = kit.material("wood", "white", "paint", "paint", name="wood")
    trim = wood if kit.chance(0.4, name="plain trim") else kit.material("wood", "white", name="trim")
    steel, side = kit.material("metal", "brass", "dark_metal", name="steel"), kit.pick(-1, 1, name="hinge side")
    sill = 0.02
    # The leaf closes flush with the frame's front and swings out towards -y.
    y = -deep / 2 + thick / 2
    middle = sill + gap + height / 2
    jambs = [
        block(
            (border, deep, height + sill + 2 * gap),
            (s * (width / 2 + gap + border / 2), 0, (height + sill) / 2 + gap),
            round=0.006,
        )
        for s in (-1, 1)
    ]
    head = block(
        (width + 2 * gap + 2 * border, deep, border), (0, 0, height + sill + 2 * gap + border / 2), round=0.006
    )
    pieces = [*jambs, head, block((width + 2 * gap + 2 * border, deep, sill), (0, 0, sill / 2), round=0.004)]
    if kit.chance(0.3, name="canopy"):
        pieces.append(block((width + 2 * border + 0.12, deep + 0.06, 0.05), (0, 0, height + sill + border + 0.03)))
    axis = np.array([side * (width / 2 + gap / 2), -deep / 2, middle])
    knuckles = [barrel(axis + (0, 0, k * height), "z", 0.1, 0.011) for k in (-0.4, 0.0, 0.4)]
    kit.link("frame", paint(trim, pieces), paint(steel, knuckles, parts="hinges"))

    glazed, leaf = _leaf(kit, width, height, thick, y, middle)
    extras = _furniture(kit, y - thick / 2, middle, height)
    spot = np.array([-side * (width / 2 - 0.07), y, sill + kit.between(0.95, 1.05, name="spot share")])
    rose = block((0.045, thick + 0.012, kit.pick(0.05, 0.2, name="rose length")), spot, round=0.005)
    kit.link(
        "leaf",
        paint(wood, leaf, parts="leaf"),
        *([paint(kit.material("glass", name="glazed"), glazed, parts="glazed")] if glazed else []),
        paint(steel, rose, extras, parts="rose, extras"),
    )
    kit.hinge(
        "frame",
        "leaf",
        at=axis,
        axis="z" if side > 0 else "-z",
        lower=0,
        upper=kit.between(85, 120, name="leaf opens to"),
    )
    _handle(kit, spot, thick, side, steel)


def _leaf(kit: Kit, width: float, height: float, thick: float, y: float, z: float) -> tuple[list[Mesh], list[Mesh]]:
    """Panes of glass and the wooden pieces of a leaf: flat, with panels in relief, of boards, or glazed above."""
    rows, columns = kit.pick(
        ((1.0,), 1), ((0.5, 0.5), 2), ((0.35, 0.65), 1), ((0.25, 0.4, 0.35), 2), ((0.2,) * 5, 1), name="panels"
    )
    style, glass = kit.pick("panels", "panels", "fields", "boards", "flat", name="style"), []
    if style == "flat":
        return [], [block((width, thick, height), (0, y, z), round=0.004)]
    if style == "boards":
        count = kit.count(5, 8, name="boards")
        wide = width / count
        boards = [
            block((0.97 * wide, thick, height), ((i + 0.5) * wide - width / 2, y, z), round=0.008) for i in range(count)
        ]
        return [], [*boards, block((0.98 * width, 0.6 * thick, 0.99 * height), (0, y, z), round=0)]
    border, low = 0.11, -height / 2
    pieces = [block((width, 0.55 * thick, height), (0, y, z), round=0), frame(width, height, border, thick, (0, y, z))]
    panes = style == "panels" and kit.chance(0.4, name="glass panes")
    for k, share in enumerate(rows):
        h = share * (height - border)
        low_here, low = low, low + h
        if k:
            pieces.append(block((width - border, thick, border), (0, y, z + low_here + border / 2), round=0.004))
        for i in range(columns):
            w = (width - border) / columns
            x = (i + 0.5) * w - (width - border) / 2
            if i:
                pieces.append(block((border, thick, h), (x - w / 2, y, z + low_here + (h + border) / 2), round=0.004))
            at, size = (x, y, z + low_here + (h + border) / 2), (w - border - 0.02, h - border - 0.02)
            if panes and k == len(rows) - 1:
                glass.append(block((size[0], 0.75 * thick, size[1]), at, round=0.002))
            elif min(size) > 0.1:
                pieces.append(block((size[0] - 0.05, 0.9 * thick, size[1] - 0.05), at, round=0.012))
    return glass, pieces


def _furniture(kit: Kit, y: float, z: float, height: float) -> list[Mesh]:
    """A letter slot, a kick plate or a spy hole, or none."""
    choice = kit.pick("none", "none", "slot", "hole", "plate", name="letter slot")
    if choice == "slot":
        return [block((0.26, 0.02, 0.06), (0, y, z - 0.03), round=0.006), block((0.2, 0.03, 0.025), (0, y, z - 0.03))]
    if choice == "hole":
        return [rod((0, y + 0.01, z + 0.45), (0, y - 0.012, z + 0.45), 0.02)]
    if choice == "plate":
        return [block((0.6, 0.012, 0.16), (0, y, z - height / 2 + 0.12), round=0.003)]
    return []


def _handle(kit: Kit, spot: Array, thick: float, side: int, steel: Material) -> None:
    """A lever or knob on both faces, on one spindle."""
    pieces, out = [], thick / 2 + 0.05
    lever = kit.chance(0.65, name="lever handle")
    spindle = rod(spot - (0, out, 0), spot + (0, out, 0), 0.011, sides=14)
    for s in (-1, 1):
        end = spot + (0, s * out, 0)
        if not lever:
            shape = np.array(
                [[0.012, -0.035], [0.014, -0.02], [0.03, -0.008], [0.032, 0.008], [0.02, 0.018], [0, 0.02]]
            )
            pieces.append(lathe(fillet(shape, 0.005, steps=2), end, (0, s, 0), 24))
            continue
        long = 0.115
        path = np.array([end - (0, s * 0.02, 0), end, end + (side * long, 0, 0), end + (side * long, -s * 0.018, 0)])
        pieces += [tube(fillet(path, 0.012), 0.0105), ball(0.0135, end, segments=12)]
    kit.link("handle", paint(steel, spindle, pieces, parts="spindle, "))
    turn = kit.between(35, 50, name="handle turn")
    # A lever is pressed down: its free end points towards the hinge.
    low, high = (0, turn) if lever else (-turn, turn)
    kit.hinge("leaf", "handle", at=spot, axis="y" if side > 0 else "-y", lower=low, upper=high)
