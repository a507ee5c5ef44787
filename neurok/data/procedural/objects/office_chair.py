"""An office chair: star base on castors, gas lift, turning seat, tilting back."""

import numpy as np

from neurok.data.procedural.fittings import barrel, knuckles, wheel
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate
from neurok.data.procedural.shapes import ball, block, curve, fillet, pipe, ribbon, rod, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material

STAR = 5


def draw(kit: Kit) -> None:
    frame, cloth = (
        kit.material("black", "dark_metal", "metal", "white", name="frame"),
        kit.material("fabric", "fabric", "leather", "black", name="cloth"),
    )
    reach, hub = kit.between(0.28, 0.34, name="reach"), kit.between(0.1, 0.13, name="hub")
    wheel_radius = kit.between(0.024, 0.032, name="wheel radius")
    fork = 2.3 * wheel_radius  # height of the star's tips above the floor [m]
    lift = kit.between(0.06, 0.11, name="lift")
    _base(kit, frame, reach, fork, hub, lift)
    _castors(kit, frame, reach, fork, wheel_radius)

    top = hub + 0.2 + lift
    bore = 0.021
    shaft = kit.material("metal", "dark_metal", name="shaft")
    kit.link("column", paint(shaft, rod((0, 0, hub - 0.02), (0, 0, top + 0.02), bore - 0.004, sides=20)))
    kit.slide("base", "column", axis="z", upper=lift)

    width, depth, thick = (
        kit.between(0.44, 0.52, name="width"),
        kit.between(0.42, 0.5, name="depth"),
        kit.between(0.06, 0.1, name="thickness"),
    )
    seat = top + 0.03 + thick / 2
    cushion = block((width, depth, thick), (0, -0.02, seat), round=0.45 * thick, cells=4)
    plate = block((0.22, 0.26, 0.03), (0, 0, top + 0.02), round=0.008)
    behind = depth / 2 + 0.03
    pivot = np.array([0.0, behind, top + 0.025])
    tongue = block((0.06, behind - 0.1, 0.02), (0, (behind + 0.1) / 2 - 0.01, top + 0.02), round=0.004)
    cheeks = knuckles(pivot, "x", 0.045, 0.025, 0.02)
    yoke = block((0.115, 0.02, 0.02), (0, behind - 0.035, top + 0.02), round=0.004)
    ears = [block((0.02, 0.04, 0.02), (s * 0.045, behind - 0.02, top + 0.022), round=0.003) for s in (-1, 1)]
    pieces = [
        paint(cloth, cushion, parts="cushion"),
        paint(frame, plate, tongue, yoke, cheeks, ears, parts="plate, tongue, yoke, cheeks, ears"),
    ]
    if kit.chance(0.65, name="arm rests"):
        pieces += [paint(frame, _arms(kit, width, seat - 0.2 * thick), parts="arms")]
    kit.link("seat", *pieces)
    kit.spin("column", "seat", at=(0, 0, top), axis="z")
    _back(kit, frame, cloth, pivot, width, seat + thick / 2)
    kit.hinge("seat", "back", at=pivot, axis="-x", lower=0, upper=kit.between(12, 25, name="back opens to"))


def _base(kit: Kit, frame: Material, reach: float, fork: float, hub: float, lift: float) -> None:
    """Five legs that slope from a hollow hub down to their tips."""
    leg = fillet(
        np.array([[0.025, 0, hub], [0.45 * reach, 0, 0.75 * hub + 0.25 * fork], [reach, 0, fork + 0.012]]), 0.1
    )
    legs = [
        rotate(ribbon(leg, np.linspace(0.05, 0.032, len(leg)), 0.024, "y", sides=12), "z", 72 * i + 90)
        for i in range(STAR)
    ]
    tips = [rotate(rod((reach, 0, fork), (reach, 0, fork + 0.024), 0.019), "z", 72 * i + 90) for i in range(STAR)]
    tower = pipe((0, 0, hub - 0.035), (0, 0, hub + 0.16), 0.029, 0.008)
    skirt = pipe((0, 0, hub - 0.03), (0, 0, hub + 0.03), 0.042, 0.02)
    kit.link("base", paint(frame, legs, tips, tower, skirt, parts="legs, tips, tower, skirt"))


def _castors(kit: Kit, frame: Material, reach: float, fork: float, radius: float) -> None:
    """Twin wheels under each tip, swivelling about the stem."""
    tyre = kit.material("rubber", "black", name="castors tyre")
    for i in range(STAR):
        turn = 72 * i + 90
        pieces = [wheel(radius, 0.012, (reach + 0.012, s * 0.011, radius), "y", segments=14) for s in (-1, 1)]
        hood = block((0.03, 0.01, 1.2 * radius), (reach + 0.006, 0, 1.4 * radius), round=0.003)
        stem = rod((reach, 0, 1.6 * radius), (reach, 0, fork + 0.01), 0.007, sides=12)
        axle = rod((reach + 0.012, -0.016, radius), (reach + 0.012, 0.016, radius), 0.005, sides=10)
        colors = [(tyre, [t for t, _ in pieces]), (frame, [h for _, h in pieces] + [hood, stem, axle])]
        name = kit.link(
            f"castor_{i + 1}", *[paint(color, [rotate(p, "z", turn) for p in some]) for color, some in colors]
        )
        at = reach * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn)), 0.0])
        kit.spin("base", name, at=(at[0], at[1], fork), axis="z")


def _arms(kit: Kit, width: float, seat: float) -> list:
    """Two arm rests on bows beside the seat."""
    rise, half, out = (
        kit.between(0.17, 0.23, name="arms rise"),
        kit.between(0.1, 0.14, name="arms half"),
        width / 2 + 0.035,
    )
    pieces = []
    for s in (-1, 1):
        bow = np.array([[s * (width / 2 - 0.06), 0, seat], [s * out, 0, seat], [s * out, 0, seat + rise]])
        pieces.append(tube(fillet(bow, 0.05), 0.013, sides=12))
        pieces.append(block((0.06, 2 * half, 0.03), (s * out, 0, seat + rise), round=0.013, cells=3))
    return pieces


def _back(kit: Kit, frame: Material, cloth: Material, pivot: Array, width: float, seat: float) -> None:
    """A bent cushion on an upright that reaches down to the hinge behind the seat."""
    tall, lean = kit.between(0.42, 0.62, name="back height"), kit.between(0.03, 0.07, name="back lean")
    low = seat + kit.between(0.05, 0.09, name="back lower edge share")
    y = pivot[1] + 0.025
    spine = curve(np.array([[0, y + 0.02, low], [0, y, low + 0.35 * tall], [0, y + lean, low + tall]]), 12)
    broad = kit.between(0.82, 0.98, name="back breadth share") * width
    taper = kit.between(0.75, 1.0, name="back taper")
    t = np.linspace(0, 1, 12)
    widths = broad * (1 - (1 - taper) * t) * (1 - (2 * np.abs(t - 0.5)) ** 8 * 0.25)
    cushion = ribbon(spine, widths, kit.between(0.05, 0.075, name="back cushion share"), "x", sides=20)
    joint, knee = [0, pivot[1], pivot[2]], [0, y + 0.06, (pivot[2] + low) / 2 + 0.03]
    upright = ribbon(curve(np.array([joint, knee, [0, y + 0.045, low + 0.5 * tall]]), 12), 0.05, 0.018, "x")
    eye = barrel(pivot, "x", 0.06, 0.018)
    pieces = [paint(cloth, cushion, parts="cushion"), paint(frame, upright, eye, parts="upright, eye")]
    if kit.chance(0.3, name="head rest"):
        head = ball((0.13, 0.035, 0.07), (0, y + lean + 0.015, low + tall + 0.08))
        posts = [
            rod((s * 0.05, y + lean, low + tall - 0.05), (s * 0.05, y + lean + 0.01, low + tall + 0.07), 0.006)
            for s in (-1, 1)
        ]
        pieces += [paint(cloth, head, parts="head"), paint(frame, posts, parts="posts")]
    kit.link("back", *pieces)
