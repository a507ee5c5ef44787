"""A stapler: above a base with its anvil a head swings about a rear pin; its cover lifts, or a tray slides out."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import Vector, paint, rotate
from neurok.data.procedural.shapes import block, curve, loft, plate, rectangle, rod, tray
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    """It lies along y, its mouth to -y; the head is made level with the pin, then turned to where it rests."""
    style = kit.pick("cover", "cover", "whole", "tray", "long", name="style")
    long = (
        kit.between(0.26, 0.36, name="length") if style == "long" else kit.between(0.085, 0.17, name="length")
    )  # from the pin to the mouth
    sheet, gap = 0.001 + 0.006 * long, 0.0003 + 0.004 * long
    half, deep = (
        0.0055 + 0.5 * gap,
        kit.between(0.0042, 0.0055, name="depth share") + 0.006 * long,
    )  # of the magazine: half width, height
    bottom = kit.between(0.007, 0.011, name="bottom share") + (0.004 if style == "long" else 0.0)  # the base's top
    ear = deep + gap + sheet  # radius of what turns about the pin
    pin = np.array([0.0, 0.0, bottom + ear + gap + kit.between(0.001, 0.004, name="pin share")])
    wide = 2 * (half + 2 * gap + 2 * sheet)  # over the cover's sides
    _base(kit, style, long, bottom, pin, half + gap, sheet, deep, wide)

    anvil = bottom + sheet  # its top
    down = np.degrees(np.arcsin((pin[2] - deep - anvil - gap) / long))
    rest = kit.between(0.0, 3.0, name="rest")
    bolt = rod(pin - (0.5 * wide + 0.6 * sheet, 0, 0), pin + (0.5 * wide + 0.6 * sheet, 0, 0), 0.5 * deep)
    metal = kit.material("metal", "dark_metal", name="metal")
    shell = kit.material("plastic", "black", "black", "paint", "white", "metal", "red", name="shell")
    squeeze = (
        kit.between(0.5, 0.7, name="squeeze share") * deep if style != "tray" else 0.0
    )  # the cover's mouth sinks on the magazine
    shape = (long, pin, wide, sheet, gap, deep)
    cover = [
        paint(shell, _cover(kit, *shape, squeeze), parts="cover"),
        *_marks(kit, long, pin, wide, deep + gap + squeeze),
    ]

    def rested(pieces: list[Mesh]) -> list[Mesh]:
        return [rotate(piece, "-x", rest, pin) for piece in pieces]

    if style == "tray":
        eye, slid = _tray(kit, *shape, half)
        kit.link("head", *rested([*cover, *eye, paint(metal, bolt, parts="bolt")]))
        kit.hinge(
            "base", "head", at=pin, axis="-x", lower=-rest - down, upper=kit.between(20, 100, name="head opens to")
        )
        kit.link("tray", *rested(slid))
        out = np.radians(rest)
        kit.slide(
            "head",
            "tray",
            axis=(0, -np.cos(out), np.sin(out)),
            upper=kit.between(0.4, 0.55, name="tray opens to") * long,
        )
        return
    cover.append(paint(shell, _nose(*shape, squeeze), parts="nose"))
    magazine = [
        paint(metal, bolt, _magazine(long, pin, half, deep), parts="bolt, magazine"),
        *_strip(kit, long, pin, half, deep),
    ]
    if style == "whole" or (style == "long" and kit.chance(0.5, name="cover on head")):
        kit.link("head", *rested([*magazine, *cover]))
        kit.hinge(
            "base", "head", at=pin, axis="-x", lower=-rest - down, upper=kit.between(25, 105, name="head opens to")
        )
        return
    kit.link("magazine", *rested(magazine))
    kit.hinge(
        "base", "magazine", at=pin, axis="-x", lower=-rest - down, upper=kit.between(15, 35, name="magazine opens to")
    )
    kit.link("cover", *rested(cover))
    press = np.degrees(np.arcsin(0.9 * squeeze / long))
    kit.hinge("magazine", "cover", at=pin, axis="-x", lower=-press, upper=kit.between(45, 75, name="cover opens to"))


def _base(
    kit: Kit, style: str, long: float, top: float, pin: Array, inside: float, sheet: float, deep: float, wide: float
) -> None:
    """A foot with a rubber sole, the anvil under the mouth, and two cheeks that hold the pin."""
    color = kit.material("black", "dark_metal", "plastic", "metal", "paint", name="base colour")
    front, rear, rubber = (
        -long - kit.between(0.002, 0.012, name="base front share"),
        kit.between(0.008, 0.02, name="base rear"),
        0.0025,
    )
    broad = wide * kit.between(1.0, 1.4, name="base breadth share")
    foot = rectangle(broad, rear - front, kit.between(0.15, 0.48, name="base foot share") * broad) + (
        0,
        0.5 * (front + rear),
    )
    middle = 0.5 * (front + rear)
    body = plate(
        foot,
        top - rubber,
        (0, 0, 0.5 * (top + rubber)),
        bevel=kit.between(0.1, 0.3, name="base body share") * (top - rubber),
    )
    if kit.chance(0.5, name="whole sole"):  # a whole sole, or two pads
        soles = [plate((foot - (0, middle)) * 0.94 + (0, middle), 2 * rubber, (0, 0, rubber))]
    else:
        soles = [block((0.8 * broad, 0.14 * long, 2 * rubber), (0, y * long, rubber)) for y in (-0.85, -0.05)]
    cheek = np.concatenate([[(-2.2 * deep, top - 0.002)], [(1.0 * deep, top - 0.002)], _arc(pin, deep, 0, 150)])
    cheeks = [plate(cheek, sheet, (s * (inside + 0.5 * sheet), 0, 0), "yz") for s in (-1, 1)]
    anvil = block((1.1 * inside + 0.004, 0.05 * long + 0.006, 2 * sheet), (0, -0.95 * long, top), round=0.3 * sheet)
    slots = [
        block((0.2 * inside, 0.002, sheet), (s * 0.45 * inside, -0.97 * long, top + 0.62 * sheet), round=0)
        for s in (-1, 1)
    ]
    pieces = [
        paint(color, body, parts="body"),
        paint(kit.material("rubber", name="base pieces"), soles, parts="soles"),
        paint(kit.material("black", name="base pieces"), slots, parts="slots"),
    ]
    pieces.append(paint(kit.material("metal", "dark_metal", name="base cheeks"), cheeks, anvil, parts="cheeks, anvil"))
    if style == "long":  # a rule printed along the throat, and the stop for the paper
        lines = [
            block((0.5 * broad if i % 5 == 0 else 0.3 * broad, 0.0018, 0.0016), (0, -y * long, top), round=0)
            for i, y in enumerate(np.linspace(0.12, 0.85, kit.count(11, 26, name="base lines")))
        ]
        pieces.append(paint(kit.material("white", "yellow", name="base lines"), lines, parts="lines"))
        spot = -kit.between(0.2, 0.6, name="base spot share") * long
        stop = block((1.06 * broad, 0.012, 0.0055), (0, spot, top + 0.001), round=0.001)
        pieces.append(paint(kit.material("red", "metal", "plastic", name="base stop"), stop, parts="stop"))
    kit.link("base", *pieces)


def _arc(centre: Vector, radius: float, start: float, end: float, count: int = 12) -> Array:
    """Points in the yz plane about the pin, from +y towards +z [degrees], [count, 2]."""
    angle = np.radians(np.linspace(start, end, count))
    return np.array(centre)[1:] + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _magazine(long: float, pin: Array, half: float, deep: float) -> list[Mesh]:
    """A bar with an eye about the pin, its mouth cut off square."""
    front = np.array([(-long, pin[2] + deep), (-long, pin[2] - deep)])
    return [plate(np.concatenate([front, _arc(pin, deep, -90, 90)]), 2 * half, plane="yz")]


def _strip(kit: Kit, long: float, pin: Array, half: float, deep: float) -> list[Mesh]:
    """The row of staples on the magazine, and the follower that pushes it."""
    level, full = pin[2] + deep + 0.0003, kit.between(0.3, 0.75, name="strip full")  # the top of both
    row = block((1.2 * half, full * 0.8 * long, 0.0014), (0, -(0.98 - 0.4 * full) * long, level - 0.0007), round=0)
    y = -(0.98 - 0.8 * full) * long
    follower = block((1.5 * half, 0.06 * long, 0.0022), (0, y + 0.03 * long, level - 0.0011), round=0.0004)
    return [
        paint(kit.material("metal", name="strip row"), row, parts="row"),
        paint(kit.material("red", "black", "brass", name="strip follower"), follower, parts="follower"),
    ]


def _cover(
    kit: Kit, long: float, pin: Array, wide: float, sheet: float, gap: float, deep: float, squeeze: float
) -> list[Mesh]:
    """A shell over the magazine: a domed roof, and two sides with ears about the pin."""
    ear, nose = deep + gap + sheet, long + gap + 1.2 * sheet
    way = np.linspace(0, 1, 15)
    under = pin[2] + deep + gap + squeeze * way
    bulge = curve(
        np.array(
            [
                [0.0],
                [kit.between(0.3, 1.0, name="cover bulge share")],
                [kit.between(0.5, 1.8, name="cover bulge share")],
                [kit.between(0.0, 1.2, name="cover bulge share")],
            ]
        ),
        15,
    )
    over = under + sheet + deep * np.abs(bulge[:, 0])
    over[-1] = over[-2] - 0.4 * sheet  # its nose is rounded off
    # Across, half a super-ellipse over a flat belly.
    angle, power = np.radians(np.linspace(0, 180, 15)), kit.between(0.3, 0.7, name="cover power")
    x, z = 0.5 * wide * np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** power, np.sin(angle) ** power
    y = 0.25 * ear - (nose + 0.25 * ear) * way
    roof = loft(np.stack([np.c_[x, np.full(15, b), low + (high - low) * z] for b, low, high in zip(y, under, over)]))
    hem = pin[2] - deep + squeeze + gap  # the sides' lower edge, clear of the base when pressed
    mouth = [(-nose, under[-1] + 0.3 * sheet), (-nose, hem), (-1.5 * ear, hem)]
    side = np.concatenate([mouth, _arc(pin, ear, -100, 75), [(-0.5 * ear, under[0] + 0.3 * sheet)]])
    return [roof, *(plate(side, sheet, (s * 0.5 * (wide - sheet), 0, 0), "yz") for s in (-1, 1))]


def _nose(long: float, pin: Array, wide: float, sheet: float, gap: float, deep: float, squeeze: float) -> Mesh:
    """What closes the cover's mouth in front of the magazine."""
    low, high = pin[2] - deep + squeeze + gap, pin[2] + deep + gap + squeeze + 0.4 * sheet
    middle = (0, -long - gap - 0.6 * sheet, 0.5 * (low + high))
    return block((wide - 0.2 * sheet, 1.2 * sheet, high - low), middle, round=0.2 * sheet)


def _marks(kit: Kit, long: float, pin: Array, wide: float, level: float) -> list[Mesh]:
    """A maker's plate on each side of the cover, or a stripe along them."""
    if kit.chance(0.25, name="no marks"):
        return []
    size = (
        0.0022,
        kit.pick(0.2, 0.35, 0.6, name="mark height") * long,
        kit.between(0.2, 0.4, name="marks size share") * level,
    )
    badges = [
        block(
            size,
            (
                s * (0.5 * wide - 0.0004),
                -kit.between(0.45, 0.6, name="marks badges share") * long,
                pin[2] + 0.55 * level,
            ),
            round=0.0004,
        )
        for s in (-1, 1)
    ]
    return [paint(kit.material("white", "metal", "black", "red", "light", name="marks badges"), badges, parts="badges")]


def _tray(
    kit: Kit, long: float, pin: Array, wide: float, sheet: float, gap: float, deep: float, half: float
) -> tuple[list[Mesh], list[Mesh]]:
    """Loaded from the front: the eye that hangs the head on the pin, and the tray of staples that slides out."""
    front, rear = np.array([(-0.32 * long, pin[2] + deep), (-0.32 * long, pin[2] - deep)]), _arc(pin, deep, -90, 90)
    eye = plate(np.concatenate([front, rear]), 2 * half, plane="yz")
    beam = block((2 * half, 0.2 * long, 3 * gap), (0, -0.22 * long, pin[2] + deep + 0.5 * gap), round=0)
    size = (wide - 2 * sheet - 1.6 * gap, 0.66 * long, 2 * deep)
    channel = tray(size, sheet, (0, -0.67 * long, pin[2] - deep), round=0.1 * deep)
    row = block(
        (1.2 * half, kit.between(0.2, 0.55, name="tray row share") * long, 1.2 * deep),
        (0, -0.67 * long, pin[2] - 0.3 * deep),
        round=0,
    )
    grip = block((size[0], 2.4 * sheet, 2 * deep), (0, -long - 1.2 * sheet, pin[2]), round=0.5 * sheet)
    button = block((0.5 * size[0], sheet, 0.8 * deep), (0, -long - 2.4 * sheet, pin[2]), round=0.3 * sheet)
    pieces = [
        paint(kit.material("metal", name="tray pieces"), channel, parts="channel"),
        paint(kit.material("metal", "brass", name="tray pieces"), row, parts="row"),
    ]
    pieces.append(
        paint(kit.material("plastic", "black", "red", name="tray grip"), grip, button, parts="handle, button")
    )
    return [paint(kit.material("black", "dark_metal", name="tray eye"), eye, beam, parts="eye, beam")], pieces
