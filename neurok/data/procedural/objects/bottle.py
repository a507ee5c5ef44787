"""A bottle with a screw cap."""

import numpy as np

from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import paint, repeat_around
from neurok.data.procedural.shapes import curve, fillet, hoop, lathe, rod
from neurok.geometry.arrays import Array
from neurok.geometry.mesh import Mesh


def draw(kit: Kit) -> None:
    radius = kit.between(0.03, 0.05, name="radius")
    height = radius * kit.between(3.8, 6.5, name="height share")
    neck = radius * kit.between(0.33, 0.5, name="neck share")
    shoulder = height * kit.between(0.5, 0.72, name="shoulder share")
    collar = height * kit.between(0.84, 0.9, name="collar share")  # where the neck is straight again, below the cap
    wall = 0.05 * radius + 0.0012
    waist = kit.pick(1.0, 1.0, kit.between(0.85, 0.95, name="waist share"), name="waist")
    side = [[0.96 * radius, 0.0], [radius, 0.03 * height], [waist * radius, 0.3 * height], [radius, shoulder]]
    bend = [kit.between(0.75, 0.95, name="bend share") * radius, shoulder + 0.35 * (collar - shoulder)]
    rise = curve(np.array([[radius, shoulder], bend, [neck, collar]]), 10)
    outer = np.concatenate([fillet(np.array(side), 0.25 * radius), rise[1:], [[neck, height]]])
    inner = np.stack([np.maximum(outer[:, 0] - wall, 0.3 * neck), np.maximum(outer[:, 1], 1.5 * wall)], axis=1)[::-1]
    profile = np.concatenate([[[0, 0.015 * height]], [[0.7 * radius, 0.0]], outer, inner, [[0, 1.5 * wall]]])
    body = kit.material("glass", "plastic", "white", name="body")
    pieces = [lathe(profile, segments=36)]
    # Threads: two rings on the neck that the cap hides; a collar below it that shows.
    top = height - collar
    thread = 0.03 * neck
    pieces += [hoop(neck, thread, (0, 0, collar + share * top), segments=28) for share in (0.5, 0.75)]
    pieces.append(hoop(neck, 0.12 * neck, (0, 0, collar - 0.02 * top), segments=28))
    parts = [paint(body, pieces)]
    if kit.chance(0.7, name="label"):
        low, high = sorted(
            (
                kit.between(0.1, 0.25, name="lower edge and height share"),
                kit.between(0.45, 0.62, name="lower edge and height share"),
            )
        )
        parts.append(
            paint(
                kit.material("paper", "paint", "red", name="label"),
                _label(outer, low * height, min(high * height, shoulder)),
                parts="label",
            )
        )
    kit.link("body", *parts)

    gap, thick = 0.004 * height, 0.12 * neck
    bore = neck + thread + gap
    low, roof = collar + 0.2 * top, height + gap
    inside, outside = [[0, roof], [bore, roof], [bore, low]], [[bore + thick, low], [bore + 0.9 * thick, roof + thick]]
    cap = np.array([*inside, *outside, [0, roof + thick]])
    shell = [lathe(fillet(cap, 0.3 * thick, steps=2), segments=32)]
    if kit.chance(0.7, name="ribbed cap"):  # ribs to hold it by
        rib = rod(
            (bore + 0.95 * thick, 0, low + 0.1 * top),
            (bore + 0.9 * thick, 0, roof + 0.4 * thick),
            0.25 * thick,
            sides=6,
        )
        shell += repeat_around(rib, kit.count(14, 24, name="cap ribs"))
    kit.link("cap", paint(kit.material("plastic", "white", "black", "metal", name="shell"), shell, parts="shell"))
    turns = kit.between(1.5, 3.0, name="turns")
    kit.screw("body", "cap", at=(0, 0, low), axis="z", pitch=0.55 * top / turns, upper=360 * turns)


def _label(outer: Array, low: float, high: float) -> Mesh:
    """A sleeve of paper over the side, between two heights."""
    z = np.linspace(low, high, 8)
    r = np.interp(z, outer[:, 1], outer[:, 0])
    loop = np.concatenate([np.stack([r + 0.0006, z], axis=1), np.stack([r - 0.0006, z], axis=1)[::-1]])
    return lathe(loop, segments=36, ring=True)
