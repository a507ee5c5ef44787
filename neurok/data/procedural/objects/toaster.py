"""A toaster: a lever that lowers the bread into its slots, a dial, rounded sides."""

import numpy as np

from neurok.data.procedural.fittings import feet
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint
from neurok.data.procedural.shapes import block, plate, rectangle, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    slots, pairs = kit.pick(
        (2, 1), (2, 1), (2, 2), (1, 1), (1, 2), (4, 1), name="slots"
    )  # slots across, slices along each
    slice_, gap = kit.between(0.1, 0.115, name="slice"), 0.0025  # a slice's width; the clearance in a slot
    bread, rib = kit.between(0.016, 0.02, name="bread"), kit.between(0.018, 0.03, name="rib")
    slot = bread + 2 * gap
    inner = slots * slot + (slots - 1) * rib
    long = pairs * slice_ + (pairs - 1) * 0.015 + 2 * gap
    cheek, end = kit.between(0.028, 0.045, name="cheek"), kit.between(0.03, 0.05, name="end")
    width, depth, height = long + 2 * end, inner + 2 * cheek, kit.between(0.16, 0.2, name="height")
    foot = 0.012
    shell = kit.material("metal", "metal", "paint", "plastic", "white", "red", name="shell")
    trim = kit.material("black", "metal", "dark_metal", name="trim")

    section = _section(depth, height, kit.between(0.35, 0.9, name="section share") * cheek)
    caps = [plate(section, end, (s * (width - end) / 2, 0, foot), "yz", bevel=0.25 * end) for s in (-1, 1)]
    walls = [_cheek(section, inner / 2, long + 0.01, foot, s) for s in (-1, 1)]
    ribs = [
        block(
            (long + 0.01, rib, height - 0.03),
            (0, (i + 0.5) * (slot + rib) - inner / 2 + slot / 2, foot + height / 2 + 0.01),
            round=0.003,
        )
        for i in range(slots - 1)
    ]
    floor = block((long + 0.01, inner + 0.01, 0.012), (0, 0, foot + 0.008), round=0)
    side = kit.pick(-1, -1, 1, name="lever side")  # the end where the lever is
    x = side * width / 2
    track = block((0.004, 0.012, 0.6 * height), (x, 0, foot + 0.5 * height), round=0)
    kit.link(
        "body",
        paint(shell, walls, parts="walls"),
        paint(shell if kit.chance(0.5, name="plain caps") else trim, caps, parts="caps"),
        paint(shell, floor, ribs, parts="floor, ribs") if ribs else paint(shell, floor, parts="floor"),
        paint(
            kit.material("black", name="feet"),
            feet(0.8 * width, 0.75 * depth, 0.012, foot + 0.003),
            track,
            parts="feet, track",
        ),
    )
    travel = 0.45 * height
    top = foot + 0.76 * height
    tab = block((0.03, 0.036, 0.016), (x + side * 0.017, 0, top), round=0.006)
    kit.link(
        "lever", paint(trim, tab, block((0.012, 0.007, 0.02), (x + side * 0.009, 0, top), round=0.002), parts="tab, ")
    )
    kit.slide("body", "lever", axis="-z", upper=travel)
    _dial(kit, x, side, foot + 0.12 * height, trim)
    toast = kit.material("cardboard", "wood", name="toast")
    tall = 0.62 * height
    for i in range(slots):
        y = -inner / 2 + slot / 2 + i * (slot + rib)
        slices = []
        for j in range(pairs):
            centre = (j - (pairs - 1) / 2) * (slice_ + 0.015)
            slices.append(plate(_slice(slice_ - 2 * gap, tall), bread, (centre, y, foot + 0.72 * height), "xz"))
        name = f"toast_{i + 1}"
        kit.link(name, paint(toast, slices, parts="slices"))
        drop = 0.5 * travel
        kit.slide("body", name, axis="-z", upper=drop)
        kit.follow(name, "lever", drop / travel)


def _section(depth: float, height: float, arc: float) -> Array:
    """The body's outline from the side (y, z), its shoulders round."""
    return rectangle(depth, height, arc) + (0, height / 2)


def _cheek(section: Array, inner: float, length: float, foot: float, side: int) -> Mesh:
    """The long wall beside the slots: what of the section lies beyond the slots."""
    half = section[section[:, 0] * side > inner + 1e-6]
    top, low = section[:, 1].max(), section[:, 1].min()
    half = half[np.argsort(half[:, 1], kind="stable")]
    outline = np.concatenate([[[side * inner, low]], half, [[side * inner, top]]])
    return plate(outline, length, (0, 0, foot), "yz", bevel=0.0)


def _slice(width: float, height: float) -> Array:
    """A slice of bread (x, z) with a swelling crown."""
    w, h = width / 2, height / 2
    right = [(0.93 * w, -h), (0.93 * w, 0.35 * h), (w, 0.5 * h), (w, 0.75 * h), (0.85 * w, 0.95 * h), (0.5 * w, h)]
    return np.array(right + [(-x, z) for x, z in right[::-1]])


def _dial(kit: Kit, x: float, side: int, z: float, trim: Material) -> None:
    radius = kit.between(0.009, 0.012, name="dial radius")
    cap = rod((x - side * 0.003, 0, z), (x + side * 0.014, 0, z), radius, end_radius=0.9 * radius, sides=20)
    mark = block((0.004, 0.004, 0.8 * radius), (x + side * 0.014, 0, z + 0.45 * radius), round=0.001)
    kit.link(
        "dial", paint(trim, cap, parts="cap"), paint(kit.material("white", "red", name="dial mark"), mark, parts="mark")
    )
    kit.hinge("body", "dial", at=(x, 0, z), axis="x", lower=-135, upper=135)
