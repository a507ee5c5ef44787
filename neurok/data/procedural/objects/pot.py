"""A cooking pot: two ears or a long handle, and a lid that lifts or is hinged."""

import numpy as np

from neurok.data.procedural.fittings import bar_handle, barrel, knob, rim
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, rotate
from neurok.data.procedural.shapes import block, fillet, hoop, lathe, tube
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Material, Mesh


def draw(kit: Kit) -> None:
    radius = kit.between(0.09, 0.16, name="radius")
    height = radius * kit.between(0.75, 1.5, name="height share")
    wall = 0.03 * radius + 0.0015
    hinged = kit.chance(0.4, name="hinged lid")
    foot = radius * (
        kit.between(0.8, 1.0, name="foot share") if hinged else 1.0
    )  # a lid that slides needs an upright wall
    metal = kit.material("metal", "metal", "dark_metal", "paint", "red", name="metal")
    dark = kit.material("black", "black", "wood", name="dark")
    vessel = [lathe(_section(radius, foot, height, wall, kit.between(0.06, 0.25, name="vessel share")), segments=44)]
    vessel.append(rim(radius, 0.9 * wall, height))
    if kit.chance(0.5, name="thickness base"):  # the thick base of a good pot
        vessel.append(hoop(foot - 0.25 * radius, 0.04 * radius, (0, 0, 0.02 * radius), segments=44))
    style = kit.pick("ears", "ears", "long", "long_and_ear", name="handle style")
    grips = _grips(kit, style, radius, height)
    fixed = [
        paint(metal, vessel, parts="body"),
        paint(dark if style != "ears" or kit.chance(0.5, name="dark handles") else metal, grips, parts="handle"),
    ]
    hinge = np.array([0.0, 1.05 * radius, height + 0.05 * radius])
    if hinged:
        under = hinge - (0, 0.03 * radius, 0.105 * radius)
        lug = block((0.3 * radius, 0.12 * radius, 0.11 * radius), under, round=0.02 * radius)
        fixed.append(paint(metal, barrel(hinge, "x", 0.3 * radius, 0.045 * radius), lug, parts=", lug"))
    kit.link("pot", *fixed)
    skirt = 0.5 * wall if hinged else kit.between(0.25, 0.4, name="skirt share") * height
    pieces = _lid(kit, radius, height + 1.1 * wall, wall, skirt, metal, dark)
    if hinged:
        tab = block((0.14 * radius, 0.16 * radius, 0.05 * radius), hinge - (0, 0.08 * radius, 0), round=0.01 * radius)
        kit.link("lid", *pieces, paint(metal, tab, parts="tab"))
        kit.hinge("pot", "lid", at=hinge, axis="-x", lower=0, upper=kit.between(70, 95, name="lid opens to"))
    else:
        kit.link("lid", *pieces)
        kit.slide("pot", "lid", axis="z", upper=0.9 * skirt)


def _section(radius: float, foot: float, height: float, wall: float, bend: float) -> Array:
    """The vessel's section: floor, rounded corner, side, and the same back inside."""
    outer = np.array([[0, 0], [foot, 0], [radius, height]])
    inner = np.array([[radius - wall, height], [foot - wall, 1.4 * wall], [0, 1.4 * wall]])
    return np.concatenate([fillet(line, bend * radius, steps=5) for line in (outer, inner)])


def _grips(kit: Kit, style: str, radius: float, height: float) -> list[Mesh]:
    z, thick = kit.between(0.72, 0.85, name="grips z share") * height, 0.055 * radius
    half, out = (
        kit.between(0.28, 0.42, name="grips half share") * radius,
        kit.between(0.25, 0.4, name="grips out share") * radius,
    )
    near = np.sqrt(radius**2 - half**2) - 0.06 * radius
    ear = bar_handle((near, -half, z), (near, half, z), "x", height=out, radius=thick)
    other = [rotate(piece, "z", 180) for piece in ear]
    if style == "ears":
        return ear + other
    end = np.array(
        [
            radius * kit.between(2.5, 3.2, name="grips end share"),
            0,
            z + kit.between(0.1, 0.4, name="grips end share") * radius,
        ]
    )
    path = np.array([(0.96 * radius, 0, z), (1.4 * radius, 0, z + 0.06 * radius), end])
    eye = hoop(0.09 * radius, 0.03 * radius, end + (0.16 * radius, 0, 0), segments=16)
    stick = tube(path, np.array([0.07, 0.08, 0.1]) * radius, sides=12)
    return [stick, eye, *(other if style == "long_and_ear" else [])]


def _lid(kit: Kit, radius: float, z: float, wall: float, skirt: float, metal: Material, dark: Material) -> list[Mesh]:
    """A dome with a skirt that reaches down into the pot, its rim lying at height z."""
    dome, sleeve = (
        radius * kit.between(0.12, 0.35, name="lid dome share"),
        radius - wall - (0.014 if skirt > wall else 0.12) * radius,
    )
    angle = np.linspace(np.pi / 2, 0, 8)
    outer = np.stack([radius * np.cos(angle), wall + dome * np.sin(angle)], axis=1)
    under = [[radius, 0.0], [sleeve, 0.0], [sleeve, -skirt], [sleeve - wall, -skirt]]
    inner = np.stack([(sleeve - wall) * np.cos(angle), dome * np.sin(angle) - 0.2 * wall], axis=1)[::-1]
    profile = np.concatenate([outer, under, inner])
    glass = kit.chance(0.3, name="glass lid")
    pieces = [
        paint(kit.material("glass", name="lid pieces") if glass else metal, lathe(profile, (0, 0, z), segments=44))
    ]
    if glass:
        pieces.append(paint(metal, hoop(radius - 0.2 * wall, 0.9 * wall, (0, 0, z + 0.6 * wall), segments=44)))
    top = z + dome + 0.5 * wall
    if kit.chance(0.6, name="knob"):
        button = knob((0, 0, top), "z", kit.between(0.13, 0.2, name="lid button share") * radius)
    else:
        left, right = ((s * 0.3 * radius, 0, top - 0.04 * radius) for s in (-1, 1))
        button = bar_handle(left, right, "z", height=0.25 * radius, radius=0.05 * radius)
    return [*pieces, paint(dark, button, parts="button")]
