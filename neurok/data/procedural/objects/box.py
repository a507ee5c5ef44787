"""A carton with flaps: two or four of them, or a lid with a tongue."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, rotate, translate
from neurok.data.procedural.shapes import block, plate, rod, tray
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    width, depth = kit.between(0.25, 0.6, name="width"), kit.between(0.2, 0.45, name="depth")
    height = kit.between(0.5, 1.0, name="height share") * depth
    style = kit.pick("two", "four", "four", "open", "open", "lid", name="style")
    if style == "lid":
        height *= 0.6
    card = 0.006 + 0.006 * width
    brown = kit.material("cardboard", "cardboard", "cardboard", "paper", "paint", name="brown")
    printed = _print(kit, width, depth, height, card)
    kit.link("carton", paint(brown, tray((width, depth, height), card, round=0.3 * card)), *printed)
    if style == "lid":
        _lid(kit, width, depth, height, card, brown)
        return
    sides = [("front", (0, -1, 0), width, depth), ("back", (0, 1, 0), width, depth)]
    sides += [("left", (-1, 0, 0), depth, width), ("right", (1, 0, 0), depth, width)]
    for name, out, length, across in sides[: 2 if style == "two" else 4]:
        # An open box's flaps stand up and lean out; the others lie over the mouth and meet in its middle.
        reach = (
            across / 2 if style != "open" else min(width, depth) * kit.between(0.42, 0.5, name="reach share")
        ) - card
        lean = kit.between(6, 35, name="lean") if style == "open" else 0.0
        low, high = (
            (-lean, kit.between(108, 135, name="lower edge and height share") - lean)
            if style == "open"
            else (0.0, kit.between(160, 200, name="lower edge and height share"))
        )
        at = np.array(out) * (np.array([width, depth, 0]) / 2) + (0, 0, height + 0.5 * card)
        flap = [
            rotate(piece, "x", 90.0 + lean if style == "open" else 0.0)
            for piece in _flap(kit, style, length, reach, card)
        ]
        facing = np.degrees(np.arctan2(out[1], out[0])) + 90.0
        kit.link(f"{name}_flap", paint(brown, [translate(rotate(piece, "z", facing), *at) for piece in flap]))
        kit.hinge("carton", f"{name}_flap", at=at, axis=np.cross((0.0, 0.0, 1.0), out), lower=low, upper=high)


def _flap(kit: Kit, style: str, length: float, reach: float, card: float) -> list[Mesh]:
    """A flap whose crease is the x axis and that lies towards +y."""
    half, gap = 0.488 * length, 0.004 + 0.01 * reach
    if style == "four":
        return [plate(_mitre(half, reach, gap), card), _crease(half, card)]
    end = half - (kit.between(0.02, 0.08, name="flap end share") * length if style == "open" else 0.0)
    outline = np.array([[-half, -0.2 * card], [half, -0.2 * card], [end, reach - gap], [-end, reach - gap]])
    return [plate(outline, card), _crease(half, card)]


def _mitre(half: float, reach: float, gap: float) -> Array:
    """A triangle or trapezium under the lines that halve the mouth's corners, kept a gap away from them."""
    rise = min(reach - gap, half - 2 * gap)
    top = max(half - 2 * gap - rise, 0.0)
    low = [[-half + 1.5 * gap, 0.0], [half - 1.5 * gap, 0.0]]
    if top < gap:
        return np.array([*low, [0.0, rise]])
    return np.array([*low, [top, rise], [-top, rise]])


def _crease(half: float, card: float) -> Mesh:
    return rod((-0.96 * half, 0, 0), (0.96 * half, 0, 0), 0.55 * card, sides=10)


def _lid(kit: Kit, width: float, depth: float, height: float, card: float, brown: Material) -> None:
    """A lid hinged at the back with a tongue in front, as of a parcel or pizza box."""
    z = height + 0.5 * card
    board = block((width, depth, card), (0, 0, z), round=0.2 * card)
    crease = rod((-0.48 * width, depth / 2, z), (0.48 * width, depth / 2, z), 0.55 * card, sides=10)
    kit.link("lid", paint(brown, board, crease, parts="board, crease"))
    kit.hinge(
        "carton", "lid", at=(0, depth / 2, z), axis="-x", lower=0, upper=kit.between(100, 150, name="lid lid opens to")
    )
    long, y = kit.between(0.3, 0.6, name="lid length share") * height, -depth / 2 - 0.6 * card
    outline = np.array([[-0.47 * width, 0], [0.47 * width, 0], [0.42 * width, -long], [-0.42 * width, -long]])
    tongue = plate(outline, card, (0, y - 0.2 * card, z), "xz")
    kit.link(
        "tongue",
        paint(brown, tongue, rod((-0.46 * width, y, z), (0.46 * width, y, z), 0.6 * card, sides=10), parts="tongue, "),
    )
    kit.hinge("lid", "tongue", at=(0, y, z), axis="-x", lower=0, upper=kit.between(50, 85, name="lid tongue opens to"))


def _print(kit: Kit, width: float, depth: float, height: float, card: float) -> list[Mesh]:
    """A label, a band of tape or hand holes on the walls."""
    pieces, y = [], -depth / 2
    if kit.chance(0.6, name="label"):
        size: Vector = (
            kit.between(0.2, 0.4, name="print detail") * width,
            0.5 * card,
            kit.between(0.2, 0.4, name="print detail") * height,
        )
        label = block(
            size,
            (
                kit.between(-0.2, 0.2, name="print label share") * width,
                y,
                kit.between(0.4, 0.6, name="print label share") * height,
            ),
            round=0,
        )
        pieces.append(paint(kit.material("paper", name="print label"), label, parts="label"))
    if kit.chance(0.5, name="tape"):
        tape = [block((0.07 * width, 0.5 * card, 0.3 * height), (0, s * y, 0.85 * height), round=0) for s in (-1, 1)]
        pieces.append(paint(kit.material("light", "leather", name="print tape"), tape, parts="tape"))
    if kit.chance(0.5, name="grip holes"):
        holes = [
            block((0.5 * card, 0.25 * depth, 0.1 * height), (s * width / 2, 0, 0.75 * height), round=0) for s in (-1, 1)
        ]
        pieces.append(paint(kit.material("black", name="print holes"), holes, parts="holes"))
    return pieces
