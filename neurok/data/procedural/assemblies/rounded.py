"""Round bodies and stands that are no particular thing: each links a "body" and returns the spots on its faces."""

from dataclasses import replace

import numpy as np

from neurok.data.procedural.assemblies.common import SIDES, Tones, draw_sizes, paint_if_any, spot_on, stand
from neurok.data.procedural.assemblies.spots import Spot
from neurok.data.procedural.fittings import legs
from neurok.data.procedural.kit import Kit
from neurok.data.procedural.placing import direction, paint
from neurok.data.procedural.shapes import ball, block, fillet, lathe, plate, rectangle, rod
from neurok.geometry.arrays import Array


def turned_body(kit: Kit, tones: Tones) -> list[Spot]:
    """A cylinder, a cone or a vase, upright or lying, with flat pads on its side."""
    size = draw_sizes(kit)
    r, tall = 0.5 * float(size[:2].mean()), float(size[2]) * kit.pick(0.6, 1.0, 1.4, name="turned body height")
    style = kit.pick("cylinder", "cylinder", "vase", "cone", name="turned body style")
    radii = (
        np.ones(2) if style == "cylinder" else np.array([1.0, kit.between(0.6, 0.85, name="turned body radii share")])
    )
    if style == "vase":
        radii = np.array(
            [
                kit.between(0.6, 1.0, name="turned body radii share")
                for _ in range(kit.count(4, 6, name="turned body radii"))
            ]
        )
    levels = np.linspace(0, tall, len(radii))
    profile: Array = np.stack([r * radii, levels], axis=1)
    if style == "vase":
        profile = fillet(profile, 0.3 * tall)
    upright = kit.chance(0.7, name="turned body upright")
    pieces = [lathe(profile, (0, 0, -0.5 * tall), segments=40)]
    whole = np.array([2 * r, 2 * r, tall])
    side = 1.3 * r * radii[-1]
    spots = [spot_on(whole, tones, "z", (0, 0, 0.5 * tall), side, side, True)]
    if not upright:
        low = 1.3 * r * radii[0]
        spots.append(spot_on(whole, tones, "-z", (0, 0, -0.5 * tall), low, low, True))
    pads = kit.count(1, 4, name="turned body pads")
    start = kit.between(0, 360, name="turned body start")
    for i in range(pads):
        angle = np.radians(start + 360.0 * i / pads)
        z = kit.between(-0.2, 0.2, name="turned body z share") * tall
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        w, h = (
            kit.between(0.6, 1.0, name="turned body w share") * r,
            kit.between(0.3, 0.6, name="turned body h share") * tall,
        )
        here = float(np.interp(z + 0.5 * tall + np.array([-0.5, 0, 0.5]) * h, profile[:, 1], profile[:, 0]).max())
        spot = spot_on(whole, tones, out, (1.03 * here) * out + (0, 0, z), w, h)
        pieces += spot.place(block((w, h, 0.75 * here), (0, 0, -0.375 * here), round=0.03 * r))
        spots.append(spot.part_of(0, 0, 0.94 * w, 0.94 * h))
    if upright:
        kit.link("body", paint(tones[0], pieces))
        return spots
    lying = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # its axis along x
    turned = [m.with_vertices(m.vertices @ lying.T) for m in pieces]
    cradle = [block((0.12 * tall, 1.5 * r, 1.1 * r), (s * 0.3 * tall, 0, -0.75 * r), round=0) for s in (-1, 1)]
    kit.link("body", paint(tones[0], turned, parts="turned"), paint(tones[1], cradle, parts="cradle"))
    spots = [replace(s, at=lying @ s.at, axes=s.axes @ lying.T) for s in spots]
    return [s for s in spots if s.axes[2, 2] > -0.5]


def globe_body(kit: Kit, tones: Tones) -> list[Spot]:
    """A ball or an egg with round bosses."""
    size = draw_sizes(kit)
    size = 0.5 * size.mean() + 0.5 * size
    pieces = [ball(0.5 * size, segments=30)]
    spots = []
    front = kit.pick(*SIDES, name="globe body front")
    for side in SIDES:
        if side == front or kit.chance(0.5, name="globe body out"):
            out = direction(side)
            far = 0.5 * float(np.abs(out) @ size)
            r = kit.between(0.24, 0.34, name="globe body r share") * float(size.min())
            pieces.append(
                rod(
                    0.5 * far * out,
                    kit.between(1.03, 1.12, name="globe body rod size") * far * out,
                    r,
                    sides=28,
                    round=0.03 * r,
                )
            )
            top = float((pieces[-1].vertices @ out).max())
            spots.append(spot_on(size, tones, side, top * out, 1.35 * r, 1.35 * r))
    foot = rod(
        (0, 0, -0.56 * size[2]),
        (0, 0, -0.3 * size[2]),
        0.38 * float(size[:2].min()),
        end_radius=0.2 * float(size[:2].min()),
        sides=28,
    )
    kit.link("body", paint(tones[0], pieces), paint(tones[1], foot, parts="foot"))
    return spots


def table(kit: Kit, tones: Tones) -> list[Spot]:
    """A plate on legs, or on a column."""
    w, d, h = draw_sizes(kit) * (1.2, 1.2, 0.9)
    thick, r = (
        kit.between(0.05, 0.15, name="table thickness share") * min(w, d),
        kit.between(0.03, 0.06, name="table r share") * min(w, d),
    )
    round = kit.pick(0.01, 0.15, 0.45, name="table round") * min(w, d)
    if kit.chance(0.65, name="table under"):
        under = legs(
            0.88 * w - 0.75 * round,
            0.88 * d - 0.75 * round,
            h,
            r,
            style=kit.pick("round", "square", "tapered", "splayed", name="table under"),
        )
    else:
        under = [
            rod((0, 0, 0), (0, 0, h + 0.2 * thick), 1.6 * r, sides=20),
            rod((0, 0, 0), (0, 0, 0.5 * thick), 0.33 * min(w, d), sides=32),
        ]
    top = plate(rectangle(w, d, round), thick, (0, 0, h + 0.5 * thick))
    kit.link("body", paint(tones[0], top, parts="top"), paint(tones[1], under, parts="under"))
    size = np.array([w, d, h + thick])
    return [spot_on(size, tones, "z", (0, 0, h + thick), 0.92 * w - 0.6 * round, 0.92 * d - 0.6 * round, True)]


def prism(kit: Kit, tones: Tones) -> list[Spot]:
    """Five to eight flat sides and a top."""
    size = draw_sizes(kit)
    count, r, h = kit.count(5, 8, name="prism"), 0.5 * float(size[:2].mean()), float(size[2])
    angle = 2 * np.pi * (np.arange(count) + 0.5) / count
    outline = r * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    kit.link(
        "body",
        paint(tones[0], plate(outline, h, bevel=0.02 * r)),
        *paint_if_any(tones[1], stand(kit, 1.3 * r, 1.3 * r, -0.5 * h)),
    )
    whole = np.array([2 * r, 2 * r, h])
    side, flat = 2 * r * np.sin(np.pi / count), r * np.cos(np.pi / count)
    spots = [spot_on(whole, tones, "z", (0, 0, 0.5 * h), 1.25 * r, 1.25 * r, True)]
    for i in range(count):
        turn = 2 * np.pi * (i + 1) / count
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        spots.append(spot_on(whole, tones, out, flat * out, 0.9 * side, 0.9 * h))
    return spots


ROUND = (turned_body, turned_body, globe_body, table, prism)
